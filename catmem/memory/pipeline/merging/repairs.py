"""From what a model decided to what will be done: every candidate ends in exactly one way.

A decision that is missing, impossible or forbidden is repaired or refused here, by fixed rules:

* no decision, or an unknown action: add when nothing similar exists, else skip
* a second decision for a candidate, or one for no candidate: ignored
* update of an unknown target: add; delete or skip of one: as if nothing had been decided
* add without an entry, update without content: skip, but never of an explicit request
* add under an existing name: update of that entry when it is about the same, else a new name
* add of what an entry, or an earlier add of the run, says already: skip
* an update, or a skip as known, of an entry that by its words is about something else (see
  ``telling``) or lies in the other store: add, beside it
* an add that takes the place of an entry: the old one stays, deprecated, and the new one names it
* an update keeps what it must not destroy (see ``keeping``) and says nothing that nobody said
* preferences and rules change only by the person's typed words, and go only by such that say so
* at most 20 adds, and updates and deletes of a fifth of a store (but 3), in a run; what the person
  asked for in so many words is not bound by it, and is never lost
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from catmem.memory.pipeline.extraction import OWN_TYPES, Candidate, Refusal
from catmem.memory.pipeline.merging.joining import (
    changed_entry,
    gives_way,
    is_written,
    new_entry,
)
from catmem.memory.pipeline.merging.literals import missing
from catmem.memory.pipeline.merging.planning import Allowance, Decision, Match, Plan, Step
from catmem.memory.pipeline.merging.telling import MERGING, Relation, new_words, relation, same_fact
from catmem.memory.search.similarity import overlap
from catmem.memory.store.entry import Entry, Scope
from catmem.memory.store.names import key_of
from catmem.memory.store.operations import Action, IfExists, Operation
from catmem.text import t

_NAMED = 0.3  # this much of an entry's words in the person's means that they speak of it
_SAME_TOPIC = 0.6
_TAKES_AWAY = re.compile(
    r"\b(?:forget|delete|remove|drop|discard|no longer|not any ?more|n[o']t .*any ?more|stop"
    r"|stopped|obsolete|outdated|gone)\b|忘掉|忘记|忘了|删掉|删除|删了|去掉|不再|不用了|作废|取消|过时|没有了|不需要了",
    re.IGNORECASE,
)
_NOTHING_WRITTEN: Mapping[str, Any] = {}


class Planner:
    """Turns decisions into a plan over the entries as they were read."""

    def __init__(
        self, entries: Sequence[Entry], shown: Sequence[Entry], allowance: Allowance
    ) -> None:
        self._entries = [entry for entry in entries if not entry.deprecated]
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
        return Plan((*self._adds, *self._steps.values()), tuple(self._skipped))

    def _settle(self, one: Match, decision: Decision | None) -> None:
        if one.duplicate_of is not None:
            self._skip(one.candidate, t("pipeline.known", name=one.duplicate_of.name))
        elif decision is None or decision.action is None:
            self._undecided(one)
        elif decision.action is Action.ADD:
            self._settle_add(one, decision)
        elif decision.action is Action.UPDATE:
            self._settle_update(one, decision)
        elif decision.action is Action.SKIP:
            self._settle_skip(one, decision)
        else:
            self._settle_delete(one, decision)

    def _undecided(self, one: Match) -> None:
        """Do what is right without a decision: add when nothing similar exists, else skip."""
        near = [entry for entry in one.neighbours if _relation(one, entry) is not Relation.APART]
        if not near:
            self._add(one, _NOTHING_WRITTEN)
        elif one.candidate.explicit:
            self._store(one)
        else:
            self._skip(one.candidate, t("pipeline.similar", name=near[0].name))

    def _store(self, one: Match) -> None:
        """Store what the person asked for, in the entry that it is about or beside it."""
        for entry in one.neighbours:
            kind = _relation(one, entry)
            if kind is Relation.SAME:
                self._skip(one.candidate, t("pipeline.known", name=entry.name))
                return
            if kind in MERGING and self._may_join(one.candidate, entry):
                self._update(one, entry, _NOTHING_WRITTEN)
                return
        self._add(one, _NOTHING_WRITTEN)

    def _settle_add(self, one: Match, decision: Decision) -> None:
        target = self._target(one, decision.target)
        if not is_written(decision.entry):
            self._without_text(one)
        elif target is None or _relation(one, target) not in MERGING:
            self._add(one, decision.entry)
        elif _relation(one, target) is Relation.CORRECTS and gives_way(target, one.candidate):
            self._supersede(one, target, decision.entry)
        else:
            self._update(one, target, decision.entry)

    def _settle_update(self, one: Match, decision: Decision) -> None:
        target = self._target(one, decision.target)
        if not is_written(decision.entry):
            self._without_text(one)
        elif target is not None and _relation(one, target) in MERGING:
            self._update(one, target, decision.entry)
        else:
            self._add(one, decision.entry)

    def _without_text(self, one: Match) -> None:
        if one.candidate.explicit:
            self._store(one)
        else:
            self._skip(one.candidate, t("pipeline.no_entry"))

    def _settle_skip(self, one: Match, decision: Decision) -> None:
        target = self._target(one, decision.target)
        kind = Relation.APART if target is None else _relation(one, target)
        if target is None or kind is Relation.APART:
            self._undecided(one)
        elif kind is Relation.CORRECTS or (
            kind is not Relation.SAME and (one.candidate.explicit or _says_more(one, target))
        ):
            if kind in MERGING:
                self._update(one, target, _NOTHING_WRITTEN)
            else:
                self._add(one, _NOTHING_WRITTEN)
        else:
            self._skip(one.candidate, decision.reason or t("pipeline.not_needed"))

    def _settle_delete(self, one: Match, decision: Decision) -> None:
        candidate, target = one.candidate, self._target(one, decision.target)
        if target is None:
            self._undecided(one)
        elif not _takes_away(one, target):
            if candidate.explicit or _relation(one, target) is Relation.APART:
                self._undecided(one)
            else:
                self._skip(candidate, t("pipeline.own_words", name=target.name))
        elif (target.scope, target.name) in self._steps:
            self._skip(candidate, t("pipeline.changed", name=target.name))
        elif self._may_change(candidate, target):
            operation = Operation(Action.DELETE, None, target.name, target.scope, target.digest)
            self._steps[target.scope, target.name] = Step(operation, (candidate,))

    def _target(self, one: Match, target: int | str | None) -> Entry | None:
        """Return the entry that is meant; one that is not similar is never meant."""
        if isinstance(target, int):
            entry = self._shown[target - 1] if 1 <= target <= len(self._shown) else None
        else:
            entry = next((entry for entry in self._shown if entry.name == target), None)
        return entry if entry in one.neighbours else None

    def _add(self, one: Match, written: Mapping[str, Any]) -> None:
        candidate, entry = one.candidate, new_entry(one.candidate, written)
        for other in one.neighbours:
            if same_fact(candidate, other):
                self._skip(candidate, t("pipeline.known", name=other.name))
                return
        for step in self._adds:
            if any(same_fact(candidate, earlier) for earlier in step.candidates):
                self._skip(candidate, t("pipeline.twice"))
                return
        for other in self._entries:
            is_namesake = other.name == key_of(entry.name) and self._may_join(candidate, other)
            if is_namesake and _is_one_topic(one, entry, other):
                self._update(one, other, written)
                return
        if one.retired is not None:
            self._revive(candidate, one.retired)
        elif self._may_add(candidate):
            operation = Operation(Action.ADD, entry, entry.name, if_exists=IfExists.RENAME)
            self._adds.append(Step(operation, (candidate,)))

    def _may_join(self, candidate: Candidate, target: Entry) -> bool:
        return candidate.scope in {"", target.scope} and (
            bool(candidate.own_words) or not (target.type in OWN_TYPES or target.pinned)
        )

    def _update(self, one: Match, target: Entry, written: Mapping[str, Any]) -> None:
        candidate = one.candidate
        if candidate.scope not in {"", target.scope}:
            self._add(one, written)
            return
        if not self._may_join(candidate, target):
            self._skip(candidate, t("pipeline.own_words", name=target.name))
            return
        place = (target.scope, target.name)
        before = self._steps.get(place)
        gone = before is not None and (
            before.operation.entry is None or before.operation.entry.deprecated
        )
        if gone:
            self._add(one, written)
            return
        if before is None and not self._may_change(candidate, target):
            return
        current = before.operation.entry if before and before.operation.entry else target
        entry = changed_entry(
            candidate, current, written, _relation(one, target), again=before is not None
        )
        operation = Operation(Action.UPDATE, entry, target.name, target.scope, target.digest)
        candidates = (*(before.candidates if before else ()), candidate)
        self._steps[place] = Step(operation, candidates)

    def _supersede(self, one: Match, target: Entry, written: Mapping[str, Any]) -> None:
        """Add the candidate in the place of ``target``, which stays as deprecated."""
        candidate = one.candidate
        place = (target.scope, target.name)
        if place in self._steps or not self._may_join(candidate, target):
            self._update(one, target, written)
        elif self._may_change(candidate, target):
            entry = new_entry(candidate, written)
            entry = replace(entry, optional={**entry.optional, "supersedes": [target.name]})
            operation = Operation(Action.ADD, entry, entry.name, if_exists=IfExists.RENAME)
            self._adds.append(Step(operation, (candidate,)))
            self._steps[place] = _with_status(candidate, target, "deprecated")

    def _revive(self, candidate: Candidate, retired: Entry) -> None:
        if self._may_change(candidate, retired):
            step = _with_status(candidate, retired, "active")
            self._steps.setdefault((retired.scope, retired.name), step)

    def _may_add(self, candidate: Candidate) -> bool:
        if self._allowance.adds <= 0 and not candidate.explicit:
            self._skip(candidate, t("pipeline.limit", fact=candidate.description))
            return False
        self._allowance.adds -= 1
        return True

    def _may_change(self, candidate: Candidate, target: Entry) -> bool:
        left = self._allowance.changes_left(target.scope)
        if left <= 0 and not candidate.explicit:
            self._skip(candidate, t("pipeline.limit", fact=candidate.description))
            return False
        self._allowance.changes[target.scope] = left - 1
        return True

    def _skip(self, candidate: Candidate, reason: str) -> None:
        self._skipped.append(Refusal(candidate.name, reason))


def _relation(one: Match, entry: Entry) -> Relation:
    return relation(one.candidate, entry)


def _says_more(one: Match, entry: Entry) -> bool:
    """Whether the candidate holds what must be kept to the letter and the entry does not have."""
    return bool(missing(one.candidate.content, f"{entry.description}\n{entry.content}"))


def _is_one_topic(one: Match, entry: Entry, other: Entry) -> bool:
    """Whether two entries of one name are about the same thing."""
    kind = _relation(one, other)
    if kind is not Relation.UNCLEAR:
        return kind in MERGING
    texts = [f"{item.description}\n{item.content}" for item in (entry, other)]
    clash = missing(texts[0], texts[1]) or missing(texts[1], texts[0])
    return not clash and overlap(*texts) >= _SAME_TOPIC


def _takes_away(one: Match, target: Entry) -> bool:
    """Whether the person's words say that this entry goes, and the candidate says nothing else."""
    words = "\n".join(one.candidate.own_words)
    text = f"{target.name}\n{target.description}\n{target.content}"
    if not _TAKES_AWAY.search(words) or _relation(one, target) is Relation.APART:
        return False
    if overlap(words, text) < _NAMED or _says_more(one, target):
        return False
    return not new_words(_TAKES_AWAY.sub(" ", one.candidate.content), text)


def _with_status(candidate: Candidate, target: Entry, status: str) -> Step:
    entry = replace(target, optional={**target.optional, "status": status})
    operation = Operation(Action.UPDATE, entry, target.name, target.scope, target.digest)
    return Step(operation, (candidate,))
