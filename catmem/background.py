"""Background work that must not be lost: tasks are held strongly and ended together."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from catmem import failopen


class Background:
    """A group of tasks; a failure in one is logged and does not touch the others."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[object]] = set()

    def start(self, what: str, work: Coroutine[Any, Any, object]) -> asyncio.Task[object]:
        """Run ``work`` as a task named ``what``; a failure is logged and becomes its result."""
        task: asyncio.Task[object] = asyncio.create_task(failopen.attempt(what, work), name=what)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        # one that is cancelled before its first step would leave a warning on the screen
        task.add_done_callback(lambda _: work.close())
        return task

    async def close(self) -> None:
        """Cancel what still runs and wait until it has ended."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
