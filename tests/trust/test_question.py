"""The question about what came with a project: when it is asked, and what goes to the model."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.steps import (
    NO_PIPELINE,
    answer,
    ended,
    enter,
    finished,
    leave,
    wait_idle,
)
from tests.support.model_server import ModelServer, StartModel
from tests.support.pipeline import PipelineRouter, candidate
from tests.support.program import MakeProgram, Program
from tests.support.reply import Reply
from tests.support.terminal import Terminal
from tests.trust.repository import MEMORY, clone, commit, git, put, shared

KEYS = r"^y yes · n no, and don't ask again · Esc not now$"
COUNT = "Memories that came with this project: {}. May catmem use them?"
LEFT_OUT = "memories that came with this project and are left out: {}; to use them: catmem trust"


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    return shared(tmp_path / "origin")


@pytest.fixture
def server(model: StartModel) -> ModelServer:
    return model(router=lambda _request: Reply("well"))


@pytest.fixture
def catmem(program: MakeProgram, server: ModelServer, origin: Path) -> Program:
    """The program in a clone of `origin`."""
    made = program(server, **NO_PIPELINE)
    clone(origin, made.workspace)
    return made


def asked(terminal: Terminal) -> None:
    terminal.wait_for(KEYS, on_screen=True)


def said_to(terminal: Terminal, server: ModelServer) -> list[str]:
    """Send a message; return the lines of the index that went out with it."""
    count = len(server.chats)
    answer(terminal, f"message {count}", "well")
    return index(server)


def index(server: ModelServer) -> list[str]:
    _, _, memory = server.chats[-1].system.partition("# Persistent Memory")
    return [line for line in memory.splitlines() if line.startswith("- ")]


def test_a_clone_is_asked_about_once_and_a_pull_for_what_it_brings(
    catmem: Program, server: ModelServer, origin: Path
) -> None:
    first = enter(catmem)
    asked(first)
    assert (
        f"  editor (project): The editor is helix\n      Use helix here.\n\n{COUNT.format(1)}\n"
    ) in first.text
    first.press("y")
    first.wait_for(r"^now trusted: 1 \(editor\) · undo: catmem trust --revoke$")
    first.wait_for("1 in memory")
    assert said_to(first, server) == ["- editor (project): The editor is helix"]
    leave(first)

    again = enter(catmem)
    assert said_to(again, server) == ["- editor (project): The editor is helix"]
    assert "came with this project" not in leave(again)

    put(origin, "lint", "Lint with ruff", "Run\u200b ruff.\x1b[2J")
    commit(origin)
    git(catmem.workspace, "pull", "-q")
    pulled = enter(catmem)
    asked(pulled)
    assert "  lint (project): Lint with ruff\n      Run\\u200b ruff." in pulled.text
    assert "helix" not in pulled.text
    pulled.press("n")
    pulled.wait_for("left out; `catmem trust` changes that")
    assert said_to(pulled, server) == ["- editor (project): The editor is helix"]
    leave(pulled)

    assert said_to(last := enter(catmem), server) == ["- editor (project): The editor is helix"]
    assert "came with this project" not in leave(last)
    assert finished(catmem.run("trust")).stdout == (
        "now trusted: 1 (lint) · undo: catmem trust --revoke\n"
    )


def test_a_first_message_waits_for_the_answer_and_not_now_asks_again(
    catmem: Program, server: ModelServer
) -> None:
    terminal = catmem.terminal()
    terminal.say("hello there")  # at once: it is there before the question is
    asked(terminal)
    assert server.chats == []
    terminal.press("y")
    terminal.wait_for("^well")
    assert index(server) == ["- editor (project): The editor is helix"]
    leave(terminal)

    assert finished(catmem.run("trust", "--revoke")).code == 0
    for _ in range(2):
        put_off = enter(catmem)
        asked(put_off)
        put_off.press("esc")
        put_off.wait_for("left out for now; asked again at the next start")
        assert said_to(put_off, server) == []
        leave(put_off)


def test_where_nobody_can_be_asked_one_line_says_what_is_left_out(
    catmem: Program, server: ModelServer
) -> None:
    one = finished(catmem.run("-p", "hi"))
    assert (one.stdout, one.stderr) == ("well\n", LEFT_OUT.format(1) + "\n")
    assert index(server) == []
    piped = finished(catmem.run(stdin="hi\n"))
    assert (piped.stdout, piped.stderr) == ("well\n", LEFT_OUT.format(1) + "\n")

    finished(catmem.run("trust"))
    assert finished(catmem.run("-p", "hi")).stderr == ""
    assert index(server) == ["- editor (project): The editor is helix"]


def test_nothing_is_asked_where_all_was_written_here(catmem: Program, server: ModelServer) -> None:
    git(catmem.workspace, "rm", "-q", "-r", ".catmem")
    git(catmem.workspace, "commit", "-q", "-m", "x")
    added = ("memory", "add", "--name", "ours", "--scope", "project", "we lint with ruff")
    finished(catmem.run(*added))
    put(catmem.workspace, "by-hand", "Written by hand")
    terminal = enter(catmem)
    assert said_to(terminal, server) == [
        "- ours (project): we lint with ruff",
        "- by-hand (project): Written by hand",
    ]
    (catmem.workspace / MEMORY / "by-hand.md").unlink()
    commit(catmem.workspace)
    assert "came with this project" not in leave(terminal)
    assert "came with this project" not in leave(enter(catmem))


def test_a_plain_terminal_asks_between_lines(
    program: MakeProgram, server: ModelServer, origin: Path
) -> None:
    catmem = program(server, TERM="dumb", **NO_PIPELINE)
    clone(origin, catmem.workspace)
    terminal = catmem.terminal()
    asked(terminal)
    terminal.say("hello there")
    terminal.wait_for("^well")
    assert index(server) == []
    terminal.wait_for("left out for now")
    terminal.press("ctrl-d")
    assert terminal.wait_exit() == 0

    again = catmem.terminal()
    asked(again)
    again.say("y")
    again.wait_for("now trusted: 1")
    again.say("hello there")
    again.wait_for("^well")
    assert index(server) == ["- editor (project): The editor is helix"]
    again.press("ctrl-d")
    assert again.wait_exit() == 0


def test_project_settings_are_shown_and_count_from_the_next_start(
    catmem: Program, origin: Path
) -> None:
    config = catmem.workspace / ".catmem" / "config.yaml"
    config.write_text("permissions: {mode: plan}\nui:\n  language: zh\n")
    assert finished(catmem.run("-p", "hi")).stderr.splitlines() == [
        LEFT_OUT.format(1),
        ".catmem/config.yaml is not trusted and was ignored; to use it: catmem trust",
    ]
    terminal = enter(catmem)
    asked(terminal)
    shown = "\n  .catmem/config.yaml\n      permissions: {mode: plan}\n      ui:\n"
    assert shown in terminal.text
    assert "Memories that came with this project: 1, and settings." in terminal.text
    terminal.press("y")
    terminal.wait_for(r"^\.catmem/config\.yaml applies from the next start on$")
    wait_idle(terminal)
    leave(terminal)

    chinese = enter(catmem)
    assert "/help 查看命令" in chinese.text
    assert " · plan" in chinese.text
    leave(chinese)

    config.write_text("permissions: {mode: auto}\n")
    finished(catmem.run("trust"))
    refused = catmem.run("-p", "hi")
    place = f"catmem: {config}, line 1: "
    reason = "permissions.mode of a project may only be plan, ask, not auto: "
    advice = "a project cannot loosen permissions\n"
    assert (refused.code, refused.stderr) == (2, place + reason + advice)
    assert finished(catmem.run("trust", "--revoke")).code == 0
    assert catmem.run("-p", "hi").code == 0


def test_with_memories_kept_at_home_nothing_is_asked_and_the_project_stays_as_it_is(
    program: MakeProgram, server: ModelServer, origin: Path
) -> None:
    catmem = program(server, CATMEM_MEMORY_PROJECT_DIR="home", **NO_PIPELINE)
    clone(origin, catmem.workspace)
    before = sorted((catmem.workspace / ".catmem").rglob("*"))
    finished(catmem.run("memory", "add", "--name", "ours", "--scope", "project", "we use ruff"))
    assert finished(catmem.run("-p", "hi")).stderr == ""
    assert index(server) == ["- ours (project): we use ruff"]
    assert sorted((catmem.workspace / ".catmem").rglob("*")) == before


def test_what_is_learned_is_not_compared_with_what_nobody_trusts(
    program: MakeProgram, model: StartModel, origin: Path
) -> None:
    put(origin, "test-command", "Run the tests with make test", "Run the tests with make test.")
    commit(origin)
    router = PipelineRouter()
    router.chat.append(Reply("well"))
    router.learn(
        candidate(
            "test-command",
            "Run the tests with make check",
            quote="we run the tests with make check now",
            type="project",
            scope="project",
        )
    )
    learning = model(router=router)
    catmem = program(learning)
    clone(origin, catmem.workspace)
    terminal = enter(catmem)
    asked(terminal)
    terminal.press("n")
    terminal.wait_for("left out; `catmem trust` changes that")
    answer(terminal, "we run the tests with make check now", "^well$")
    assert "1 added (test-command-2)" in leave(terminal)
    assert len(learning.pipeline) == 1
    assert "make test" not in str([request.body for request in learning.requests])
    assert "make test" in (catmem.workspace / MEMORY / "test-command.md").read_text()


def test_a_message_in_the_place_of_an_answer_is_sent_and_puts_the_question_off(
    catmem: Program, server: ModelServer
) -> None:
    terminal = enter(catmem)
    asked(terminal)
    terminal.press("enter")
    asked(terminal)
    assert said_to(terminal, server) == []
    assert server.chats[-1].user_texts[-1] == "message 0"
    assert "left out for now; asked again at the next start" in leave(terminal)

    again = enter(catmem)
    again.type("half a")
    asked(again)
    again.type(" thought")
    again.press("enter")
    again.wait_for("^well")
    assert server.chats[-1].user_texts[-1] == "half a thought"
    leave(again)


def test_the_question_keeps_nobody_from_leaving(catmem: Program) -> None:
    terminal = enter(catmem)
    asked(terminal)
    terminal.press("ctrl-d")
    ended(terminal)
