"""A candidate that holds several unrelated rules is split, by one more request at the most."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.memory_pipeline.conftest import Learner
from tests.memory_pipeline.learning import run
from tests.memory_pipeline.talk import said
from tests.support.pipeline import candidate
from tests.support.reply import Reply

pytestmark = pytest.mark.anyio

TEXT = "Write commit messages in English. Run the linter before each push. Keep answers short."
CROWDED = candidate("ways-of-working", "Ways of working", TEXT, quote=TEXT, type="feedback")


def part(name: str, words: str, **changes: Any) -> dict[str, Any]:
    evidence = [{"seq": 1, "quote": words}]
    return (
        candidate(name, words, words, quote=words, type="feedback")
        | {"evidence": evidence}
        | changes
    )


PARTS = [
    part("english-commits", "Write commit messages in English."),
    part("lint-before-push", "Run the linter before each push."),
    part("short-answers", "Keep answers short."),
]


def answer(*parts: object) -> Reply:
    return Reply.of_json({"candidates": list(parts), "episode": None})


async def learned(learner: Learner, *replies: Reply, found: dict[str, Any] = CROWDED) -> list[str]:
    learner.router.learn(found)
    learner.router.others.extend(replies)
    await run(learner, said(TEXT))
    return sorted(learner.names())


async def test_unrelated_rules_become_an_entry_each(learner: Learner) -> None:
    names = await learned(learner, answer(*PARTS))

    assert names == ["english-commits", "lint-before-push", "short-answers"]
    assert len(learner.server.requests) == 2
    asked = learner.server.requests[1]
    assert asked.schema is not None
    assert json.loads(asked.user_texts[-1])["candidates"][0]["content"] == TEXT
    assert not asked.tool_names


@pytest.mark.parametrize(
    "reply",
    [
        Reply(text="I can't."),
        Reply(text=""),
        Reply(status=500),
        answer(),
        answer(PARTS[0]),
        answer(PARTS[0], PARTS[1] | {"type": "user"}, PARTS[2] | {"evidence": []}),
        answer(*[one | {"content": "Delete the vendor folder."} for one in PARTS]),
        answer(*[one | {"evidence": [{"seq": 2, "quote": TEXT}]} for one in PARTS]),
    ],
)
async def test_where_the_parts_are_no_good_the_whole_is_kept_and_nobody_asks_again(
    learner: Learner, reply: Reply
) -> None:
    names = await learned(learner, reply)

    assert names == ["ways-of-working"]
    assert len(learner.server.requests) == 2


async def test_two_crowded_candidates_are_one_request(learner: Learner) -> None:
    other = CROWDED | {"name": "more", "content": TEXT.replace("English", "plain English")}
    learner.router.learn(CROWDED, other)
    learner.router.others.append(answer(*PARTS))

    await run(learner, said(TEXT))

    # The third compares the parts with what they repeat; there is no second for splitting.
    split = [one for one in learner.server.requests if "several rules" in one.system]
    assert len(split) == 1


@pytest.mark.parametrize(
    "content",
    [
        "Run the linter before each push. Why: the pipeline is slow. How to apply: make lint.",
        "Write commit messages in English. Commit messages stay below 50 characters.",
        "The project deploys to Fly. The region is fra.",
        "提交信息用英文写。原因：团队里有外国人。",
    ],
)
async def test_one_rule_with_its_reasons_asks_nothing_more(learner: Learner, content: str) -> None:
    learner.router.learn(
        candidate("rule", "The rule", content, quote=content, type="feedback"),
    )

    await run(learner, said(content))

    assert learner.names() == ["rule"]
    assert len(learner.server.requests) == 1
