"""The user's store and the project's together: routing, reading both, and the only write path."""

from __future__ import annotations

import contextlib
import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from catmem import log
from catmem.errors import CatmemError, MemoryStoreError, StorageError
from catmem.memory.store.entry import Entry, FileWarning, Scope
from catmem.memory.store.names import key_of, normalise
from catmem.memory.store.operations import (
    Action,
    ApplyReport,
    IfExists,
    Operation,
    Outcome,
    Result,
)
from catmem.memory.store.reading.directory import free_name
from catmem.memory.store.store import EntryChangedError, EntryExistsError, Places, Store, checked
from catmem.paths import Paths
from catmem.sanitize import one_line
from catmem.text import t

# Looked up in order: the first kind that fits.
_RESULT_OF_ERROR: dict[type[CatmemError], Result] = {
    EntryChangedError: Result.CHANGED,
    EntryExistsError: Result.EXISTS,
    MemoryStoreError: Result.REFUSED,
    StorageError: Result.FAILED,
}


_Known = Mapping[Scope, Mapping[str, Entry]]


@dataclass(frozen=True, slots=True)
class _Task:
    """An operation that may be carried out, and where."""

    operation: Operation
    store: Store


class Stores:
    """The visible stores. Calls read the disk; what was parsed is kept for the next one."""

    def __init__(self, user: Store, project: Store | None) -> None:
        self.user = user
        self.project = project
        self._warned: set[FileWarning] = set()

    @property
    def all(self) -> list[Store]:
        """The stores in the order in which they are locked."""
        return [self.user] if self.project is None else [self.user, self.project]

    def load_all(self) -> list[Entry]:
        """Return all entries of both stores, sorted by name."""
        entries = [entry for store in self.all for entry in store.load_all()]
        return sorted(entries, key=lambda entry: (entry.name, entry.scope))

    @property
    def last_count(self) -> int:
        """How many entries there were when the disk was last read: quick, for each redraw."""
        return sum(store.last_count for store in self.all)

    def get(self, name: str, scope: Scope | None = None) -> Entry | None:
        """Return the entry of that name (any spelling); the project's before the user's."""
        return _find(self._known(), name, scope)

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

    def apply(self, operations: Sequence[Operation]) -> ApplyReport:
        """Carry out the operations under the stores' locks, and rebuild the index.

        One that cannot be done does not stop the others; the report says what became of each.
        """
        known = self._known()
        tasks = [self._task(operation, known) for operation in operations]
        wanted = {task.store.scope for task in tasks if isinstance(task, _Task)}
        unavailable: dict[Scope, str] = {}
        with contextlib.ExitStack() as locks:
            for store in self.all:
                if store.scope in wanted:
                    try:
                        locks.enter_context(store.writing())
                    except StorageError as error:
                        unavailable[store.scope] = str(error)
            outcomes: list[Outcome] = []
            for task in tasks:
                if isinstance(task, _Task) and (missing := _missing_half(task, outcomes)):
                    outcomes.append(missing)
                elif isinstance(task, _Task):
                    outcomes.append(self._carry_out(task, unavailable))
                else:
                    outcomes.append(task)
        return ApplyReport(tuple(outcomes))

    def refresh_indexes(self) -> None:
        """Bring each ``MEMORY.md`` in line with the files, where people or git changed them.

        A store that cannot be written or is being written is left alone: its index is derived data.
        """
        for store in self.all:
            if not store.problem() and store.index_drifted():
                try:
                    with store.writing():
                        pass
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
        return any(
            warning.file == store.places.directory
            for store in self.all
            for warning in store.snapshot().warnings
        )

    def _known(self) -> _Known:
        return {store.scope: store.known() for store in self.all}

    def _task(self, operation: Operation, known: _Known) -> _Task | Outcome:
        """Find out where an operation belongs; refuse what can never be done, without a lock."""
        name = operation.entry.name if operation.entry is not None else operation.name
        if operation.action is Action.SKIP:
            return Outcome(operation, Result.SKIPPED, operation.name, reason=operation.reason)
        if operation.action is Action.DELETE:
            return self._target(operation, known)
        if operation.entry is None:
            reason = t("memory.store.no_entry")
            return Outcome(operation, Result.SKIPPED, one_line(name, 60), reason=reason)
        try:
            if operation.action is Action.ADD:
                entry = checked(operation.entry)
                replaced = operation.if_exists is IfExists.REPLACE
                target = _find(known, entry.name, None) if replaced else None
                scope = entry.scope if target is None else target.scope
                return _Task(replace(operation, entry=entry), self._store(scope))
            task = self._target(operation, known)
            if isinstance(task, _Task):
                checked(replace(operation.entry, name=task.operation.name))
        except MemoryStoreError as error:
            return Outcome(operation, Result.REFUSED, one_line(name, 60), reason=str(error))
        return task

    def _target(self, operation: Operation, known: _Known) -> _Task | Outcome:
        target = _find(known, operation.name, operation.scope)
        if target is not None:
            return _Task(replace(operation, name=target.name), self._store(target.scope))
        result = Result.CHANGED if operation.digest else Result.REFUSED
        name = one_line(operation.name, 60)
        return Outcome(operation, result, name, reason=t("memory.store.gone", name=name))

    def _store(self, scope: Scope) -> Store:
        wants_project = scope is Scope.PROJECT and self.project is not None
        return self.project if wants_project and self.project is not None else self.user

    def _carry_out(self, task: _Task, unavailable: Mapping[Scope, str]) -> Outcome:
        operation = task.operation
        name = operation.entry.name if operation.entry is not None else operation.name
        if task.store.scope in unavailable:
            return Outcome(operation, Result.FAILED, name, reason=unavailable[task.store.scope])
        try:
            if operation.action is Action.DELETE:
                entry = task.store.delete(operation.name, operation.digest)
                return Outcome(operation, Result.DELETED, entry.name, entry)
            work = self._update if operation.action is Action.UPDATE else self._add
            return work(operation, task.store)
        except (MemoryStoreError, StorageError) as error:
            fitting = (kind for kind in _RESULT_OF_ERROR if isinstance(error, kind))
            result = _RESULT_OF_ERROR[next(fitting)]
            return Outcome(operation, result, name, reason=str(error))

    def _update(self, operation: Operation, store: Store) -> Outcome:
        entry = _entry_of(operation)
        before = store.find(operation.name)
        after = store.update(operation.name, entry, operation.digest, operation.file)
        if before is not None and before.digest == after.digest:
            reason = t("memory.store.unchanged", name=after.name)
            return Outcome(operation, Result.SKIPPED, after.name, after, reason)
        return Outcome(operation, Result.UPDATED, after.name, after)

    def _add(self, operation: Operation, store: Store) -> Outcome:
        entry = _entry_of(operation)
        existing = store.find(entry.name) if operation.file else self.get(entry.name)
        if existing is None:
            return Outcome(operation, Result.ADDED, entry.name, store.save(entry, operation.file))
        if operation.if_exists is IfExists.REPLACE and existing.scope is store.scope:
            return self._update(replace(operation, name=existing.name), store)
        if operation.if_exists is not IfExists.RENAME:
            raise EntryExistsError(t("memory.store.exists", name=existing.name))
        entries = {known.name: known for known in self.load_all()}
        for known in entries.values():
            if known.content.strip() == entry.content.strip():
                reason = t("memory.store.unchanged", name=known.name)
                return Outcome(operation, Result.SKIPPED, known.name, known, reason)
        fresh = store.save(replace(entry, name=normalise(free_name(entry.name, entries))))
        return Outcome(operation, Result.ADDED, fresh.name, fresh)


