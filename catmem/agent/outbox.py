"""The events of one turn on their way to the interface, and word of when it has taken them."""

from __future__ import annotations

import asyncio

from catmem.events import Event


class Outbox:
    """A queue that knows which events the interface is done with."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[Event] = asyncio.Queue()
        self._taken = False

    def emit(self, event: Event) -> None:
        """Send an event on its way."""
        self._queue.put_nowait(event)

    async def next(self) -> Event:
        """Return the next event; asking for it says that the one before has been dealt with."""
        if self._taken:
            self._taken = False
            self._queue.task_done()
        event = await self._queue.get()
        self._taken = True
        return event

    async def delivered(self) -> None:
        """Wait until the interface has dealt with every event so far.

        Whoever speaks to the person directly (an approval) waits for this first, so that things
        appear in the order in which they happened.
        """
        await self._queue.join()
