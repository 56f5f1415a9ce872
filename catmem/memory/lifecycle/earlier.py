"""Which open windows of earlier sessions are due, and who may deal with them.

A window that failed is tried again at the next start, then less and less often; after three
failures it is set aside until somebody asks for it (/memory retry).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from catmem import log, storage
from catmem.errors import StorageError
from catmem.memory.pipeline.journal import SET_ASIDE_AFTER, Standing
from catmem.sessions import lock_path

# The wait after the first failure, the second …: at a start, and within the session that failed.
_AT_A_START = (timedelta(0), timedelta(hours=1))
_IN_A_SESSION = (timedelta(minutes=10), timedelta(hours=1))


def is_due(standing: Standing, *, at_a_start: bool) -> bool:
    """Whether a window that may have failed before is to be tried without being asked for."""
    if not standing.failures:
        return True
    if standing.failures >= SET_ASIDE_AFTER:
        return False
    waits = _AT_A_START if at_a_start else _IN_A_SESSION
    try:
        failed_at = datetime.fromisoformat(standing.failed_at)
        passed = datetime.now().astimezone() - failed_at
    except (ValueError, TypeError):  # no time that can be read, or one without a zone
        return True
    # A failure in the future tells of a clock that was wrong, not of how long to wait.
    return passed < timedelta(0) or passed >= waits[standing.failures - 1]


@contextlib.contextmanager
def lease(transcript: Path) -> Iterator[bool]:
    """Hold the transcript's lock, if nobody does; yield whether it is held.

    The system frees it when its holder dies.
    """
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(storage.lock(lock_path(transcript), timeout=0))
        except StorageError as error:
            log.info(f"left alone: {error}")
            yield False
            return
        yield True
