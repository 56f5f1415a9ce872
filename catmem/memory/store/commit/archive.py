"""The archive of a store: ``<name>/<time>.md``, the last versions of each entry."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

from catmem import secrets, storage
from catmem.errors import StorageError
from catmem.memory.store.commit.changes import FileChange
from catmem.memory.store.reading.directory import MAX_BYTES, SUFFIX, digest_of

KEPT_VERSIONS = 20
_MASKED = b"[masked "  # a version that held a secret is no longer the very bytes it was
_STAMP = "%Y%m%dT%H%M%S.%fZ"


def place_for(archive: Path, name: str) -> Path:
    """Return where the version of an entry that ceases to be current now goes.

    It comes after all that are there, also where the clock was set back since.
    """
    moment = datetime.now(UTC)
    kept = versions(archive, name)
    last = moment_of(kept[-1]) if kept else None
    if last is not None and last >= moment:
        with contextlib.suppress(OverflowError):
            moment = last + timedelta(microseconds=1)
    return archive / name / (moment.strftime(_STAMP) + SUFFIX)


def moment_of(version: Path) -> datetime | None:
    """Return when a version ceased to be current; None for a file that is none of ours."""
    with contextlib.suppress(ValueError):
        return datetime.strptime(version.stem, _STAMP).replace(tzinfo=UTC)
    return None


def versions(archive: Path, name: str) -> list[Path]:
    """Return the old versions of an entry, oldest first."""
    try:
        found = [path for path in (archive / name).iterdir() if path.suffix == SUFFIX]
    except OSError:
        return []
    return sorted(path for path in found if moment_of(path) is not None)


def store(change: FileChange) -> None:
    """Put the old version of a file into the archive, durably.

    Raises:
        StorageError: the disk would not take it.
    """
    if change.archived is not None:
        storage.make_dir(change.archived.parent)
        storage.write_atomic(change.archived, change.old)


def old_version(change: FileChange) -> bytes | None:
    """Return the old version of a file from the archive; None where it is no longer there."""
    if change.archived is None:
        return None
    try:
        data = storage.read_bytes(change.archived, MAX_BYTES)
    except StorageError:
        return None
    return data if digest_of(data) == change.before or _MASKED in data else None


def mask(version: Path) -> None:
    """Take the secrets out of a version; until its transaction has ended it is kept as it was.

    One that cannot be written is left alone: it is no more than a copy of its owner's own file.
    """
    with contextlib.suppress(StorageError):
        text = storage.read_bytes(version, MAX_BYTES).decode("utf-8", "surrogateescape")
        without = secrets.mask(text)
        if without != text:
            storage.write_atomic(version, without.encode("utf-8", "surrogateescape"))


def erase(archive: Path, name: str) -> int:
    """Remove all versions of an entry, half written ones too; return how many there were.

    Nothing else is touched: a project's archive may come with a clone, and link to anywhere.

    Raises:
        StorageError: one cannot be removed.
    """
    folder = archive / name
    if folder.is_symlink():
        return 0
    found = versions(archive, name)
    with contextlib.suppress(OSError):
        found += folder.glob(f"{storage.TEMP_PREFIX}*")
    for path in found:
        storage.remove(path)
    with contextlib.suppress(OSError):
        folder.rmdir()
    return len(found)


def trim(archive: Path, name: str) -> None:
    """Keep the last ``KEPT_VERSIONS`` of an entry; one that cannot be removed stays."""
    for version in versions(archive, name)[:-KEPT_VERSIONS]:
        with contextlib.suppress(StorageError):
            storage.remove(version)
