"""From what a model decided to what will be done: every candidate ends in exactly one way.

A decision that is missing, impossible or forbidden is repaired or refused here, by fixed rules:

* no decision, or an unknown action: add when nothing similar exists, else skip
* a second decision for a candidate, or one for no candidate: ignored
* update, delete or skip of an unknown target: add (of a delete: skip)
* add without an entry, update without content: skip, but never of an explicit request
* add under an existing name: update of that entry when it is about the same, else a new name
* an update keeps what it must not destroy (see ``keeping``)
* preferences and rules change only by the person's typed words, and go only by such that say so
* at most 20 adds, and updates and deletes of a fifth of a store (but 3), in a run
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from catmem.errors import MemoryStoreError
from catmem.memory.pipeline.answers import fields
from catmem.memory.pipeline.extraction import (
    DESCRIPTION_CHARACTERS,
    OWN_TYPES,
    Candidate,
    Refusal,
)
from catmem.memory.pipeline.merging.keeping import merged
from catmem.memory.search.similarity import SIMILAR, overlap
from catmem.memory.store.entry import Entry, Scope
from catmem.memory.store.names import key_of, normalise
from catmem.memory.store.operations import Action, IfExists, Operation
from catmem.sanitize import clean, one_line
from catmem.secrets import mask
from catmem.text import t

_MOST_ADDS = 20
_FEWEST_CHANGES = 3
_SHARE_OF_CHANGES = 0.2
_MOST_IN_A_LIST = 8
_TAKES_AWAY = re.compile(
    r"\b(?:forget|delete|remove|drop|discard|no longer|not any ?more|n[o']t .*any ?more|stop"
    r"|stopped|obsolete|outdated|gone)\b|忘掉|忘记|忘了|删掉|删除|删了|去掉|不再|不用了|作废|取消|过时|没有了|不需要了",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Match:
    """A candidate, its nearest entries, and the entry that has the very same content."""

    candidate: Candidate
    neighbours: tuple[Entry, ...] = ()
    duplicate_of: Entry | None = None


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


class Planner:
    """Turns decisions into a plan over the entries as they were read."""

    def __init__(
        self, entries: Sequence[Entry], shown: Sequence[Entry], allowance: Allowance
    ) -> None:
        self._entries = entries
        self._shown = shown
        self._allowance = allowance
        self._steps: dict[tuple[Scope, str], Step] = {}
        self._adds: list[Step] = []
        self._skipped: list[Refusal] = []

    def plan(self, matches: Sequence[Match], decisions: Sequence[Decision]) -> Plan:
        """Return the plan; the first decision for a candidate counts."""
        by_candidate: dict[int, Decision] = {}
        for decision in decisions:
            if decision.candidate is not None:
                by_candidate.setdefault(decision.candidate, decision)
        for number, one in enumerate(matches, 1):
            self._settle(one, by_candidate.get(number))
        return Plan((*self._steps.values(), *self._adds), tuple(self._skipped))

    def _settle(self, one: Match, decision: Decision | None) -> None:
        candidate = one.candidate
        if one.duplicate_of is not None:
            self._skip(candidate, t("pipeline.known", name=one.duplicate_of.name))
        elif decision is None or decision.action is None:
            if one.neighbours:
                self._skip(candidate, t("pipeline.similar", name=one.neighbours[0].name))
            else:
                self._add(candidate, {})
        elif decision.action is Action.ADD:
            self._settle_add(candidate, decision)
        else:
            self._settle_target(one, decision)

    def _settle_add(self, candidate: Candidate, decision: Decision) -> None:
        if not fields.text(decision.entry.get("content")) and not candidate.explicit:
            self._skip(candidate, t("pipeline.no_entry"))
        else:
            self._add(candidate, decision.entry)

    def _settle_target(self, one: Match, decision: Decision) -> None:
        candidate, target = one.candidate, self._target(one, decision.target)
        if decision.action is Action.SKIP:
            if candidate.explicit and target is None and not one.neighbours:
                self._add(candidate, {})
            else:
                self._skip(candidate, decision.reason or t("pipeline.not_needed"))
        elif decision.action is Action.DELETE:
            self._delete(candidate, target)
        elif target is None:
            self._add(candidate, decision.entry)
        elif fields.text(decision.entry.get("content")):
            self._update(candidate, target, decision.entry)
        elif candidate.explicit:
            self._update(candidate, target, {"content": candidate.content})
        else:
            self._skip(candidate, t("pipeline.no_entry"))

    def _target(self, one: Match, target: int | str | None) -> Entry | None:
        """Return the entry that is meant; one that is not similar is never meant."""
        if isinstance(target, int):
            entry = self._shown[target - 1] if 1 <= target <= len(self._shown) else None
        else:
            entry = next((entry for entry in self._shown if entry.name == target), None)
        return entry if entry in one.neighbours else None

    def _add(self, candidate: Candidate, written: Mapping[str, Any]) -> None:
        entry = _new_entry(candidate, written)
        for other in self._entries:
            if other.name == key_of(entry.name) and _same_topic(entry, other):
                self._update(candidate, other, {"content": entry.content})
                return
        if self._allowance.adds <= 0:
            self._skip(candidate, t("pipeline.limit"))
            return
        self._allowance.adds -= 1
        operation = Operation(Action.ADD, entry, entry.name, if_exists=IfExists.RENAME)
        self._adds.append(Step(operation, (candidate,)))

    def _update(self, candidate: Candidate, target: Entry, written: Mapping[str, Any]) -> None:
        if not candidate.own_words and (target.type in OWN_TYPES or target.pinned):
            self._skip(candidate, t("pipeline.own_words", name=target.name))
            return
        place = (target.scope, target.name)
        before = self._steps.get(place)
        if before is not None and before.operation.entry is None:
            self._skip(candidate, t("pipeline.changed", name=target.name))
            return
        if before is None and not self._may_change(candidate, target):
            return
        current = before.operation.entry if before and before.operation.entry else target
        candidates = (*(before.candidates if before else ()), candidate)
        words = candidate.own_words
        entry = replace(
            current,
            description=_description(written) or candidate.description or current.description,
            content=merged(current.content, _content(written), words, nothing_goes=bool(before)),
            optional=_joined(current.optional, candidate.optional),
        )
        operation = Operation(Action.UPDATE, entry, target.name, target.scope, target.digest)
        self._steps[place] = Step(operation, candidates)

    def _delete(self, candidate: Candidate, target: Entry | None) -> None:
        said = any(map(_TAKES_AWAY.search, candidate.own_words))
        if target is None or not said:
            self._skip(candidate, t("pipeline.own_words", name=candidate.name))
        elif (target.scope, target.name) in self._steps:
            self._skip(candidate, t("pipeline.changed", name=target.name))
        elif self._may_change(candidate, target):
            operation = Operation(Action.DELETE, None, target.name, target.scope, target.digest)
            self._steps[target.scope, target.name] = Step(operation, (candidate,))

    def _may_change(self, candidate: Candidate, target: Entry) -> bool:
        left = self._allowance.changes.get(target.scope, _FEWEST_CHANGES)
        if left <= 0:
            self._skip(candidate, t("pipeline.limit"))
            return False
        self._allowance.changes[target.scope] = left - 1
        return True

    def _skip(self, candidate: Candidate, reason: str) -> None:
        self._skipped.append(Refusal(candidate.name, reason))


def _new_entry(candidate: Candidate, written: Mapping[str, Any]) -> Entry:
    """Return the entry to add: the model's wording, but the checked type and scope."""
    return Entry(
        name=_name(written.get("name")) or candidate.name,
        description=_description(written) or candidate.description,
        type=candidate.type,
        content=_content(written) or candidate.content,
        scope=Scope(candidate.scope) if candidate.scope else Scope.USER,
        optional=dict(candidate.optional),
    )


def _joined(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Return the optional fields to change: lists grow, the rest is replaced."""
    joined: dict[str, Any] = {}
    for key, value in new.items():
        before = old.get(key)
        if isinstance(before, list) and isinstance(value, list):
            joined[key] = list(dict.fromkeys((*before, *value)))[:_MOST_IN_A_LIST]
        else:
            joined[key] = value
    return joined


def _same_topic(one: Entry, other: Entry) -> bool:
    texts = [f"{entry.description}\n{entry.content}" for entry in (one, other)]
    return overlap(*texts) >= SIMILAR


def _name(value: Any) -> str:
    try:
        return normalise(mask(value)) if isinstance(value, str) else ""
    except MemoryStoreError:
        return ""


def _description(written: Mapping[str, Any]) -> str:
    return one_line(mask(fields.text(written.get("description"))), DESCRIPTION_CHARACTERS)


def _content(written: Mapping[str, Any]) -> str:
    return mask(clean(fields.text(written.get("content")))).strip()
