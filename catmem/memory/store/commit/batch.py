"""Operations carried out on drafts of the stores: what becomes of each, before anything is written.

One that cannot be done does not stop the others; each ends in exactly one outcome.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from catmem.errors import CatmemError, MemoryStoreError, StorageError
from catmem.memory.store.commit.changes import FileChange
from catmem.memory.store.commit.draft import Draft
from catmem.memory.store.entry import Entry, Scope
from catmem.memory.store.names import key_of, normalise
from catmem.memory.store.operations import (
    Action,
    ApplyReport,
    IfExists,
    Operation,
    Outcome,
    Result,
)
from catmem.memory.store.reading.snapshot import free_name
from catmem.memory.store.store import EntryChangedError, EntryExistsError, Store, checked
from catmem.sanitize import one_line
from catmem.text import t

# Looked up in order: the first kind that fits.
_RESULT_OF_ERROR: dict[type[CatmemError], Result] = {
    EntryChangedError: Result.CHANGED,
    EntryExistsError: Result.EXISTS,
    MemoryStoreError: Result.REFUSED,
    StorageError: Result.FAILED,
}
_DONE = frozenset({Result.ADDED, Result.UPDATED, Result.DELETED})


@dataclass(frozen=True, slots=True)
class _Task:
    """An operation that may be carried out, and where."""

    operation: Operation
    draft: Draft


@dataclass(slots=True)
class Batch:
    """The operations of one transaction.

    Attributes:
        unavailable: why nothing can be written into a store; its operations fail.
    """

    drafts: dict[Scope, Draft]
    unavailable: dict[Scope, str] = field(default_factory=dict)

    @classmethod
    def over(cls, stores: Iterable[Store]) -> Batch:
        """Return a batch over the stores as they are on disk now."""
        return cls({store.scope: Draft(store) for store in stores})

    @classmethod
    def as_last_read(cls, stores: Iterable[Store]) -> Batch:
        """Return a batch over the stores as they were when they were last read; reads nothing."""
        return cls({store.scope: Draft(store, store.last_snapshot) for store in stores})

    def scopes(self, operations: Sequence[Operation]) -> set[Scope]:
        """Return the stores into which these operations may write."""
        tasks = [self._task(operation) for operation in operations]
        return {task.draft.store.scope for task in tasks if isinstance(task, _Task)}

    def carry_out(self, operations: Sequence[Operation]) -> ApplyReport:
        """Carry out the operations on the drafts and say what became of each."""
        tasks = [self._task(operation) for operation in operations]
        outcomes: list[Outcome] = []
        for task in tasks:
            if isinstance(task, _Task):
                missing = _missing_half(task.operation, outcomes)
                outcomes.append(missing or self._carry_out(task))
            else:
                outcomes.append(task)
        return ApplyReport(tuple(outcomes))

    def changes(self) -> list[FileChange]:
        """Return the files that the operations change, the user's store first."""
        return [change for draft in self.drafts.values() for change in draft.changes()]

    def find(self, name: str, scope: Scope | None = None) -> Entry | None:
        """Return the entry of that name (any spelling); the project's before the user's."""
        return find({scope: draft.known for scope, draft in self.drafts.items()}, name, scope)

    def _task(self, operation: Operation) -> _Task | Outcome:
        """Find out where an operation belongs; refuse what can never be done, without a lock."""
        name = operation.entry.name if operation.entry is not None else operation.name
        if operation.action is Action.SKIP:
            return Outcome(operation, Result.SKIPPED, operation.name, reason=operation.reason)
        if operation.action is Action.DELETE:
            return self._target(operation)
        if operation.entry is None:
            reason = t("memory.store.no_entry")
            return Outcome(operation, Result.SKIPPED, one_line(name, 60), reason=reason)
        try:
            if operation.action is Action.ADD:
                entry = checked(operation.entry)
                replaced = operation.if_exists is IfExists.REPLACE
                target = self.find(entry.name) if replaced else None
                scope = entry.scope if target is None else target.scope
                return _Task(replace(operation, entry=entry), self._draft(scope))
            task = self._target(operation)
            if isinstance(task, _Task):
                checked(replace(operation.entry, name=task.operation.name))
        except MemoryStoreError as error:
            return Outcome(operation, Result.REFUSED, one_line(name, 60), reason=str(error))
        return task

    def _target(self, operation: Operation) -> _Task | Outcome:
        target = self.find(operation.name, operation.scope)
        if target is not None:
            return _Task(replace(operation, name=target.name), self._draft(target.scope))
        result = Result.CHANGED if operation.digest else Result.REFUSED
        name = one_line(operation.name, 60)
        return Outcome(operation, result, name, reason=t("memory.store.gone", name=name))

    def _draft(self, scope: Scope) -> Draft:
        return self.drafts.get(scope) or self.drafts[Scope.USER]

    def _carry_out(self, task: _Task) -> Outcome:
        operation, scope = task.operation, task.draft.store.scope
        name = operation.entry.name if operation.entry is not None else operation.name
        if scope in self.unavailable:
            return Outcome(operation, Result.FAILED, name, reason=self.unavailable[scope])
        try:
            if operation.action is Action.DELETE:
                entry = task.draft.delete(operation.name, operation.digest)
                return Outcome(operation, Result.DELETED, entry.name, entry)
            work = self._update if operation.action is Action.UPDATE else self._add
            return work(operation, task.draft)
        except (MemoryStoreError, StorageError) as error:
            fitting = (kind for kind in _RESULT_OF_ERROR if isinstance(error, kind))
            result = _RESULT_OF_ERROR[next(fitting)]
            return Outcome(operation, result, name, reason=str(error))

    def _update(self, operation: Operation, draft: Draft) -> Outcome:
        entry = _entry_of(operation)
        before = draft.find(operation.name)
        after = draft.update(operation.name, entry, operation.digest, operation.file)
        if before is not None and before.digest == after.digest:
            reason = t("memory.store.unchanged", name=after.name)
            return Outcome(operation, Result.SKIPPED, after.name, after, reason)
        return Outcome(operation, Result.UPDATED, after.name, after)

    def _add(self, operation: Operation, draft: Draft) -> Outcome:
        entry = _entry_of(operation)
        existing = draft.find(entry.name) if operation.file else self.find(entry.name)
        renames = operation.if_exists is IfExists.RENAME
        if existing is None and not (renames and draft.store.hides(entry.name)):
            return Outcome(operation, Result.ADDED, entry.name, draft.save(entry, operation.file))
        if existing is not None and not renames:
            if operation.if_exists is IfExists.REPLACE and existing.scope is draft.store.scope:
                return self._update(replace(operation, name=existing.name), draft)
            raise EntryExistsError(t("memory.store.exists", name=existing.name))
        entries = {known.name: known for one in self.drafts.values() for known in one.entries()}
        for known in entries.values():
            if known.content.strip() == entry.content.strip():
                reason = t("memory.store.unchanged", name=known.name)
                return Outcome(operation, Result.SKIPPED, known.name, known, reason)
        taken = {hidden.name: hidden for hidden in draft.store.untrusted()} | entries
        fresh = draft.save(replace(entry, name=normalise(free_name(entry.name, taken))))
        return Outcome(operation, Result.ADDED, fresh.name, fresh)


def find(
    known: Mapping[Scope, Mapping[str, Entry]], name: str, scope: Scope | None
) -> Entry | None:
    """Return the entry of that name (any spelling); the project's before the user's."""
    key = key_of(name)
    for place in (Scope.PROJECT, Scope.USER):
        if scope in {None, place} and key in known.get(place, {}):
            return known[place][key]
    return None


def _missing_half(operation: Operation, outcomes: Sequence[Outcome]) -> Outcome | None:
    """Return the outcome of an operation whose other half was not done, None if it may be done."""
    if not operation.if_previous or (outcomes and outcomes[-1].result in _DONE):
        return None
    reason = outcomes[-1].reason if outcomes else ""
    return Outcome(operation, Result.SKIPPED, operation.name, reason=reason)


def _entry_of(operation: Operation) -> Entry:
    if operation.entry is None:
        raise MemoryStoreError(t("memory.store.no_entry"))
    return operation.entry
