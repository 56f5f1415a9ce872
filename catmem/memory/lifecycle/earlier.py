"""Earlier sessions of a project that still have an open window, and whose turn it is.

A window that failed is tried again at the next start, then less and less often; after three
failures it is set aside until somebody asks for it (/memory retry).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from catmem import log, storage
from catmem.errors import StorageError
from catmem.memory.pipeline.journal import SET_ASIDE_AFTER, Journal, Standing
from catmem.sessions import last_seq, list_transcripts, lock_path

# The wait after the first failure, the second …: at a start, and within the session that failed.
_AT_A_START = (timedelta(0), timedelta(hours=1))
_IN_A_SESSION = (timedelta(minutes=10), timedelta(hours=1))


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A session with an open window."""

    path: Path
    standing: Standing

    @property
    def is_set_aside(self) -> bool:
        """Whether it failed so often that only a person has it tried again."""
        return self.standing.failures >= SET_ASIDE_AFTER


def unfinished(directory: Path, journal: Journal) -> list[Unfinished]:
    """Return the sessions in ``directory`` with messages after their watermark, oldest first."""
    standings = journal.standings()
    found: list[Unfinished] = []
    for path in list_transcripts(directory):
        standing = standings.get(path.stem, Standing())
        if last_seq(path) > standing.seq:
            found.append(Unfinished(path, standing))
    return found


def settled(transcripts: Sequence[Path], journal: Journal) -> list[Path]:
    """Return those of the transcripts (of any project) that have no open window."""
    standings = journal.standings()
    return [
        path for path in transcripts if last_seq(path) <= standings.get(path.stem, Standing()).seq
    ]


def is_due(standing: Standing, *, at_a_start: bool) -> bool:
    """Whether a window that may have failed before is to be tried without being asked for."""
    if not standing.failures:
        return True
    if standing.failures >= SET_ASIDE_AFTER:
        return False
    waits = _AT_A_START if at_a_start else _IN_A_SESSION
    try:
        failed_at = datetime.fromisoformat(standing.failed_at)
        return datetime.now().astimezone() - failed_at >= waits[standing.failures - 1]
    except (ValueError, TypeError):  # no time that can be read, or one without a zone
        return True


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
