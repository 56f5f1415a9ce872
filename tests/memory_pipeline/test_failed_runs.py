"""Runs that failed: when they are tried again, when no more, and what is kept all the same."""

from __future__ import annotations

import asyncio

import pytest

from catmem.messages import Message
from tests.memory_pipeline.conftest import Learner
from tests.memory_pipeline.learning import TALK, VIM
from tests.memory_pipeline.talk import answered, said
from tests.support.reply import Reply

UNREADABLE = Reply(text="no")
ASKED_FOR = said("always run make lint before you commit")

pytestmark = pytest.mark.anyio


async def fail(learner: Learner, *messages: Message, times: int) -> list[str]:
    """Let a window fail so often at starts that are far apart; return what each start says."""
    learner.session(*messages).close()
    learner.router.extractions.extend([UNREADABLE] * 2 * times)
    said_at_starts: list[str] = []
    for _ in range(times):
        said_at_starts += await learner.lifecycle().recover()
        learner.let_time_pass(days=1)
    return said_at_starts


def extractions(learner: Learner) -> int:
    return len([one for one in learner.server.requests if one.schema])


async def test_a_failure_is_tried_again_at_the_next_start_then_an_hour_later(
    learner: Learner,
) -> None:
    session = learner.session(*TALK)
    session.close()
    learner.router.extractions.extend([UNREADABLE] * 4)
    tried: list[int] = []
    for minutes in (0, 0, 0, 59, 2):
        if minutes:
            learner.let_time_pass(minutes=minutes)
        await learner.lifecycle().recover()
        tried.append(extractions(learner))

    assert tried == [2, 4, 4, 4, 5]  # an answer that cannot be read is asked for twice
    standing = learner.journal.standing(session.id)
    assert (standing.seq, standing.failures) == (2, 0)


async def test_after_three_failures_a_start_leaves_the_window_alone(learner: Learner) -> None:
    lines = await fail(learner, *TALK, times=3)

    [line] = lines
    assert line == (
        "From an earlier session: Memory: set aside after three failures, /memory retry tries "
        "again: scripted answered, but not in a form that could be read"
    )
    assert await learner.lifecycle().recover() == []
    assert extractions(learner) == 6


async def test_what_was_asked_for_in_a_window_that_is_set_aside_is_stored(
    learner: Learner,
) -> None:
    lines = await fail(learner, *TALK, ASKED_FOR, answered("ok"), times=3)

    assert lines[0].startswith("From an earlier session: Memory: 1 added (always-run-make-lint")
    assert "set aside after three failures" in lines[0]
    [(path, text)] = learner.files().items()
    assert path.startswith("home/always-run-make-lint")
    assert text.endswith("---\nalways run make lint before you commit\n")


async def test_a_window_that_was_set_aside_is_tried_again_on_demand(learner: Learner) -> None:
    await fail(learner, *TALK, ASKED_FOR, answered("ok"), times=3)
    stored = learner.names()
    learner.router.learn(VIM)

    [report] = await learner.lifecycle().retry(learner.shown.append)

    assert report.added == ("user-prefers-vim",)
    assert sorted(learner.names()) == sorted([*stored, "user-prefers-vim"])  # none is there twice
    assert await learner.lifecycle().retry(learner.shown.append) == []


@pytest.mark.parametrize("reply", [UNREADABLE, Reply(status=401), Reply(status=529)])
async def test_a_retry_that_fails_leaves_the_window_aside_and_says_so(
    learner: Learner, reply: Reply
) -> None:
    await fail(learner, *TALK, times=3)
    learner.router.extractions.extend([reply] * 8)

    [report] = await learner.lifecycle().retry(learner.shown.append)

    said = "Memory: set aside after three failures, /memory retry tries again: "
    assert report.line().startswith(said)
    assert await learner.lifecycle().recover() == []


async def test_a_store_that_cannot_be_written_is_no_failure_of_the_window(
    learner: Learner,
) -> None:
    session = learner.session(*TALK)
    session.close()
    learner.paths.user_memory.parent.mkdir(parents=True, exist_ok=True)
    learner.paths.user_memory.write_text("in the way")
    for _ in range(4):
        learner.router.learn(VIM)
        await learner.lifecycle().recover()
    assert learner.journal.standing(session.id).failures == 0

    learner.paths.user_memory.unlink()
    learner.router.learn(VIM)
    assert len(await learner.lifecycle().recover()) == 1


@pytest.mark.parametrize("reply", [Reply(status=529), Reply(status=500), Reply(before=30)])
async def test_no_server_and_no_time_are_no_failures(learner: Learner, reply: Reply) -> None:
    session = learner.session(*TALK)
    learner.router.extractions.append(reply)
    memory = learner.memory(session, exit_seconds=0.3)

    await memory.at_exit(learner.shown.append, asyncio.Event())
    session.close()

    assert learner.journal.standing(session.id).failures == 0


async def test_a_failure_in_the_future_does_not_keep_a_window_waiting(learner: Learner) -> None:
    session = learner.session(*TALK)
    session.close()
    learner.router.extractions.extend([UNREADABLE] * 4)
    for _ in range(2):
        await learner.lifecycle().recover()
    learner.let_time_pass(days=-400)  # the clock was wrong, and is right again

    await learner.lifecycle().recover()

    assert learner.journal.watermark(session.id) == 2
