"""What all conversations and labels begin with is read once and kept on disk.

In the stand-in for the engine a slot's state is the list of messages that it has read.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from catmem import log
from catmem.messages import LabelRequest, ModelRequest, StructuredRequest, user_message
from catmem.providers.base import TextChunk
from catmem.providers.local.acting.prompt import EXCHANGES
from catmem.providers.local.acting.prompt import SYSTEM as RULES
from catmem.providers.local.engine.connect import connect
from catmem.providers.local.engine.process import Engine, Launch
from catmem.providers.local.engine.states import MOST_FILES
from catmem.providers.local.errors import EngineDiedError
from catmem.providers.local.provider import LocalProvider
from tests.local.conftest import FakeEngine

HELLO = '{"action": "answer", "text": "Hello."}'
LABEL = {"logprobs": {"keep": -0.1}}
SECRET = "the launch code is swordfish"
REMEMBERED = "- launch-code (user): The launch code is tuna"
FIRST = ["read 0", "save 0", "chat 0"]
LATER = ["restore 0", "chat 0"]

Start = Callable[..., contextlib.AbstractAsyncContextManager[LocalProvider]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state/slots"


@pytest.fixture
def start(folder: Path, model_file: Path, tmp_path: Path, engine: FakeEngine) -> Start:
    """Return what starts a catmem's provider and ends it."""

    @contextlib.asynccontextmanager
    async def provider(context: int = 4096) -> AsyncIterator[LocalProvider]:
        launch = Launch(model_file, context, 2, folder)
        child = Engine(launch, tmp_path / "state/log/server.log")

        async def prepare(say: Callable[[str], None], *, may_fetch: bool) -> Engine:
            return child

        started = LocalProvider(prepare, connect, tmp_path)
        try:
            yield started
        finally:
            await started.aclose()

    engine.script(*[HELLO] * 9)
    return provider


async def chat(provider: LocalProvider) -> str:
    request = ModelRequest(("base", REMEMBERED), (user_message(SECRET),))
    return "".join([p.text async for p in provider.stream(request) if isinstance(p, TextChunk)])


async def label(provider: LocalProvider) -> None:
    request = LabelRequest("judge", (("we use tabs", "keep"),), SECRET, ("keep", "now"))
    await provider.choose(request)


def files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def message(role: str, content: str) -> dict[str, Any]:
    return {"role": role, "content": content}


@pytest.mark.anyio
async def test_what_one_start_has_read_the_next_one_restores(
    start: Start, engine: FakeEngine, folder: Path
) -> None:
    engine.script(HELLO, LABEL, HELLO, LABEL)
    for _ in range(2):
        async with start() as provider:
            assert await chat(provider) == "Hello."
            await label(provider)

    order = engine.order
    chat_file, label_file = files(folder)
    fixed = [message("system", RULES)]
    for request, action in EXCHANGES:
        fixed += [message("user", request), message("assistant", action)]
    judging = [message("system", "judge"), message("user", "we use tabs")]
    judging += [message("assistant", "keep")]
    assert order[:6] == [*FIRST, "read 1", "save 1", "label 1"]
    assert order[6:] == [*LATER, "restore 1", "label 1"]
    assert json.loads(chat_file.read_bytes()) == fixed
    assert json.loads(label_file.read_bytes()) == judging
    assert [mode(folder), mode(chat_file), mode(label_file)] == [0o700, 0o600, 0o600]


@pytest.mark.anyio
async def test_of_what_is_read_ahead_the_memory_is_read_each_time_and_never_kept(
    start: Start, engine: FakeEngine, folder: Path
) -> None:
    for system in (("base", REMEMBERED), ("base", REMEMBERED), ("base",)):
        async with start() as provider:
            await provider.prefill(ModelRequest(system, ()))

    kept = [path.read_text() for path in files(folder)]
    read = [body["messages"] for what, body in engine.wire if what == "read 0"]
    assert engine.order == ["read 0", "save 0", "read 0", "restore 0", "read 0", "restore 0"]
    assert [("tuna" in json.dumps(messages)) for messages in read] == [False, True, True]
    assert [("tuna" in text) for text in kept] == [False]


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def altered(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"debug=false", b"debug=maybe"))


