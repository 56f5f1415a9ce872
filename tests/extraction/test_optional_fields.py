"""The optional fields of an entry: asked for, read within limits, capped and completed by code."""

from __future__ import annotations

from typing import Any

import pytest

from catmem.memory.pipeline.answers.optional import CATEGORIES, PROPERTIES
from catmem.memory.store.entry import Entry
from tests.memory_pipeline.conftest import Learner
from tests.memory_pipeline.learning import run
from tests.memory_pipeline.talk import answered, said, tool
from tests.support.pipeline import candidate

pytestmark = pytest.mark.anyio

SECRET = "I edit with vim, token=abcdEFGH12345678ijkl"
SAID = "we run the importer specs with just seed"
FIELDS: dict[str, Any] = {
    "usageScenario": ["running the importer specs", "a red importer spec"],
    "gist": "跑 importer 测试前先执行 just seed",
    "keywords": ["fixtures", "cargo test importer"],
    "category": "development_test_specification",
    "module": "importer",
    "appliesTo": ["src/importer/**", "bash(cargo test:*)"],
    "verify": "just --list shows seed",
    "importance": 0.8,
}


async def stored(learner: Learner, text: str = SAID, **fields: Any) -> Entry:
    """The one entry that a candidate with these fields becomes."""
    given: dict[str, Any] = {"type": "project", "scope": "project"} | fields
    learner.router.learn(
        candidate("importer-seed", "Importer specs run with just seed", text, quote=text, **given)
    )
    await run(learner, said(text), answered("Fine."))
    (entry,) = learner.stores.load_all()
    return entry


async def test_all_fields_are_asked_for_and_written(learner: Learner) -> None:
    entry = await stored(learner, **FIELDS)

    assert entry.optional == FIELDS | {"importance": "0.8"}
    (request,) = learner.server.requests
    assert request.schema is not None
    asked = list(request.schema["properties"]["candidates"]["items"]["properties"])
    assert asked[:2] == ["evidence", "type"]
    assert asked[asked.index("content") + 1 :] == list(PROPERTIES) == [
        "usageScenario", "gist", "keywords", "category", "module", "appliesTo", "verify",
        "importance",
    ]  # fmt: skip
    assert all(f"`{name}`" in request.system for name in PROPERTIES if name != "category")


async def test_an_entry_without_them_is_as_good(learner: Learner) -> None:
    entry = await stored(learner)

    assert entry.optional == {}
    assert entry.importance == 0.7


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("category", "cooking"),
        ("category", ["user_behavior"]),
        ("usageScenario", "n/a"),
        ("usageScenario", ["x" * 200, "", None, 3]),
        ("gist", "Importer specs run with just seed"),
        ("gist", "x" * 200),
        ("keywords", ["project", "项目", "the", "importer specs", ""]),
        ("module", "m" * 80),
        ("module", "null"),
        ("appliesTo", ["*", "**", "the importer", "/", "a b/c"]),
        ("verify", {"command": "x"}),
        ("pinned", True),
        ("status", "deprecated"),
        ("supersedes", ["other"]),
    ],
)
async def test_what_says_nothing_or_is_not_the_models_is_left_out(
    learner: Learner, key: str, value: Any
) -> None:
    entry = await stored(learner, **{key: value})

    assert entry.optional == {}
    assert entry.importance == 0.7


async def test_lists_are_cut_and_hold_each_item_once(learner: Learner) -> None:
    entry = await stored(
        learner,
        usageScenario=["one", "one", "two", "three", "four", "five"],
        keywords=[f"word{n}" for n in range(20)],
        appliesTo=[f"src/{n}/**" for n in range(20)],
    )

    assert entry.optional["usageScenario"] == ["one", "two", "three", "four"]
    assert len(entry.optional["keywords"]) == 8
    assert len(entry.optional["appliesTo"]) == 6


@pytest.mark.parametrize(
    ("text", "fields", "importance"),
    [
        # What the person did not ask for in so many words stays below the rules.
        (SAID, {"importance": 1.0}, 0.85),
        (SAID, {"importance": 0.2}, 0.2),
        (SAID, {"importance": "0.6"}, 0.6),
        (SAID, {"importance": 7}, 0.7),
        (SAID, {"category": "common_pitfalls_experience"}, 0.6),
        ("I edit with vim in a tiny terminal", {"type": "user"}, 0.75),
        ("please keep answers short and plain", {"type": "feedback"}, 0.8),
        # An explicit request is the person's own.
        ("Always keep answers short and plain.", {"type": "feedback"}, 0.9),
        ("Always keep answers short and plain.", {"type": "feedback", "importance": 0.3}, 0.9),
        ("Always keep answers short and plain.", {"type": "feedback", "importance": 0.95}, 0.95),
        ("Remember that we run the specs with just seed.", {}, 0.85),
    ],
)
async def test_importance_is_capped_and_completed_in_code(
    learner: Learner, text: str, fields: dict[str, Any], importance: float
) -> None:
    entry = await stored(learner, text, **fields)

    assert entry.importance == importance


async def test_what_only_the_agent_or_a_tool_said_is_weak(learner: Learner) -> None:
    learner.router.learn(
        candidate("kafka", "The tests need a running kafka", quote="kafka is not running",
                  type="project", scope="project", importance=0.85),
        candidate("retries", "The client retries three times", quote="client retries three times",
                  type="project", scope="project"),
    )  # fmt: skip

    await run(
        learner,
        said("why do the tests hang?"),
        tool("kafka is not running, the tests need kafka", subject="make test"),
        answered("Because the client retries three times."),
    )

    assert [entry.importance for entry in learner.stores.load_all()] == [0.45, 0.45]


async def test_a_rule_of_the_persons_own_keeps_their_words_as_evidence(learner: Learner) -> None:
    learner.router.learn(
        candidate("editor", "The user's editor is vim", "The user edits with vim.",
                  quote="I edit with vim", evidence=[{"seq": 1, "quote": SECRET}]),
        candidate("habit", "The user reads mail at noon", "The user reads mail at noon only.",
                  quote="I read mail at noon only"),
    )  # fmt: skip
    session = learner.session(said(f"Remember: {SECRET}. Well, I read mail at noon only"))
    await learner.lifecycle().on_demand(session, learner.shown.append)
    session.close()

    editor, habit = sorted(learner.stores.load_all(), key=lambda entry: entry.name)
    assert habit.optional == {}
    assert editor.importance == 0.9
    (line,) = editor.optional["evidence"]
    assert line.startswith(f"{session.id}#1: I edit with vim, token=")
    assert "abcdEFGH12345678ijkl" not in line


def test_the_categories_are_a_closed_list() -> None:
    assert len(set(CATEGORIES)) == 11
