"""A program that lets the pipeline die at each of its write steps, and then start once more.

For every step, in a home and a workspace of its own: a process fills the stores and a session,
learns from it and is killed at that step; a second one starts as after a crash. What both leave is
printed, one JSON line for each step; the last is of the run that no step was left to kill.

    python -m tests.memory_commit.dying BASE SERVER_URL

The processes are forked, because starting Python anew for each would take most of the time.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

from catmem import providers
from catmem.config.schema import (
    MemorySettings,
    NetworkSettings,
    OpenAISettings,
    ProvidersSettings,
    Settings,
)
from catmem.memory.lifecycle import occasions
from catmem.memory.pipeline.journal import Journal
from catmem.memory.store.entry import Entry, Scope
from catmem.memory.store.operations import Action, Operation
from catmem.memory.store.reading.loading import load_codec
from catmem.memory.store.stores import Stores, open_stores
from catmem.messages import user_message
from catmem.paths import Paths, find_paths
from catmem.sessions import Session
from catmem.storage import load_locks

LOADED_LATE = ("catmem.providers.openai.chat", "httpx2", "h11", "anyio._backends._asyncio")
SENTENCES = (
    "I edit with vim.",
    "releases are cut from the branch stable.",
    "my answers are to be in English and short.",
    "the tests run with make test in about five minutes.",
    "forget that I like tabs.",
    "the old wiki is gone, forget about wiki.example.org.",
)
BEFORE = (
    Entry("reply-language", "Answers in English", "feedback", "The answers are in English."),
    Entry("likes-tabs", "Likes tabs", "user", "Indents with tabs, likes tabs."),
    Entry(
        "test-command", "Tests run with make", "project", "Tests run with make test.", Scope.PROJECT
    ),
    Entry("old-wiki", "The wiki", "reference", "The wiki is wiki.example.org", Scope.PROJECT),
)


def files(paths: Paths, session: str) -> dict[str, str]:
    """Every file of both stores by its place in the home or workspace; the session has no name."""
    assert paths.project_memory is not None
    folders = {"user": paths.user_memory, "project": paths.project_memory}
    return {
        f"{scope}/{path.name}": path.read_text("utf-8").replace(session, "SESSION")
        for scope, folder in folders.items()
        for path in sorted(folder.glob("*"))
    }


def state(paths: Paths, session: str) -> dict[str, Any]:
    stores = open_stores(paths)
    return {
        "files": files(paths, session),
        "drifted": [store.scope for store in stores.all if store.index_drifted()],
        "open": len(stores.journal.open_intents()),
        "seq": Journal(paths.journal).watermark(session),
    }


def fill(paths: Paths, marker: str) -> str:
    """Store what is known before, and a session that adds, changes and removes; return its id."""
    open_stores(paths).apply([Operation(Action.ADD, entry) for entry in BEFORE])
    session = Session(paths.sessions, paths.workspace)
    for text in (marker, *SENTENCES):
        session.append(user_message(text))
    session.close()
    return session.id


async def learn(paths: Paths, url: str) -> list[str]:
    """Do what a start does: recover what a crash left, and learn from sessions left over."""
    settings = Settings(
        provider="openai",
        model="scripted",
        network=NetworkSettings(retries=0),
        providers=ProvidersSettings(openai=OpenAISettings(base_url=f"{url}/v1", api="chat")),
    )
    environ = {**os.environ, "OPENAI_API_KEY": "test"}
    provider = providers.create(settings, paths, environ, purpose="memory")
    stores: Stores = open_stores(paths)
    stores.recover()
    try:
        return await occasions.build(paths, MemorySettings(), stores, lambda: provider).recover()
    finally:
        await provider.aclose()


def in_child(work: Callable[[], Any]) -> tuple[int, str, Any]:
    """Do something in a process of its own; return its signal, last words and result."""
    sys.stdout.flush()
    words, words_in = os.pipe()
    result, result_in = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(words_in, 2)
        os.write(result_in, json.dumps(work()).encode())
        os._exit(0)
    os.close(words_in)
    os.close(result_in)
    with os.fdopen(words) as said, os.fdopen(result) as given:
        text, value = said.read(), given.read()
    _, status = os.waitpid(child, 0)
    signal = os.waitstatus_to_exitcode(status)
    return -signal, text, json.loads(value) if value else None


def die(paths: Paths, url: str, step: int) -> None:
    os.environ["CATMEM_TEST_DIE_AT"] = str(step)
    asyncio.run(learn(paths, url))


def start(paths: Paths, url: str, session: str) -> dict[str, Any]:
    open_stores(paths).recover()
    opened = state(paths, session)
    lines = asyncio.run(learn(paths, url))
    return {"opened": opened, "lines": lines, "after": state(paths, session)}


def one_step(base: Path, url: str, step: int) -> dict[str, Any]:
    home, workspace = base / str(step) / "home", base / str(step) / "workspace"
    home.mkdir(parents=True)
    workspace.mkdir()
    os.environ |= {"HOME": str(home), "CATMEM_HOME": str(home / ".catmem")}
    paths = find_paths(workspace, os.environ)
    _, _, session = in_child(lambda: fill(paths, f"marker {step} of this session."))
    before = files(paths, session)
    signal, name, _ = in_child(lambda: die(paths, url, step))
    failed, errors, result = in_child(lambda: start(paths, url, session))
    return {
        "step": step,
        "signal": signal,
        "name": name.strip(),
        "failed": failed,
        "errors": errors,
        "before": before,
        **(result or {}),
    }


def main() -> None:
    base, url = Path(sys.argv[1]), sys.argv[2]
    load_codec()
    load_locks()
    for module in LOADED_LATE:
        import_module(module)
    for step in count(1):
        told = one_step(base, url, step)
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()
        if not told["signal"]:
            break


if __name__ == "__main__":
    main()
