"""Learning while the session goes on: after turns, in idle time, at /clear and compaction."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace

import pytest

from catmem.hooks import Hooks
from catmem.memory.lifecycle.beside import Beside
from catmem.memory.setup import Memory
from catmem.memory.store.entry import Entry
from catmem.memory.store.operations import Action, Operation
from catmem.messages import Message, ModelRequest, ToolCallPart, user_message
from catmem.providers.base import Provider
from catmem.sessions import Session, read_transcript
from tests.memory_pipeline.conftest import Learner
from tests.memory_pipeline.learning import VIM
from tests.memory_pipeline.talk import answered, said
from tests.support.pipeline import MARKER, candidate, is_extraction
from tests.support.reply import Reply

VIM_TURN = (said("用 vim 编辑，别动 tests 目录"), answered("好的。"))
OTHER_TURN = (said("look at module 1"), answered("Done."))
ADDED = "Memory: 1 added (user-prefers-vim), 0 updated, 0 skipped"
UNDO = " · undo: catmem memory undo"

pytestmark = pytest.mark.anyio


@dataclass
class Talk:
    """A session that is going on, with its memory."""

    learner: Learner
    session: Session
    hooks: Hooks
    memory: Memory
    told: list[str] = field(default_factory=list)

    async def turn(self, *messages: Message, completed: bool = True) -> None:
        first = len(self.session.messages)
        for message in messages:
            self.session.append(message)
        await self.hooks.run_after_turn(self.session.messages[first:], completed=completed)

    async def leave(self) -> str:
        return await self.memory.at_exit(self.learner.shown.append, asyncio.Event())

    def shown(self) -> list[list[int]]:
        """Which messages each extraction request was shown, without the examples' own."""
        shown = [
            [MARKER.findall(text) for text in one.user_texts if MARKER.search(text)][-1]
            for one in self.learner.server.requests
            if is_extraction(one)
        ]
        return [list(map(int, seqs)) for seqs in shown]


async def until(condition: Callable[[], object]) -> None:
    while not condition():  # noqa: ASYNC110 - what is on disk tells nobody that it changes
        await asyncio.sleep(0.01)


Start = Callable[..., Talk]


@pytest.fixture
async def talk(learner: Learner) -> AsyncIterator[Start]:
    started: list[Talk] = []

    def start(**settings: object) -> Talk:
        hooks = Hooks()
        session = learner.session()
        memory = learner.memory(session, hooks, **settings)
        made = Talk(learner, session, hooks, memory)
        memory.tell_with(made.told.append)
        started.append(made)
        return made

    yield start
    for one in started:
        await one.hooks.run_session_end()
        one.session.close()


async def test_after_each_completed_turn_in_order_and_each_sees_what_the_last_one_stored(
    learner: Learner, talk: Start
) -> None:
    nothing = Reply.of_json({"candidates": [], "episode": None})
    learner.router.extractions.append(replace(nothing, before=30))
    one = talk(trigger="turn", min_messages=2)
    await one.turn(*OTHER_TURN)
    await one.turn(*VIM_TURN)
    await one.turn(*OTHER_TURN)
    learner.router.learn(VIM)
    await asyncio.to_thread(learner.server.wait_for_requests, 1)
    learner.server.release()

    await until(lambda: learner.journal.watermark(one.session.id) == 6)

    assert one.shown() == [[1, 2], [3, 4], [5, 6]]
    assert [
        "user-prefers-vim" in request.user_texts[-1] for request in learner.server.requests
    ] == [False, False, True]
    assert one.told == [ADDED]
    await one.leave()
    assert len(learner.server.requests) == 3  # nothing was left, so nothing was asked


async def test_never_after_a_turn_that_was_interrupted_or_failed(
    learner: Learner, talk: Start
) -> None:
    one = talk(trigger="turn", min_messages=2)
    await one.turn(*OTHER_TURN, completed=False)
    await one.turn(*VIM_TURN)

    await until(lambda: learner.journal.watermark(one.session.id) == 4)

    assert len(learner.server.requests) == 1


