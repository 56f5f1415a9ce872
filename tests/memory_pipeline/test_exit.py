"""The end of a session, and what the next start finishes."""

from __future__ import annotations

import asyncio
import contextlib
import resource
import time
from collections.abc import Awaitable, Iterator
from dataclasses import replace

import pytest

from catmem.errors import MissingKeyError
from catmem.memory.lifecycle.occasions import MemoryLifecycle
from catmem.memory.pipeline.choice import ExtractorChoice
from catmem.memory.pipeline.manager import MemoryManager
from catmem.messages import Message
from catmem.providers.base import Provider
from tests.memory_pipeline.conftest import Learner
from tests.memory_pipeline.learning import TALK, VIM
from tests.memory_pipeline.talk import answered, said
from tests.support.reply import Reply

SAVING = "Saving memory…"
ADDED = "Memory: 1 added (user-prefers-vim), 0 updated, 0 skipped"
LAST = f"{ADDED} · undo: catmem memory undo"
SILENT = Reply(text="{}", before=30)

pytestmark = pytest.mark.anyio


async def leave(
    learner: Learner, *messages: Message, stop: asyncio.Event | None = None, **settings: object
) -> str:
    """End a session in which these messages were said; return the last line."""
    session = learner.session(*messages)
    memory = learner.memory(session, None, **settings)
    try:
        return await memory.at_exit(learner.shown.append, stop or asyncio.Event())
    finally:
        session.close()


