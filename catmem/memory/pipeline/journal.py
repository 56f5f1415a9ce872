"""The journal of runs: append-only JSON lines, one for each window that a run dealt with.

A record with the outcome ``saved`` or ``nothing`` is the commit of its run, and by that the
session's watermark: the pipeline has dealt with everything up to its ``seq``.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from catmem import storage
from catmem.memory.pipeline.extraction import Candidate, Evidence
from catmem.memory.pipeline.report import Outcome, Report
from catmem.sanitize import repair
from catmem.secrets import mask

FORMAT_VERSION = 1
SET_ASIDE_AFTER = 3


@dataclass(slots=True)
class Standing:
    """How far the pipeline has come with a session; ``failures`` since it last got further."""

    seq: int = 0
    failures: int = 0


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
    """The file; it is read afresh each time, because other processes append to it too."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def watermark(self, session: str) -> int:
        """Return ``seq`` of the last message that was dealt with, 0 for none."""
        return self.standings().get(session, Standing()).seq

    def standings(self) -> dict[str, Standing]:
        """Return how far each session has come."""
        found: dict[str, Standing] = {}
        for record in self._records():
            session, seq, outcome = record.get("session"), record.get("seq"), record.get("outcome")
            if not isinstance(session, str) or not isinstance(seq, int):
                continue
            standing = found.setdefault(session, Standing())
            if outcome in {Outcome.SAVED, Outcome.NOTHING}:
                standing.seq, standing.failures = max(standing.seq, seq), 0
            elif outcome == Outcome.FAILED:
                standing.failures += 1
        return found

    def evidence(self) -> defaultdict[str, list[tuple[str, Evidence]]]:
        """Return the words that entries rest on, by their name: (session, evidence)."""
        found: defaultdict[str, list[tuple[str, Evidence]]] = defaultdict(list)
        for record in self._records():
            for name, quotes in record.get("evidence", {}).items():
                found[name] += [
                    (record["session"], Evidence(item["seq"], item["quote"])) for item in quotes
                ]
        return found

    def append(self, run: str, done: Done) -> None:
        """Write the record of a window, durably.

        Raises:
            StorageError: it cannot be written; the window counts as not dealt with.
        """
        report = done.report
        record = {
            "v": FORMAT_VERSION,
            "run": run,
            "at": datetime.now().astimezone().isoformat(timespec="seconds"),
            "session": done.session,
            "seq": done.seq,
            "occasion": done.occasion,
            "outcome": report.outcome,
            "candidates": report.candidates,
            "added": report.added,
            "updated": report.updated,
            "deleted": report.deleted,
            "skipped": [[item.name, item.reason] for item in (*report.skipped, *report.refused)],
            "evidence": {name: _quotes(found) for name, found in done.evidence.items()},
            "episode": mask(done.episode) if done.episode else None,
            "detail": report.detail,
        }
        line = json.dumps(record, ensure_ascii=False)
        storage.append_line(self._path, repair(line), sync=True)

    def _records(self) -> Iterator[dict[str, Any]]:
        """Yield the records; a damaged line, or one of a newer format, is passed over."""
        try:
            lines = self._path.read_bytes().split(b"\n")
        except OSError:
            return
        for line in lines:
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict) and record.get("v") == FORMAT_VERSION:
                yield record


def _quotes(candidates: Sequence[Candidate]) -> list[dict[str, Any]]:
    return [
        {"seq": item.seq, "quote": mask(item.quote)}
        for candidate in candidates
        for item in candidate.evidence
    ]
