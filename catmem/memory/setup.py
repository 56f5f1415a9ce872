"""The one door of the memory: builds its parts and hands out what the rest of the program needs.

The pipeline is loaded when it is first used: with all its patterns it takes as long to import as
the prompt takes to appear.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from catmem.commands import Command, Console
from catmem.config.schema import MemorySettings
from catmem.errors import StorageError, UsageError
from catmem.hooks import Hooks
from catmem.memory.commands import trusting
from catmem.memory.commands.trusting import Untrusted
from catmem.memory.commands.trusting import shown as shown_untrusted
from catmem.memory.injection import MemoryInjection
from catmem.memory.lifecycle.beside import PIPELINE, Beside
from catmem.memory.store.entry import TYPES, Entry, Scope
from catmem.memory.store.stores import Stores, open_stores
from catmem.memory.tools import MemoryRead, MemoryWrite
from catmem.messages import ModelRequest
from catmem.paths import Paths
from catmem.providers.base import Provider
from catmem.sanitize import clean
from catmem.sessions import Session
from catmem.text import t
from catmem.tools.base import Tool

if TYPE_CHECKING:
    from catmem.memory.commands.session import SessionCommands
    from catmem.memory.lifecycle.occasions import MemoryLifecycle, Show
    from catmem.memory.pipeline.forgetting.forgetter import Forgetter
    from catmem.memory.pipeline.report import Report

__all__ = [
    "ENTRY_TYPES",
    "SCOPES",
    "Memory",
    "Untrusted",
    "build",
    "shown_untrusted",
    "untrusted",
]

ENTRY_TYPES = TYPES
SCOPES = tuple(map(str, Scope))
_WARNINGS_AT_A_START = 3
_COMMANDS = "catmem.memory.commands.session"
_FORGETTING = "catmem.memory.pipeline.forgetting.forgetter"
_WITHHOLDING = "catmem.memory.pipeline.forgetting.withholding"


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory of one session; everything is empty or does nothing where memory is disabled."""

    tools: tuple[Tool, ...]
    commands: tuple[Command, ...]
    stores: Stores | None
    session: Session
    lifecycle: Callable[[], MemoryLifecycle] | None
    beside: Beside | None

    @property
    def is_on(self) -> bool:
        """Whether memory is enabled, and not switched off for the session."""
        return self.beside is not None and not self.beside.is_off

    @property
    def last_count(self) -> int:
        """How many entries there were when the stores were last read; reads nothing."""
        return self.stores.last_count if self.stores else 0

    def count(self) -> int:
        """Return how many entries there are."""
        return len(self.stores.load_all()) if self.stores else 0

    def untrusted(self) -> list[Untrusted]:
        """Return the entries that came with the project and that nobody trusts yet."""
        return trusting.untrusted(self.stores) if self.stores else []

    async def opened(self) -> list[str]:
        """Bring the indexes in line with the files; return what the person should know, once."""
        return await asyncio.to_thread(_open, self.stores) if self.stores else []

    async def at_exit(self, show: Show, stop: asyncio.Event) -> str:
        """Learn from the session that ends; return the last line to show, empty for none.

        ``show`` takes the stages; ``stop`` ends it at once and leaves the rest to the next start.
        """
        if self.lifecycle is None or self.beside is None or not self.session.path.exists():
            return ""  # nothing was said, so nothing is loaded
        try:
            if self.beside.is_off:
                return ""
            return await self.lifecycle().at_exit(self.session, show, stop, self.beside.give_way)
        finally:
            await self.beside.close()

    def tell_with(self, tell: Callable[[str], None]) -> None:
        """Let ``tell`` have a line about what was learned while the session goes on."""
        if self.beside is not None:
            self.beside.tell = tell

    async def read_ahead(self) -> None:
        """Let a slow model read what learning begins with, while nobody needs it."""
        if self.lifecycle is not None:
            await self.lifecycle().read_ahead()

    async def done_with(self, transcripts: Sequence[Path]) -> list[Path]:
        """Return those of the transcripts (of any project) that nothing is to be learned from."""
        if self.lifecycle is None:
            return list(transcripts)
        await asyncio.to_thread(importlib.import_module, PIPELINE)
        return await asyncio.to_thread(self.lifecycle().done_with, transcripts)

    async def recover(self) -> list[str]:
        """Finish what earlier sessions left, in the background; return lines to show."""
        return await self.beside.recover() if self.beside is not None else []


