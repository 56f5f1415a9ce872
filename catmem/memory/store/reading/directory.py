"""Finding and reading the entry files of one directory.

Every problem of a file becomes a ``FileWarning`` that names it; none stops the others, and none
makes a file disappear without a word. Links are never followed, so that nothing outside the
directory can be read or written through it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from catmem.errors import MemoryStoreError
from catmem.memory.store.entry import TYPES, Entry, FileWarning, Scope
from catmem.memory.store.names import is_reserved, normalise, slug_for
from catmem.memory.store.reading.harmless import Harmless
from catmem.memory.store.reading.loading import load_codec
from catmem.memory.store.reading.masking import masked
from catmem.memory.store.reading.snapshot import Snapshot, next_snapshot
from catmem.memory.store.reading.watching import Watch
from catmem.sanitize import one_line
from catmem.storage import read_inside, reason
from catmem.text import t

if TYPE_CHECKING:
    from catmem.memory.store.reading.codec import Document

INDEX_NAME = "MEMORY.md"
MAX_BYTES = 1_000_000
SUFFIX = ".md"
_DESCRIPTION_FROM_BODY = 150
_NAMED = 3
_WORTH_WATCHING = 500
_MOST_FOLDERS = 50
_SECOND_NS = 1_000_000_000
_TICK_NS = 20_000_000


_Identity = tuple[int, int, int, int]


@dataclass(slots=True, eq=False)
class _Parsed:
    """A file as it was when it had this identity: times, size and inode.

    ``settled`` is false where it was written so shortly before it was read that a later change may
    have left the same times: the clock of a file system ticks slowly.
    """

    identity: _Identity
    entry: Entry | None
    warnings: tuple[FileWarning, ...]
    settled: bool = True


class EntryFiles:
    """The entry files of ``directory``; what was parsed is kept as long as the file is the same.

    ``state`` holds what need not be looked for again in the next process, see ``Harmless``.

    Which files a full look would find changed is known where the kernel tells it, see ``Watch``;
    ``_unsure`` are those of which it may not tell: folders, files just written or with two names.
    """

    def __init__(self, scope: Scope, directory: Path, state: Path | None = None) -> None:
        self.scope = scope
        self.directory = directory
        self._harmless = Harmless(state)
        self._listed: set[str] = set()
        self._order: list[str] = []
        self._parsed: dict[str, _Parsed] = {}
        self._watch = Watch()
        self._touched: set[str] | None = None
        self._unsure: set[str] = set()
        self._troubles: list[FileWarning] = []
        self._snapshot = Snapshot((), ())

    @property
    def last_snapshot(self) -> Snapshot:
        """What was there when it was last looked at; reads nothing."""
        return self._snapshot

    def snapshot(self) -> Snapshot:
        """Read what has changed since the last call and return all entries."""
        troubles: list[FileWarning] = []
        parsed: dict[str, _Parsed] = {}
        names: set[str] | None = None
        with self._opened(troubles) as folder:
            if folder is not None:
                parsed, names = self._found(folder, troubles)
        self._harmless.save()
        self._become(parsed, troubles, names)
        self._touched = None if folder is None or troubles else set()
        return self._snapshot

    def renewed(self, names: Collection[str]) -> Snapshot:
        """Return the last snapshot with these files read again: they are what was just written."""
        troubles: list[FileWarning] = []
        with self._opened(troubles) as folder:
            parsed = self._some(folder, names)
        return self._become(parsed, troubles, names)

    def _found(
        self, folder: int, troubles: list[FileWarning]
    ) -> tuple[dict[str, _Parsed], set[str] | None]:
        """Return all files, and the names of those that were looked at; None for all."""
        try:
            self._note_touched(folder)
            names = None if self._touched is None else self._touched | self._unsure
            # A new name may be another spelling of a known file's, where case does not count.
            if names is None or any(map(_may_be_entry, names - self._parsed.keys())):
                return self._all(folder), None
        except OSError as error:  # it cannot be listed: no descriptor is left, for example
            self._touched = None
            troubles.append(self._unreadable(error))
            return {}, None
        return self._some(folder, names), names

    def _note_touched(self, folder: int) -> None:
        """Add to what has to be looked at; it stays noted until that is done, come what may."""
        told = None
        if len(self._order or self._listing(folder)) >= _WORTH_WATCHING:
            told = self._watch.told(folder)
        if told is None or self._touched is None:
            self._touched = None
        else:
            self._touched |= told

    def _all(self, folder: int) -> dict[str, _Parsed]:
        parsed: dict[str, _Parsed] = {}
        for name in self._listing(folder):
            found = self._looked_at(name, folder)
            if found is not None:
                parsed[name] = found
        return parsed

    def _some(self, folder: int | None, names: Collection[str]) -> dict[str, _Parsed]:
        """Return all files in order, of which only these are looked at."""
        parsed = dict(self._parsed)
        for name in names:
            found = None
            if folder is not None and not name.startswith("."):
                found = self._looked_at(name, folder)
            if found is not None:
                parsed[name] = found
            else:
                parsed.pop(name, None)
        is_new = any(name in parsed and name not in self._parsed for name in names)
        return {name: parsed[name] for name in sorted(parsed)} if is_new else parsed

    def _listing(self, folder: int) -> list[str]:
        """Return the names in order; sorted anew only when others are there than last time."""
        listed = set(os.listdir(folder))
        if listed != self._listed:
            self._listed = listed
            self._order = sorted(name for name in listed if not name.startswith("."))
        return self._order

    @contextlib.contextmanager
    def _opened(self, troubles: list[FileWarning]) -> Iterator[int | None]:
        """Open the directory: to ask about a file from there is twice as quick as by its path."""
        try:
            folder = os.open(self.directory, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            yield None
            return
        except OSError as error:
            troubles.append(self._unreadable(error))
            yield None
            return
        try:
            yield folder
        finally:
            os.close(folder)

    def _unreadable(self, error: OSError) -> FileWarning:
        text = t("memory.store.unreadable", path=self.directory, reason=reason(error))
        return FileWarning(self.directory, 0, text)

    def _become(
        self,
        parsed: dict[str, _Parsed],
        troubles: list[FileWarning],
        names: Collection[str] | None,
    ) -> Snapshot:
        """Take over what was found; only these names were looked at, None for all.

        ``troubles`` are those of the directory itself.
        """
        old = self._parsed
        names = old.keys() | parsed.keys() if names is None else names
        changed = [name for name in names if old.get(name) is not parsed.get(name)]
        if not changed and troubles == self._troubles:
            return self._snapshot
        self._troubles = troubles
        warnings = troubles + [warning for found in parsed.values() for warning in found.warnings]
        entries = [found.entry for found in parsed.values() if found.entry is not None]
        self._snapshot = next_snapshot(
            self._snapshot,
            entries,
            warnings,
            added=_entries_of(parsed, changed),
            removed=_entries_of(old, changed),
        )
        self._parsed = parsed
        return self._snapshot

    def _looked_at(self, name: str, folder: int) -> _Parsed | None:
        try:
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:  # deleted since it was listed
            self._unsure.discard(name)
            return None
        except OSError as error:
            self._unsure.add(name)
            return self._skipped(name, (0, 0, 0, 0), reason(error))
        identity = (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)
        known = self._parsed.get(name)
        if known is not None and known.settled and known.identity == identity:
            return known
        found = self._examined(name, folder, status, identity)
        is_told = stat.S_ISREG(status.st_mode) and status.st_nlink == 1
        if found is not None and not (found.settled and is_told):
            self._unsure.add(name)
        else:
            self._unsure.discard(name)
        return found

    def _examined(
        self, name: str, folder: int, status: os.stat_result, identity: _Identity
    ) -> _Parsed | None:
        if not _may_be_entry(name):
            return self._folder(name, identity) if stat.S_ISDIR(status.st_mode) else None
        problem = _unfit(name, status)
        if problem:
            return self._skipped(name, identity, problem)
        return self._read(name, folder, identity, self._parsed.get(name))

    def _folder(self, name: str, identity: _Identity) -> _Parsed:
        inside = _entries_inside(self.directory / name)
        if not inside:
            return _Parsed(identity, None, ())
        return self._skipped(name, identity, t("memory.store.file.nested", names=inside))

    def _read(self, name: str, folder: int, identity: _Identity, known: _Parsed | None) -> _Parsed:
        path = self.directory / name
        settled = _is_settled(identity)
        try:
            data = read_inside(folder, name, identity[2], MAX_BYTES)
        except OSError as error:
            text = t("config.storage.read", path=path, reason=reason(error))
            return _Parsed(identity, None, (FileWarning(path, 0, text),), settled=False)
        was = known.entry if known is not None and known.identity == identity else None
        if known is not None and was is not None and was.digest == digest_of(data):
            known.settled = settled
            return known
        if b"\0" in data and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
            return self._skipped(name, identity, t("memory.store.file.binary"))
        entry, notes = entry_in(data, path, self.scope, identity[0])
        if entry.digest not in self._harmless:
            entry, secrets = masked(entry, data)
            notes += secrets
            if not secrets:
                self._harmless.add(entry.digest)
        warnings = tuple(_warning(path, *note) for note in notes)
        return _Parsed(identity, entry, warnings, settled)

    def _skipped(self, name: str, identity: _Identity, why: str) -> _Parsed:
        path = self.directory / name
        text = t("memory.store.file.skipped", path=_shown(path), reason=why)
        return _Parsed(identity, None, (FileWarning(path, 0, text),))


def _entries_of(parsed: Mapping[str, _Parsed], names: Iterable[str]) -> list[Entry]:
    found = (parsed[name].entry for name in names if name in parsed)
    return [entry for entry in found if entry is not None]


def entry_in(
    data: bytes, path: Path, scope: Scope, modified_ns: int = 0
) -> tuple[Entry, list[tuple[int, str]]]:
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
        modified_ns=modified_ns,
        damaged=document.damaged,
    )
    return entry, notes


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of a file's bytes in hex."""
    return hashlib.sha256(data).hexdigest()


def _may_be_entry(name: str) -> bool:
    if name.endswith(SUFFIX) and name[0].isalnum() and name != INDEX_NAME and name[0] not in "mM":
        return True  # nearly all of them
    return (
        name.lower().endswith(SUFFIX)
        and not name.startswith(".")
        and name.lower() != INDEX_NAME.lower()
    )


def _is_settled(identity: _Identity) -> bool:
    """Whether a file that is read now was last changed long enough ago, see ``_Parsed``.

    Clocks tick every few milliseconds; those of some file systems every two seconds.
    """
    changed = max(identity[:2])
    tick = _TICK_NS if changed % _SECOND_NS else 2 * _SECOND_NS
    return time.time_ns() - changed > 2 * tick


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
    if is_reserved(name[: -len(SUFFIX)]):
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


def _warning(path: Path, line: int, text: str) -> FileWarning:
    key = "memory.store.file.note_line" if line else "memory.store.file.note"
    values = {"line": line} if line else {}
    return FileWarning(path, line, t(key, path=_shown(path), reason=text, **values))


def _shown(path: Path) -> str:
    return one_line(str(path))