def open_stores(paths: Paths, user_dir: str | None = None) -> Stores:
    """Return the stores of this run; makes nothing on disk.

    ``user_dir`` moves the user's store; a relative one counts from CATMEM_HOME.
    """
    directory = paths.user_memory
    if user_dir:
        directory = paths.home / Path(user_dir).expanduser()
    user = Store(Scope.USER, Places(directory, paths.state))
    return Stores(user, _project_store(paths, directory))


def _project_store(paths: Paths, user_directory: Path) -> Store | None:
    root, directory, state = paths.memory_root, paths.project_memory, paths.project_state
    if root is None or directory is None or state is None or directory == user_directory:
        return None
    return Store(Scope.PROJECT, Places(directory, state, root / ".catmem" / ".gitignore"))


def _find(known: _Known, name: str, scope: Scope | None) -> Entry | None:
    key = key_of(name)
    for place in (Scope.PROJECT, Scope.USER):
        if scope in {None, place} and key in known.get(place, {}):
            return known[place][key]
    return None


def _missing_half(task: _Task, outcomes: Sequence[Outcome]) -> Outcome | None:
    """Return the outcome of a task whose other half was not done, None where it may be done."""
    operation = task.operation
    done = {Result.ADDED, Result.UPDATED, Result.DELETED}
    if not operation.if_previous or (outcomes and outcomes[-1].result in done):
        return None
    reason = outcomes[-1].reason if outcomes else ""
    return Outcome(operation, Result.SKIPPED, operation.name, reason=reason)


def _entry_of(operation: Operation) -> Entry:
    if operation.entry is None:
        raise MemoryStoreError(t("memory.store.no_entry"))
    return operation.entry
