"""What the journal tells about runs: how far each session was dealt with, and what came of it.

The commit record of a run with the outcome ``saved`` or ``nothing`` is the session's watermark: the
pipeline has dealt with everything up to its ``seq``. The same record commits what the run wrote.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from catmem.memory.pipeline.extraction import Candidate, Evidence
from catmem.memory.pipeline.report import Outcome, Report
from catmem.memory.store.commit.journal import JournalFile
from catmem.memory.store.commit.records import Record
from catmem.secrets import mask

SET_ASIDE_AFTER = 3


@dataclass(slots=True)
class Standing:
    """How far the pipeline has come with a session.

    Attributes:
        seq: of the last message that was dealt with, 0 for none: the watermark.
        failures: since it last got further.
        failed_at: when the last of them was, ISO 8601 with offset.
        detail: the reason that was last given for one.
    """

    seq: int = 0
    failures: int = 0
    failed_at: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class LastRun:
    """The last run over one of several sessions; ``record`` is what the journal says of it."""

    at: str
    occasion: str
    record: Record


@dataclass(frozen=True, slots=True)
class Done:
    """What a run did with one window.

    ``evidence`` holds the candidates behind each name that was written.
    """

    session: str
    seq: int
    occasion: str
    report: Report
    evidence: dict[str, Sequence[Candidate]] = field(default_factory=dict)
    episode: str | None = None


class Journal:
    """The journal file, as the pipeline reads and writes it."""

    def __init__(self, path: Path) -> None:
        self._file = JournalFile(path)

    def watermark(self, session: str) -> int:
        """Return ``seq`` of the last message that was dealt with, 0 for none."""
        return self.standing(session).seq

    def standing(self, session: str) -> Standing:
        """Return how far one session has come."""
        return self.standings().get(session, Standing())

    def standings(self) -> dict[str, Standing]:
        """Return how far each session has come."""
        found: dict[str, Standing] = {}
        for record in self._file.commits():
            session, seq, outcome = record.get("session"), record.get("seq"), record.get("outcome")
            if not isinstance(session, str) or not isinstance(seq, int):
                continue
            standing = found.setdefault(session, Standing())
            if outcome in {Outcome.SAVED, Outcome.NOTHING}:
                standing.seq, standing.failures = max(standing.seq, seq), 0
            elif outcome == Outcome.FAILED:
                standing.failures += 1
                standing.failed_at = str(record.get("at", ""))
                standing.detail = str(record.get("detail") or standing.detail)
        return found

    def last_run(self, sessions: Collection[str]) -> LastRun | None:
        """Return the last run over one of these sessions, None where there was none."""
        for record in reversed(self._file.commits()):
            occasion = record.get("occasion")
            if record.get("session") in sessions and isinstance(occasion, str):
                return LastRun(str(record.get("at", "")), occasion, record)
        return None

    def evidence(self) -> defaultdict[str, list[tuple[str, Evidence]]]:
        """Return the words that entries rest on, by their name: (session, evidence)."""
        found: defaultdict[str, list[tuple[str, Evidence]]] = defaultdict(list)
        for record in self._file.commits():
            for name, quotes in record.get("evidence", {}).items():
                found[name] += [
                    (record.get("session", ""), Evidence(item["seq"], item["quote"]))
                    for item in quotes
                ]
        return found

    def episodes(self) -> list[str]:
        """Return the summaries of sessions that are kept, oldest first."""
        episodes = (record.get("episode") for record in self._file.commits())
        return [episode for episode in episodes if isinstance(episode, str) and episode]

    def erase_episodes(self, episodes: Collection[str]) -> None:
        """Take these summaries out of the journal; what their records say besides stays.

        Raises:
            StorageError: the journal cannot be written.
        """
        if not episodes:
            return
        with self._file.locked():
            self._file.rewrite(
                lambda record: (
                    {**record, "episode": None} if record.get("episode") in episodes else record
                )
            )

    def append(self, run: str, done: Done) -> None:
        """Write the record of a window for which nothing else is to be written, durably.

        Raises:
            StorageError: it cannot be written; the window counts as not dealt with.
        """
        with self._file.locked():
            self._file.append({"kind": "commit", **record_of(run, done)})


def record_of(run: str, done: Done) -> dict[str, Any]:
    """Return the record with which a run's work on a window is committed."""
    report = done.report
    return {
        "run": run,
        "session": done.session,
        "seq": done.seq,
        "occasion": done.occasion,
        "outcome": report.outcome,
        "candidates": report.candidates,
        "added": report.added,
        "updated": report.updated,
        "deleted": report.deleted,
        "skipped": [
            [mask(item.name), mask(item.reason)] for item in (*report.skipped, *report.refused)
        ],
        "evidence": {name: _quotes(found) for name, found in done.evidence.items()},
        "episode": mask(done.episode) if done.episode else None,
        "detail": mask(report.detail),
    }


def _quotes(candidates: Sequence[Candidate]) -> list[dict[str, Any]]:
    return [
        {"seq": item.seq, "quote": mask(item.quote)}
        for candidate in candidates
        for item in candidate.evidence
    ]
