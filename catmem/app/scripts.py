"""``catmem memory …`` and ``catmem trust``: no conversation.

A model is asked only for ``extract`` and ``retry``.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from catmem import providers
from catmem.app import trusting
from catmem.app.run import Options, find_place
from catmem.app.session import Place, editor
from catmem.errors import UsageError
from catmem.memory import scripts as memory_scripts
from catmem.memory.commands.adding import Addition
from catmem.memory.setup import ENTRY_TYPES, SCOPES
from catmem.providers.base import Provider
from catmem.text import t
from catmem.ui.process import on_signals, run_on_terminal

__all__ = ["ENTRY_TYPES", "SCOPES", "Addition", "MemoryRequest", "run_memory", "run_trust"]


@dataclass(frozen=True, slots=True)
class MemoryRequest:
    """One memory command: ``action`` is the word after ``catmem memory``.

    ``json`` asks for JSON (list, show, search, history, status, doctor), ``yes`` answers the
    questions
    (forget, clear), ``purge`` forgets without a trace; ``words`` is what to forget or to search
    for, ``-`` for one query a line from standard input.
    """

    action: str
    options: Options = field(default_factory=Options)
    json: bool = False
    yes: bool = False
    name: str = ""
    scope: str = ""
    words: str = ""
    purge: bool = False
    addition: Addition | None = None


def run_memory(request: MemoryRequest) -> int:
    """Carry out a memory command and return the exit code.

    Raises:
        CatmemError: it cannot begin: usage, configuration, no provider.
    """
    place = find_place(request.options)
    if request.action in {"extract", "retry"}:
        return asyncio.run(_learn(place, request.action))
    action = _ACTIONS.get(request.action)
    if action is None:
        raise UsageError(t("cli.usage", problem=request.action, prog="catmem memory"))
    return action(_scripts(place, lambda: _provider(place)), request, place)


_Action = Callable[[memory_scripts.MemoryScripts, MemoryRequest, Place], int]


def _add(scripts: memory_scripts.MemoryScripts, request: MemoryRequest, _place: Place) -> int:
    if request.addition is None:
        raise UsageError(t("cli.usage", problem=request.action, prog="catmem memory"))
    return scripts.add(request.addition)


def _search(scripts: memory_scripts.MemoryScripts, request: MemoryRequest, _place: Place) -> int:
    queries = _lines_in() if request.words == "-" else [request.words]
    return scripts.search(queries, as_json=request.json)


def _lines_in() -> Iterator[str]:
    """Yield the lines of standard input as they come."""
    for line in sys.stdin.buffer:
        yield line.decode("utf-8-sig", "replace").strip()


def _forget(scripts: memory_scripts.MemoryScripts, request: MemoryRequest, _place: Place) -> int:
    confirm = _yes if request.yes else _asking(request.action)
    return asyncio.run(scripts.forget(request.words, confirm, purge=request.purge))


def _edit(scripts: memory_scripts.MemoryScripts, request: MemoryRequest, place: Place) -> int:
    return asyncio.run(scripts.edit(request.name, editor(place.environ), ShellConsole()))


_ACTIONS: dict[str, _Action] = {
    "list": lambda scripts, request, _: scripts.list_entries(as_json=request.json),
    "show": lambda scripts, request, _: scripts.show(request.name, as_json=request.json),
    "search": _search,
    "history": lambda scripts, request, _: scripts.history(request.name, as_json=request.json),
    "undo": lambda scripts, _request, _place: scripts.undo(),
    "add": _add,
    "edit": _edit,
    "move": lambda scripts, request, _: scripts.move(request.name, request.scope),
    "pin": lambda scripts, request, _: scripts.pin(request.name, pinned=True),
    "unpin": lambda scripts, request, _: scripts.pin(request.name, pinned=False),
    "doctor": lambda scripts, request, _: scripts.doctor(as_json=request.json),
    "forget": _forget,
    "status": lambda scripts, request, _: scripts.status(as_json=request.json),
    "clear": lambda scripts, request, _: scripts.clear(
        _yes if request.yes else _asking(request.action)
    ),
}


class ShellConsole:
    """The console of a command that a person typed in a shell."""

    def write(self, text: str) -> None:
        """Print on standard output."""
        _out(text)

    async def confirm(self, question: str) -> bool:
        """Ask where somebody can answer."""
        return sys.stdin.isatty() and _ask(question)

    async def run_program(self, command: Sequence[str]) -> int | None:
        """Run a program in the shell's terminal; Ctrl+C is the program's."""
        on_signals({signal.SIGINT: lambda: None})
        return await run_on_terminal(command)


def run_trust(options: Options, *, revoke: bool) -> int:
    """Trust what came with this project, or forget that again; return the exit code.

    Raises:
        CatmemError: the configuration cannot be used, or the decision cannot be noted.
    """
    place = find_place(options, with_project=False)  # they may be what is to be revoked
    return trusting.carry_out(place, revoke=revoke)


def _yes(_question: str) -> bool:
    return True


def _asking(action: str) -> Callable[[str], bool]:
    def confirm(question: str) -> bool:
        if not sys.stdin.isatty():
            raise UsageError(t("cli.memory.needs_yes", action=action))
        return _ask(question)

    return confirm


def _ask(question: str) -> bool:
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()  # a line without its end stays in the buffer
    # The event loop's own handler would wait until the line is read.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return sys.stdin.readline().strip().lower() in {"y", "yes", "是"}
    finally:
        signal.signal(signal.SIGINT, before)


async def _learn(place: Place, action: str) -> int:
    opened: list[Provider] = []

    def provider() -> Provider:
        if not opened:
            opened.append(_provider(place))
        return opened[0]

    try:
        scripts = _scripts(place, provider)
        return await (scripts.retry() if action == "retry" else scripts.extract())
    finally:
        for one in opened:
            await one.aclose()


def _scripts(place: Place, provider: Callable[[], Provider]) -> memory_scripts.MemoryScripts:
    return memory_scripts.for_scripts(place.paths, place.settings.memory, provider, _out, _err)


def _provider(place: Place) -> Provider:
    return providers.create(place.settings, place.paths, place.environ, purpose="memory")


def _out(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()  # whoever asks line by line waits for each answer


def _err(text: str) -> None:
    sys.stderr.write(text + "\n")