async def test_a_short_window_waits_for_more(learner: Learner, talk: Start) -> None:
    one = talk(trigger="turn")
    await one.turn(*VIM_TURN)
    await one.turn(*OTHER_TURN)

    await until(lambda: learner.journal.watermark(one.session.id) == 4)

    assert len(learner.server.requests) == 1


async def test_the_exit_waits_for_what_runs_and_says_all_of_it_in_one_line(
    learner: Learner, talk: Start
) -> None:
    found = {**VIM, "evidence": [{"seq": 1, "quote": "用 vim 编辑"}]}
    reply = Reply.of_json({"candidates": [found], "episode": None})
    learner.router.extractions.append(replace(reply, before=30))
    one = talk(trigger="turn", min_messages=2)
    await one.turn(*VIM_TURN)
    await asyncio.to_thread(learner.server.wait_for_requests, 1)
    await one.turn(said("we ship with make"), answered("ok"))
    learner.router.learn(
        candidate("ship", "Ship with make", quote="ship with make", type="project", scope="project")
    )
    leaving = asyncio.create_task(one.leave())
    await until(lambda: learner.shown)
    learner.server.release()

    line = "Memory: 2 added (user-prefers-vim, ship), 0 updated, 0 skipped"
    assert await leaving == f"{line}{UNDO}"
    assert one.told == []


async def test_the_exits_limit_holds_for_what_runs_too(learner: Learner, talk: Start) -> None:
    learner.router.extractions.append(Reply(before=30))
    one = talk(trigger="turn", min_messages=2, exit_seconds=0.3)
    await one.turn(*VIM_TURN)
    await asyncio.to_thread(learner.server.wait_for_requests, 1)

    assert await one.leave() == "Memory: not finished in 0.3 s; left for the next start"
    assert learner.journal.watermark(one.session.id) == 0


async def test_a_stop_ends_what_runs_at_once(learner: Learner, talk: Start) -> None:
    learner.router.extractions.append(Reply(before=30))
    one = talk(trigger="turn", min_messages=2)
    await one.turn(*VIM_TURN)
    await asyncio.to_thread(learner.server.wait_for_requests, 1)
    stop = asyncio.Event()
    asyncio.get_running_loop().call_later(0.1, stop.set)

    line = await one.memory.at_exit(learner.shown.append, stop)

    assert line == "Memory: skipped; left for the next start"
    assert learner.shown == ["Saving memory…"]
    assert len(learner.server.requests) == 1


async def test_a_failure_is_not_repeated_after_every_turn(learner: Learner, talk: Start) -> None:
    learner.router.extractions.extend([Reply(text="no")] * 2)
    one = talk(trigger="turn", min_messages=2)
    for _ in range(3):
        await one.turn(*OTHER_TURN)
    await until(lambda: learner.journal.standing(one.session.id).failures)
    learner.router.learn(VIM)
    await one.turn(*VIM_TURN)

    assert await one.leave() == f"{ADDED}{UNDO}"
    assert one.shown()[-1] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert len(one.shown()) == 3  # two bad answers, and the exit


async def test_without_a_network_what_waits_is_tried_as_one(learner: Learner, talk: Start) -> None:
    learner.router.extractions.append(Reply(status=500, before=30))
    one = talk(trigger="turn", min_messages=2)
    for turn in (OTHER_TURN, OTHER_TURN, OTHER_TURN, OTHER_TURN):
        await one.turn(*turn)
    await asyncio.to_thread(learner.server.wait_for_requests, 1)
    learner.server.release()

    await until(lambda: learner.journal.watermark(one.session.id) == 8)

    assert one.shown() == [[1, 2], [1, 2, 3, 4, 5, 6, 7, 8]]


