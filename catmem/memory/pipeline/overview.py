"""How learning stands in a project: what waits, what was set aside, what the last run did."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from catmem.errors import StorageError
from catmem.memory.pipeline.journal import SET_ASIDE_AFTER, Journal, LastRun, Standing
from catmem.memory.pipeline.privacy import remembered
from catmem.sessions import last_seq, list_transcripts, read_transcript

_STAMPED = re.compile(r"(\d{4})(\d\d)(\d\d)-\d{6}-")


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


@dataclass(frozen=True, slots=True)
class OpenWindow:
    """Messages of one session that nothing was learned from yet.

    Attributes:
        date: the local day on which the session began, ISO 8601.
        messages: how many, without those that stay out of memory.
        failures, failed_at, reason: of runs over it; 0 and empty where none failed.
    """

    session: str
    date: str
    messages: int
    failures: int = 0
    failed_at: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Overview:
    """The open windows of a project, oldest first, those set aside apart, and the last run."""

    waiting: tuple[OpenWindow, ...]
    set_aside: tuple[OpenWindow, ...]
    last_run: LastRun | None


def overview(directory: Path, journal: Journal) -> Overview:
    """Look through the transcripts in ``directory`` and the journal."""
    waiting: list[OpenWindow] = []
    set_aside: list[OpenWindow] = []
    for one in unfinished(directory, journal):
        window = _window(one)
        if window.messages:
            (set_aside if one.is_set_aside else waiting).append(window)
    sessions = {path.stem for path in list_transcripts(directory)}
    return Overview(tuple(waiting), tuple(set_aside), journal.last_run(sessions))


def _window(one: Unfinished) -> OpenWindow:
    standing = one.standing
    return OpenWindow(
        one.path.stem,
        _date(one.path),
        len([seq for seq in _seqs(one.path) if seq > standing.seq]),
        standing.failures,
        standing.failed_at,
        standing.detail,
    )


def _seqs(path: Path) -> Sequence[int]:
    try:
        return [message.seq for message in remembered(read_transcript(path).messages)]
    except StorageError:
        return ()


def _date(path: Path) -> str:
    if match := _STAMPED.match(path.stem):
        return "-".join(match.groups())
    try:
        return datetime.fromtimestamp(path.stat().st_mtime).astimezone().date().isoformat()
    except OSError:
        return ""