@contextlib.contextmanager
def no_room() -> Iterator[None]:
    """Nothing can be written, as on a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def timed(work: Awaitable[str]) -> tuple[str, float]:
    started = time.perf_counter()
    line = await work
    return line, time.perf_counter() - started


async def test_the_exit_learns_and_its_last_line_says_what(learner: Learner) -> None:
    learner.router.learn(VIM)

    assert await leave(learner, *TALK) == LAST
    assert learner.shown == [SAVING, "Memory: saving…"]
    assert learner.names() == ["user-prefers-vim"]


@pytest.mark.parametrize("messages", [(), (said("hi"), answered("Hello!")), (said("/help"),)])
async def test_b22_a_session_without_substance_ends_without_a_word(
    learner: Learner, messages: tuple[Message, ...]
) -> None:
    assert await leave(learner, *messages) == ""
    assert learner.shown == []
    assert learner.server.requests == []


async def test_a_session_that_taught_nothing_says_so(learner: Learner) -> None:
    assert await leave(learner, *TALK) == "Memory: nothing worth remembering"


async def test_with_the_manual_trigger_the_exit_asks_nothing(learner: Learner) -> None:
    assert await leave(learner, *TALK, trigger="manual") == ""
    assert learner.server.requests == []


async def test_b23_with_memory_off_nothing_is_read_asked_or_written(learner: Learner) -> None:
    session = learner.session(*TALK)
    memory = learner.memory(session, enabled=False)

    assert await memory.at_exit(learner.shown.append, asyncio.Event()) == ""
    assert await memory.recover() == []
    assert memory.tools == ()
    assert memory.count() == 0
    assert learner.server.requests == []
    assert not learner.paths.journal.exists()
    session.close()


async def test_b18_a_server_that_never_answers_does_not_hold_the_exit(learner: Learner) -> None:
    learner.router.extractions.append(SILENT)

    line, seconds = await timed(leave(learner, *TALK, exit_seconds=0.5))

    assert line == "Memory: not finished in 0.5 s; left for the next start"
    assert seconds < 2


async def test_b18_a_server_that_says_come_back_later_does_not_hold_the_exit(
    learner: Learner,
) -> None:
    learner.network = replace(learner.network, retries=6)
    learner.router.extractions.append(Reply(status=429, headers={"retry-after": "600"}))

    line, seconds = await timed(leave(learner, *TALK, exit_seconds=0.5))

    assert line.startswith("Memory: not finished")
    assert "next start" in line
    assert seconds < 2


async def test_b18_offline_is_one_line(learner: Learner) -> None:
    learner.server.__exit__(None, None, None)

    line = await leave(learner, *TALK)

    assert line.startswith("Memory: not finished, the next start tries again: ")
    assert "\n" not in line
    assert "send the message again" not in line  # nobody has sent one


async def test_a_full_disk_is_one_line_and_the_next_start_learns(learner: Learner) -> None:
    learner.router.learn(VIM)
    session = learner.session(*TALK)
    memory = learner.memory(session)

    with no_room():
        line = await memory.at_exit(learner.shown.append, asyncio.Event())
    session.close()

    assert line.startswith("Memory: not finished, the next start tries again: ")
    assert "\n" not in line
    assert learner.files() == {}
    learner.router.learn(VIM)
    assert await learner.lifecycle().recover() == [f"From an earlier session: {ADDED}"]


async def test_b19_a_stop_ends_it_at_once_and_leaves_nothing_half_done(learner: Learner) -> None:
    learner.router.extractions.append(SILENT)
    stop = asyncio.Event()
    asyncio.get_running_loop().call_later(0.3, stop.set)

    line, seconds = await timed(leave(learner, *TALK, stop=stop))

    assert line == "Memory: skipped; left for the next start"
    assert seconds < 2
    assert learner.files() == {}
    assert learner.shown == [SAVING]


async def test_a_missing_key_is_one_line(learner: Learner) -> None:
    def no_provider() -> Provider:
        raise MissingKeyError("no key: set OPENAI_API_KEY")

    session = learner.session(*TALK)
    manager = MemoryManager(learner.stores, learner.journal, learner.settings)
    lifecycle = MemoryLifecycle(
        manager, learner.settings, learner.paths.sessions, no_provider, ExtractorChoice()
    )

    line = await lifecycle.at_exit(session, learner.shown.append, asyncio.Event())

    assert line == ("Memory: not finished, the next start tries again: no key: set OPENAI_API_KEY")
    session.close()


async def test_a_conversation_that_was_cleared_is_still_learned_from(learner: Learner) -> None:
    learner.router.learn(VIM)
    session = learner.session(*TALK)
    session.clear()

    assert await learner.memory(session).at_exit(learner.shown.append, asyncio.Event()) == LAST
    session.close()


async def test_b20_what_the_exit_left_is_finished_at_the_next_start(learner: Learner) -> None:
    learner.router.extractions.append(SILENT)
    await leave(learner, *TALK, exit_seconds=0.3)
    learner.router.learn(VIM)

    lines = await learner.lifecycle().recover()

    assert lines == [f"From an earlier session: {ADDED}"]
    assert learner.names() == ["user-prefers-vim"]
    assert await learner.lifecycle().recover() == []
    assert len(learner.server.requests) == 2


async def test_the_exit_does_not_wait_for_what_an_earlier_session_left(learner: Learner) -> None:
    learner.session(said("look at module 1")).close()
    learner.router.extractions.append(SILENT)
    session = learner.session(*TALK)
    memory = learner.memory(session)
    recovery = asyncio.create_task(memory.recover())
    await asyncio.to_thread(learner.server.wait_for_requests, 1)
    learner.router.learn(VIM)

    assert await memory.at_exit(learner.shown.append, asyncio.Event()) == LAST
    assert recovery.cancelled()
    session.close()


async def test_two_starts_together_finish_each_session_once(learner: Learner) -> None:
    for _ in range(3):
        learner.session(*TALK).close()
        learner.router.extractions.append(
            replace(Reply.of_json({"candidates": [], "episode": None}), before=0.2)
        )

    await asyncio.gather(learner.lifecycle().recover(), learner.lifecycle().recover())
    await learner.lifecycle().recover()

    assert len(learner.server.requests) == 3


async def test_a_session_that_is_still_running_is_left_alone(learner: Learner) -> None:
    session = learner.session(*TALK)

    assert await learner.lifecycle().recover() == []
    assert learner.server.requests == []
    session.close()


async def test_a_start_finishes_the_five_oldest_sessions(learner: Learner) -> None:
    sessions = [learner.session(said(f"look at module {n}")) for n in range(7)]
    for session in sessions:
        session.close()

    await learner.lifecycle().recover()

    oldest = sorted(session.id for session in sessions)[:5]
    assert sorted(learner.journal.standings()) == oldest


async def test_without_a_network_the_start_tries_one_session_only(learner: Learner) -> None:
    for _ in range(3):
        learner.session(*TALK).close()
    learner.router.extractions.extend([Reply(status=500)] * 3)

    await learner.lifecycle().recover()

    assert len(learner.server.requests) == 1


async def test_extract_on_demand_deals_with_every_open_session(learner: Learner) -> None:
    learner.session(said("remember that I use vim")).close()
    learner.session(said("以后都用 pnpm")).close()

    reports = await learner.lifecycle().extract_open(learner.shown.append)

    assert sorted(report.added for report in reports) == [("i-use-vim",), ("以后都用-pnpm",)]


async def test_b24_what_was_cleared_is_not_learned_again_from_the_same_session(
    learner: Learner,
) -> None:
    session = learner.session(*TALK)
    lifecycle = learner.lifecycle()

    lifecycle.forget_window(session)

    assert await lifecycle.at_exit(session, learner.shown.append, asyncio.Event()) == ""
    assert learner.server.requests == []
    session.close()
