"""When the pipeline runs: at the end of a session, on demand, and for what earlier sessions left.

None of it can hang or hurt the program: the exit has a limit and can be skipped at once, and every
failure is one line. Whatever was not finished is found again at the next start, because the
transcript is on disk and its watermark has not moved.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path

from catmem import failopen, log, storage
from catmem.config.schema import MemorySettings
from catmem.errors import CatmemError, StorageError
from catmem.memory.pipeline.choice import ExtractorChoice
from catmem.memory.pipeline.extraction import Progress
from catmem.memory.pipeline.journal import SET_ASIDE_AFTER, Journal, Standing
from catmem.memory.pipeline.manager import MemoryManager, Occasion
from catmem.memory.pipeline.report import Outcome, Report
from catmem.memory.store.stores import Stores
from catmem.paths import Paths
from catmem.providers.base import Provider
from catmem.sessions import Session, last_seq, list_transcripts, lock_path, read_transcript
from catmem.text import t

Show = Callable[[str], None]
_EXIT_SECONDS = 20.0
_EXIT_SECONDS_ON_THIS_MACHINE = 120.0
_SESSIONS_AT_A_START = 5


class MemoryLifecycle:
    """Starts the manager's runs.

    ``provider`` gives the pipeline's provider when one is needed first; it may raise a
    CatmemError (no key …), which then is the reason of a failed run.
    """

    def __init__(
        self,
        manager: MemoryManager,
        settings: MemorySettings,
        sessions: Path,
        provider: Callable[[], Provider],
        choice: ExtractorChoice,
    ) -> None:
        self._manager = manager
        self._choice = choice
        self._settings = settings
        self._sessions = sessions
        self._provider = provider
        self._recovery: asyncio.Task[object] | None = None

    async def at_exit(self, session: Session, show: Show, stop: asyncio.Event) -> str:
        """Learn from a session that ends; return the last line to show, empty for none.

        ``stop`` ends it at once (Ctrl+C, a second Ctrl+D). Never raises, but for cancellation.
        """
        if self._settings.trigger == "manual" or not last_seq(session.path):
            return ""
        if self._recovery is not None:
            self._recovery.cancel()
        announced = _Announced(show)
        work = asyncio.create_task(
            failopen.attempt("memory at exit", self._run(session, Occasion.EXIT, announced))
        )
        stopping = asyncio.create_task(stop.wait())
        limit = self._limit()
        try:
            await asyncio.wait({work, stopping}, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                if stop.is_set():
                    return t("pipeline.exit.stopped")
                return t("pipeline.exit.limit", seconds=f"{limit:g}")
            return _last_line(work.result())
        finally:
            await _end(work, stopping)

    async def on_demand(self, session: Session, show: Show) -> Report:
        """Learn from the running session now.

        Raises:
            CatmemError: there is no provider to ask.
        """
        if not last_seq(session.path):
            return Report()
        return await self._run(session, Occasion.DEMAND, show)

    def forget_window(self, session: Session) -> None:
        """Count everything said so far as dealt with: what was cleared is not learned again.

        Raises:
            StorageError: the journal cannot be written.
        """
        if seq := last_seq(session.path):
            self._manager.pass_over(session.id, seq)

    async def read_ahead(self) -> None:
        """Let a slow model read what learning begins with, while it has nothing else to do."""
        if self._settings.trigger != "manual":
            await failopen.attempt("memory ahead", self._read_ahead())

    async def _read_ahead(self) -> None:
        await self._choice.read_ahead(self._provider())

    async def recover(self) -> list[str]:
        """Finish what earlier sessions of this project left; return what to tell the person.

        Oldest first, at most five, each by one process only: the transcript's lock is the lease.
        A window that failed three times is left alone. The exit cancels what still runs.
        """
        if self._settings.trigger == "manual":
            return []
        self._recovery = asyncio.current_task()
        paths = await asyncio.to_thread(self._unfinished, SET_ASIDE_AFTER)
        reports = await self._finish(paths[:_SESSIONS_AT_A_START], Occasion.RECOVERY, _say_nothing)
        return [
            t("pipeline.learned", line=report.line())
            for report in reports
            if report.outcome is Outcome.SAVED and report.changed
        ]

    async def extract_open(self, show: Show) -> list[Report]:
        """Deal with every session of this project that still has an open window.

        Raises:
            CatmemError: there is no provider to ask.
        """
        paths = await asyncio.to_thread(self._unfinished, None)
        return await self._finish(paths, Occasion.DEMAND, show)

    async def _run(self, session: Session, occasion: Occasion, progress: Progress) -> Report:
        """Learn from what the transcript holds; a cleared conversation is still in there."""
        transcript = await asyncio.to_thread(read_transcript, session.path)
        return await self._manager.run(
            session.id, transcript.messages, occasion, self._provider(), progress
        )

    async def _finish(
        self, paths: list[Path], occasion: Occasion, progress: Progress
    ) -> list[Report]:
        reports: list[Report] = []
        for path in paths:
            try:
                with storage.lock(lock_path(path), timeout=0):
                    transcript = await asyncio.to_thread(read_transcript, path)
                    report = await self._manager.run(
                        path.stem, transcript.messages, occasion, self._provider(), progress
                    )
            except StorageError as error:  # owned by a living process, or not readable
                log.info(f"left alone: {error}")
                continue
            reports.append(report)
            if report.has_failed and report.retryable:
                break
        return reports

    def _unfinished(self, most_failures: int | None) -> list[Path]:
        """Return the transcripts with an open window, oldest first."""
        standings = self._manager.journal.standings()
        found: list[Path] = []
        for path in list_transcripts(self._sessions):
            standing = standings.get(path.stem, Standing())
            if most_failures is not None and standing.failures >= most_failures:
                continue
            if last_seq(path) > standing.seq:
                found.append(path)
        return found

    def _limit(self) -> float:
        if self._settings.exit_seconds is not None:
            return self._settings.exit_seconds
        try:
            on_this_machine = self._provider().loopback
        except CatmemError:
            on_this_machine = False
        return _EXIT_SECONDS_ON_THIS_MACHINE if on_this_machine else _EXIT_SECONDS


def build(
    paths: Paths, settings: MemorySettings, stores: Stores, provider: Callable[[], Provider]
) -> MemoryLifecycle:
    """Return the lifecycle with its manager; see ``MemoryLifecycle`` for ``provider``."""
    choice = ExtractorChoice()
    manager = MemoryManager(stores, Journal(paths.journal), settings, choice)
    return MemoryLifecycle(manager, settings, paths.sessions, provider, choice)


class _Announced:
    """Shows the stages of a run, led by one line that says how to skip it."""

    def __init__(self, show: Show) -> None:
        self._show = show
        self._started = False

    def __call__(self, stage: str) -> None:
        if not self._started:
            self._started = True
            self._show(t("pipeline.exit.saving"))
        else:
            self._show(t("pipeline.exit.stage", stage=stage))


def _last_line(result: Report | Exception) -> str:
    if isinstance(result, CatmemError):
        return t("pipeline.failed", reason=result)
    if isinstance(result, Exception):
        return t("pipeline.exit.error", reason=type(result).__name__)
    return result.line(undo=True) if result.asked else ""


async def _end(*tasks: asyncio.Task[object]) -> None:
    for task in tasks:
        task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.gather(*tasks, return_exceptions=True)


def _say_nothing(_stage: str) -> None:
    """Progress of what runs unseen."""
