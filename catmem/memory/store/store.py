"""One store: a directory of entry files with its index and lock.

Entries are written by transactions alone (``commit``, through ``Stores.apply``).
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from catmem import log, secrets, storage
from catmem.errors import MemoryStoreError, StorageError
from catmem.memory.store import index
from catmem.memory.store.entry import OPTIONAL_KEYS, TYPES, Entry, Scope
from catmem.memory.store.names import key_of, normalise
from catmem.memory.store.ranking import Ranking
from catmem.memory.store.reading.directory import (
    INDEX_NAME,
    EntryFiles,
)
from catmem.memory.store.reading.snapshot import Snapshot
from catmem.sanitize import clean, one_line
from catmem.text import listed, t

if TYPE_CHECKING:
    from catmem.memory.store.trust import EntryTrust

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

    def __init__(self, scope: Scope, places: Places, trust: EntryTrust | None = None) -> None:
        self.scope = scope
        self.places = places
        self.trust = trust
        self._files = EntryFiles(scope, places.directory, places.state)
        self._trusted = self._files.last_snapshot
        self._ranking = Ranking()
        self._reading = threading.Lock()  # a session and its pipeline read in threads of their own

    def snapshot(self) -> Snapshot:
        """Return the trusted entries as they are on disk now, with warnings about all files."""
        self.everything()
        return self._trusted

    def everything(self) -> Snapshot:
        """Return the same with the entries that nobody trusts yet: for people and for the index."""
        with self._reading:
            return self._judged(self._files.snapshot())

    def _renewed(self, written: Collection[str]) -> Snapshot:
        with self._reading:
            return self._judged(self._files.renewed(written))

    def _judged(self, found: Snapshot) -> Snapshot:
        self._trusted = found if self.trust is None else self.trust.trusted(found)
        return found

    def untrusted(self) -> list[Entry]:
        """Return the entries that ``snapshot`` leaves out."""
        everything = self.everything().entries
        trusted = {entry.path for entry in self._trusted.entries}
        return [entry for entry in everything if entry.path not in trusted]

    def hides(self, name: str) -> bool:
        """Tell whether an entry that is not trusted has that name; reads nothing."""
        key = key_of(name)
        found = self._files.last_snapshot.by_key.get(key)
        return found is not None and self._trusted.by_key.get(key) is not found

    @property
    def last_snapshot(self) -> Snapshot:
        """What ``snapshot`` returned last; reads nothing."""
        return self._trusted

    @property
    def last_count(self) -> int:
        """How many entries there were when it was last read; after our own writes it is right."""
        return len(self._trusted.entries)

    def is_unreadable(self) -> bool:
        """Tell whether the directory could not be read last time: no entries then say nothing."""
        return any(one.file == self.places.directory for one in self.last_snapshot.warnings)

    def load_all(self) -> list[Entry]:
        """Return the entries, sorted by name."""
        return list(self.snapshot().entries)

    def known(self) -> Mapping[str, Entry]:
        """Return the entries by ``key_of`` their name, or their file's name."""
        return self.snapshot().by_key

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the store's lock.

        Raises:
            StorageError: another process holds it for too long, or it cannot be made.
        """
        with storage.lock(self.places.lock, LOCK_SECONDS):
            yield

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

    def prepare(self) -> None:
        """Make the directory, and hide it from git, the first time something is stored.

        Raises:
            StorageError: it cannot be made.
        """
        places = self.places
        if places.directory.is_dir():
            return
        ignore = places.ignore_file
        if ignore is not None and not os.path.lexists(ignore):
            storage.make_dir(ignore.parent)
            storage.write_atomic(ignore, b"*\n")
        storage.make_dir(places.directory)

    def refresh_index(self, written: Collection[str] | None = None) -> None:
        """Rebuild ``MEMORY.md`` where it does not say what the files say.

        Under the lock, where ``written`` may name the files that have changed since the store was
        last read; the others are not asked again. It is derived data, so a failure is only logged;
        the next start tries again. Where the files cannot be read it says what they said last.
        """
        found = self.everything() if written is None else self._renewed(written)
        if self.is_unreadable():
            return
        try:
            old, new = self._index(found)
            if new != old:
                storage.write_atomic(self.places.directory / INDEX_NAME, new, durable=False)
        except StorageError as error:
            log.warning(str(error))

    def index_drifted(self) -> bool:
        """Whether ``MEMORY.md`` is there to be rebuilt."""
        try:
            old, new = self._index(self.everything())
        except StorageError as error:
            log.warning(str(error))
            return False
        return new != old and not self.is_unreadable()

    def index_fault(self) -> str:
        """Return why ``MEMORY.md`` cannot be read, as one sentence; empty when it can."""
        try:
            self._index(self._files.last_snapshot)
        except StorageError as error:
            return str(error)
        return ""

    def _index(self, found: Snapshot) -> tuple[bytes, bytes]:
        """Return the index as it is and as it should be; a link is not followed."""
        path = self.places.directory / INDEX_NAME
        with self._reading:
            entries = self._ranking.of(found.entries)
        try:
            is_link, is_there = path.is_symlink(), path.exists()
        except OSError as error:
            why = storage.reason(error)
            raise StorageError(t("config.storage.read", path=path, reason=why)) from error
        if is_link:
            raise StorageError(t("memory.store.index_link", path=path))
        if not is_there:
            return b"", index.render(entries).encode() if entries else b""
        old = storage.read_bytes(path, _MAX_INDEX_BYTES)
        return old, index.render(entries, old.decode("utf-8", "replace")).encode()


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
