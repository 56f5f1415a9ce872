"""One store: a directory of entry files with its index, lock and archive.

``save``, ``update`` and ``delete`` are called within ``writing()`` (``Stores.apply`` does). They
read the file again first, because an editor may have changed it since.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from catmem import log, secrets, storage
from catmem.errors import MemoryStoreError, StorageError
from catmem.memory.store import index
from catmem.memory.store.entry import OPTIONAL_KEYS, TYPES, Entry, Scope, as_text
from catmem.memory.store.names import key_of, normalise
from catmem.memory.store.reading.directory import (
    INDEX_NAME,
    MAX_BYTES,
    SUFFIX,
    EntryFiles,
    Snapshot,
    digest_of,
)
from catmem.memory.store.reading.loading import load_codec
from catmem.sanitize import clean, one_line
from catmem.text import listed, t

if TYPE_CHECKING:
    from catmem.memory.store.reading.codec import Document

LOCK_SECONDS = 10.0
MAX_DESCRIPTION = 1_000
_MAX_INDEX_BYTES = 1_000_000


class EntryExistsError(MemoryStoreError):
    """An entry of that name is there already."""


class EntryChangedError(MemoryStoreError):
    """The entry is not what the caller saw: edited, or gone."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where a store lies; ``ignore_file`` is a ``.gitignore`` that hides it until it is shared."""

    directory: Path
    state: Path
    ignore_file: Path | None = None

    @property
    def lock(self) -> Path:
        """The lock file."""
        return self.state / "lock"

    @property
    def archive(self) -> Path:
        """Old versions: ``<name>/<time>.md``."""
        return self.state / "archive"


