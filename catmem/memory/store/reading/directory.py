"""Finding and reading the entry files of one directory.

Every problem of a file becomes a ``FileWarning`` that names it; none stops the others, and none
makes a file disappear without a word. Links are never followed, so that nothing outside the
directory can be read or written through it.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from catmem.errors import MemoryStoreError, StorageError
from catmem.memory.store.entry import TYPES, Entry, FileWarning, Scope
from catmem.memory.store.names import is_reserved, key_of, normalise, slug_for
from catmem.memory.store.reading.loading import load_codec
from catmem.memory.store.reading.masking import masked
from catmem.sanitize import one_line
from catmem.storage import read_bytes, reason
from catmem.text import t

if TYPE_CHECKING:
    from catmem.memory.store.reading.codec import Document

INDEX_NAME = "MEMORY.md"
MAX_BYTES = 1_000_000
SUFFIX = ".md"
_DESCRIPTION_FROM_BODY = 150
_NAMED = 3
_MOST_FOLDERS = 50


@dataclass(frozen=True, slots=True, eq=False)
class _Parsed:
    """A file as it was when it had this identity: modification time, size and inode."""

    identity: tuple[int, int, int]
    entry: Entry | None
    warnings: tuple[FileWarning, ...]


@dataclass(frozen=True)
class Snapshot:
    """The entries of a directory at one moment, sorted by name, and what is wrong there."""

    entries: tuple[Entry, ...]
    warnings: tuple[FileWarning, ...]

    @cached_property
    def by_key(self) -> Mapping[str, Entry]:
        """The entries by name, and by file name where no entry is called so."""
        stems = {key_of(entry.path.stem): entry for entry in self.entries if entry.path}
        return stems | {entry.name: entry for entry in self.entries}


class EntryFiles:
    """The entry files of ``directory``; what was parsed is kept as long as the file is the same."""

    def __init__(self, scope: Scope, directory: Path) -> None:
        self.scope = scope
        self.directory = directory
        self._parsed: dict[str, _Parsed] = {}
        self._snapshot = Snapshot((), ())

    @property
    def last_snapshot(self) -> Snapshot:
        """What was there when it was last looked at; reads nothing."""
        return self._snapshot

    def snapshot(self) -> Snapshot:
        """Read what has changed since the last call and return all entries."""
        warnings: list[FileWarning] = []
        listing = self._listing(warnings)
        read = {item.name: self._parsed_file(item) for item in listing}
        parsed = {name: found for name, found in read.items() if found is not None}
        if parsed == self._parsed and not warnings:
            return self._snapshot
        warnings += [warning for found in parsed.values() for warning in found.warnings]
        entries = [found.entry for found in parsed.values() if found.entry is not None]
        unique = sorted(_with_unique_names(entries, warnings), key=lambda entry: entry.name)
        self._parsed, self._snapshot = parsed, Snapshot(tuple(unique), tuple(warnings))
        return self._snapshot

    def _listing(self, warnings: list[FileWarning]) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(self.directory) as items:
                found = [item for item in items if _may_be_entry(item.name) or _is_folder(item)]
        except FileNotFoundError:
            return []
        except OSError as error:
            text = t("memory.store.unreadable", path=self.directory, reason=reason(error))
            warnings.append(FileWarning(self.directory, 0, text))
            return []
        return sorted(found, key=lambda item: item.name)

    def _parsed_file(self, item: os.DirEntry[str]) -> _Parsed | None:
        try:
            status = item.stat(follow_symlinks=False)
        except FileNotFoundError:  # deleted since it was listed
            return None
        except OSError as error:
            return self._skipped(item, (0, 0, 0), reason(error))
        identity = (status.st_mtime_ns, status.st_size, status.st_ino)
        known = self._parsed.get(item.name)
        if known is not None and known.identity == identity:
            return known
        if not _may_be_entry(item.name):
            inside = _entries_inside(self.directory / item.name)
            if not inside:
                return _Parsed(identity, None, ())
            return self._skipped(item, identity, t("memory.store.file.nested", names=inside))
        problem = _unfit(item.name, status)
        return self._skipped(item, identity, problem) if problem else self._parse(item, identity)

    def _parse(self, item: os.DirEntry[str], identity: tuple[int, int, int]) -> _Parsed:
        path = self.directory / item.name
        try:
            data = read_bytes(path, MAX_BYTES)
        except StorageError as error:
            return _Parsed(identity, None, (FileWarning(path, 0, str(error)),))
        if b"\0" in data and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
            return self._skipped(item, identity, t("memory.store.file.binary"))
        entry, notes = entry_in(data, path, self.scope)
        entry, secrets = masked(entry, data)
        warnings = tuple(_warning(path, *note) for note in (*notes, *secrets))
        return _Parsed(identity, replace(entry, modified_ns=identity[0]), warnings)

    def _skipped(self, item: os.DirEntry[str], identity: tuple[int, int, int], why: str) -> _Parsed:
        path = self.directory / item.name
        text = t("memory.store.file.skipped", path=_shown(path), reason=why)
        return _Parsed(identity, None, (FileWarning(path, 0, text),))


def entry_in(data: bytes, path: Path, scope: Scope) -> tuple[Entry, list[tuple[int, str]]]:
    """Return the entry that a file's bytes say, with their faults: (line or 0, sentence) each."""
    document = load_codec().decode(data)
    notes = [(note.line, note.text) for note in document.notes]
    kind = document.text_of("type")
    entry = Entry(
        name=_name_of(document, path, notes),
        description=_description_of(document),
        type=kind.lower() if kind.lower() in TYPES else kind or _default_type(scope),
        content=document.content,
        scope=scope,
        created_at=document.text_of("createdAt"),
        updated_at=document.text_of("updatedAt"),
        optional=document.optional,
        path=path,
        digest=digest_of(data),
        damaged=document.damaged,
    )
    return entry, notes


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of a file's bytes in hex."""
    return hashlib.sha256(data).hexdigest()


