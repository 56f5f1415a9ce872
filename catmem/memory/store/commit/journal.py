"""The journal: append-only JSON lines about every transaction, one file for all stores.

Three kinds of records share it. An *intent* (``tx``, ``files``, ``record``) is written before the
first file is touched, the *commit* of the same ``tx`` after the last; an *abort* says that the
files were put back. A commit is also what stands for a run that had nothing to write, and then it
has no intent. What a commit says besides is its writer's affair; the pipeline's says how far a
session was dealt with (``session``, ``seq``, ``outcome``).

Whoever appends holds the lock, which is the lock of the user's store too.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from catmem import log, storage
from catmem.errors import StorageError
from catmem.memory.store.commit.records import FORMAT_VERSION, Record, parsed
from catmem.text import t

MAX_BYTES = 1_000_000
LOCK_SECONDS = 10.0
_HEAD_BYTES = 80
# What a record loses when it is too old for undo and history. How far its session was dealt with
# must never be forgotten, or everything would be extracted once more; nor what was learned of it.
_DETAILS = frozenset(
    {"added", "updated", "deleted", "skipped", "evidence", "files", "record", "undoes"}
)
_SETTLED = frozenset({"saved", "nothing"})


@dataclass(slots=True)
class _Read:
    """What was read so far; ``head`` tells a file that grew from one that was put in its place."""

    head: bytes = b""
    offset: int = 0
    records: list[Record] = field(default_factory=list)


class JournalFile:
    """The file; other processes append to it too, so that it is looked at each time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read = _Read()
        self._reading = threading.Lock()

    @property
    def lock(self) -> Path:
        """The lock file under which the journal is written."""
        return self.path.parent / "lock"

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock under which the journal is written.

        Raises:
            StorageError: another process holds it too long, or it cannot be made.
        """
        with storage.lock(self.lock, LOCK_SECONDS):
            yield

    def records(self) -> list[Record]:
        """Return all records in order; a damaged line, or one of a newer format, is left out."""
        return [record for record in self._all() if record["v"] == FORMAT_VERSION]

    def commits(self) -> list[Record]:
        """Return the records of what was done, in order; intents and what was put back are not."""
        records = self.records()
        aborted = {record.get("tx") for record in records if record.get("kind") == "abort"}
        return [
            record
            for record in records
            if record.get("kind", "commit") == "commit"
            and (record.get("tx") is None or record["tx"] not in aborted)
        ]

    def intents(self) -> dict[str, Record]:
        """Return the intents by ``tx``, in order."""
        return {
            record["tx"]: record
            for record in self.records()
            if record.get("kind") == "intent" and isinstance(record.get("tx"), str)
        }

    def open_intents(self) -> list[Record]:
        """Return the intents without an end: what a crash left half done, the newest last.

        Nothing of a journal that a newer catmem writes too, which may end them in its own way.
        """
        if self._is_newer():
            return []
        ended = {
            record.get("tx")
            for record in self.records()
            if record.get("kind", "commit") in {"commit", "abort"}
        }
        return [intent for tx, intent in self.intents().items() if tx not in ended]

    def append(self, record: Record) -> None:
        """Write a record, durably; the caller holds the lock.

        Raises:
            StorageError: it cannot be written, or the journal belongs to a newer catmem.
        """
        if self._is_newer():
            raise StorageError(t("memory.commit.newer", path=self.path))
        storage.append_line(self.path, _line(_dated(record)), sync=True)
        if record.get("kind") == "commit":
            self._keep_small()

    def rewrite(self, change: Callable[[Record], Record | None]) -> None:
        """Replace every record by what ``change`` makes of it, None for none; under the lock.

        Raises:
            StorageError: it cannot be written, or the journal belongs to a newer catmem.
        """
        if self._is_newer():
            raise StorageError(t("memory.commit.newer", path=self.path))
        if self.path.exists():
            changed = (change(record) for record in self.records())
            self._replace([record for record in changed if record is not None])

    def _keep_small(self) -> None:
        """Shorten a journal that has become too long; it stays right if that fails."""
        try:
            size = self.path.stat().st_size
            first = next(iter(self.records()), {})
            least = first.get("bytes", 0) if first.get("kind") == "compacted" else 0
            if size > max(MAX_BYTES, 2 * least):
                self._replace(_compacted(self.records()))
        except (OSError, StorageError) as error:
            log.warning(f"the journal was not shortened: {error}")

    def _replace(self, records: Iterable[Record]) -> None:
        lines = [_line(record) for record in records if record.get("kind") != "compacted"]
        size = sum(len(line) for line in lines)
        head = _line(_dated({"kind": "compacted", "bytes": size}))
        text = "".join(f"{line}\n" for line in (head, *lines))
        storage.write_atomic(self.path, text.encode("utf-8", "replace"))

    def _is_newer(self) -> bool:
        return any(record["v"] > FORMAT_VERSION for record in self._all())

    def _all(self) -> list[Record]:
        """Return every record with a version, reading only what is new since the last time.

        A last line without its end counts if it is whole: its end is all that a crash took.
        """
        with self._reading:
            try:
                with self.path.open("rb") as file:
                    head = file.read(_HEAD_BYTES)
                    if not head.startswith(self._read.head) or not self._read.head:
                        self._read = _Read()
                    file.seek(0, 2)
                    if file.tell() < self._read.offset:
                        self._read = _Read()
                    file.seek(self._read.offset)
                    *lines, rest = file.read().split(b"\n")
            except OSError:
                self._read = _Read()
                return []
            self._read.offset += sum(len(line) + 1 for line in lines)
            self._read.head = head if self._read.offset >= _HEAD_BYTES else b""
            self._read.records += _parsed(lines)
            return [*self._read.records, *_parsed([rest])]


def _parsed(lines: Sequence[bytes]) -> list[Record]:
    return [record for record in map(parsed, lines) if record is not None]


def _dated(record: Record) -> Record:
    now = datetime.now().astimezone().isoformat(timespec="seconds")
    return {"v": FORMAT_VERSION, "at": now, **record}


def _line(record: Record) -> str:
    line = json.dumps(record, ensure_ascii=False)
    try:
        line.encode("utf-8")
    except UnicodeEncodeError:  # a path that is no text
        return json.dumps(record)
    return line


def _compacted(records: Sequence[Record]) -> list[Record]:
    """Return what is left of records that take too much room.

    The newest stay as they are. Of older ones that alone stays which tells how far each session
    was dealt with (the record that settled most, and what failed after it) and its summaries.
    """
    ended = {record.get("tx") for record in records if record.get("kind", "commit") != "intent"}
    size = 0
    first = len(records)
    for number in range(len(records) - 1, -1, -1):
        size += len(_line(records[number]).encode("utf-8", "replace"))
        if size > MAX_BYTES // 2:
            break
        first = number
    old, new = records[:first], records[first:]
    kept_tx = {record.get("tx") for record in new}
    open_or_split = [
        record
        for record in old
        if record.get("kind") == "intent"
        and (record.get("tx") in kept_tx or record.get("tx") not in ended)
    ]
    return [*_standings(old), *open_or_split, *new]


def _standings(records: Sequence[Record]) -> list[Record]:
    aborted = {record.get("tx") for record in records if record.get("kind") == "abort"}
    settled: dict[str, int] = {}
    failed: dict[str, list[int]] = {}
    told: set[int] = set()
    for number, record in enumerate(records):
        session, seq = record.get("session"), record.get("seq")
        if not isinstance(session, str) or not isinstance(seq, int):
            continue
        if record.get("tx") is not None and record["tx"] in aborted:
            continue
        if record.get("episode"):
            told.add(number)
        if record.get("outcome") not in _SETTLED:
            failed.setdefault(session, []).append(number)
            continue
        failed.pop(session, None)
        if session not in settled or seq >= records[settled[session]]["seq"]:
            settled[session] = number
    kept = told.union(settled.values(), *failed.values())
    return [
        {key: value for key, value in records[number].items() if key not in _DETAILS}
        for number in sorted(kept)
    ]
