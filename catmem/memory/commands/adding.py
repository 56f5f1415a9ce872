"""Storing a text as an entry, without a model."""

from __future__ import annotations

from dataclasses import dataclass

from catmem.errors import ExitCode
from catmem.memory.commands.printing import Write
from catmem.memory.store.entry import Entry, Scope
from catmem.memory.store.names import slug_for
from catmem.memory.store.operations import Action, IfExists, Operation, Result
from catmem.memory.store.stores import Stores
from catmem.sanitize import one_line
from catmem.text import t

_DESCRIPTION = 150


@dataclass(frozen=True, slots=True)
class Addition:
    """What ``catmem memory add`` was given.

    Without a type it is a fact about the project where the scope says so, else about the user.
    Without a name it gets one from its text. ``replace`` allows an existing name.
    """

    text: str
    name: str | None = None
    type: str | None = None
    scope: str | None = None
    replace: bool = False


def add_entry(stores: Stores, addition: Addition, out: Write, err: Write) -> int:
    """Store a text as an entry, without a model; return the exit code."""
    kind = addition.type or ("project" if addition.scope == Scope.PROJECT else "user")
    description = one_line(next(iter(addition.text.strip().splitlines()), ""), _DESCRIPTION)
    entry = Entry(
        name=addition.name or slug_for(description),
        description=description,
        type=kind,
        content=addition.text,
        scope=stores.scope_for(kind, addition.scope),
    )
    if_exists = IfExists.REFUSE if addition.name else IfExists.RENAME
    if addition.replace:
        if_exists = IfExists.REPLACE
    outcome = stores.apply([Operation(Action.ADD, entry, if_exists=if_exists)]).outcomes[0]
    if outcome.entry is not None and outcome.result in {Result.ADDED, Result.UPDATED}:
        key = f"memory.command.{outcome.result}"
        out(t(key, name=outcome.name, scope=outcome.entry.scope))
        return ExitCode.DONE
    if addition.replace and outcome.result is Result.SKIPPED:
        out(outcome.reason)
        return ExitCode.DONE
    taken = outcome.result is Result.EXISTS
    err(t("memory.command.taken", reason=outcome.reason) if taken else outcome.reason)
    return ExitCode.FAILED
