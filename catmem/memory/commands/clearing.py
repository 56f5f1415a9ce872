"""Emptying the stores: every entry goes to the archive, after a question."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from catmem.errors import ExitCode
from catmem.memory.commands.printing import Write
from catmem.memory.store.entry import Entry, Scope
from catmem.memory.store.operations import Action, ApplyReport, Operation
from catmem.memory.store.stores import Stores
from catmem.sanitize import clean
from catmem.text import t

Delete = Callable[[Sequence[Operation]], ApplyReport]


def clear_question(entries: Sequence[Entry]) -> str:
    """Return the question that a clear asks, with the number of entries in each store."""
    user = sum(entry.scope is Scope.USER for entry in entries)
    project = len(entries) - user
    if not project:
        return t("memory.command.clear_user", user=user)
    return t("memory.command.clear_both", user=user, project=project)


def clear_entries(
    stores: Stores, delete: Delete, entries: Sequence[Entry], out: Write, err: Write
) -> int:
    """Move these entries to the archive; return the exit code.

    Only they are touched: what was added or changed since they were listed stays. ``delete``
    carries out the operations, and sees to it that what is gone is not learned again.
    """
    report = delete(
        [
            Operation(Action.DELETE, name=entry.name, scope=entry.scope, digest=entry.digest)
            for entry in entries
        ]
    )
    scopes = {entry.scope for entry in entries}
    archives = [str(store.places.archive) for store in stores.all if store.scope in scopes]
    if report.deleted:
        places = clean(", ".join(archives))
        out(t("memory.command.cleared", count=len(report.deleted), places=places))
    for outcome in report.not_done:
        err(clean(outcome.reason))
    return ExitCode.FAILED if report.not_done else ExitCode.DONE
