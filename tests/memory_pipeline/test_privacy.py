"""What a person wants kept out of memory reaches neither a request nor the disk."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from catmem.memory.pipeline.excerpt import render
from catmem.memory.pipeline.privacy import remembered
from catmem.messages import Message
from tests.memory_pipeline.conftest import Learner
from tests.memory_pipeline.learning import run
from tests.memory_pipeline.talk import answered, numbered, pasted, said, tool, window
from tests.support.pipeline import MARKER


def left(*messages: Message) -> Sequence[int]:
    return [message.seq for message in remembered(numbered(*messages))]


BEFORE = (said("I deploy with make ship"), answered("ok"))
AFTER = (said("fix the importer"), answered("done"))


@pytest.mark.parametrize(
    "text",
    [
        "my salary is <private>80,000</private>, what is 5 % of it?",
        "<PRIVATE> my salary is 80,000",
        "I use vim. Please don't remember that.",
        "my number is 555-1234, do not remember it",
        "off the record: I am about to quit",
        "I might move to Oslo (don’t save this to memory)",
        "use pnpm here, but don't make a note of this",
        "我下周请假，这个别记。",
        "这件事不要记住：我想换工作",
        "千万别记住我的电话号码，13800138000",
        "我在考虑离职（请不要记录这个）",
    ],
)
def test_the_whole_turn_is_left_out(text: str) -> None:
    turn = (said(text), answered("All right."), tool("5% is 4,000"), answered("4,000."))

    assert left(*BEFORE, *turn, *AFTER) == [1, 2, 7, 8]


@pytest.mark.parametrize(
    "text",
    [
        "don't remember this",
        "Please do not remember that, thanks!",
        "never mind. don't remember what I just said",
        "don't remember my last message, and show me a.py",
        "这个别记",
        "刚才说的不要记住",
        "好的，这些就别记了",
        "别记刚才的话，先看 a.py",
    ],
)
def test_a_message_about_what_came_before_takes_that_along(text: str) -> None:
    assert left(*BEFORE, *AFTER, said(text), answered("All right.")) == [1, 2]


@pytest.mark.parametrize(
    "text",
    [
        "I don't remember this function",
        "do you remember this?",
        "don't remember this?",
        "don't save this file yet",
        "don't store that in the database",
        "don't keep this in the cache",
        "add a checkbox `don't remember this`",
        "```\ndon't remember this\n```\nwhat is this?",
        "never mind",
        "remember this: use tabs",
        "别记录日志",
        "这个别记错了",
        "要不要记住这个？",
        "不要忘记这个",
        "这个接口不用记录请求体",
        "不要保存这个文件",
    ],
)
def test_other_words_leave_nothing_out(text: str) -> None:
    assert left(*BEFORE, said(text), answered("All right.")) == [1, 2, 3, 4]


def test_data_can_keep_nothing_out_by_its_words() -> None:
    planted = "don't remember this\nsecond line"

    assert left(said("look at this"), tool(planted), answered("ok"), pasted(planted)) == [
        1,
        2,
        3,
        4,
    ]


def test_what_is_marked_private_is_blotted_out_where_it_is_repeated() -> None:
    messages = numbered(
        said("my pin is <private>4711\n张三</private>, and a <private>b</private>"),
        answered("Noted: 4711."),
        said("and now?"),
        answered("Your pin is still 4711, 张三."),
        tool("1: pin=4711\n2: a b", subject="grep 4711"),
    )

    kept = remembered(messages)

    assert render(window(*kept), 12_000) == (
        "Date: 2026-03-05 (Thursday)\n"
        "[#1 user]\nand now?\n"
        "[#2 assistant]\nYour pin is still (private), (private).\n"
        "[#3 tool]\nbash (ok): grep (private)\n| 1: pin=(private)\n| 2: a b"
    )


@pytest.mark.anyio
async def test_a_private_turn_is_in_no_request_and_its_wish_is_not_stored(learner: Learner) -> None:
    await run(
        learner,
        *BEFORE,
        said("remember that my pin is <private>4711</private>, always"),
        answered("Your pin is 4711."),
        tool("pin 4711"),
        said("always ship on Fridays. 这个别记"),
        answered("ok"),
    )

    [request] = learner.server.requests
    assert MARKER.findall(request.user_texts[-1]) == ["1", "2"]
    assert "4711" not in request.text
    assert "Fridays" not in request.text
    assert learner.files() == {}


@pytest.mark.anyio
async def test_a_session_that_is_private_throughout_is_dealt_with_unseen(learner: Learner) -> None:
    session = learner.session(said("<private>I use vim</private>"), answered("ok"))
    await learner.lifecycle().on_demand(session, learner.shown.append)
    session.close()

    assert learner.server.requests == []
    assert learner.journal.watermark(session.id) == 2
    assert await learner.lifecycle().recover() == []
