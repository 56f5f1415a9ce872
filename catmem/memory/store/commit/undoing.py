"""Taking back the last run: the files of its transactions become what they were before."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from catmem.memory.store.commit import archive
from catmem.memory.store.commit.changes import GONE, FileChange, digest_now
from catmem.memory.store.commit.draft import Draft
from catmem.memory.store.commit.journal import JournalFile
from catmem.memory.store.commit.records import Record
from catmem.memory.store.entry import Scope
from catmem.memory.store.operations import Action
from catmem.text import t


@dataclass(frozen=True, slots=True)
class Run:
    """What is to be taken back: one change for each file, from before the run to after it."""

    at: str
    transactions: tuple[str, ...]
    changes: tuple[FileChange, ...]


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What became of one entry; ``action`` is what the run had done to it.

    ``kept`` says why it was left alone, in one sentence; empty when it was taken back.
    """

    name: str
    scope: Scope
    action: Action
    kept: str = ""


@dataclass(frozen=True, slots=True)
class UndoReport:
    """What an undo did: when the run was, and what became of its entries."""

    at: str
    entries: tuple[TakenBack, ...]


def last_run(journal: JournalFile, directories: Collection[Path]) -> Run | None:
    """Return the last run that is not undone yet; None where there is none.

    Only runs count that wrote nowhere but into ``directories``: those of another project are left
    to it. A run that was written piece by piece is one run.
    """
    commits = journal.commits()
    intents = journal.intents()
    undone = {tx for commit in commits for tx in commit.get("undoes", ())}
    found: list[tuple[Record, list[FileChange]]] = []
    for commit in reversed(commits):
        if "undoes" in commit or commit.get("tx") in undone:
            continue
        if found and _run_of(commit) != _run_of(found[0][0]):
            continue
        changes = changes_of(intents.get(commit.get("tx", "")))
        if changes and all(change.path.parent in directories for change in changes):
            found.append((commit, changes))
    if not found:
        return None
    last = found[0][0]
    return Run(
        at=str(last.get("at", "")),
        transactions=tuple(commit["tx"] for commit, _ in found),
        changes=_net([change for _, changes in reversed(found) for change in changes]),
    )


def changes_of(intent: Record | None) -> list[FileChange]:
    """Return the changes of an intent; none where it cannot be read."""
    try:
        return [FileChange.from_json(item) for item in (intent or {}).get("files", [])]
    except (KeyError, TypeError, ValueError):
        return []


def take_back(run: Run, drafts: Mapping[Scope, Draft]) -> list[TakenBack]:
    """Put the entries of a run back in the drafts; what was edited since is left alone.

    Raises:
        StorageError: a file cannot be read.
    """
    return [_take_back(change, drafts[change.scope]) for change in run.changes]


def _take_back(change: FileChange, draft: Draft) -> TakenBack:
    taken = TakenBack(change.name, change.scope, change.action)
    if digest_now(change.path) != change.after:
        return replace(taken, kept=t("memory.undo.edited", name=change.name))
    if change.before == GONE:
        draft.restore(change.path, change.name, None)
        return taken
    is_taken = draft.find(change.name) is not None or draft.store.hides(change.name)
    if change.after == GONE and is_taken:
        return replace(taken, kept=t("memory.store.exists", name=change.name))
    old = archive.old_version(change)
    if old is None:
        return replace(taken, kept=t("memory.undo.no_version", name=change.name))
    draft.restore(change.path, change.name, old)
    return taken


def _net(changes: list[FileChange]) -> tuple[FileChange, ...]:
    """Join the changes of each file, given in order, to one.

    Where they do not meet, a person edited in between: then only the last counts, up to that edit.
    """
    net: dict[Path, FileChange] = {}
    for change in changes:
        before = net.get(change.path)
        if before is not None and before.after == change.before:
            net[change.path] = replace(before, after=change.after)
        else:
            net[change.path] = change
    return tuple(change for change in net.values() if change.before != change.after)


def _run_of(commit: Record) -> Any:
    return commit.get("run") or commit.get("tx")
