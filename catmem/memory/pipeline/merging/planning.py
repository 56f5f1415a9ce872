"""What the consolidator works with: what was found, what was decided, what shall be done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from catmem.memory.pipeline.answers import fields
from catmem.memory.pipeline.extraction import Candidate, Refusal
from catmem.memory.store.entry import Entry, Scope
from catmem.memory.store.operations import Action, Operation
from catmem.sanitize import one_line
from catmem.secrets import mask

_MOST_ADDS = 20
_FEWEST_CHANGES = 3
_SHARE_OF_CHANGES = 0.2


@dataclass(frozen=True, slots=True)
class Match:
    """A candidate, its nearest entries, and the entry that has the very same content.

    ``retired`` is a deprecated entry with that content: said anew, it holds again.
    """

    candidate: Candidate
    neighbours: tuple[Entry, ...] = ()
    duplicate_of: Entry | None = None
    retired: Entry | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """One operation as a model wrote it; what it got wrong is None or empty."""

    candidate: int | None
    action: Action | None
    target: int | str | None
    entry: Mapping[str, Any]
    reason: str

    @classmethod
    def read(cls, item: Mapping[str, Any]) -> Decision:
        """Read an item of an answer."""
        word = fields.text(item.get("action")).lower()
        entry = item.get("entry")
        target = item.get("target")
        number = fields.number(target)
        return cls(
            candidate=fields.number(item.get("candidate")),
            action=Action(word) if word in set(Action) else None,
            target=fields.line(target) or None if number is None else number,
            entry=entry if isinstance(entry, Mapping) else {},
            reason=one_line(mask(fields.line(item.get("reason"))), 120),
        )


@dataclass(slots=True)
class Allowance:
    """What a run may still change; shared by all windows of the run."""

    adds: int = _MOST_ADDS
    changes: dict[Scope, int] = field(default_factory=dict)

    @classmethod
    def for_stores(cls, entries: Sequence[Entry]) -> Allowance:
        """Return the allowance of a new run over stores with these entries."""
        sizes = {scope: sum(entry.scope is scope for entry in entries) for scope in Scope}
        return cls(
            changes={
                scope: max(_FEWEST_CHANGES, int(size * _SHARE_OF_CHANGES))
                for scope, size in sizes.items()
            }
        )

    def changes_left(self, scope: Scope) -> int:
        """Return how many more updates and deletes a store may have."""
        return self.changes.get(scope, _FEWEST_CHANGES)


@dataclass(frozen=True, slots=True)
class Step:
    """An operation for the store, and the candidates that it carries out."""

    operation: Operation
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """What shall be done: each candidate is in exactly one step, or skipped with a reason."""

    steps: tuple[Step, ...]
    skipped: tuple[Refusal, ...]
