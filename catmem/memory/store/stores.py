"""The user's store and the project's together: routing, reading both, and the only write path.

INTERFACE FIRST: bodies land within minutes.
"""

from __future__ import annotations

from collections.abc import Sequence

from catmem.memory.store.entry import Entry, FileWarning, Scope
from catmem.memory.store.operations import ApplyReport, Operation
from catmem.paths import Paths


class Stores:
    """The visible stores. Every call reads the disk; nothing is kept but a parse cache."""

    def load_all(self) -> list[Entry]:
        """Return all entries of both stores, sorted by name."""
        raise NotImplementedError

    def get(self, name: str, scope: Scope | None = None) -> Entry | None:
        """Return the entry of that name (any spelling); the project's before the user's."""
        raise NotImplementedError

    def near(self, name: str) -> list[str]:
        """Return the names most like ``name``."""
        raise NotImplementedError

    def scope_for(self, type: str, scope: Scope | str | None = None) -> Scope:
        """Return the store for a new entry: user and feedback the user's, else the project's."""
        raise NotImplementedError

    def apply(self, operations: Sequence[Operation]) -> ApplyReport:
        """Carry out the operations under the stores' locks, and rebuild the index.

        Raises:
            StorageError: the locks could not be had; nothing was done.
        """
        raise NotImplementedError

    def new_warnings(self) -> list[FileWarning]:
        """Return warnings about files that were not returned before."""
        raise NotImplementedError


def open_stores(paths: Paths, user_dir: str | None = None) -> Stores:
    """Return the stores of this run; makes nothing on disk."""
    raise NotImplementedError
