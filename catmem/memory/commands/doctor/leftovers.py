"""What crashes and programs leave behind: half writes, temporary files, empty archives, edits."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from catmem import storage
from catmem.errors import StorageError
from catmem.memory.commands.changing.editing import EDITS
from catmem.memory.commands.doctor.findings import Finding, few, shown
from catmem.memory.store.commit.records import parsed
from catmem.memory.store.store import Store
from catmem.memory.store.stores import Stores
from catmem.text import t

# Elsewhere than in the stores a write may go on while we look; none takes so long.
_STALE_SECONDS = 3_600.0


def finish_half_writes(stores: Stores) -> list[Finding]:
    """End the transactions that a crash left open."""
    path = stores.journal.path
    names = [
        str(file.get("name", "?"))
        for intent in stores.journal.open_intents()
        for file in intent.get("files", ())
    ]
    if not names:
        return []
    try:
        edited = stores.recover()
    except StorageError as error:
        return [Finding(path, str(error), repaired=False)]
    if stores.journal.open_intents():
        text = t("doctor.half_left", names=few(names))
        return [Finding(path, text, repaired=False)]
    done = Finding(path, t("doctor.half_write", names=few(names)), repaired=True)
    return [done, *(Finding(path, sentence, repaired=False) for sentence in edited)]


def repair_journal(stores: Stores) -> list[Finding]:
    """Take out lines of the journal that say nothing; a torn line is what a power cut leaves."""
    path = stores.journal.path
    try:
        lines = path.read_bytes().split(b"\n")
        bad = [number for number, line in enumerate(lines, 1) if line and parsed(line) is None]
        if not bad:
            return []
        with stores.journal.locked():
            stores.journal.rewrite(lambda record: record)
    except FileNotFoundError:
        return []
    except (OSError, StorageError) as error:
        return [Finding(path, str(error), repaired=False)]
    text = t("doctor.journal", path=shown(path), line=bad[0], count=len(bad))
    return [Finding(path, text, repaired=True, line=bad[0])]


def remove_leftovers(stores: Stores) -> list[Finding]:
    """Remove temporary files of writes that were cut off, and archive folders of nothing.

    Under the locks of the stores, so that nobody is writing there.
    """
    findings: list[Finding] = []
    home = stores.user.places.state.parent
    if not stores.user.places.state.is_dir():
        return []  # nothing was ever written here
    try:
        with contextlib.ExitStack() as locks:
            locks.enter_context(stores.journal.locked())
            for store in stores.all:
                if store.places.lock != stores.journal.lock and store.places.state.is_dir():
                    locks.enter_context(store.locked())
            for store in stores.all:
                findings += _temporary_files(store.places.directory, age=0)
                findings += _temporary_files(store.places.archive, age=0)
                if store.places.state.parent != home:
                    findings += _temporary_files(store.places.state.parent, age=0)
                findings += _empty_archives(store)
            findings += _temporary_files(home, age=_STALE_SECONDS)
    except StorageError as error:
        findings.append(Finding(home, str(error), repaired=False))
    return findings


def _temporary_files(folder: Path, *, age: float) -> Iterator[Finding]:
    for path in sorted(folder.rglob(f"{storage.TEMP_PREFIX}*")):
        with contextlib.suppress(OSError):
            if time.time() - path.lstat().st_mtime >= age:
                yield _removed(path, path.unlink, "doctor.temporary")


def _empty_archives(store: Store) -> Iterator[Finding]:
    with contextlib.suppress(OSError):
        for folder in sorted(store.places.archive.iterdir()):
            if folder.is_dir() and not os.listdir(folder):  # noqa: PTH208 - only whether there is one
                yield _removed(folder, folder.rmdir, "doctor.empty_archive")


def kept_edits(stores: Stores) -> list[Finding]:
    """Return the texts that could not be stored after an edit; they are their owner's."""
    try:
        paths = sorted((stores.user.places.state / EDITS).iterdir())
    except OSError:
        return []
    return [Finding(path, t("doctor.edit", path=shown(path)), repaired=False) for path in paths]


def _removed(path: Path, remove: Callable[[], None], key: str) -> Finding:
    try:
        remove()
    except OSError as error:
        text = t("config.storage.write", path=shown(path), reason=storage.reason(error))
        return Finding(path, text, repaired=False)
    return Finding(path, t(key, path=shown(path)), repaired=True)
