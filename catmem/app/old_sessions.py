"""Old sessions: transcripts that were kept long enough are deleted, behind a start."""

from __future__ import annotations

import asyncio
import time

from catmem import log, sessions
from catmem.app.session import LiveSession, Place
from catmem.errors import StorageError

_SECONDS_OF_A_DAY = 86_400


async def delete_old_sessions(live: LiveSession, place: Place) -> None:
    """Delete the transcripts of all projects that are older than ``sessions.keep_days``.

    One that the memory has not learned from to its end stays; where memory is off, age decides.
    """
    days = place.settings.sessions.keep_days
    if days is None:
        return
    moment = time.time() - days * _SECONDS_OF_A_DAY
    root = place.paths.sessions.parent
    old = await asyncio.to_thread(sessions.transcripts_before, root, moment)
    for path in await live.memory.done_with(old) if old else []:
        try:
            await asyncio.to_thread(sessions.delete_transcript, path)
        except StorageError as error:
            log.info(f"an old session stays: {error}")
