"""What /memory status and `catmem memory status` tell, and what retry does."""

from __future__ import annotations

import json
from typing import Any

import pytest

from catmem.memory.scripts import for_scripts
from catmem.text import set_language
from tests.memory_pipeline.conftest import Learner
from tests.memory_pipeline.learning import TALK, VIM, run
from tests.memory_pipeline.talk import answered, said
from tests.support.reply import Reply

pytestmark = pytest.mark.anyio


def status(learner: Learner) -> dict[str, Any]:
    scripts = for_scripts(
        learner.paths, learner.settings, learner.provider, learner.shown.append, print
    )
    assert scripts.status(as_json=True) == 0
    told: dict[str, Any] = json.loads(learner.shown.pop())
    return told


async def set_aside(learner: Learner) -> str:
    session = learner.session(*TALK)
    session.close()
    learner.router.extractions.extend([Reply(text="no")] * 6)
    for _ in range(3):
        await learner.lifecycle().recover()
        learner.let_time_pass(days=1)
    return session.id


async def test_an_empty_home_has_nothing_to_tell(learner: Learner) -> None:
    assert status(learner) == {
        "on": True,
        "trigger": "exit",
        "entries": {"user": 0, "project": 0},
        "stores": {
            "user": str(learner.paths.user_memory),
            "project": str(learner.paths.project_memory),
        },
        "lastRun": None,
        "waiting": [],
        "setAside": [],
    }


async def test_what_waits_what_was_set_aside_and_the_last_run(learner: Learner) -> None:
    failed = await set_aside(learner)
    learner.router.learn(VIM)
    await run(learner, *TALK)
    waiting = learner.session(said("use pnpm"), answered("ok"), said("<private>x</private>"))
    waiting.close()
    learner.session(said("<private>x</private>"), answered("ok")).close()
    today = waiting.id[:8]
    day = f"{today[:4]}-{today[4:6]}-{today[6:]}"

    told = status(learner)

    reason = "scripted answered, but not in a form that could be read"
    failed_at = told["setAside"][0].pop("failedAt")
    assert failed_at < told["lastRun"].pop("at")
    assert told["entries"] == {"user": 1, "project": 0}
    assert told["lastRun"] == {
        "occasion": "demand",
        "outcome": "saved",
        "added": ["user-prefers-vim"],
        "updated": [],
        "deleted": [],
        "skipped": 0,
        "detail": "",
    }
    assert told["waiting"] == [{"session": waiting.id, "date": day, "messages": 2}]
    assert told["setAside"] == [
        {"session": failed, "date": day, "messages": 2, "failures": 3, "reason": reason}
    ]


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_the_command_tells_it_to_people(learner: Learner, language: str) -> None:
    failed = await set_aside(learner)
    session = learner.session(said("use pnpm"), answered("ok"))
    memory = learner.memory(session, trigger="turn")
    await learner.say(memory, "status")

    [text] = learner.shown[-1:]
    assert text.splitlines()[0].startswith("Memory is on; it learns after each turn")
    assert f"User memory: 0 · {learner.paths.user_memory}" in text
    assert "This session: 2 messages not learned from yet" in text
    assert f"session {failed}, 2 messages; last failure 2" in text

    set_language(language)
    await learner.say(memory, "off")
    await learner.say(memory, "status")
    set_language("en")
    assert learner.shown[-1].splitlines()[0] in {"Memory is off.", "记忆已关闭。"}
    session.close()


async def test_retry_learns_from_what_was_set_aside(learner: Learner) -> None:
    await set_aside(learner)
    learner.router.learn(VIM)
    session = learner.session()
    memory = learner.memory(session)

    await learner.say(memory, "retry")
    await learner.say(memory, "retry")

    assert learner.shown[-2:] == [
        "Memory: 1 added (user-prefers-vim), 0 updated, 0 skipped",
        "nothing is set aside",
    ]
    assert status(learner)["setAside"] == []


async def test_retry_takes_the_running_session_too(learner: Learner) -> None:
    session = learner.session(*TALK)
    memory = learner.memory(session)
    learner.router.extractions.extend([Reply(text="no")] * 6)
    for _ in range(3):
        await learner.say(memory, "")
    learner.router.learn(VIM)

    await learner.say(memory, "retry")

    assert learner.shown[-1] == "Memory: 1 added (user-prefers-vim), 0 updated, 0 skipped"
    session.close()


@pytest.mark.parametrize("words", ["", "retry"])
async def test_while_memory_is_off_nothing_is_learned_on_demand(
    learner: Learner, words: str
) -> None:
    session = learner.session(*TALK)
    memory = learner.memory(session)

    await learner.say(memory, "off")
    await learner.say(memory, words)

    assert learner.shown[-1].startswith("memory is off for this session; /memory on")
    assert learner.server.requests == []
    session.close()
