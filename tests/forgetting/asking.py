"""Short forms for what the tests of forgetting ask for."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from catmem.memory.pipeline.forgetting.tombstones import Occasion, Tombstones
from catmem.memory.pipeline.report import Report
from catmem.memory.store.entry import Entry
from catmem.memory.store.operations import Action, Operation
from catmem.memory.store.stores import Stores
from catmem.sessions import Session
from tests.memory_pipeline.conftest import Learner

EDITOR = Entry(
    "user-prefers-vim",
    "The user's editor is vim",
    "user",
    "The user edits with vim; the configuration is in ~/.vimrc.",
)


def store(stores: Stores, *entries: Entry) -> None:
    report = stores.apply([Operation(Action.ADD, entry) for entry in entries])
    assert len(report.added) == len(entries)


def bury(stores: Stores, name: str, occasion: Occasion | None = None) -> None:
    """Delete an entry for good, as everything that deletes does it."""
    operations = [Operation(Action.DELETE, name=name)]
    tombstones = Tombstones(stores)
    marks = tombstones.mark(operations, occasion or Occasion())
    report = stores.apply(operations)
    tombstones.settle(marks, report.outcomes)
    assert report.deleted == (name,)


async def learn_from(learner: Learner, session: Session) -> Report:
    """Run the pipeline over a session as it stands."""
    return await learner.lifecycle().on_demand(session, learner.shown.append)


def wait_for_the_next_second() -> None:
    """Wait until what is typed now is later than what was done so far: transcripts know seconds."""
    before = int(datetime.now(UTC).timestamp())
    while int(datetime.now(UTC).timestamp()) == before:
        time.sleep(0.02)
