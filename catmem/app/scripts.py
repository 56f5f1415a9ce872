"""``catmem memory …``: the memory for scripts. No conversation; a model only for ``extract``."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass, field

from catmem import providers
from catmem.app.run import Options, find_place
from catmem.app.session import Place
from catmem.errors import ExitCode, UsageError
from catmem.memory import commands as memory_commands
from catmem.memory import setup as memory_setup
from catmem.providers.base import Provider
from catmem.text import t


@dataclass(frozen=True, slots=True)
class MemoryRequest:
    """One memory command: ``action`` is list, show, add, clear or extract.

    ``json`` asks for JSON (list, show), ``yes`` clears without a question.
    """

    action: str
    options: Options = field(default_factory=Options)
    json: bool = False
    yes: bool = False
    name: str = ""
    addition: memory_commands.Addition | None = None


def run_memory(request: MemoryRequest) -> int:
    """Carry out a memory command and return the exit code.

    Raises:
        CatmemError: it cannot begin: usage, configuration, no provider.
    """
    place = find_place(request.options)
    if request.action == "extract":
        return asyncio.run(_extract(place))
    scripts = memory_setup.for_scripts(place.paths, place.settings.memory, lambda: _provider(place))
    stores = scripts.stores
    match request.action:
        case "list":
            return memory_commands.list_entries(stores, _out, _err, as_json=request.json)
        case "show":
            return memory_commands.show_entry(
                stores, request.name, _out, _err, as_json=request.json
            )
        case "add" if request.addition is not None:
            return memory_commands.add_entry(stores, request.addition, _out, _err)
        case "clear":
            return _clear(scripts, yes=request.yes)
        case other:
            raise UsageError(t("cli.usage", problem=other, prog="catmem memory"))


def _clear(scripts: memory_setup.MemoryScripts, *, yes: bool) -> int:
    entries = scripts.stores.load_all()
    if not entries:
        _out(t("memory.command.none"))
        return ExitCode.DONE
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError(t("cli.memory.needs_yes"))
        sys.stderr.write(f"{memory_commands.clear_question(entries)} [y/N] ")
        if sys.stdin.readline().strip().lower() not in {"y", "yes", "是"}:
            _err(t("memory.command.kept"))
            return ExitCode.FAILED
    return memory_commands.clear_entries(scripts.stores, entries, _out, _err)


async def _extract(place: Place) -> int:
    opened: list[Provider] = []

    def provider() -> Provider:
        if not opened:
            opened.append(_provider(place))
        return opened[0]

    scripts = memory_setup.for_scripts(place.paths, place.settings.memory, provider)
    try:
        return await scripts.extract(_out, _err)
    finally:
        for one in opened:
            await one.aclose()


def _provider(place: Place) -> Provider:
    return providers.create(place.settings, place.paths, place.environ, purpose="memory")


def _out(text: str) -> None:
    sys.stdout.write(text + "\n")


def _err(text: str) -> None:
    sys.stderr.write(text + "\n")
