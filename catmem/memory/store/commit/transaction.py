"""A transaction: from prepared changes to files, index and journal, all of it or nothing."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path

from catmem import log, storage
from catmem.errors import MemoryStoreError, StorageError
from catmem.memory.store.commit import archive
from catmem.memory.store.commit.changes import GONE, FileChange, Stage, digest_now
from catmem.memory.store.commit.journal import JournalFile
from catmem.memory.store.commit.records import Record
from catmem.text import t

_ID_BYTES = 6


class EditedMeanwhileError(MemoryStoreError):
    """A file is no longer what the changes were prepared from; everything was put back."""


def run(
    journal: JournalFile,
    changes: Sequence[FileChange],
    record: Record,
    refresh: Callable[[], None],
) -> None:
    """Write ``changes`` and commit them with ``record``; the caller holds all locks.

    ``refresh`` brings the indexes in line with the files; it must not raise. Without changes only
    the commit is written.

    Raises:
        EditedMeanwhileError: somebody edited one of the files; prepare again.
        StorageError: the disk would not take it. In both cases the stores are as they were, or,
            where even that failed, the next recovery puts them right.
    """
    tx = secrets.token_hex(_ID_BYTES)
    commit = {"kind": "commit", "tx": tx, **record}
    if not changes:
        journal.append(commit)
        return
    files = [change.to_json() for change in changes]
    journal.append({"kind": "intent", "tx": tx, "files": files, "record": record})
    try:
        _write(changes)
        refresh()
        journal.append(commit)
    except (EditedMeanwhileError, StorageError):
        _take_back(journal, tx, changes)
        refresh()
        raise
    trim(changes)


def _write(changes: Sequence[FileChange]) -> None:
    """Archive all old versions and write all new ones beside their place, then swap them in."""
    ready: dict[Path, Path] = {}
    try:
        for change in changes:
            archive.store(change)
        for change in changes:
            if change.after != GONE:
                ready[change.path] = storage.write_beside(change.path, change.new)
        for change in changes:
            # An editor may have saved since the change was prepared: from here on it has no time.
            if digest_now(change.path) != change.before:
                raise EditedMeanwhileError(t("memory.store.changed", name=change.name))
            if change.after == GONE:
                storage.remove(change.path)
            else:
                _swap_in(ready.pop(change.path), change.path)
        _sync(changes)
    finally:
        for temporary in ready.values():
            with contextlib.suppress(StorageError):
                storage.remove(temporary)


def _sync(changes: Sequence[FileChange]) -> None:
    for directory in {change.path.parent for change in changes}:
        try:
            storage.sync_directory(directory)
        except OSError as error:
            why = storage.reason(error)
            raise StorageError(t("config.storage.write", path=directory, reason=why)) from error


def _swap_in(temporary: Path, path: Path) -> None:
    try:
        temporary.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        why = storage.reason(error)
        raise StorageError(t("config.storage.write", path=path, reason=why)) from error
    storage.reach(f"replaced {path.name}")


def _take_back(journal: JournalFile, tx: str, changes: Sequence[FileChange]) -> None:
    try:
        reverse(changes)
        journal.append({"kind": "abort", "tx": tx})
    except StorageError as error:  # a full disk, for example: the intent stays open
        log.warning(f"left to the next recovery: {error}")


def reverse(changes: Sequence[FileChange]) -> list[FileChange]:
    """Put files back to what they were; return those that a person has changed, which stay.

    Raises:
        StorageError: the disk would not take it.
    """
    kept: list[FileChange] = []
    for change in reversed(changes):
        stage = change.stage()
        if stage is Stage.BEFORE:
            continue
        old = archive.old_version(change)
        is_gone = not change.path.parent.is_dir()  # the project, with all its files
        if stage is Stage.OTHER or is_gone or (old is None and change.before != GONE):
            kept.append(change)
        elif old is None:
            storage.remove(change.path)
        else:
            storage.write_atomic(change.path, old)
    _sync(changes)
    for change in changes:
        if change.archived is not None and change not in kept:
            with contextlib.suppress(StorageError):
                storage.remove(change.archived)
    return kept


def trim(changes: Sequence[FileChange]) -> None:
    """Let the archive keep no more than the last versions of these entries, without secrets."""
    for change in changes:
        if change.archived is not None:
            archive.mask(change.archived)
            archive.trim(change.archived.parent.parent, change.name)