def _may_be_entry(name: str) -> bool:
    return (
        name.lower().endswith(SUFFIX)
        and not name.startswith(".")
        and name.lower() != INDEX_NAME.lower()
    )


def _is_folder(item: os.DirEntry[str]) -> bool:
    return not item.name.startswith(".") and item.is_dir(follow_symlinks=False)


def _entries_inside(folder: Path) -> str:
    """Return the names of a few entry files in a folder and those below it; empty for none."""
    found: list[str] = []
    for looked_at, (place, folders, files) in enumerate(os.walk(folder)):
        folders[:] = [name for name in folders if not name.startswith(".")]
        names = [name for name in sorted(files) if _may_be_entry(name)]
        found += [str((Path(place) / name).relative_to(folder)) for name in names]
        if len(found) > _NAMED or looked_at > _MOST_FOLDERS:
            break
    names = [one_line(name, 60) for name in found[:_NAMED]]
    return ", ".join([*names, "…"] if len(found) > _NAMED else names)


def _unfit(name: str, status: os.stat_result) -> str:
    """Return why a file is not even opened; empty when it is."""
    if stat.S_ISLNK(status.st_mode):
        return t("memory.store.file.link")
    if not stat.S_ISREG(status.st_mode):
        return t("memory.store.file.not_regular")
    if is_reserved(Path(name).stem):
        return t("memory.store.file.reserved")
    if status.st_size > MAX_BYTES:
        return t("memory.store.file.large", limit=f"{MAX_BYTES // 1_000_000} MB")
    return ""


def _name_of(document: Document, path: Path, notes: list[tuple[int, str]]) -> str:
    given = document.text_of("name")
    if given:
        try:
            return normalise(given)
        except MemoryStoreError as error:
            notes.append((document.line_of("name"), str(error)))
    try:
        return normalise(path.stem)
    except MemoryStoreError:
        return slug_for(path.stem)


def _description_of(document: Document) -> str:
    if "description" in document.values:
        return document.text_of("description")
    return _first_line(document.content)


def _default_type(scope: Scope) -> str:
    return "project" if scope is Scope.PROJECT else "user"


def _first_line(content: str) -> str:
    for line in content.splitlines():
        text = one_line(line.lstrip("#>*- \t"), _DESCRIPTION_FROM_BODY)
        if text:
            return text
    return ""


def _with_unique_names(entries: list[Entry], warnings: list[FileWarning]) -> list[Entry]:
    """Give each entry a name of its own; the file that is called like its entry keeps the name."""
    by_claim = sorted(
        entries, key=lambda entry: (entry.path.stem if entry.path else "") != entry.name
    )
    taken: dict[str, Entry] = {}
    for entry in by_claim:
        name = entry.name
        if name in taken and entry.path is not None:
            name = free_name(slug_for(entry.path.stem), taken)
            first = taken[entry.name].path
            text = t(
                "memory.store.file.duplicate",
                path=_shown(entry.path),
                name=entry.name,
                other=_shown(first) if first else "",
                new=name,
            )
            warnings.append(FileWarning(entry.path, 0, text))
        taken[name] = entry if name == entry.name else replace(entry, name=name)
    return list(taken.values())


def free_name(name: str, taken: dict[str, Entry]) -> str:
    """Return ``name``, or the first of ``name-2``, ``name-3`` … that is not taken."""
    if name not in taken:
        return name
    number = 2
    while f"{name}-{number}" in taken:
        number += 1
    return f"{name}-{number}"


def _warning(path: Path, line: int, text: str) -> FileWarning:
    key = "memory.store.file.note_line" if line else "memory.store.file.note"
    values = {"line": line} if line else {}
    return FileWarning(path, line, t(key, path=_shown(path), reason=text, **values))


def _shown(path: Path) -> str:
    return one_line(str(path))
