"""The end of a session, learning on demand, and what earlier sessions left.

The exit has a limit and can be skipped at once, and every failure is one line.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from catmem import failopen, log
from catmem.config.schema import MemorySettings
from catmem.errors import CatmemError, StorageError
from catmem.memory.lifecycle.earlier import is_due, lease
from catmem.memory.pipeline.choice import ExtractorChoice
from catmem.memory.pipeline.extraction import Progress
from catmem.memory.pipeline.journal import SET_ASIDE_AFTER, Journal
from catmem.memory.pipeline.manager import MemoryManager, Occasion
from catmem.memory.pipeline.overview import Overview, Unfinished, overview, settled, unfinished
from catmem.memory.pipeline.report import Report
from catmem.memory.store.stores import Stores
from catmem.paths import Paths
from catmem.providers.base import Provider
from catmem.sessions import Session, last_seq, read_transcript
from catmem.text import t

Show = Callable[[str], None]
UnderWay = Callable[[Progress], Awaitable[Report | None]]
"""Waits for a run beside the conversation, and returns its report; None where there is none."""
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

    async def at_exit(
        self,
        session: Session,
        show: Show,
        stop: asyncio.Event,
        under_way: UnderWay | None = None,
    ) -> str:
        """Learn from a session that ends; return the last line to show, empty for none.

        ``under_way`` waits for what the session has running and returns its report; it counts
        against the limit too. ``stop`` ends it all at once (Ctrl+C, a second Ctrl+D). Never raises,
        but for cancellation.
        """
        if self._settings.trigger == "manual" or not last_seq(session.path):
            return ""
        if self._recovery is not None:
            self._recovery.cancel()
        work = asyncio.create_task(
            failopen.attempt("memory at exit", self._last_run(session, _Announced(show), under_way))
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

    async def beside(self, session: Session, occasion: str, seq: int) -> Report:
        """Learn from the running session up to ``seq``, unless that failed a short while ago.

        Raises:
            CatmemError: there is no provider to ask.
        """
        standing = await asyncio.to_thread(self._manager.journal.standing, session.id)
        if not is_due(standing, at_a_start=False):
            return Report()
        return await self._run(session, Occasion(occasion), _say_nothing, seq)

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

        Oldest first, at most five that a model is asked about, each by one process only: the
        transcript's lock is the lease. The exit cancels what still runs.
        """
        if self._settings.trigger == "manual":
            return []
        self._recovery = asyncio.current_task()
        found = await asyncio.to_thread(unfinished, self._sessions, self._manager.journal)
        due = [one.path for one in found if is_due(one.standing, at_a_start=True)]
        reports = await self._finish(due, Occasion.RECOVERY, _say_nothing, _SESSIONS_AT_A_START)
        return [
            t("pipeline.learned", line=report.line())
            for report in reports
            if report.changed or report.set_aside
        ]

    def done_with(self, transcripts: Sequence[Path]) -> list[Path]:
        """Return the transcripts without an open window, one set aside included."""
        return settled(transcripts, self._manager.journal)

    async def extract_open(self, show: Show) -> list[Report]:
        """Deal with every session of this project that still has an open window.

        Raises:
            CatmemError: there is no provider to ask.
        """
        return await self._extract(show, lambda _: True)

    async def retry(self, show: Show, running: Session | None = None) -> list[Report]:
        """Try the windows that were set aside once more, that of the running session too.

        Raises:
            CatmemError: there is no provider to ask.
        """
        reports = await self._extract(show, lambda one: one.is_set_aside)
        if running is not None:
            standing = await asyncio.to_thread(self._manager.journal.standing, running.id)
            if standing.failures >= SET_ASIDE_AFTER:
                reports.append(await self.on_demand(running, show))
        return reports

    def overview(self) -> Overview:
        """Return how learning stands in this project; reads the disk."""
        return overview(self._sessions, self._manager.journal)

    async def _extract(self, show: Show, wanted: Callable[[Unfinished], bool]) -> list[Report]:
        found = await asyncio.to_thread(unfinished, self._sessions, self._manager.journal)
        return await self._finish([one.path for one in found if wanted(one)], Occasion.DEMAND, show)

    async def _last_run(
        self,
        session: Session,
        progress: Progress,
        under_way: UnderWay | None,
    ) -> Report:
        before = await under_way(progress) if under_way is not None else None
        report = await self._run(session, Occasion.EXIT, progress)
        return before + report if before is not None and not before.has_failed else report

    async def _run(
        self, session: Session, occasion: Occasion, progress: Progress, seq: int | None = None
    ) -> Report:
        """Learn from what the transcript holds; a cleared conversation is still in there."""
        transcript = await asyncio.to_thread(read_transcript, session.path)
        return await self._manager.run(
            session.id, transcript.messages, occasion, self._provider(), progress, seq
        )

    async def _finish(
        self, paths: list[Path], occasion: Occasion, progress: Progress, most: int | None = None
    ) -> list[Report]:
        reports: list[Report] = []
        for path in paths:
            with lease(path) as is_ours:
                if not is_ours:
                    continue
                try:
                    transcript = await asyncio.to_thread(read_transcript, path)
                    watermark = await asyncio.to_thread(self._manager.journal.watermark, path.stem)
                    if transcript.last_seq <= watermark:
                        continue  # another process was quicker, and has said what it learned
                    report = await self._manager.run(
                        path.stem, transcript.messages, occasion, self._provider(), progress
                    )
                except StorageError as error:  # not readable
                    log.info(f"left alone: {error}")
                    continue
            reports.append(report)
            if report.has_failed and report.retryable:
                break
            if most is not None and sum(one.asked for one in reports) >= most:
                break
        return reports

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
