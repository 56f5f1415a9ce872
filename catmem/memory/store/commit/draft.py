"""What a store would become: operations are carried out here, in memory, before any is written.

Each file is read again when an operation touches it, because an editor may have changed it since.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from catmem import storage
from catmem.errors import MemoryStoreError
from catmem.memory.store.commit import archive
from catmem.memory.store.commit.changes import GONE, FileChange
from catmem.memory.store.entry import Entry, as_text
from catmem.memory.store.names import key_of
from catmem.memory.store.reading.directory import MAX_BYTES, SUFFIX, digest_of
from catmem.memory.store.reading.loading import load_codec
from catmem.memory.store.reading.snapshot import Snapshot
from catmem.memory.store.store import EntryChangedError, EntryExistsError, Store, checked
from catmem.sanitize import one_line
from catmem.text import t

if TYPE_CHECKING:
    from catmem.memory.store.reading.codec import Document


@dataclass(slots=True)
class _File:
    """A file that was touched; None is a file that is not there."""

    name: str
    old: bytes | None
    new: bytes | None


class Draft:
    """The entries of one store, and what was done to them here."""

    def __init__(self, store: Store, snapshot: Snapshot | None = None) -> None:
        self.store = store
        self._known = dict((snapshot or store.snapshot()).by_key)
        self._files: dict[Path, _File] = {}

    @property
    def known(self) -> Mapping[str, Entry]:
        """The entries by name, and by their file's name where no entry is called so."""
        return self._known

    def entries(self) -> Iterable[Entry]:
        """Return the entries, each once."""
        return {entry.name: entry for entry in self._known.values()}.values()

    def find(self, name: str) -> Entry | None:
        """Return the entry of that name in any spelling; a file's own name works too."""
        return self._known.get(key_of(name))

    def changes(self) -> list[FileChange]:
        """Return what would have to be written."""
        return [
            FileChange(
                scope=self.store.scope,
                name=file.name,
                path=path,
                state=self.store.places.state,
                before=GONE if file.old is None else digest_of(file.old),
                after=GONE if file.new is None else digest_of(file.new),
                archived=None
                if file.old is None
                else archive.place_for(self.store.places.archive, file.name),
                old=file.old or b"",
                new=file.new or b"",
            )
            for path, file in self._files.items()
            if file.old != file.new
        ]

    def save(self, entry: Entry, file: bytes = b"") -> Entry:
        """Add a new entry and return it as it will be on disk.

        ``file`` is the whole file where its owner wrote it; it is written as it is.

        Raises:
            EntryExistsError: its name is taken.
            MemoryStoreError: the entry is refused: bad name or type, empty, too large, a secret.
        """
        entry = checked(entry)
        path = self.store.places.directory / (entry.name + SUFFIX)
        if self.find(entry.name) is not None:
            raise EntryExistsError(t("memory.store.exists", name=entry.name))
        if self.store.hides(entry.name):
            raise MemoryStoreError(t("memory.store.untrusted", name=entry.name))
        if self._is_occupied(path):
            raise MemoryStoreError(t("memory.store.occupied", path=path))
        if not file:
            entry = replace(entry, created_at=_today(), updated_at=_today())
        data = _within_limit(entry.name, file or load_codec().encode(entry))
        return self._put(path, None, data, entry)

    def update(self, name: str, new: Entry, digest: str = "", file: bytes = b"") -> Entry:
        """Give an existing entry new content; the old version goes to the archive.

        Its name, ``createdAt``, unknown keys and whatever else ``new`` does not replace stay. An
        update that changes nothing writes nothing. ``file`` is the whole new file where its owner
        wrote it: it is written as it is, and may replace one that was not understood.

        Raises:
            EntryChangedError: it is gone, or its file no longer has ``digest``.
            MemoryStoreError: the update is refused, see ``save``; or the file was not understood.
            StorageError: the disk.
        """
        old, document, data = self._current(name, digest)
        if file:
            return self._replaced(old, data, replace(new, name=old.name), file)
        if old.damaged or document.damaged:
            raise MemoryStoreError(t("memory.store.damaged", path=one_line(str(old.path))))
        wanted = checked(replace(new, name=old.name))
        same_content = new.content.strip() in {old.content.strip(), document.content.strip()}
        content = document.content if same_content else wanted.content
        changes = _changes(old, wanted)
        if not changes and same_content:
            return old
        changes["updatedAt"] = _today()
        if document.header is None:
            changes = {"name": old.name, "description": old.description, "type": old.type} | changes
        new_data = _within_limit(old.name, load_codec().rewrite(document, changes, content))
        written = replace(
            old,
            description=wanted.description,
            type=wanted.type,
            content=old.content if same_content else content,
            optional={**old.optional, **wanted.optional},
            updated_at=changes["updatedAt"],
        )
        return self._put(_path_of(old), data, new_data, written)

    def _replaced(self, old: Entry, data: bytes, new: Entry, file: bytes) -> Entry:
        if file == data:
            return old
        return self._put(_path_of(old), data, _within_limit(old.name, file), checked(new))

    def delete(self, name: str, digest: str = "") -> Entry:
        """Take an entry out (to the archive) and return what it was.

        Raises:
            EntryChangedError: it is gone, or its file no longer has ``digest``.
            StorageError: the disk.
        """
        old, _, data = self._current(name, digest)
        self._take_out(_path_of(old), data, old.name)
        return old

    def restore(self, path: Path, name: str, data: bytes | None) -> None:
        """Make a file what it once was, byte for byte; None takes it out.

        Raises:
            StorageError: the disk.
        """
        old = self._data(path)
        if data is None:
            if old is not None:
                self._take_out(path, old, name)
            return
        file = self._files.setdefault(path, _File(name, old, old))
        file.new = data

    def _current(self, name: str, digest: str) -> tuple[Entry, Document, bytes]:
        entry = self.find(name)
        path = _path_of(entry) if entry is not None else None
        data = self._data(path) if path is not None else None
        if entry is None or data is None:
            raise EntryChangedError(t("memory.store.gone", name=one_line(name, 60)))
        if not digest and self.store.trust is not None and path not in self._files:
            digest = entry.digest  # what came in between may not become catmem's own
        if digest and digest_of(data) != digest:
            raise EntryChangedError(t("memory.store.changed", name=entry.name))
        return entry, load_codec().decode(data), data

    def _data(self, path: Path) -> bytes | None:
        if path in self._files:
            return self._files[path].new
        return storage.read_bytes(path, MAX_BYTES) if os.path.lexists(path) else None

    def _is_occupied(self, path: Path) -> bool:
        return self._files[path].new is not None if path in self._files else os.path.lexists(path)

    def _put(self, path: Path, old: bytes | None, data: bytes, entry: Entry) -> Entry:
        self._files.setdefault(path, _File(entry.name, old, old)).new = data
        written = replace(entry, path=path, digest=digest_of(data), scope=self.store.scope)
        self._known[written.name] = self._known[key_of(path.stem)] = written
        return written

    def _take_out(self, path: Path, old: bytes, name: str) -> None:
        self._files.setdefault(path, _File(name, old, old)).new = None
        for key in [key for key, entry in self._known.items() if entry.path == path]:
            del self._known[key]


def _changes(old: Entry, new: Entry) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    if new.description != old.description:
        changes["description"] = new.description
    if new.type != old.type:
        changes["type"] = new.type
    return changes | {
        key: value for key, value in new.optional.items() if as_text(value) != old.optional.get(key)
    }


def _within_limit(name: str, data: bytes) -> bytes:
    if len(data) > MAX_BYTES:
        raise MemoryStoreError(t("memory.store.too_large", name=name, limit=f"{MAX_BYTES:,}"))
    return data


def _path_of(entry: Entry) -> Path:
    if entry.path is None:
        raise MemoryStoreError(t("memory.store.gone", name=entry.name))
    return entry.path


def _today() -> str:
    return datetime.now().astimezone().date().isoformat()
