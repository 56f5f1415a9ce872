"""Answers that are no good: the right outcome each, and "failed" is never told as "nothing"."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from catmem.memory.pipeline.report import Outcome
from tests.extraction.faults import FAULTS, FORM, ITEMS, QUOTE, Ends, Fault
from tests.memory_pipeline.conftest import Learner
from tests.memory_pipeline.talk import answered, said

pytestmark = pytest.mark.anyio

TALK = (said(f"{QUOTE}, and we install with pnpm. Sort the imports."), answered("Sorted."))
FACT = ("user", "The user edits with vim.")
# What was finished before the answer broke off is stored, though the run has failed.
KEPT_THOUGH_FAILED = {"truncated inside the list"}


def test_there_are_enough_faults_and_each_has_its_own_name() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 40
    assert len({fault.reply.text for fault in FAULTS}) >= len(FAULTS) - 5


async def outcome_of(learner: Learner, fault: Fault) -> dict[str, object]:
    """What a run over this answer leaves: how it ended, the open window, what is stored."""
    learner.router.extractions.extend([fault.reply, fault.reply])
    session = learner.session(*TALK)
    report = await learner.lifecycle().on_demand(session, learner.shown.append)
    session.close()
    learner.router.extractions.clear()
    entries = learner.stores.load_all()
    for entry in entries:
        assert entry.path is not None
        entry.path.unlink()
    return {
        "failed": report.outcome is Outcome.FAILED,
        "says failed": "not finished, the next start tries again" in report.line(),
        "says nothing": "nothing worth" in report.line(),
        "watermark": learner.journal.watermark(session.id),
        "stored": sorted((one.type, " ".join(one.content.split())[:24]) for one in entries),
        "within limits": all(
            one.importance < 0.9
            and not one.pinned
            and len(one.name.encode()) <= 200
            and len(one.description) <= 160
            and len(one.content) <= 4_001
            for one in entries
        ),
    }


def expected_of(fault: Fault) -> dict[str, object]:
    failed = fault.ends is Ends.FAILED
    stored = fault.ends is Ends.STORED or fault.name in KEPT_THOUGH_FAILED
    return {
        "failed": failed,
        "says failed": failed,
        "says nothing": fault.ends is Ends.NOTHING and fault in FORM,
        "watermark": 0 if failed else len(TALK),
        "stored": [FACT] if stored else [],
        "within limits": True,
    }


@pytest.mark.parametrize("faults", [FORM, ITEMS], ids=["form", "items"])
async def test_a_bad_reply_ends_as_it_should(learner: Learner, faults: Sequence[Fault]) -> None:
    outcomes = {fault.name: await outcome_of(learner, fault) for fault in faults}

    assert outcomes == {fault.name: expected_of(fault) for fault in faults}
