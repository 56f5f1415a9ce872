"""What happens to a run while it waits for the stores: given up, overtaken, or told to forget."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from catmem import storage
from catmem.memory.pipeline.forgetting.forgetter import Forgetter
from catmem.memory.pipeline.forgetting.tombstones import FILE_NAME
from catmem.memory.pipeline.report import Report
from catmem.memory.store.commit.journal import JournalFile
from catmem.memory.store.entry import Entry
from catmem.memory.store.operations import Action, Operation
from tests.memory_pipeline.conftest import Learner
from tests.memory_pipeline.learning import TALK, VIM
from tests.memory_pipeline.test_beside import until
from tests.support.reply import Reply

SAVING = "Memory: saving…"

pytestmark = pytest.mark.anyio


@pytest.fixture
async def threads() -> AsyncIterator[ThreadPoolExecutor]:
    """The threads of the loop, so that a test can wait for all that they still do."""
    executor = ThreadPoolExecutor()
    asyncio.get_running_loop().set_default_executor(executor)
    yield executor
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor())


@contextlib.contextmanager
def busy(learner: Learner) -> Iterator[None]:
    """Another program is writing all the time."""
    learner.stores.user.prepare()
    with storage.lock(learner.paths.state / "lock", 5):
        yield


async def test_what_was_given_up_while_it_waited_is_not_written_afterwards(
    learner: Learner, threads: ThreadPoolExecutor
) -> None:
    learner.router.learn(VIM)
    session = learner.session(*TALK)
    memory = learner.memory(session)
    stop = asyncio.Event()
    with busy(learner):
        leaving = asyncio.create_task(memory.at_exit(learner.shown.append, stop))
        await until(lambda: SAVING in learner.shown)
        stop.set()
        assert await leaving == "Memory: skipped; left for the next start"
    threads.shutdown()
    session.close()

    assert (learner.names(), learner.journal.watermark(session.id)) == ([], 0)


async def test_a_cancelled_command_writes_nothing_either(
    learner: Learner, threads: ThreadPoolExecutor
) -> None:
    learner.router.learn(VIM)
    session = learner.session(*TALK)
    memory = learner.memory(session)
    with busy(learner):
        learning = asyncio.create_task(learner.say(memory, ""))
        await until(lambda: "saving" in learner.shown)
        learning.cancel()
        await asyncio.wait({learning})
    threads.shutdown()
    session.close()

    assert (learner.names(), learner.journal.watermark(session.id)) == ([], 0)


async def test_a_window_that_was_dealt_with_meanwhile_is_not_stored_again(
    learner: Learner,
) -> None:
    learner.router.learn(VIM)
    session = learner.session(*TALK)
    with busy(learner):
        learning = asyncio.create_task(learner.lifecycle().on_demand(session, learner.shown.append))
        await until(lambda: "saving" in learner.shown)
        record = {"kind": "commit", "session": session.id, "seq": 2, "outcome": "nothing"}
        JournalFile(learner.paths.journal).append(record)
    report = await learning
    session.close()

    assert report == Report()
    assert learner.names() == []


async def test_what_is_forgotten_while_a_run_waits_to_be_written_is_not_learned(
    learner: Learner,
) -> None:
    stores = learner.stores
    stores.apply(
        [Operation(Action.ADD, Entry("editor", "The user's editor is vim", "user", "Vim"))]
    )
    forgetter = Forgetter(stores, learner.paths)
    forgetter.forget(forgetter.find("editor"))
    tombstones = (learner.paths.state / FILE_NAME).read_bytes()
    (learner.paths.state / FILE_NAME).unlink()
    learner.router.learn(VIM)
    session = learner.session(*TALK)
    with busy(learner):
        learning = asyncio.create_task(learner.lifecycle().on_demand(session, learner.shown.append))
        await until(lambda: "saving" in learner.shown)
        (learner.paths.state / FILE_NAME).write_bytes(tombstones)  # another program forgets it
    report = await learning
    session.close()

    assert report.line() == "Memory: 0 added, 0 updated, 1 skipped"
    assert learner.names() == []
    assert learner.journal.watermark(session.id) == 2


async def test_what_another_program_has_dealt_with_meanwhile_is_not_reported_as_nothing(
    learner: Learner,
) -> None:
    for _ in range(2):
        learner.session(*TALK).close()
    learner.router.extractions.append(
        replace(Reply.of_json({"candidates": [], "episode": None}), before=30)
    )
    first = asyncio.create_task(learner.lifecycle().extract_open(learner.shown.append))
    await asyncio.to_thread(learner.server.wait_for_requests, 1)
    learner.router.learn(VIM)
    [second] = await learner.lifecycle().extract_open(learner.shown.append)
    learner.server.release()

    assert second.added == ("user-prefers-vim",)
    assert [report.line() for report in await first] == ["Memory: nothing worth remembering"]
    assert len(learner.server.requests) == 2