async def test_what_leaves_the_context_is_learned_without_waiting(
    learner: Learner, talk: Start
) -> None:
    learner.router.learn(VIM)
    one = talk()
    await one.turn(*VIM_TURN)
    await one.turn(*OTHER_TURN)
    await one.hooks.run_before_compaction(one.session.messages)
    one.session.clear()
    one.session.append(said("and now?"))

    await until(lambda: one.told)

    assert one.told == [ADDED]
    assert learner.journal.watermark(one.session.id) == 4


async def test_memory_off_takes_the_index_away_and_keeps_what_is_said_out_for_good(
    learner: Learner, talk: Start
) -> None:
    one = talk(trigger="turn", min_messages=2)
    await one.turn(*OTHER_TURN)
    await until(lambda: learner.journal.watermark(one.session.id) == 2)
    one.session.system = ("base", "# Persistent Memory")
    await learner.say(one.memory, "off")
    await one.turn(said("remember that I use emacs"), answered("ok"))

    refusal = await one.hooks.run_before_tool(ToolCallPart("c1", "memory_write", {}))
    assert not one.session.system
    assert refusal is not None
    assert "/memory on" in refusal
    assert not one.memory.is_on
    assert await one.leave() == ""
    assert len(learner.server.requests) == 1

    await learner.say(one.memory, "on")
    await one.turn(*VIM_TURN)
    learner.router.learn(VIM)
    await until(lambda: learner.journal.watermark(one.session.id) == 6)
    assert one.shown()[-1] == [5, 6]
    one.session.close()
    assert "emacs" not in "".join(request.text for request in learner.server.requests)
    assert [message.off_record for message in read_transcript(one.session.path).messages] == [
        *(False, False),
        *(True, True),
        *(False, False),
    ]


async def test_memory_off_ends_what_an_earlier_session_left(learner: Learner, talk: Start) -> None:
    learner.session(*VIM_TURN).close()
    learner.router.extractions.append(Reply(before=30))
    one = talk()
    recovery = asyncio.create_task(one.memory.recover())
    await asyncio.to_thread(learner.server.wait_for_requests, 1)

    await learner.say(one.memory, "off")

    assert await asyncio.wait({recovery}) == ({recovery}, set())
    assert await one.memory.recover() == []
    assert len(learner.server.requests) == 1


async def test_memory_off_injects_nothing(learner: Learner, talk: Start) -> None:
    learner.stores.apply([Operation(Action.ADD, Entry("editor", "Vim", "user", "Vim."))])
    one = talk()
    request = ModelRequest(("base",), (user_message("hi"),))
    with_index = await one.hooks.run_before_request(request)
    await learner.say(one.memory, "off")

    assert len(with_index.system) == 2
    assert await one.hooks.run_before_request(request) == request
    await learner.say(one.memory, "on")
    assert await one.hooks.run_before_request(request) == with_index


async def test_a_session_without_memory_is_not_learned_from_by_a_later_one(
    learner: Learner,
) -> None:
    session = learner.session()
    learner.memory(session, enabled=False)
    for message in VIM_TURN:
        session.append(message)
    session.close()

    assert await learner.lifecycle().recover() == []
    assert learner.server.requests == []


async def test_the_embedded_model_learns_in_idle_time_and_only_then(learner: Learner) -> None:
    def embedded() -> Provider:
        provider = learner.provider()
        provider.name = "local"
        return provider

    session = learner.session()
    hooks = Hooks()
    lifecycle = learner.lifecycle()
    beside = Beside(session, "exit", lambda: lifecycle, embedded, idle_seconds=0.05)
    hooks.after_turn.append(beside.after_turn)
    hooks.before_request.append(beside.before_request)
    one = Talk(learner, session, hooks, learner.memory(session))
    await one.turn(*OTHER_TURN)
    await one.turn(*VIM_TURN)
    await hooks.run_before_request(ModelRequest((), ()))  # the next turn begins in time
    await asyncio.sleep(0.15)
    assert learner.server.requests == []
    await one.turn(said("a third"), answered("ok"), completed=False)

    await until(lambda: learner.journal.watermark(session.id) == 4)  # not the one that failed

    assert await one.leave() != ""
    await beside.close()
    session.close()
