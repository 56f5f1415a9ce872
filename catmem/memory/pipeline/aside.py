"""What is stored of a window that is set aside: the person's explicit requests, without a model."""

from __future__ import annotations

from collections.abc import Sequence

from catmem.memory.pipeline.extraction import Candidate
from catmem.memory.pipeline.merging.consolidator import match
from catmem.memory.pipeline.merging.planning import Allowance, Decision, Plan
from catmem.memory.pipeline.merging.repairs import Planner
from catmem.memory.store.entry import Entry
from catmem.memory.store.operations import Action


class AsSaid:
    """Plans in place of a consolidator: each request becomes an entry, in the words as typed.

    Only one that is stored already is skipped; whether two similar ones belong together is for a
    model to decide, when the window is tried again.
    """

    async def plan(
        self,
        candidates: Sequence[Candidate],
        entries: Sequence[Entry],
        allowance: Allowance,
        *,
        by_words: bool = True,  # noqa: ARG002 - the consolidator's signature; it always is
    ) -> Plan:
        """Return an addition for every candidate that is not stored already."""
        add = [
            Decision(number, Action.ADD, None, {"content": one.content}, "")
            for number, one in enumerate(candidates, 1)
        ]
        return Planner(entries, (), allowance).plan(match(candidates, entries), add)
