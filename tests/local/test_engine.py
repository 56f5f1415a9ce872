from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from catmem.messages import LabelRequest, ModelRequest, user_message
from catmem.providers.base import Finished, StopReason, TextChunk
from catmem.providers.local.engine.connect import connect
from catmem.providers.local.engine.process import Engine, Launch
from catmem.providers.local.errors import EngineDiedError, EngineError
from tests.local.conftest import FakeEngine
from tests.support.processes import alive, gone_soon

HELLO = ModelRequest(("be brief",), (user_message("hello"),))


@pytest.fixture
def launch(tmp_path: Path, model_file: Path) -> Engine:
    return Engine(
        Launch(model_file, 4096, 2, tmp_path / "slots"), tmp_path / "state/log/local-server.log"
    )


@pytest.mark.anyio
async def test_the_child_serves_on_loopback_with_a_key_that_is_on_no_command_line(
    launch: Engine, engine: FakeEngine, tmp_path: Path
) -> None:
    engine.script("hi there")
    address = await launch.address()
    server = connect(address, launch.key)
    parts = [part async for part in server.stream(HELLO, {"id_slot": 0})]
    command_line = Path(f"/proc/{launch.pid}/cmdline").read_text()
    await server.aclose()
    await launch.aclose()

    assert address.startswith("http://127.0.0.1:")
    assert "".join(p.text for p in parts if isinstance(p, TextChunk)) == "hi there"
    assert isinstance(parts[-1], Finished)
    assert parts[-1].reason is StopReason.END
    assert engine.requests[0]["id_slot"] == 0
    assert launch.key not in command_line
    log = tmp_path / "state/log/local-server.log"
    assert "native code speaks on standard output" in log.read_text()


@pytest.mark.anyio
async def test_closing_leaves_no_process(launch: Engine, engine: FakeEngine) -> None:
    await launch.address()
    pid = launch.pid
    await launch.aclose()

    assert pid is not None
    assert not alive(pid)
    assert not launch.running


@pytest.mark.anyio
async def test_a_second_catmem_knows_that_it_is_one(
    launch: Engine, engine: FakeEngine, model_file: Path, tmp_path: Path
) -> None:
    second = Engine(
        Launch(model_file, 4096, 2, tmp_path / "slots"), tmp_path / "state/log/local-server.log"
    )
    found = [launch.only_one(), second.only_one(), launch.only_one()]
    await launch.aclose()

    assert [*found, second.only_one()] == [True, False, True, True]
    await second.aclose()


@pytest.mark.anyio
async def test_a_killed_child_is_named_and_started_again(
    launch: Engine, engine: FakeEngine
) -> None:
    first = await launch.address()
    assert launch.pid is not None
    os.kill(launch.pid, signal.SIGKILL)
    while launch.running:  # noqa: ASYNC110 - the system tells when
        await asyncio.sleep(0.01)
    death = await launch.death()
    second = await launch.address()
    running = launch.running
    await launch.aclose()

    assert "SIGKILL" in str(death)
    assert running
    assert first != second


@pytest.mark.anyio
async def test_a_model_that_cannot_be_loaded_is_one_sentence(
    launch: Engine, engine: FakeEngine, model_file: Path
) -> None:
    engine.script(load="error")

    with pytest.raises(EngineError, match=f"{model_file.name} cannot be loaded: "):
        await launch.address()
    assert launch.pid is None


@pytest.mark.anyio
async def test_a_child_that_dies_while_loading_is_tried_three_times(
    launch: Engine, engine: FakeEngine
) -> None:
    engine.script(load="abort")

    for _ in range(3):
        with pytest.raises(EngineDiedError, match=r"ended while loading \(killed by SIGABRT\)"):
            await launch.address()
    with pytest.raises(EngineError, match="3 times without an answer"):
        await launch.address()


@pytest.mark.anyio
async def test_labels_are_read_from_the_first_token(launch: Engine, engine: FakeEngine) -> None:
    engine.script({"logprobs": {"keep": -0.1054, "now": -2.303, "the": -5.0}})
    server = connect(await launch.address(), launch.key)
    request = LabelRequest("judge", (("a", "keep"),), "we use tabs", ("keep", "now"))
    found = await server.choose(request, {"id_slot": 1})
    await server.aclose()
    await launch.aclose()

    assert {label: round(value, 2) for label, value in found.items()} == {"keep": 0.9, "now": 0.1}
    assert [engine.requests[0][key] for key in ("max_tokens", "logprobs", "id_slot")] == [
        1,
        True,
        1,
    ]


PARENT = """
import asyncio, sys
from pathlib import Path
from catmem.providers.local.engine.process import Engine, Launch

async def main():
    engine = Engine(Launch(Path(sys.argv[1]), 4096, 1, Path(sys.argv[3])), Path(sys.argv[2]))
    await engine.address()
    print(engine.pid, flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_the_child_ends_with_its_parent_however_that_ends(
    how: signal.Signals, engine: FakeEngine, model_file: Path, tmp_path: Path
) -> None:
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            PARENT,
            str(model_file),
            str(tmp_path / "log/server.log"),
            str(tmp_path / "slots"),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    was_alive = alive(child)
    parent.send_signal(how)
    parent.wait()
    parent.stdout.close()

    assert was_alive
    assert gone_soon(alive, child)
