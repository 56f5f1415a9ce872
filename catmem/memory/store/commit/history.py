"""What became of an entry over time, from the journal, the archive and the file as it is now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from catmem import storage
from catmem.errors import MemoryStoreError, StorageError
from catmem.memory.store.commit import archive
from catmem.memory.store.commit.changes import GONE, FileChange
from catmem.memory.store.commit.journal import JournalFile
from catmem.memory.store.commit.records import Record
from catmem.memory.store.commit.undoing import changes_of
from catmem.memory.store.names import key_of, normalise
from catmem.memory.store.reading.directory import MAX_BYTES, digest_of, entry_in
from catmem.memory.store.store import Store


@dataclass(frozen=True, slots=True)
class Quote:
    """Words that a version rests on, and the number of their message in the session."""

    seq: int
    text: str


@dataclass(frozen=True, slots=True)
class Version:
    """One version of an entry.

    Attributes:
        at: when it came about, as an ISO date and time; for a version of which only the archive
            knows, when it was replaced.
        what: ``add``, ``update``, ``delete``, ``undo``; ``edit`` for one written by hand, ``old``
            for one of which only the archive knows.
        session: the session in which it was learned; empty where it was not learned.
        description: the entry's description then; empty where its text is kept nowhere.
        path: where its text lies now: the entry's file or the archive.
    """

    at: str
    what: str
    scope: str
    session: str = ""
    quotes: tuple[Quote, ...] = ()
    description: str = ""
    path: Path | None = None


def history(journal: JournalFile, stores: Sequence[Store], name: str) -> list[Version]:
    """Return the versions of an entry in these stores, oldest first; none if it never was."""
    return [version for store in stores for version in _history(journal, store, name)]


def _history(journal: JournalFile, store: Store, name: str) -> list[Version]:
    current = store.known().get(key_of(name))
    try:
        name = normalise(name) if current is None else current.name
    except MemoryStoreError:
        return []
    texts = {path: _read(path) for path in archive.versions(store.places.archive, name)}
    if current is not None and current.path is not None:
        texts[current.path] = _read(current.path)
    by_digest = {digest_of(data): path for path, data in texts.items() if data}
    changes = _changes(journal, store, name)
    versions = [_version(commit, change, by_digest, texts) for commit, change in changes]
    told = {change.after for _, change in changes}
    for digest, path in by_digest.items():
        if digest not in told:
            versions.append(_untold(path, store, texts[path] or b""))
    return sorted(versions, key=lambda version: datetime.fromisoformat(version.at))


def _changes(journal: JournalFile, store: Store, name: str) -> list[tuple[Record, FileChange]]:
    intents = journal.intents()
    return [
        (commit, change)
        for commit in journal.commits()
        for change in changes_of(intents.get(commit.get("tx", "")))
        if change.name == name and change.path.parent == store.places.directory
    ]


def _version(
    commit: Record, change: FileChange, by_digest: dict[str, Path], texts: dict[Path, bytes | None]
) -> Version:
    path = by_digest.get(change.after) if change.after != GONE else None
    text = texts.get(path) if path else None
    evidence: Any = commit.get("evidence", {}).get(change.name, [])
    return Version(
        at=str(commit["at"]),
        what="undo" if "undoes" in commit else change.action,
        scope=change.scope,
        session=str(commit.get("session", "")),
        quotes=tuple(Quote(item["seq"], item["quote"]) for item in evidence),
        description=_description(path, change.scope, text) if path and text else "",
        path=path,
    )


def _untold(path: Path, store: Store, text: bytes) -> Version:
    """Return a version that no transaction wrote: by hand, or before what the journal remembers."""
    moment = archive.moment_of(path)
    is_current = path.parent == store.places.directory
    if is_current or moment is None:
        moment = datetime.fromtimestamp(path.stat().st_mtime).astimezone()
    at = moment.astimezone().isoformat(timespec="seconds")
    what = "edit" if is_current else "old"
    return Version(at, what, store.scope, "", (), _description(path, store.scope, text), path)


def _description(path: Path, scope: Any, text: bytes) -> str:
    entry, _ = entry_in(text, path, scope)
    return entry.description


def _read(path: Path) -> bytes | None:
    try:
        return storage.read_bytes(path, MAX_BYTES)
    except StorageError:
        return None
