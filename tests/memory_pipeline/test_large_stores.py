"""Large stores: the conversation goes on while they are searched."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

import pytest

from catmem.memory.pipeline.merging.consolidator import Consolidator
from catmem.memory.pipeline.merging.planning import Allowance
from catmem.memory.store.entry import Entry
from tests.memory_pipeline.conftest import Learner
from tests.memory_pipeline.deciding import candidate

ENTRIES = [
    replace(
        Entry(f"fact-{number}", f"Fact {number} about module {number * 7}", "project", ""),
        content=f"The module {number * 7} is built by step {number} of the release. " * 3,
    )
    for number in range(1_000)
]
CANDIDATES = [
    candidate(f"new-{number}", f"Step {number} of the release builds the module {number * 7}.")
    for number in range(10)
]


@pytest.mark.anyio
async def test_the_event_loop_goes_on_while_neighbours_are_looked_for(learner: Learner) -> None:
    consolidator = Consolidator(learner.provider(), max_tokens=500, progress=lambda _: None)
    allowance = Allowance.for_stores(ENTRIES)
    planning = asyncio.create_task(consolidator.plan(CANDIDATES, ENTRIES, allowance, by_words=True))
    started = last = time.perf_counter()
    longest = 0.0
    while not planning.done():
        await asyncio.sleep(0.001)
        last, before = time.perf_counter(), last
        longest = max(longest, last - before)

    plan = await planning
    assert len(plan.steps) + len(plan.skipped) == len(CANDIDATES)
    assert longest < (last - started) / 3  # as a part of the whole, however slow the machine is
