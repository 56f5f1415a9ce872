"""Learning at the end of a session, shown by whichever interface is there."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from catmem.app.session import LiveSession
from catmem.ui.ports import ExitView, ExitWork

RunExit = Callable[[ExitWork, Callable[[], None]], Awaitable[None]]


async def learn_at_exit(live: LiveSession, run_exit: RunExit) -> str:
    """Run the memory pipeline on the session that ends; return its last line, shown already."""
    stop = asyncio.Event()
    last_line = ""

    async def work(view: ExitView) -> None:
        nonlocal last_line
        last_line = await live.memory.at_exit(view.status, stop)
        if last_line:
            view.write(last_line)

    await run_exit(work, stop.set)
    return last_line