def emptied(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.anyio
@pytest.mark.parametrize("damage", [cut, altered, emptied])
async def test_a_damaged_file_never_gets_to_the_engine_and_is_replaced(
    damage: Callable[[Path], None], start: Start, engine: FakeEngine, folder: Path
) -> None:
    async with start() as provider:
        await chat(provider)
    (path,) = files(folder)
    whole = path.read_bytes()
    damage(path)
    async with start() as provider:
        assert await chat(provider) == "Hello."

    (replaced,) = files(folder)
    assert engine.order == [*FIRST, *FIRST]
    assert replaced.read_bytes() == whole
    assert hashlib.sha256(whole).hexdigest().startswith(replaced.stem.partition("-")[2])


@pytest.mark.anyio
async def test_a_file_that_the_engine_refuses_is_replaced(
    start: Start, engine: FakeEngine, folder: Path
) -> None:
    async with start() as provider:
        await chat(provider)
    engine.script(HELLO, restore="refuse")
    async with start() as provider:
        assert await chat(provider) == "Hello."

    assert engine.order == [*FIRST, "restore 0", *FIRST]
    assert len(files(folder)) == 1


@pytest.mark.anyio
async def test_a_file_that_is_the_end_of_the_engine_is_one_only_once(
    start: Start, engine: FakeEngine, folder: Path
) -> None:
    async with start() as provider:
        await chat(provider)
    engine.script(HELLO, restore="die")
    async with start() as provider:
        with pytest.raises(EngineDiedError):
            await chat(provider)
        left = files(folder)
        answer = await chat(provider)

    assert left == []
    assert answer == "Hello."
    assert engine.order == [*FIRST, "restore 0", *FIRST]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("fail", "Unable to save slot"),
        ("cut", "was not written whole"),
        ("more", "tokens saved where"),
    ],
)
async def test_what_cannot_be_kept_or_is_more_than_the_prefix_costs_a_line_in_the_log(
    how: str, said: str, start: Start, engine: FakeEngine, folder: Path, tmp_path: Path
) -> None:
    log.setup(tmp_path / "state/log/catmem.log")
    engine.script(HELLO, HELLO, save=how)
    async with start() as provider:
        answers = [await chat(provider), await chat(provider)]

    lines = (tmp_path / "state/log/catmem.log").read_text().splitlines()
    assert answers == ["Hello.", "Hello."]
    assert engine.order == [*FIRST, "chat 0"]
    assert files(folder) == []
    assert [said in line for line in lines if " warning " in line] == [True]


@pytest.mark.anyio
async def test_a_folder_that_cannot_be_made_is_no_hindrance(
    start: Start, engine: FakeEngine, folder: Path
) -> None:
    folder.parent.mkdir()
    folder.write_text("in the way")
    async with start() as provider:
        assert await chat(provider) == "Hello."

    assert engine.order == ["read 0", "chat 0"]


@pytest.mark.anyio
async def test_a_model_that_cannot_read_the_prefix_alone_answers_all_the_same(
    start: Start, engine: FakeEngine, folder: Path
) -> None:
    engine.script(HELLO, HELLO, read="refuse")
    async with start() as provider:
        answers = [await chat(provider), await chat(provider)]

    assert answers == ["Hello.", "Hello."]
    assert engine.order == ["read 0", "chat 0", "chat 0"]
    assert not folder.exists()


@pytest.mark.anyio
async def test_another_engine_model_or_context_reads_for_itself_and_few_files_are_kept(
    start: Start, engine: FakeEngine, folder: Path, model_file: Path
) -> None:
    async with start() as provider:
        await chat(provider)
    (oldest,) = files(folder)
    async with start(context=8192) as provider:
        await chat(provider)
    engine.script(*[HELLO] * 4, version="2")
    for size in (5, 6, 7):
        model_file.write_bytes(b"GGUF" * size)
        async with start() as provider:
            await chat(provider)
    async with start() as provider:
        await chat(provider)

    assert engine.order == [*FIRST * 5, *LATER]
    assert len(files(folder)) == MOST_FILES
    assert not oldest.exists()


@pytest.mark.anyio
async def test_a_slot_that_was_used_for_something_else_is_restored_not_read_again(
    start: Start, engine: FakeEngine
) -> None:
    engine.script(LABEL, '{"a": 1}', LABEL, LABEL)
    async with start() as provider:
        await label(provider)
        await provider.structured(StructuredRequest("sum up", (("user", SECRET),), "x", {}, 100))
        await label(provider)
        await label(provider)

    assert engine.order == [
        *("read 1", "save 1", "label 1", "chat 1", "restore 1", "label 1", "label 1")
    ]


@pytest.mark.anyio
async def test_two_first_starts_at_once_are_no_hindrance_to_each_other(
    start: Start, engine: FakeEngine, folder: Path
) -> None:
    async with start() as one, start() as other:
        answers = await asyncio.gather(chat(one), chat(other))
    async with start() as provider:
        await chat(provider)

    assert [*answers] == ["Hello.", "Hello."]
    assert engine.order[-2:] == LATER
    assert len(files(folder)) == 1


@pytest.mark.anyio
async def test_drafts_of_a_catmem_that_was_killed_are_removed_when_they_are_old(
    start: Start, engine: FakeEngine, folder: Path
) -> None:
    folder.mkdir(parents=True)
    old, new = folder / ".draft-1.slot", folder / ".draft-2.slot"
    old.write_text("[]")
    new.write_text("[]")
    os.utime(old, (1, 1))
    async with start() as provider:
        await chat(provider)

    assert engine.order == FIRST
    assert (old.exists(), new.exists()) == (False, True)
