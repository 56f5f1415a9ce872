"""The user's store and the project's together: routing, reading both, and the only write path."""

from __future__ import annotations

import contextlib
import difflib
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

from catmem import log
from catmem.config.trust import TrustFile
from catmem.errors import StorageError
from catmem.memory.store.commit import transaction, undoing
from catmem.memory.store.commit.batch import Batch, find
from catmem.memory.store.commit.changes import GONE, FileChange
from catmem.memory.store.commit.draft import Draft
from catmem.memory.store.commit.history import Version, history
from catmem.memory.store.commit.journal import JournalFile
from catmem.memory.store.commit.recovery import recover
from catmem.memory.store.commit.undoing import TakenBack, UndoReport
from catmem.memory.store.entry import Entry, FileWarning, Scope
from catmem.memory.store.operations import ApplyReport, Operation
from catmem.memory.store.reading.snapshot import Snapshot
from catmem.memory.store.store import Places, Store
from catmem.memory.store.trust import EntryTrust
from catmem.paths import Paths, real

Committing = Callable[[ApplyReport], Mapping[str, Any] | None]
"""Gives the record with which a transaction is committed, from the report of what it would do.

None stops it: nothing is written. It may raise to the same end.
"""
_Report = TypeVar("_Report")
_TRIES = 3


