"""Learning while the session lives: queued in the background, in order, one run at a time.

The conversation never waits for it. This module is small, because it is loaded at the start; the
pipeline is loaded by the first run.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from catmem import failopen
from catmem.errors import CatmemError
from catmem.messages import Message, ModelRequest, ToolCallPart
from catmem.providers.base import Provider
from catmem.sessions import Session
from catmem.text import t

if TYPE_CHECKING:
    from catmem.memory.lifecycle.occasions import MemoryLifecycle
    from catmem.memory.pipeline.report import Report

PIPELINE = "catmem.memory.lifecycle.occasions"
IDLE_SECONDS = 10.0
_EMBEDDED = "local"
_TURN, _IDLE, _COMPACTION = "turn", "idle", "compaction"
_REFUSAL = "Memory is switched off for this session (/memory on switches it on again)."


class Beside:
    """The queue of one session, the clock of its idle time, and the switch /memory off and on.

    Attributes:
        tell: takes one line about what a run has learned.
        is_off: whether memory is switched off for the session.
    """

    def __init__(
        self,
        session: Session,
        trigger: str,
        lifecycle: Callable[[], MemoryLifecycle],
        provider: Callable[[], Provider],
        *,
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        self.tell: Callable[[str], None] = lambda _: None
        self.is_off = False
        self._session = session
        self._trigger = trigger
        self._lifecycle = lifecycle
        self._provider = provider
        self._idle_seconds = idle_seconds
        self._queue: deque[tuple[str, int]] = deque()
        self._worker: asyncio.Task[None] | None = None
        self._last: Report | None = None
        self._awaited = False
        self._completed = 0
        self._clock: asyncio.TimerHandle | None = None
        self._recovery: asyncio.Task[object] | None = None

    # Hooks

    async def before_request(self, request: ModelRequest) -> ModelRequest:
        """Stop the idle clock: the model is wanted."""
        self._stop_clock()
        return request

    async def before_tool(self, call: ToolCallPart) -> str | None:
        """Refuse the memory's tools while it is off."""
        return _REFUSAL if self.is_off and call.name.startswith("memory_") else None

    async def after_turn(self, messages: Sequence[Message], completed: bool) -> None:
        """Learn from a turn that completed, at once or in idle time."""
        if self.is_off:
            return
        if completed and messages:
            self._completed = messages[-1].seq
            if self._trigger == "turn":
                self._add(_TURN, self._completed)
        if self._trigger == "exit" and self._completed and self._is_embedded():
            self._stop_clock()
            loop = asyncio.get_running_loop()
            self._clock = loop.call_later(self._idle_seconds, self._idle)

    async def before_compaction(self, messages: Sequence[Message]) -> None:
        """Learn from what leaves the context; the transcript still has it, so nothing waits."""
        if messages and not self.is_off and self._trigger != "manual":
            self._add(_COMPACTION, messages[-1].seq)

    async def close(self) -> None:
        """End what runs and forget what waits: the exit or the next start deals with it."""
        self._stop_clock()
        self._queue.clear()
        if self._worker is not None:
            self._worker.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.gather(self._worker, return_exceptions=True)

    # For other occasions

    async def give_way(self, progress: Callable[[str], None]) -> Report | None:
        """Make room for a run over everything that is left; return the report of what still ran.

        A run that is under way is waited for, since its request is paid for. The embedded model's
        is ended: it would first wait for idle time, and its answers so far are kept.
        """
        if self._is_embedded():
            await self.close()
            return None
        self._stop_clock()
        self._queue.clear()
        if self._worker is None or self._worker.done():
            return None
        progress(t("pipeline.stage.extract"))
        self._last, self._awaited = None, True
        try:
            await asyncio.wait({self._worker})
        finally:
            self._awaited = False
        return self._last

    async def recover(self) -> list[str]:
        """Finish what earlier sessions left; return lines to show. The switch ends it."""
        if self.is_off:
            return []
        self._recovery = asyncio.current_task()
        await asyncio.to_thread(importlib.import_module, PIPELINE)
        return await self._lifecycle().recover()

    async def switch_off(self) -> None:
        """From now on nothing is written and nothing is injected; what is said stays out."""
        self.is_off = True
        if self._recovery is not None:
            self._recovery.cancel()  # has no effect on one that is done
        self._session.off_record = True
        self._session.renew_system()
        await self.close()

    def switch_on(self) -> None:
        """Go on as before; what was said in between stays out."""
        self.is_off = False
        self._session.off_record = False
        self._session.renew_system()

    # The queue

    def _add(self, occasion: str, seq: int) -> None:
        self._queue.append((occasion, seq))
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._work(), name="memory beside")

    async def _work(self) -> None:
        await asyncio.to_thread(importlib.import_module, PIPELINE)
        while self._queue:
            occasion, seq = self._queue.popleft()
            work = self._lifecycle().beside(self._session, occasion, seq)
            report = await failopen.attempt(f"memory ({occasion})", work)
            if isinstance(report, Exception):
                continue
            self._last = report
            if report.retryable:  # no network: one run over all that waits is enough
                self._queue = deque(list(self._queue)[-1:])
            if report.changed and not self._awaited:
                failopen.attempt_now("memory news", partial(self.tell, report.line()))

    def _idle(self) -> None:
        self._clock = None
        self._add(_IDLE, self._completed)

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _is_embedded(self) -> bool:
        try:
            return self._provider().name == _EMBEDDED
        except CatmemError:
            return False
