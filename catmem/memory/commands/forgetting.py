"""Forgetting by name or by words: shows what matches, asks, archives it, and keeps it forgotten."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from catmem.errors import ExitCode
from catmem.memory.commands.listing import found_line
from catmem.memory.commands.printing import Write
from catmem.memory.store.entry import Entry
from catmem.memory.store.operations import ApplyReport, Operation, Result
from catmem.memory.store.stores import Stores
from catmem.sanitize import clean, one_line
from catmem.text import listed, t

if TYPE_CHECKING:
    from catmem.memory.pipeline.forgetting.forgetter import Forgetter, Found
    from catmem.memory.pipeline.forgetting.traces import Traces

PURGE = "--purge"
Confirm = Callable[[str], Awaitable[bool]]
_EPISODE_CHARACTERS = 120


@dataclass(frozen=True, slots=True)
class Forgetting:
    """What the forget command works with.

    Attributes:
        forgetter: finds and forgets; loaded when it is first needed.
        session: the id of the session it is asked in; empty outside one.
        transcript: the transcript of that session.
        withhold: takes entries out of what this session sends; None outside a session.
    """

    stores: Stores
    forgetter: Callable[[], Forgetter]
    session: str = ""
    transcript: Path | None = None
    withhold: Callable[[Sequence[Entry]], Awaitable[None]] | None = None

    async def run(
        self, words: str, confirm: Confirm, out: Write, err: Write, *, purge: bool = False
    ) -> int:
        """Forget what ``words`` name or describe, after a question; return the exit code.

        Raises:
            StorageError: what keeps it forgotten cannot be written; nothing was forgotten.
        """
        forgetter = self.forgetter()
        found = await asyncio.to_thread(forgetter.find, words)
        if not (found if purge else found.entries or found.episodes):
            err(_nothing(self.stores, words))
            return ExitCode.FAILED
        out("\n".join(_lines(found)))
        if not await confirm(_question(found, purge=purge)):
            err(t("memory.command.kept"))
            return ExitCode.FAILED
        traces = await asyncio.to_thread(forgetter.traces, found) if purge else None
        report = await asyncio.to_thread(forgetter.forget, found, self.session)
        await self._say(report, found, out, err, purge=purge)
        if report.not_done:
            return ExitCode.FAILED
        if traces is not None:
            await self._purge(traces, confirm, out)
        return ExitCode.DONE

    def delete(self, operations: Sequence[Operation]) -> ApplyReport:
        """Carry out operations; what they delete is not learned again. See ``Forgetter.delete``."""
        return self.forgetter().delete(operations, self.session)

    async def withhold_gone(self, entries: Sequence[Entry]) -> None:
        """Take those of these entries that are no longer stored out of what this session sends."""
        known = await asyncio.to_thread(self.stores.load_all)
        left = {(entry.scope, entry.name) for entry in known}
        gone = [entry for entry in entries if (entry.scope, entry.name) not in left]
        if gone and self.withhold is not None:
            await self.withhold(gone)

    async def _say(
        self, report: ApplyReport, found: Found, out: Write, err: Write, *, purge: bool
    ) -> None:
        for outcome in report.not_done:
            err(clean(outcome.reason))
        done = {outcome.name for outcome in report.outcomes if outcome.result is Result.DELETED}
        gone = [entry for entry in found.entries if entry.name in done]
        if done:
            said = "memory.purge.forgotten" if purge else "memory.forget.done"
            out(t(said, names=listed(sorted(done))))
        if found.episodes:
            out(t("memory.forget.episodes_done", count=len(found.episodes)))
        if self.withhold is not None and (gone or found.versions):
            await self.withhold([*gone, *found.versions])
            out(t("memory.forget.stays"))

    async def _purge(self, traces: Traces, confirm: Confirm, out: Write) -> None:
        forgetter = self.forgetter()
        purged = await asyncio.to_thread(forgetter.purge, traces)
        out(t("memory.purge.done", count=purged.versions))
        if purged.others:
            out(t("memory.purge.others", places=_places(purged.others)))
        if not purged.transcripts:
            return
        out(t("memory.purge.transcripts", places=_places(purged.transcripts)))
        if not await confirm(t("memory.purge.question", count=len(purged.transcripts))):
            out(t("memory.purge.kept"))
            return
        redacted = await asyncio.to_thread(
            forgetter.redact, purged.transcripts, traces, self.transcript
        )
        out(t("memory.purge.redacted", count=len(redacted.done)))
        if redacted.busy:
            out(t("memory.purge.busy", places=_places(redacted.busy)))


def _lines(found: Found) -> list[str]:
    lines = [t("memory.forget.found")]
    lines += [found_line(entry) for entry in found.entries]
    stored = {entry.name for entry in found.entries}
    lines += [t("memory.forget.version", name=name) for name in found.names if name not in stored]
    lines += [
        t("memory.forget.episode", text=one_line(text, _EPISODE_CHARACTERS))
        for text in found.episodes
    ]
    return lines


def _question(found: Found, *, purge: bool) -> str:
    names = listed(found.names)
    if purge and names:
        return t("memory.purge.forget", names=names)
    if not found.entries:
        return t("memory.forget.question_episodes", count=len(found.episodes))
    return t("memory.forget.question", names=listed(entry.name for entry in found.entries))


def _places(paths: Sequence[Path]) -> str:
    return "".join(f"\n  {clean(str(path))}" for path in paths)


def _nothing(stores: Stores, words: str) -> str:
    near = stores.near(words)
    hint = t("memory.command.near", names=listed(near)) if near else ""
    return t("memory.forget.nothing", words=one_line(words, 60)) + hint
