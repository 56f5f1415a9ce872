"""The directories: indexes that say what the files say, and nothing open to other users."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from catmem import storage
from catmem.errors import StorageError
from catmem.memory.commands.doctor.findings import Finding, few, shown
from catmem.memory.store.reading.directory import INDEX_NAME
from catmem.memory.store.store import Store
from catmem.memory.store.stores import Stores
from catmem.text import t

_OTHERS = 0o077
_FOLDER = 0o700
_FILE = 0o600


def repair_index(store: Store) -> list[Finding]:
    """Rebuild ``MEMORY.md`` where it does not say what the files say."""
    path = store.places.directory / INDEX_NAME
    if fault := store.index_fault():
        return [Finding(path, fault, repaired=False)]
    if not store.index_drifted():
        return []
    try:
        with store.locked():
            store.refresh_index()
    except StorageError as error:
        return [Finding(path, str(error), repaired=False)]
    if store.index_drifted():
        text = t("doctor.index_left", path=shown(path))
        return [Finding(path, text, repaired=False)]
    return [Finding(path, t("doctor.index", path=shown(path)), repaired=True)]


def place_faults(store: Store) -> list[Finding]:
    """Return why nothing can be stored here, and a lock file that can be no lock."""
    findings = []
    if problem := store.problem():
        findings.append(Finding(store.places.directory, problem, repaired=False))
    lock = store.places.lock
    if os.path.lexists(lock) and not (lock.is_file() and not lock.is_symlink()):
        text = t("doctor.lock", path=shown(lock))
        findings.append(Finding(lock, text, repaired=False))
    return findings


def busy_stores(stores: Stores) -> list[Finding]:
    """Return who holds a store for too long, so that no repair waits for it once more."""
    findings = []
    for store in stores.all:
        if store.places.lock.exists():
            try:
                with store.locked():
                    pass
            except StorageError as error:
                findings.append(Finding(store.places.lock, str(error), repaired=False))
    return findings


def close_to_others(home: Path) -> list[Finding]:
    """Take group and others out of everything under CATMEM_HOME; links are not followed."""
    closed: list[str] = []
    findings: list[Finding] = []
    for path in _all_below(home):
        try:
            status = path.lstat()
            wanted = _wanted(status)
            if wanted != stat.S_IMODE(status.st_mode):
                path.chmod(wanted)
                closed.append(str(path.relative_to(home.parent)))
        except OSError as error:
            text = t("config.storage.write", path=shown(path), reason=storage.reason(error))
            findings.append(Finding(path, text, repaired=False))
    if closed:
        text = t("doctor.closed", path=shown(home), count=len(closed), names=few(closed))
        findings.insert(0, Finding(home, text, repaired=True))
    return findings


def _all_below(home: Path) -> Iterator[Path]:
    if home.is_dir():
        yield home
    for folder, folders, files in os.walk(home):
        yield from (Path(folder) / name for name in (*folders, *files))


def _wanted(status: os.stat_result) -> int:
    """Return the mode that a file or folder should have."""
    mode = stat.S_IMODE(status.st_mode)
    if stat.S_ISDIR(status.st_mode):
        return mode & ~_OTHERS | _FOLDER
    return mode & ~_OTHERS | _FILE if stat.S_ISREG(status.st_mode) else mode