def build(
    *,
    paths: Paths,
    settings: MemorySettings,
    session: Session,
    hooks: Hooks,
    provider: Callable[[], Provider],
    editor: str = "",
) -> Memory:
    """Return the memory of ``session`` and register its hooks.

    ``provider`` gives the model that learns, when it is needed; it may raise a CatmemError.
    ``editor`` is the command line of the person's editor.
    """
    if not settings.enabled:
        session.off_record = True
        return Memory((), _switched_off(), None, session, None, None)
    stores = open_stores(paths, settings.user_dir, settings.project_dir)
    lifecycle = lifecycle_of(paths, settings, stores, provider)
    beside = Beside(session, settings.trigger, lifecycle, provider)
    injection = MemoryInjection(stores, settings.max_injected)
    _register(hooks, beside, injection)
    forgetter = forgetter_of(stores, paths)

    async def withhold(entries: Sequence[Entry]) -> None:
        """Take entries out of what this session sends: the system text, and earlier results."""
        withholder = importlib.import_module(_WITHHOLDING).withholder
        session.withhold(withholder(entries), await injection.rebuilt(session.system))

    async def learn(show: Show) -> Report:
        if beside.is_off:
            raise UsageError(t("memory.command.is_off"))
        before = await beside.give_way(show)
        report = await lifecycle().on_demand(session, show)
        return report if before is None else before + report

    async def retry(show: Show) -> Sequence[Report]:
        if beside.is_off:
            raise UsageError(t("memory.command.is_off"))
        return await lifecycle().retry(show, session)

    @cache
    def commands() -> SessionCommands:
        made: SessionCommands = importlib.import_module(_COMMANDS).SessionCommands(
            stores=stores,
            session=session,
            trigger=settings.trigger,
            editor=editor,
            switch=beside,
            overview=lambda: lifecycle().overview(),
            forget_window=lambda: lifecycle().forget_window(session),
            forgetter=forgetter,
            withhold=withhold,
            learn=learn,
            retry=retry,
        )
        return made

    tools = (MemoryRead(stores), MemoryWrite(stores, session, forgetter, withhold))
    return Memory(tools, _loaded_later(commands), stores, session, lifecycle, beside)


def _loaded_later(commands: Callable[[], SessionCommands]) -> tuple[Command, ...]:
    """Return /memory and /remember, whose code is loaded when one of them is first used."""

    async def memory(rest: str, console: Console) -> None:
        await commands().memory.run(rest, console)

    async def remember(rest: str, console: Console) -> None:
        await commands().remember(rest, console)

    def complete(rest: str) -> Sequence[str]:
        return commands().memory.complete(rest)

    def forms() -> Sequence[tuple[str, str]]:
        return commands().memory.forms

    return (
        Command("memory", "", "cli.help.memory", memory, complete, forms=forms),
        Command("remember", "TEXT", "cli.help.remember", remember, while_busy=True),
    )


def _register(hooks: Hooks, beside: Beside, injection: MemoryInjection) -> None:
    async def inject(request: ModelRequest) -> ModelRequest:
        return request if beside.is_off else await injection.before_request(request)

    hooks.before_request += [beside.before_request, inject]
    hooks.before_tool.append(beside.before_tool)
    hooks.after_turn.append(beside.after_turn)
    hooks.before_compaction.append(beside.before_compaction)
    hooks.session_end.append(beside.close)


def untrusted(paths: Paths, settings: MemorySettings) -> list[Untrusted]:
    """Return the entries that came with the project and that nobody trusts yet.

    Notes the first run here, if this is it.
    """
    stores = open_stores(paths, settings.user_dir, settings.project_dir)
    stores.begin()
    return trusting.untrusted(stores)


def _open(stores: Stores) -> list[str]:
    try:
        kept = stores.recover()
    except StorageError as error:
        kept = [str(error)]
    stores.begin()
    stores.refresh_indexes()
    warnings = [warning.text for warning in stores.new_warnings()]
    shown = [clean(text) for text in (*kept, *stores.problems(), *warnings[:_WARNINGS_AT_A_START])]
    if (more := len(warnings) - _WARNINGS_AT_A_START) > 0:
        shown.append(t("memory.more_warnings", count=more))
    return shown


def lifecycle_of(
    paths: Paths, settings: MemorySettings, stores: Stores, provider: Callable[[], Provider]
) -> Callable[[], MemoryLifecycle]:
    """Return what gives the lifecycle, loading and building it at the first call."""

    @cache
    def load() -> MemoryLifecycle:
        made: MemoryLifecycle = importlib.import_module(PIPELINE).build(
            paths, settings, stores, provider
        )
        return made

    return load


def forgetter_of(stores: Stores, paths: Paths) -> Callable[[], Forgetter]:
    """Return what gives the forgetter, loading and building it at the first call."""

    @cache
    def load() -> Forgetter:
        made: Forgetter = importlib.import_module(_FORGETTING).Forgetter(stores, paths)
        return made

    return load


def _switched_off() -> tuple[Command, ...]:
    async def run(_rest: str, console: Console) -> None:
        console.write(t("pipeline.off"))

    return (
        Command("memory", "", "cli.help.memory", run),
        Command("remember", "TEXT", "cli.help.remember", run),
    )