class Store:
    """The entries of one scope."""

    def __init__(self, scope: Scope, places: Places) -> None:
        self.scope = scope
        self.places = places
        self._files = EntryFiles(scope, places.directory)
        self._held: dict[str, Entry] | None = None  # what is there while we are writing

    def snapshot(self) -> Snapshot:
        """Return the entries as they are on disk now, with warnings about their files."""
        return self._files.snapshot()

    @property
    def last_count(self) -> int:
        """How many entries there were when it was last read; after our own writes it is right."""
        return len(self._files.last_snapshot.entries)

    def load_all(self) -> list[Entry]:
        """Return the entries, sorted by name."""
        return list(self.snapshot().entries)

    def known(self) -> Mapping[str, Entry]:
        """Return the entries by ``key_of`` their name, or their file's name."""
        return self.snapshot().by_key if self._held is None else self._held

    def find(self, name: str) -> Entry | None:
        """Return the entry of that name in any spelling; a file's own name works too."""
        return self.known().get(key_of(name))

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the store's lock; at the end the index says what the files say.

        Raises:
            StorageError: another process holds it for too long, or nothing can be written here.
        """
        self._prepare()
        with storage.lock(self.places.lock, LOCK_SECONDS):
            self._held = dict(self.snapshot().by_key)
            try:
                yield
            finally:
                self._held = None
                self.refresh_index()

    def problem(self) -> str:
        """Return why nothing can be saved here, as one sentence; empty when it can."""
        place = self.places.directory
        while not os.path.lexists(place) and place != place.parent:
            place = place.parent
        if not place.is_dir():
            return t("memory.store.not_directory", path=place)
        if not os.access(place, os.W_OK | os.X_OK):
            return t("memory.store.read_only", path=place)
        return ""

    def _prepare(self) -> None:
        """Make the directory, and hide it from git, the first time something is stored."""
        places = self.places
        if places.directory.is_dir():
            return
        ignore = places.ignore_file
        if ignore is not None and not os.path.lexists(ignore):
            storage.make_dir(ignore.parent)
            storage.write_atomic(ignore, b"*\n")
        storage.make_dir(places.directory)

    def save(self, entry: Entry, file: bytes = b"") -> Entry:
        """Write a new entry and return it as it is on disk.

        ``file`` is the whole file where its owner wrote it; it is written as it is.

        Raises:
            EntryExistsError: its name is taken.
            MemoryStoreError: the entry is refused: bad name or type, empty, too large, a secret.
            StorageError: the disk.
        """
        entry = checked(entry)
        path = self.places.directory / (entry.name + SUFFIX)
        if self.find(entry.name) is not None:
            raise EntryExistsError(t("memory.store.exists", name=entry.name))
        if os.path.lexists(path):
            raise MemoryStoreError(t("memory.store.occupied", path=path))
        if not file:
            entry = replace(entry, created_at=_today(), updated_at=_today())
        data = _within_limit(entry.name, file or load_codec().encode(entry))
        return self._write(path, data, entry)

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
            return self._replace(old, data, replace(new, name=old.name), file)
        if old.damaged or document.damaged:
            raise MemoryStoreError(t("memory.store.damaged", path=one_line(str(old.path))))
        wanted = checked(replace(new, name=old.name))
        same_content = new.content.strip() == document.content.strip()
        content = document.content if same_content else wanted.content
        changes = _changes(old, wanted)
        if not changes and same_content:
            return old
        changes["updatedAt"] = _today()
        if document.header is None:
            changes = {"name": old.name, "description": old.description, "type": old.type} | changes
        new_data = _within_limit(old.name, load_codec().rewrite(document, changes, content))
        storage.write_atomic(self._version(old), data)
        written = replace(
            old,
            description=wanted.description,
            type=wanted.type,
            content=content,
            optional={**old.optional, **wanted.optional},
            updated_at=changes["updatedAt"],
        )
        return self._write(_path_of(old), new_data, written)

    def _replace(self, old: Entry, data: bytes, new: Entry, file: bytes) -> Entry:
        if file == data:
            return old
        file = _within_limit(old.name, file)
        new = checked(new)
        storage.write_atomic(self._version(old), data)
        return self._write(_path_of(old), file, new)

    def delete(self, name: str, digest: str = "") -> Entry:
        """Move an entry to the archive and return what it was.

        Raises:
            EntryChangedError: it is gone, or its file no longer has ``digest``.
            StorageError: the disk.
        """
        old, _, data = self._current(name, digest)
        path = _path_of(old)
        try:
            path.rename(self._version(old))
        except OSError as error:
            if error.errno != errno.EXDEV:
                reason = storage.reason(error)
                raise StorageError(t("config.storage.write", path=path, reason=reason)) from error
            storage.write_atomic(self._version(old), data)
            path.unlink(missing_ok=True)
        if self._held is not None:
            for key in {old.name, key_of(path.stem)}:
                self._held.pop(key, None)
        return old

    def refresh_index(self) -> None:
        """Rebuild ``MEMORY.md`` where it does not say what the files say.

        It is derived data, so a failure is only logged; the next start tries again.
        """
        try:
            old, new = self._index()
            if new != old:
                storage.write_atomic(self.places.directory / INDEX_NAME, new)
        except StorageError as error:
            log.warning(str(error))

    def index_drifted(self) -> bool:
        """Whether ``MEMORY.md`` is there to be rebuilt."""
        try:
            old, new = self._index()
        except StorageError as error:
            log.warning(str(error))
            return False
        return new != old

    def _index(self) -> tuple[bytes, bytes]:
        """Return the index as it is and as it should be; a link is not followed."""
        path = self.places.directory / INDEX_NAME
        entries = self.snapshot().entries
        if path.is_symlink():
            raise StorageError(t("memory.store.index_link", path=path))
        if not path.exists():
            return b"", index.render(entries).encode() if entries else b""
        old = storage.read_bytes(path, _MAX_INDEX_BYTES)
        return old, index.render(entries, old.decode("utf-8", "replace")).encode()

    def _current(self, name: str, digest: str) -> tuple[Entry, Document, bytes]:
        entry = self.find(name)
        if entry is None:
            raise EntryChangedError(t("memory.store.gone", name=one_line(name, 60)))
        data = storage.read_bytes(_path_of(entry), MAX_BYTES)
        if digest and digest_of(data) != digest:
            raise EntryChangedError(t("memory.store.changed", name=entry.name))
        return entry, load_codec().decode(data), data

    def _version(self, entry: Entry) -> Path:
        """Return where a version of an entry that is no longer current goes."""
        folder = self.places.archive / entry.name
        storage.make_dir(folder)
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
        return folder / (stamp + SUFFIX)

    def _write(self, path: Path, data: bytes, entry: Entry) -> Entry:
        storage.write_atomic(path, data)
        written = replace(entry, path=path, digest=digest_of(data), scope=self.scope)
        if self._held is not None:
            self._held[written.name] = written
        return written


def checked(entry: Entry) -> Entry:
    """Return ``entry`` in the form in which it may be written.

    Raises:
        MemoryStoreError: it may not: bad name or type, empty, description too long, a secret in it.
    """
    entry = replace(
        entry,
        name=normalise(entry.name),
        description=one_line(entry.description),
        content=clean(entry.content),
        optional={
            key: _cleaned(value)
            for key, value in entry.optional.items()
            if key in OPTIONAL_KEYS and value not in (None, "", [], (), {})
        },
    )
    if entry.type not in TYPES:
        raise MemoryStoreError(
            t("memory.store.type", type=one_line(entry.type, 40), types=listed(TYPES))
        )
    if not entry.description or not entry.content.strip():
        raise MemoryStoreError(t("memory.store.empty", name=entry.name))
    if len(entry.description) > MAX_DESCRIPTION:
        raise MemoryStoreError(t("memory.store.long_description", limit=MAX_DESCRIPTION))
    texts = [entry.name, entry.description, entry.content, str(entry.optional)]
    found = [secret for text in texts for secret in secrets.find(text)]
    if found:
        raise MemoryStoreError(t("memory.store.secret", kind=found[0].kind))
    return entry


def _cleaned(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {one_line(str(key)): _cleaned(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(item) for item in value]
    return one_line(value) if isinstance(value, str) else value


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
