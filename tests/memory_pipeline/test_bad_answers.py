"""Answers and servers that are no good: nothing is lost, nothing is made up, nothing is hidden."""

from __future__ import annotations

import json
from collections import deque
from typing import Any

import pytest

from catmem.memory.pipeline.report import Outcome
from tests.memory_pipeline.conftest import Learner
from tests.memory_pipeline.learning import TALK, VIM, run
from tests.memory_pipeline.talk import said, tool
from tests.support.pipeline import excerpt
from tests.support.reply import Reply

pytestmark = pytest.mark.anyio


def records(learner: Learner) -> list[dict[str, Any]]:
    if not learner.paths.journal.exists():
        return []
    return [json.loads(line) for line in learner.paths.journal.read_text("utf-8").splitlines()]


@pytest.mark.parametrize(
    "reply",
    [
        Reply(text="Sorry, I can't help with that."),
        Reply(text=""),
        Reply(text='{"candidates": [{"name": 3}]}'),
        Reply(text="<think>nothing here"),
    ],
)
async def test_b04_an_unusable_answer_twice_is_a_failure_and_the_window_stays_open(
    learner: Learner, reply: Reply
) -> None:
    learner.router.extractions.extend([reply, reply])
    session = learner.session(*TALK)

    failed = await learner.lifecycle().on_demand(session, learner.shown.append)

    assert failed.outcome is Outcome.FAILED
    assert failed.line() == (
        "Memory: not finished, the next start tries again: "
        "scripted answered, but not in a form that could be read"
    )
    assert learner.journal.watermark(session.id) == 0
    assert len(learner.server.requests) == 3  # the third asked for a label

    learner.router.learn(VIM)
    later = await learner.lifecycle().on_demand(session, learner.shown.append)

    assert later.added == ("user-prefers-vim",)
    assert excerpt(learner.server.requests[3])[1].startswith("\n用 vim 编辑")
    session.close()


async def test_an_unreadable_answer_is_asked_for_once_more(learner: Learner) -> None:
    learner.router.extractions.append(Reply(text="Let me think about it."))
    learner.router.learn(VIM)

    report = await run(learner, *TALK)

    assert report.added == ("user-prefers-vim",)
    second = learner.server.requests[1]
    assert second.assistant_texts[-1] == "Let me think about it."
    assert second.user_texts[-1].endswith("List every fact worth keeping.")


async def test_b03_an_answer_that_broke_off_is_asked_for_with_more_room(learner: Learner) -> None:
    learner.router.extractions.append(Reply(text='{"candidates": [{"evid', finish="length"))
    learner.router.learn(VIM)

    report = await run(learner, *TALK)

    first, second = (
        request.body.get("max_tokens") or request.body["max_completion_tokens"]
        for request in learner.server.requests
    )
    assert report.added == ("user-prefers-vim",)
    assert second > first


async def test_b03_broken_off_twice_keeps_what_was_finished_and_fails(learner: Learner) -> None:
    whole = json.dumps(
        {"candidates": [VIM | {"evidence": [{"seq": 1, "quote": "用 vim 编辑"}]}, VIM]},
        ensure_ascii=False,
    )
    cut = Reply(text=whole[:-30], finish="length", chunk=50)
    learner.router.extractions.extend([cut, cut])
    session = learner.session(*TALK)

    report = await learner.lifecycle().on_demand(session, learner.shown.append)

    assert (report.outcome, report.added) == (Outcome.FAILED, ("user-prefers-vim",))
    assert report.line() == (
        "Memory: 1 added (user-prefers-vim), 0 updated, 0 skipped\n"
        "Memory: not finished, the next start tries again: "
        "scripted broke off its answer twice; what was finished is stored"
    )
    assert learner.journal.watermark(session.id) == 0
    session.close()


@pytest.mark.parametrize("status", [500, 529])
async def test_b04_a_server_error_is_a_failure_worth_retrying(
    learner: Learner, status: int
) -> None:
    learner.router.extractions.append(Reply(status=status))

    report = await run(learner, *TALK)

    assert (report.outcome, report.retryable) == (Outcome.FAILED, True)
    assert records(learner) == []


async def test_b05_a_prompt_that_is_too_long_is_cut_into_smaller_pieces(
    learner: Learner,
) -> None:
    too_long = Reply(
        error=("invalid_request_error", "prompt is too long: maximum context length is 4096 tokens")
    )
    learner.router.extractions.extend([too_long, too_long])
    talk = [said(f"message {n}: " + "word " * 300) for n in range(40)]

    report = await run(learner, *talk, tool("x" * 2_000_000), *TALK)

    assert report.outcome is Outcome.NOTHING
    sizes = [len(request.user_texts[-1]) for request in learner.server.requests]
    assert sizes[1] < sizes[0] * 0.7
    assert sizes[2] < sizes[1] * 0.7
    asked = "\n".join(request.user_texts[-1] for request in learner.server.requests[2:])
    assert all(f"message {n}:" in asked for n in range(40))
    assert "用 vim 编辑" in asked


async def test_b05_a_model_that_takes_no_prompt_at_all_is_asked_a_bounded_number_of_times(
    learner: Learner,
) -> None:
    error = ("invalid_request_error", "prompt is too long: maximum context length is 10 tokens")
    learner.router.extractions = deque([Reply(error=error)] * 10)

    report = await run(learner, *TALK)

    assert report.outcome is Outcome.FAILED
    assert len(learner.server.requests) <= 4


async def test_b07_wrong_types_are_dropped_and_counted(learner: Learner) -> None:
    good = VIM | {"evidence": [{"seq": "#1", "quote": "用 vim 编辑"}]}
    bad = [
        good | {"content": ["a"]},
        good | {"content": {"a": 1}},
        good | {"content": None},
        good | {"type": "preference"},
        good | {"type": "user|feedback", "name": "kebab-case-slug"},
        good | {"name": "kebab-case-slug"},
        "text",
        None,
    ]
    answer = {"candidates": [*bad, good], "episode": 3}
    learner.router.extractions.append(Reply.of_json(answer))

    report = await run(learner, *TALK)

    assert report.added == ("user-prefers-vim",)
    assert len(report.refused) == len(bad)
    assert "{" not in "".join(learner.files().values())


async def test_b07_no_more_than_twenty_candidates_of_one_answer(learner: Learner) -> None:
    quote = [{"seq": 1, "quote": "用 vim 编辑"}]
    many = [
        VIM
        | {"name": f"n{n}", "content": f"alpha{n} beta{n} gamma{n}", "description": f"d{n}"}
        | {"evidence": quote}
        for n in range(500)
    ]
    learner.router.extractions.append(Reply.of_json({"candidates": many, "episode": None}))

    words = " ".join(f"alpha{n} beta{n}" for n in range(500))
    report = await run(learner, said(f"用 vim 编辑 {words}"))

    assert (len(report.added), len(report.refused)) == (20, 480)
    assert len(learner.files()) == 20


async def test_candidates_of_one_name_are_one_entry(learner: Learner) -> None:
    learner.router.learn(VIM, VIM | {"content": "vim"})

    report = await run(learner, *TALK)

    assert report.added == ("user-prefers-vim",)
