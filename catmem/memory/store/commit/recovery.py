"""What a crash left half done is finished where the new state is all there, else put back."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from catmem import log, storage
from catmem.errors import StorageError
from catmem.memory.store.commit import transaction
from catmem.memory.store.commit.changes import FileChange, Stage
from catmem.memory.store.commit.journal import JournalFile
from catmem.memory.store.commit.records import Record
from catmem.sanitize import one_line
from catmem.text import t

_LOCK_SECONDS = 2.0


def recover(journal: JournalFile) -> list[str]:
    """End every open transaction; return a sentence for each file that a person edited meanwhile.

    The caller holds the journal's lock, under which every transaction runs: so whoever began an
    open one is dead. The newest goes first. What cannot be ended now (a store that another catmem
    home is writing, a full disk) is left for the next time.

    Raises:
        StorageError: the journal cannot be written.
    """
    sentences: list[str] = []
    for intent in reversed(journal.open_intents()):
        try:
            changes = [FileChange.from_json(item) for item in intent["files"]]
        except (KeyError, TypeError, ValueError):
            log.warning(f"an intent in {journal.path} cannot be read")
            journal.append({"kind": "abort", "tx": intent["tx"]})
            continue
        sentences += _recover(journal, intent, changes)
    return sentences


def _recover(journal: JournalFile, intent: Record, changes: Sequence[FileChange]) -> list[str]:
    with contextlib.ExitStack() as locks:
        try:
            for state in sorted({change.state for change in changes} - {journal.path.parent}):
                if state.is_dir():  # else the project is gone, with all its files
                    locks.enter_context(storage.lock(state / "lock", _LOCK_SECONDS))
            _sweep(changes)  # before it is ended: whoever dies in between leaves it to the next one
            kept = _end(journal, intent, changes)
        except StorageError as error:
            log.warning(f"left to the next recovery: {error}")
            return []
    return [t("memory.commit.edited", path=one_line(str(change.path))) for change in kept]


def _end(journal: JournalFile, intent: Record, changes: Sequence[FileChange]) -> list[FileChange]:
    if all(change.stage() is Stage.AFTER for change in changes):
        journal.append({"kind": "commit", "tx": intent["tx"], **intent.get("record", {})})
        transaction.trim(changes)
        return []
    kept = transaction.reverse(changes)
    journal.append({"kind": "abort", "tx": intent["tx"]})
    return kept


def _sweep(changes: Sequence[FileChange]) -> None:
    """Remove the temporary files that the dead process left beside its files."""
    folders = {change.path.parent for change in changes}
    folders |= {change.archived.parent for change in changes if change.archived}
    for folder in folders:
        for left in _temporaries(folder):
            with contextlib.suppress(StorageError):
                storage.remove(left)


def _temporaries(folder: Path) -> list[Path]:
    try:
        return list(folder.glob(f"{storage.TEMP_PREFIX}*"))
    except OSError:
        return []
