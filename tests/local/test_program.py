"""The whole program with the embedded model; only the native engine is a stand-in."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.local.conftest import FakeEngine
from tests.support.processes import alive, gone_soon
from tests.support.program import MakeProgram, Program


@pytest.fixture
def local(program: MakeProgram, engine: FakeEngine, model_file: Path) -> Program:
    return program(
        CATMEM_PROVIDER="local",
        CATMEM_PROVIDERS_LOCAL_MODEL_PATH=str(model_file),
        CATMEM_PERMISSIONS_MODE="auto",
        CATMEM_MEMORY_ENABLED="false",
        PYTHONPATH=os.pathsep.join(
            filter(None, (os.environ["PYTHONPATH"], program().env.get("PYTHONPATH", "")))
        ),
        FAKE_ENGINE=os.environ["FAKE_ENGINE"],
    )


def say(**fields: str) -> str:
    return json.dumps(fields, ensure_ascii=False)


def conversation(body: dict[str, Any]) -> list[str]:
    return [message["content"] for message in body["messages"]]


def test_an_answer_and_an_edit_through_the_whole_program(
    local: Program, engine: FakeEngine, workspace: Path
) -> None:
    (workspace / "config.yaml").write_text("port: 7070\nretries: 3\n")
    engine.script(
        say(action="edit", path="config.yaml", old="retries: 3", new="retries: 5"),
        say(action="answer", text="Retries are 5 now."),
    )

    done = local.run("-p", "Set retries to 5 in config.yaml")

    assert (done.code, done.stdout) == (0, "Retries are 5 now.\n")
    assert (workspace / "config.yaml").read_text() == "port: 7070\nretries: 5\n"
    first, second = engine.requests
    assert [first["id_slot"], first["temperature"], first["cache_prompt"]] == [0, 0, True]
    assert "tools" not in first
    assert conversation(second)[: len(first["messages"])] == conversation(first)
    assert conversation(second)[-1] == "Result of edit config.yaml:\nok"


def test_an_action_cut_at_the_token_limit_is_not_run(
    local: Program, engine: FakeEngine, workspace: Path
) -> None:
    engine.script(
        {"text": '{"action": "write", "path": "a.py", "content": "x', "cut": True},
        say(action="answer", text="It was too long."),
    )

    done = local.run("-p", "write a.py")

    assert (done.code, done.stdout) == (0, "It was too long.\n")
    assert not (workspace / "a.py").exists()


def test_an_action_done_before_is_asked_for_differently(local: Program, engine: FakeEngine) -> None:
    engine.script(
        say(action="run", command="echo hi"),
        say(action="run", command="echo hi"),
        say(action="answer", text="It said hi."),
    )

    done = local.run("-p", "say hi with the shell")

    assert (done.code, done.stdout) == (0, "It said hi.\n")
    assert [("run ::=" in body["grammar"]) for body in engine.requests] == [True, True, False]


def test_a_crash_before_the_answer_is_one_line_and_nothing_is_left(
    local: Program, engine: FakeEngine
) -> None:
    engine.script({"text": "", "die": True})

    done = local.run("-p", "hello")

    assert done.code == 75
    assert done.stderr.splitlines()[-1].startswith(
        "the embedded model's process ended (killed by SIGKILL); the next message starts it again"
    )


def test_a_crash_in_mid_answer_keeps_what_came(local: Program, engine: FakeEngine) -> None:
    engine.script({"text": '{"action": "answer", "text": "half an answ', "die": True})

    done = local.run("-p", "hello")

    assert (done.code, done.stdout) == (75, "half an answ\n")
    assert "killed by SIGKILL" in done.stderr


def test_ctrl_c_while_it_answers_ends_the_child_too(local: Program, engine: FakeEngine) -> None:
    engine.script({"text": '{"action": "answer", "text": "on and on', "hang": True})
    process = local.start("-p", "hello")
    while not engine.requests:
        time.sleep(0.05)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    os.kill(process.pid, signal.SIGINT)
    code = process.wait(timeout=10)

    assert code == 130
    assert children != []
    assert all(gone_soon(alive, int(child)) for child in children)


def test_what_could_not_be_fetched_is_not_fetched_once_more_at_the_exit(
    program: MakeProgram, local: Program
) -> None:
    settings = {
        **local.settings,
        "CATMEM_MEMORY_ENABLED": "true",
        "CATMEM_PROVIDERS_LOCAL_MODEL_PATH": None,
        "PIP_NO_INDEX": "1",
        "PIP_CONFIG_FILE": os.devnull,
    }

    done = program(**settings).run("-p", "I write my notes in org-mode")

    assert (done.code, done.stdout) == (75, "")
    assert done.stderr.count("fetching the embedded model") == 1
    assert done.stderr.splitlines()[-1] == (
        "Memory: not finished, the next start tries again:"
        " the embedded model has not been fetched yet"
    )


def test_a_missing_model_file_is_a_configuration_error(local: Program, model_file: Path) -> None:
    model_file.unlink()

    done = local.run("-p", "hello")

    assert done.code == 2
    assert "providers.local.model_path" in done.stderr


def test_what_chat_and_learning_begin_with_is_read_before_anything_is_typed(
    program: MakeProgram, local: Program, engine: FakeEngine
) -> None:
    engine.script({"logprobs": {"chat": -0.1}})
    settings = {**local.settings, "CATMEM_MEMORY_ENABLED": "true"}
    terminal = program(**settings).terminal()
    terminal.wait_for("^❯", on_screen=True)

    while not engine.requests:
        time.sleep(0.05)

    assert engine.order == ["read 0", "save 0", "read 1", "save 1", "label 1"]
    (labels,) = engine.requests
    assert [labels["max_tokens"], labels["logprobs"]] == [1, True]
    assert conversation(labels)[-1] == "sentence: ok"
    terminal.press("ctrl-d")
    assert terminal.wait_exit() == 0
