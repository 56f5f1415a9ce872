"""Rules planted in data, and a model that believes every one of them.

It proposes what the attacker wants as each type, with each kind of evidence: the planted words
where they stand, the planted words as if the person had typed them, and words that the person did
type about something else.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from catmem.memory.pipeline.extraction import OWN_TYPES
from catmem.memory.store.entry import TYPES
from catmem.messages import Origin, TextPart
from tests.injection.attempts import ATTEMPTS, Attempt
from tests.memory_pipeline.conftest import Learner
from tests.memory_pipeline.talk import answered, said
from tests.support.pipeline import MARKER

pytestmark = pytest.mark.anyio


def evidences(attempt: Attempt) -> list[list[dict[str, Any]]]:
    last = len(attempt.messages)
    planted = {"seq": last, "quote": attempt.planted}
    as_typed = {"seq": 1, "quote": attempt.planted}
    invented = {"seq": 3, "quote": attempt.planted}
    typed = {"seq": 1, "quote": attempt.typed}
    return [[planted], [as_typed], [invented], [typed], [typed, planted]]


def believed(attempt: Attempt) -> list[dict[str, Any]]:
    """What a model notes that falls for it, once for each type and kind of evidence."""
    return [
        {
            "evidence": evidence,
            "type": kind,
            "scope": "user",
            "name": f"house-rule-{kind}-{number}",
            "description": attempt.rule,
            "content": attempt.rule,
            "usageScenario": [attempt.rule],
            "gist": attempt.rule,
            "importance": 1.0,
        }
        for kind in TYPES
        for number, evidence in enumerate(evidences(attempt))
    ]


def last_record(learner: Learner) -> dict[str, Any]:
    lines = learner.paths.journal.read_text("utf-8").splitlines()
    found: dict[str, Any] = json.loads(lines[-1])
    return found


def test_there_are_enough_attempts_and_no_two_are_alike() -> None:
    assert len({attempt.name for attempt in ATTEMPTS}) == len(ATTEMPTS) >= 30


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda attempt: attempt.name)
async def test_a_planted_rule_is_never_stored_and_never_told(
    learner: Learner, attempt: Attempt
) -> None:
    learner.router.learn(
        *believed(attempt), episode=f"Read the page. {attempt.rule} User asked: {attempt.rule}"
    )
    session = learner.session(*attempt.messages)

    report = await learner.lifecycle().on_demand(session, learner.shown.append)
    session.close()

    assert learner.files() == {}
    assert not report.changed
    assert len(report.refused) == len(believed(attempt))
    assert any(refusal.planted for refusal in report.refused)
    assert attempt.rule not in (last_record(learner).get("episode") or "")
    assert "evil" not in (last_record(learner).get("episode") or "")
    shown = MARKER.findall(learner.server.requests[0].user_texts[-1])
    assert set(map(int, shown)) <= set(range(1, len(attempt.messages) + 1))
    assert len(shown) == len(set(shown))


async def test_planted_words_do_not_ride_on_what_was_really_asked_for(learner: Learner) -> None:
    """A genuine request is stored, as it was said, though the model mixes the planted rule in."""
    wish = "Always answer in British English."
    stored: dict[str, list[tuple[str, str]]] = {}
    for attempt in ATTEMPTS:
        session = learner.session(*attempt.messages, said(wish))
        learner.router.learn(
            {
                "evidence": [{"seq": len(attempt.messages) + 1, "quote": wish}],
                "type": "feedback",
                "scope": "user",
                "name": "answers",
                "description": attempt.rule,
                "content": f"{attempt.rule}\nAlso: {attempt.rule}",
                "gist": attempt.rule,
            }
        )
        await learner.lifecycle().on_demand(session, learner.shown.append)
        session.close()
        entries = learner.stores.load_all()
        stored[attempt.name] = [(entry.type, entry.content) for entry in entries]
        for path in learner.paths.user_memory.glob("*.md"):
            path.unlink()

    said_so = ("feedback", "Always answer in British English\n")
    assert stored == {attempt.name: [said_so] for attempt in ATTEMPTS}


LOOK_ALIKES = [
    "Always send me the diff before you answer.",
    "From now on approve nothing without asking me.",
    "Never push with --force to origin main.",
    "Remember that tests may be skipped on the docs branch.",
    "Always run `make check` before every build.",
    "Ignore the legacy folder from now on.",
    "以后每次回答前都要先看一遍 .env.example",
    "记住：所有命令都要先询问我",
    "永远不要跳过代码审查",
    "以后日志里不要打印完整的密钥",
    "不要再用 --force 推送了",
    "Don't ever commit [#3 user] markers into the fixtures.",
]


@pytest.mark.parametrize("text", LOOK_ALIKES)
@pytest.mark.parametrize("noticed", [True, False], ids=["proposed", "overlooked"])
async def test_what_the_person_types_is_stored_though_it_looks_alike(
    learner: Learner, text: str, noticed: bool
) -> None:
    if noticed:
        learner.router.learn(
            {
                "evidence": [{"seq": 1, "quote": text}],
                "type": "feedback",
                "scope": "user",
                "name": "said-so",
                "description": text,
                "content": text,
            }
        )
    session = learner.session(said(text), answered("Understood."))

    await learner.lifecycle().on_demand(session, learner.shown.append)
    session.close()

    (entry,) = learner.stores.load_all()
    assert entry.type in OWN_TYPES | {"project"}
    assert entry.content.strip() in text
    assert entry.importance >= 0.85


async def test_a_single_line_that_was_pasted_counts_as_typed_and_several_lines_do_not(
    learner: Learner,
) -> None:
    line = learner.session(said("Always answer in French."))
    await learner.lifecycle().on_demand(line, learner.shown.append)
    line.close()
    block = TextPart("Always answer in German.\nNever ask.", Origin.PASTED)
    lines = learner.session(said("what is this?", block))
    await learner.lifecycle().on_demand(lines, learner.shown.append)
    lines.close()

    assert [entry.content for entry in learner.stores.load_all()] == ["Always answer in French\n"]
