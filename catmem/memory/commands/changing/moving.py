"""``move``, ``pin`` and ``unpin``."""

from __future__ import annotations

from dataclasses import replace

from catmem import storage
from catmem.errors import CatmemError, ExitCode, MemoryStoreError, StorageError, UsageError
from catmem.memory.commands.printing import Write, unknown_name
from catmem.memory.store.entry import Entry, Scope
from catmem.memory.store.operations import Action, Operation, Outcome, Result
from catmem.memory.store.reading.directory import MAX_BYTES, entry_in
from catmem.memory.store.stores import Stores
from catmem.sanitize import clean, one_line
from catmem.text import t

_DONE = {Result.ADDED, Result.UPDATED, Result.DELETED}


def move_entry(stores: Stores, name: str, scope: str, out: Write, err: Write) -> int:
    """Move an entry, file and all, to the user's or the project's store; return the exit code."""
    try:
        out(_moved(stores, name, scope))
    except CatmemError as error:
        err(clean(str(error)))
        return ExitCode.FAILED
    return ExitCode.DONE


def _moved(stores: Stores, name: str, scope: str) -> str:
    """Move an entry and return what was done.

    Raises:
        CatmemError: it was not, or not wholly, and why.
    """
    if scope not in set(Scope):
        raise UsageError(t("memory.move.where", scope=one_line(scope, 20)))
    target = Scope(scope)
    entry = stores.get(name, Scope.PROJECT if target is Scope.USER else Scope.USER)
    if entry is None:
        here = stores.get(name, target)
        if here is None:
            raise MemoryStoreError(unknown_name(stores, name))
        return t("memory.move.there", name=here.name, place=t(f"memory.place.{target}"))
    if target is Scope.PROJECT and stores.project is None:
        raise MemoryStoreError(t("memory.move.no_project"))
    added, archived = _move(stores, entry, target)
    if added.result not in _DONE:
        raise MemoryStoreError(added.reason)
    if archived.result not in _DONE:
        raise MemoryStoreError(t("memory.move.both", name=entry.name))
    return t("memory.move.done", name=entry.name, place=t(f"memory.place.{target}"))


def _move(stores: Stores, entry: Entry, target: Scope) -> tuple[Outcome, Outcome]:
    """Store the file as it is in the other store, and then archive it here."""
    if entry.path is None:
        raise StorageError(t("memory.store.gone", name=entry.name))
    data = storage.read_bytes(entry.path, MAX_BYTES)
    moved, _ = entry_in(data, entry.path, target)
    add = Operation(Action.ADD, replace(moved, name=entry.name), file=data)
    archive = Operation(
        Action.DELETE, name=entry.name, scope=entry.scope, digest=moved.digest, if_previous=True
    )
    added, archived = stores.apply([add, archive]).outcomes
    return added, archived


def pin_entry(stores: Stores, name: str, out: Write, err: Write, *, pinned: bool) -> int:
    """Keep an entry always at hand, or no longer; return the exit code."""
    entry = stores.get(name)
    if entry is None:
        err(unknown_name(stores, name))
        return ExitCode.FAILED
    if entry.pinned is pinned:
        out(t("memory.pin.pinned" if pinned else "memory.pin.none", name=entry.name))
        return ExitCode.DONE
    operation = Operation(
        Action.UPDATE,
        replace(entry, optional={"pinned": pinned}),
        name=entry.name,
        scope=entry.scope,
        digest=entry.digest,
    )
    (outcome,) = stores.apply([operation]).outcomes
    if outcome.result is not Result.UPDATED:
        err(clean(outcome.reason))
        return ExitCode.FAILED
    out(t("memory.pin.pinned" if pinned else "memory.pin.unpinned", name=entry.name))
    return ExitCode.DONE
