"""Who may use the model now: a chat request always goes before work in the background.

The processor is the bottleneck, not the server's slots: two requests at once each take twice as
long. So a chat request ends what runs in the background; that is begun again once nobody has
chatted for a while.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

IDLE_SECONDS = 10.0


class Scheduler:
    """One model's queue."""

    def __init__(self, idle_seconds: float = IDLE_SECONDS) -> None:
        self._idle_seconds = idle_seconds
        self._chats = 0
        self._last_chat = 0.0
        self._background: set[asyncio.Task[object]] = set()
        self._turn = asyncio.Lock()
        self._free = asyncio.Event()
        self._free.set()

    @contextlib.asynccontextmanager
    async def chat(self) -> AsyncIterator[None]:
        """Use the model for the person; background work gives way first."""
        self._chats += 1
        self._free.clear()
        try:
            for task in tuple(self._background):
                task.cancel()
            await asyncio.gather(*self._background, return_exceptions=True)
            yield
        finally:
            self._chats -= 1
            self._last_chat = time.monotonic()
            if self._chats == 0:
                self._free.set()

    async def background(self, work: Callable[[], Awaitable[T]]) -> T:
        """Run ``work`` while nobody chats, one at a time; begun again after it had to give way."""
        quiet = 0.0
        async with self._turn:
            while True:
                await self._wait_until_free(quiet)
                task = asyncio.ensure_future(work())
                self._background.add(task)
                try:
                    await asyncio.wait([task])
                finally:
                    task.cancel()  # has no effect on one that is done
                    self._background.discard(task)
                if not task.cancelled():
                    return task.result()
                quiet = self._idle_seconds

    async def _wait_until_free(self, quiet: float) -> None:
        while True:
            await self._free.wait()
            left = self._last_chat + quiet - time.monotonic()
            if left <= 0 or quiet == 0:
                return
            await asyncio.sleep(left)
