"""The embedded model learns in idle time, so that little is left for the exit."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from catmem.config.schema import MemorySettings
from catmem.hooks import Hooks
from catmem.memory.lifecycle.beside import Beside
from catmem.memory.lifecycle.occasions import build
from catmem.memory.pipeline.journal import Journal
from catmem.memory.store.stores import open_stores
from catmem.messages import Message, Origin, Role, TextPart, user_message
from catmem.paths import find_paths
from catmem.providers.local.engine.connect import connect
from catmem.providers.local.engine.process import Engine, Launch
from catmem.providers.local.provider import LocalProvider
from catmem.sessions import Session
from tests.local.conftest import FakeEngine

LASTING = {"logprobs": {"user": -0.05, "now": -4.0, "chat": -5.0}}


@pytest.mark.anyio
async def test_what_was_learned_in_idle_time_is_not_asked_again_at_the_exit(
    engine: FakeEngine, model_file: Path, tmp_path: Path, workspace: Path
) -> None:
    engine.script(*[LASTING] * 40)
    child = Engine(Launch(model_file, 4096, 2, tmp_path / "slots"), tmp_path / "log")

    async def prepare(say: Callable[[str], None], *, may_fetch: bool) -> Engine:
        return child

    provider = LocalProvider(prepare, connect, workspace)
    paths = find_paths(workspace, os.environ)
    session, hooks = Session(paths.sessions, workspace), Hooks()
    lifecycle = build(paths, MemorySettings(), open_stores(paths), lambda: provider)
    beside = Beside(session, "exit", lambda: lifecycle, lambda: provider, idle_seconds=0.05)
    hooks.after_turn.append(beside.after_turn)

    async def turn(text: str) -> None:
        answer = Message(Role.ASSISTANT, (TextPart("ok", Origin.MODEL),))
        messages = [session.append(user_message(text)), session.append(answer)]
        await hooks.run_after_turn(messages, completed=True)

    await turn("I edit everything with vim")
    await turn("I live in Oslo and work at night")
    await until(lambda: Journal(paths.journal).watermark(session.id) == 4)
    learned = {entry.content.strip() for entry in open_stores(paths).load_all()}
    asked = len(engine.requests)
    await turn("My keyboard is a split one")
    line = await lifecycle.at_exit(session, lambda _: None, asyncio.Event(), beside.give_way)
    tail = [body["messages"][-1]["content"] for body in engine.requests[asked:]]
    await provider.aclose()
    session.close()

    assert learned == {"I edit everything with vim", "I live in Oslo and work at night"}
    assert line.startswith("Memory: 1 added")
    assert {text.removeprefix("sentence: ") for text in tail} == {"My keyboard is a split one"}
    assert all(body["id_slot"] == 1 for body in engine.requests)


async def until(condition: Callable[[], object]) -> None:
    while not condition():  # noqa: ASYNC110 - what is on disk tells nobody that it changes
        await asyncio.sleep(0.01)
