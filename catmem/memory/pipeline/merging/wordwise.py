"""Decisions by words alone, for models that cannot write the JSON of a consolidation.

What says the same is skipped. What corrects an entry of one sentence takes its place, the old one
staying as deprecated; a longer entry is updated, so that its other sentences stay in sight. All
else is added: two entries of one fact are a nuisance, two facts in one entry are a loss.
"""

from __future__ import annotations

from collections.abc import Sequence

from catmem.memory.pipeline.merging.keeping import pieces_of
from catmem.memory.pipeline.merging.planning import Decision, Match
from catmem.memory.pipeline.merging.telling import MERGING, Relation, relation
from catmem.memory.store.entry import Entry
from catmem.memory.store.operations import Action


def decide(matches: Sequence[Match], shown: Sequence[Entry]) -> list[Decision]:
    """Return a decision for each candidate; targets are numbers of ``shown``, from 1."""
    return [_decision(number, one, shown) for number, one in enumerate(matches, 1)]


def _decision(number: int, one: Match, shown: Sequence[Entry]) -> Decision:
    entry = {"content": one.candidate.content, "description": one.candidate.description}
    found = [(relation(one.candidate, near), near) for near in one.neighbours]
    found = [(kind, near) for kind, near in found if kind in MERGING and near in shown]
    if not found:
        return Decision(number, Action.ADD, None, entry, "")
    kind, near = min(found, key=lambda item: _PREFERRED.index(item[0]))
    target = shown.index(near) + 1
    if kind is Relation.SAME:
        return Decision(number, Action.SKIP, target, {}, "")
    is_whole = kind is Relation.CORRECTS and len(list(pieces_of(near.content))) == 1
    return Decision(number, Action.ADD if is_whole else Action.UPDATE, target, entry, "")


_PREFERRED = (Relation.SAME, Relation.REFINES, Relation.CORRECTS)
