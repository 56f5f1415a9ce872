"""Where catmem is started, and where it may write."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.acceptance.steps import (
    NO_PIPELINE,
    answer,
    enter,
    files,
    finished,
    leave,
    one_line,
    records,
)
from tests.support.model_server import StartModel
from tests.support.program import MakeProgram, Program
from tests.support.reply import Reply

ADD = ("memory", "add", "--name", "build-command", "--type", "project", "build with make all")


def git(*args: str, cwd: Path) -> None:
    subprocess.run(["git", *args], cwd=cwd, check=True, capture_output=True)


def started_in(catmem: Program, folder: Path) -> Program:
    """The same program, started elsewhere."""
    return replace(catmem, workspace=folder, terminals=[], processes=[])


def names(catmem: Program) -> list[tuple[str, str]]:
    """Scope and name of what this start sees."""
    rows = finished(catmem.run("memory", "list")).stdout
    return sorted(
        (scope, name)
        for name in ("build-command", "other-thing")
        for scope in ("project", "user")
        if any(name in row and scope in row for row in rows.splitlines())
    )


def test_in_the_home_directory_everything_goes_to_the_user_store(
    home: Path, model: StartModel, program: MakeProgram
) -> None:
    server = model(Reply("hello"))
    catmem = started_in(program(server, **NO_PIPELINE), home)
    finished(catmem.run(*ADD))
    assert set(files(home / ".catmem" / "memory")) == {"MEMORY.md", "build-command.md"}
    assert not (home / ".catmem" / ".gitignore").exists()
    assert finished(catmem.run("-p", "hi")).stdout == "hello\n"
    system = server.chats[0].system
    assert "build-command" in system
    assert "## Project Memory" not in system


def test_linked_worktrees_and_folders_share_the_main_worktrees_store(
    workspace: Path, tmp_path: Path, program: MakeProgram
) -> None:
    git("init", "-q", cwd=workspace)
    git("commit", "-q", "--allow-empty", "-m", "first", cwd=workspace)
    linked = tmp_path / "linked"
    git("worktree", "add", "-q", str(linked), cwd=workspace)
    (workspace / "sub").mkdir()
    main = program(None)
    from_linked = started_in(main, linked)
    finished(from_linked.run(*ADD))
    for place in (main, from_linked, started_in(main, workspace / "sub")):
        assert names(place) == [("project", "build-command")]
    assert set(files(workspace / ".catmem" / "memory")) == {"MEMORY.md", "build-command.md"}
    assert not (linked / ".catmem").exists()
    status = subprocess.run(
        ["git", "status", "--porcelain"], cwd=workspace, capture_output=True, text=True, check=True
    )
    assert status.stdout == ""  # nothing shows up in git


def test_without_git_the_directory_is_the_project(
    workspace: Path, tmp_path: Path, program: MakeProgram
) -> None:
    catmem = program(None)
    finished(catmem.run(*ADD))
    assert names(catmem) == [("project", "build-command")]
    other = tmp_path / "elsewhere" / workspace.name  # another one of the same name
    other.mkdir(parents=True)
    assert names(started_in(catmem, other)) == []


def test_catmem_home_elsewhere_holds_everything(
    home: Path, tmp_path: Path, model: StartModel, program: MakeProgram
) -> None:
    elsewhere = tmp_path / "elsewhere"
    server = model(Reply("hello"))
    catmem = program(server, CATMEM_HOME=str(elsewhere), **NO_PIPELINE)
    finished(catmem.run("memory", "add", "--scope", "user", "prefers short answers"))
    finished(catmem.run("-p", "hi"))
    assert "prefers short answers" in server.chats[0].system
    assert len(list((elsewhere / "sessions").rglob("*.jsonl"))) == 1
    assert list(home.iterdir()) == []
    assert list(catmem.workspace.iterdir()) == []
    modes = {path.stat().st_mode & 0o077 for path in [elsewhere, *elsewhere.rglob("*")]}
    assert modes == {0}  # for the user's eyes only


@pytest.fixture
def read_only(workspace: Path) -> Iterator[Path]:
    """A directory in which nothing can be made, not even by root."""
    if os.geteuid() != 0:
        workspace.chmod(0o500)
        yield workspace
        workspace.chmod(0o700)
    elif Path("/proc/self").exists():
        yield Path("/proc")
    else:
        pytest.skip("root may write everywhere here")


def test_in_a_read_only_directory_the_session_works(
    read_only: Path, model: StartModel, program: MakeProgram
) -> None:
    server = model(Reply("hello"))
    catmem = started_in(program(server, **NO_PIPELINE), read_only)
    terminal = enter(catmem)
    answer(terminal, "hi", "^hello$")
    leave(terminal)
    run = finished(catmem.run(*ADD), 1)
    assert str(read_only / ".catmem") in one_line(run.stderr)


def test_a18_a_project_whose_store_cannot_be_made_is_said(
    workspace: Path, model: StartModel, program: MakeProgram
) -> None:
    (workspace / ".catmem").write_text("a file")
    server = model(Reply("hello"))
    catmem = program(server, **NO_PIPELINE)
    terminal = enter(catmem)
    answer(terminal, "hi", "^hello$")
    leave(terminal)
    run = finished(catmem.run(*ADD), 1)
    assert str(workspace / ".catmem") in one_line(run.stderr)


@pytest.mark.parametrize("value", [None, "/nonexistent", "", "/dev/null"])
def test_f07_a_home_that_is_none_is_named(
    value: str | None, model: StartModel, program: MakeProgram, tmp_path: Path
) -> None:
    server = model(Reply("hello"))
    catmem = program(server, HOME=value, CATMEM_HOME=str(tmp_path / "store"), **NO_PIPELINE)
    assert finished(catmem.run("-p", "hi")).stdout == "hello\n"
    assert len(list(records(catmem))) == 3  # header, question, answer


@pytest.mark.parametrize("place", ["a file", "below a file"])
def test_f07_a_catmem_home_that_cannot_be_made_is_named(
    place: str, model: StartModel, program: MakeProgram, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("x")
    wrong = tmp_path / "file" if place == "a file" else tmp_path / "file" / "home"
    run = program(model(), CATMEM_HOME=str(wrong)).run("-p", "hi")
    assert run.code in {1, 2}
    assert str(wrong) in run.stderr.splitlines()[-1]
    assert "Traceback" not in run.stderr