class Stores:
    """The visible stores. Calls read the disk; what was parsed is kept for the next one."""

    def __init__(self, user: Store, project: Store | None, journal: JournalFile) -> None:
        self.user = user
        self.journal = journal
        self.project = project
        self._warned: set[FileWarning] = set()

    @property
    def all(self) -> list[Store]:
        """The stores in the order in which they are locked."""
        return [self.user] if self.project is None else [self.user, self.project]

    def load_all(self) -> list[Entry]:
        """Return all entries of both stores, sorted by name."""
        return _by_name([store.snapshot() for store in self.all])

    def last_entries(self) -> list[Entry]:
        """Return the same as they were when the disk was last read: quick, for each key typed."""
        return _by_name([store.last_snapshot for store in self.all])

    def begin(self) -> None:
        """Note that catmem runs in this memory root, if it is the first time.

        A failure is only logged: as long as it is not noted all that lies there is not trusted.
        """
        if self.project is not None and self.project.trust is not None:
            self.project.everything()
            try:
                self.project.trust.begin()
            except StorageError as error:
                log.warning(str(error))

    def untrusted(self) -> list[Entry]:
        """Return the entries that came with the project and that nobody trusts yet.

        No other method returns them, so that no model gets to know them.
        """
        return [] if self.project is None else self.project.untrusted()

    @property
    def last_count(self) -> int:
        """How many entries there were when the disk was last read: quick, for each redraw."""
        return sum(store.last_count for store in self.all)

    def get(self, name: str, scope: Scope | None = None) -> Entry | None:
        """Return the entry of that name (any spelling); the project's before the user's."""
        return find({store.scope: store.known() for store in self.all}, name, scope)

    def near(self, name: str) -> list[str]:
        """Return at most three existing names that are most like ``name``."""
        names = sorted({entry.name for entry in self.load_all()})
        folded = name.casefold()
        inside = [known for known in names if folded and (folded in known or known in folded)]
        close = difflib.get_close_matches(folded, names, n=3, cutoff=0.5)
        return list(dict.fromkeys([*close, *inside]))[:3]

    def scope_for(self, type: str, scope: Scope | str | None = None) -> Scope:
        """Return the store for a new entry: what is asked for, else by its type.

        User and feedback go to the user's store, the rest to the project's. Where there is no
        project store everything is the user's.
        """
        if self.project is None:
            return Scope.USER
        if scope in set(Scope):
            return Scope(scope)
        return Scope.USER if type in {"user", "feedback"} else Scope.PROJECT

    def apply(
        self, operations: Sequence[Operation], committing: Committing | None = None
    ) -> ApplyReport:
        """Carry out the operations as one transaction: files, indexes and commit record, or none.

        An operation that cannot be done does not stop the others; the report says what became of
        each. Where ``committing`` stops the transaction, the report is of what it would have done.
        A run that has nothing to write is committed in this way too, with no operations.

        Raises:
            StorageError: with ``committing`` given, that nothing could be committed; without it,
                the operations are reported as failed.
        """
        if committing is None and not self._may_write(operations):
            return Batch.over(self.all).carry_out(operations)
        try:
            with self.journal.locked():
                self._recover()

                def prepare(batch: Batch) -> tuple[ApplyReport, Mapping[str, Any] | None]:
                    report = batch.carry_out(operations)
                    return report, {} if committing is None else committing(report)

                return self._transact(lambda batch: batch.scopes(operations), prepare)
        except StorageError as error:
            if committing is not None:
                raise
            batch = Batch.over(self.all)
            batch.unavailable = dict.fromkeys(Scope, str(error))
            return batch.carry_out(operations)

    def _may_write(self, operations: Sequence[Operation]) -> bool:
        """Whether a lock is worth while; what was read last tells it in nearly all cases."""
        if Batch.as_last_read(self.all).scopes(operations):
            return True
        return bool(Batch.over(self.all).scopes(operations))

    def undo(self) -> UndoReport | None:
        """Take back the last run that is not undone yet, as one transaction; None: there is none.

        An entry that was edited since is left alone, and so is what was there before the journal.

        Raises:
            StorageError: a store cannot be written; nothing was taken back.
        """
        with self.journal.locked():
            self._recover()
            run = undoing.last_run(self.journal, {store.places.directory for store in self.all})
            if run is None:
                return None

            def prepare(batch: Batch) -> tuple[list[TakenBack], Mapping[str, Any]]:
                if batch.unavailable:
                    raise StorageError(next(iter(batch.unavailable.values())))
                return undoing.take_back(run, batch.drafts), {"undoes": run.transactions}

            scopes = {change.scope for change in run.changes}
            taken = self._transact(lambda _batch: scopes, prepare)
            return UndoReport(run.at, tuple(taken))

    def history(self, name: str) -> list[Version]:
        """Return the versions of an entry, also of one that is gone, oldest first in each store."""
        return history(self.journal, self.all, name)

    def _transact(
        self,
        scopes: Callable[[Batch], set[Scope]],
        prepare: Callable[[Batch], tuple[_Report, Mapping[str, Any] | None]],
    ) -> _Report:
        """Prepare a batch and write it; prepare again when an editor saved in between.

        ``scopes`` tells which stores will be written; ``prepare`` carries everything out on the
        batch and returns a report and the record to commit with, None to write nothing. What
        changes nothing and has nothing to record is not written either.
        """
        for tries_left in reversed(range(_TRIES)):
            batch = Batch.over(self.all)
            with contextlib.ExitStack() as locks:
                self._make_ready(batch, scopes(batch), locks)
                report, record = prepare(batch)
                changes = batch.changes()
                if record is None or not (record or changes):
                    return report
                try:
                    self._write(changes, record)
                except transaction.EditedMeanwhileError as error:
                    if not tries_left:
                        raise StorageError(str(error)) from error
                    continue
                return report
        raise AssertionError("unreachable")

    def _make_ready(self, batch: Batch, wanted: set[Scope], locks: contextlib.ExitStack) -> None:
        """Lock the project's store and make the directories of those that will be written."""
        for store in self.all:
            if store.scope in wanted:
                try:
                    if store.places.lock != self.journal.lock:
                        locks.enter_context(store.locked())
                        # A catmem with another home may have written while this one waited.
                        batch.drafts[store.scope] = Draft(store)
                    store.prepare()
                except StorageError as error:
                    batch.unavailable[store.scope] = str(error)

    def _write(self, changes: Sequence[FileChange], record: Mapping[str, Any]) -> None:
        written = {change.scope for change in changes}

        def refresh() -> None:
            for store in self.all:
                if store.scope in written:
                    own = (change for change in changes if change.scope is store.scope)
                    store.refresh_index([change.path.name for change in own])

        for store in self.all:  # first, so that a crash leaves nothing that is asked about
            if store.trust is not None:
                own = [change for change in changes if change.scope is store.scope]
                store.trust.wrote(change.after for change in own if change.after != GONE)
        transaction.run(self.journal, changes, record, refresh)

    def recover(self) -> list[str]:
        """End what a crash left half done; return a sentence for each file a person edited since.

        Does nothing, and takes no lock, where no transaction is open.

        Raises:
            StorageError: the lock is held, or the journal cannot be written.
        """
        if not self.journal.open_intents():
            return []
        with self.journal.locked():
            return self._recover()

    def _recover(self) -> list[str]:
        """Recover under the journal's lock, which is the user store's too."""
        if not self.journal.open_intents():
            return []
        sentences = recover(self.journal)
        for sentence in sentences:
            log.warning(sentence)
        self.user.refresh_index()
        if self.project is not None:
            self._refresh(self.project)
        return sentences

    def refresh_indexes(self) -> None:
        """Bring each ``MEMORY.md`` in line with the files, where people or git changed them.

        A store that cannot be written or is being written is left alone: its index is derived data.
        """
        for store in self.all:
            self._refresh(store)

    def _refresh(self, store: Store) -> None:
        if not store.problem() and store.index_drifted():
            try:
                with store.locked():
                    store.refresh_index()
            except StorageError as error:
                log.warning(str(error))

    def problems(self) -> list[str]:
        """Return why memories cannot be saved, one sentence per store that has a problem."""
        return [problem for store in self.all if (problem := store.problem())]

    def new_warnings(self) -> list[FileWarning]:
        """Return warnings about files that were not returned before."""
        found = [warning for store in self.all for warning in store.snapshot().warnings]
        fresh = [warning for warning in found if warning not in self._warned]
        self._warned.update(fresh)
        return fresh

    def is_unreadable(self) -> bool:
        """Tell whether a store is there but cannot be read: that no entry is found says nothing."""
        for store in self.all:
            store.snapshot()
        return any(store.is_unreadable() for store in self.all)


