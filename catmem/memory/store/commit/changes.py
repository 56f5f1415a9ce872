"""What a transaction does to one file: what it was, what it becomes, where the old version goes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from catmem import storage
from catmem.errors import StorageError
from catmem.memory.store.entry import Scope
from catmem.memory.store.operations import Action
from catmem.memory.store.reading.directory import MAX_BYTES, digest_of
from catmem.text import t

GONE = ""
_NO_ENTRY_FILE = "?"


class Stage(Enum):
    """Where a file is on its way; ``OTHER`` is neither end: a person has been there."""

    BEFORE = "before"
    AFTER = "after"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file of a transaction.

    Attributes:
        name: the entry's name.
        path: the file.
        state: the ``state`` directory of its store (lock, archive).
        before, after: digest of the file's bytes, ``GONE`` where there is no file.
        archived: where the old version goes; None for a new file.
        old, new: the bytes themselves; known until it is written, not in the journal.
    """

    scope: Scope
    name: str
    path: Path
    state: Path
    before: str
    after: str
    archived: Path | None
    old: bytes = field(default=b"", repr=False)
    new: bytes = field(default=b"", repr=False)

    @property
    def action(self) -> Action:
        """What it is, as a person would call it."""
        if self.before == GONE:
            return Action.ADD
        return Action.DELETE if self.after == GONE else Action.UPDATE

    def stage(self) -> Stage:
        """Look at the disk and tell how far the file is.

        Raises:
            StorageError: it cannot be told.
        """
        now = digest_now(self.path)
        if now == self.after:
            return Stage.AFTER
        return Stage.BEFORE if now == self.before else Stage.OTHER

    def to_json(self) -> dict[str, Any]:
        """Return what the journal keeps of it."""
        return {
            "scope": self.scope,
            "action": self.action,
            "name": self.name,
            "path": str(self.path),
            "state": str(self.state),
            "before": self.before,
            "after": self.after,
            "archived": str(self.archived) if self.archived else None,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> FileChange:
        """Read what ``to_json`` wrote.

        Raises:
            KeyError, TypeError, ValueError: it is something else.
        """
        archived = value["archived"]
        if "\0" in f"{value['path']}{value['state']}{archived}":
            raise ValueError("no path can hold a zero byte")
        return cls(
            scope=Scope(value["scope"]),
            name=str(value["name"]),
            path=Path(value["path"]),
            state=Path(value["state"]),
            before=str(value["before"]),
            after=str(value["after"]),
            archived=Path(archived) if archived else None,
        )


def digest_now(path: Path) -> str:
    """Return the digest of a file as it is now; ``GONE`` where there is none.

    What is no entry file (a directory, a link, too large, not readable) has a digest like no file.

    Raises:
        StorageError: whether there is one cannot be told: its directory may not be looked into.
    """
    try:
        if path.is_symlink():
            return _NO_ENTRY_FILE
        try:
            return digest_of(storage.read_bytes(path, MAX_BYTES))
        except StorageError:
            return _NO_ENTRY_FILE if path.exists() else GONE
    except OSError as error:
        why = storage.reason(error)
        raise StorageError(t("config.storage.read", path=path, reason=why)) from error
