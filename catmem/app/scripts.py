"""``catmem memory …``: the memory for scripts. No conversation; a model only for ``extract``."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from catmem import providers
from catmem.app.run import Options, find_place
from catmem.app.session import Place
from catmem.errors import UsageError
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
    addition: memory_setup.Addition | None = None


def run_memory(request: MemoryRequest) -> int:
    """Carry out a memory command and return the exit code.

    Raises:
        CatmemError: it cannot begin: usage, configuration, no provider.
    """
    place = find_place(request.options)
    if request.action == "extract":
        return asyncio.run(_extract(place))
    scripts = _scripts(place, lambda: _provider(place))
    match request.action:
        case "list":
            return scripts.list_entries(as_json=request.json)
        case "show":
            return scripts.show(request.name, as_json=request.json)
        case "add" if request.addition is not None:
            return scripts.add(request.addition)
        case "clear":
            return scripts.clear(_yes if request.yes else _confirm)
        case other:
            raise UsageError(t("cli.usage", problem=other, prog="catmem memory"))


def _yes(_question: str) -> bool:
    return True


def _confirm(question: str) -> bool:
    if not sys.stdin.isatty():
        raise UsageError(t("cli.memory.needs_yes"))
    sys.stderr.write(f"{question} [y/N] ")
    return sys.stdin.readline().strip().lower() in {"y", "yes", "是"}


async def _extract(place: Place) -> int:
    opened: list[Provider] = []

    def provider() -> Provider:
        if not opened:
            opened.append(_provider(place))
        return opened[0]

    try:
        return await _scripts(place, provider).extract()
    finally:
        for one in opened:
            await one.aclose()


def _scripts(place: Place, provider: Callable[[], Provider]) -> memory_setup.MemoryScripts:
    return memory_setup.for_scripts(place.paths, place.settings.memory, provider, _out, _err)


def _provider(place: Place) -> Provider:
    return providers.create(place.settings, place.paths, place.environ, purpose="memory")


def _out(text: str) -> None:
    sys.stdout.write(text + "\n")


def _err(text: str) -> None:
    sys.stderr.write(text + "\n")