def _by_name(snapshots: Sequence[Snapshot]) -> list[Entry]:
    """Merge the user's and the project's entries; of two with one name the project's leads."""
    if len(snapshots) == 1:
        return list(snapshots[0].entries)
    entries = [entry for snapshot in reversed(snapshots) for entry in snapshot.entries]
    return sorted(entries, key=attrgetter("name"))  # each is in order: this merges two runs


def open_stores(
    paths: Paths, user_dir: str | None = None, project_dir: str = "workspace"
) -> Stores:
    """Return the stores of this run; makes nothing on disk.

    ``user_dir`` moves the user's store; a relative one counts from CATMEM_HOME. ``project_dir``
    says whether the project's lies in the project (``workspace``) or under CATMEM_HOME (``home``),
    where nothing can come with the project and all is trusted.
    """
    directory = paths.user_memory
    if user_dir:
        directory = paths.home / Path(user_dir).expanduser()
    user = Store(Scope.USER, Places(directory, paths.state))
    project = _project_store(paths, directory, project_dir)
    return Stores(user, project, JournalFile(paths.journal))


def _project_store(paths: Paths, user_directory: Path, project_dir: str) -> Store | None:
    root, directory, state = paths.memory_root, paths.project_memory, paths.project_state
    if root is None or directory is None or state is None:
        return None
    if real(directory) == real(user_directory) or real(state) == real(paths.state):
        return None  # by a link perhaps: one store under two names would wait for its own lock
    if project_dir == "home":
        home = paths.project_home
        return Store(Scope.PROJECT, Places(home / "memory", home / "state"))
    places = Places(directory, state, root / ".catmem" / ".gitignore")
    return Store(Scope.PROJECT, places, EntryTrust(TrustFile(paths.trust, root), directory))
