from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.tools.toolbox import Toolbox

pytestmark = pytest.mark.anyio


@pytest.fixture
def other(workspace: Path) -> Path:
    """A folder beside the workspace whose name begins like it."""
    folder = workspace.with_name(workspace.name + "-secret")
    folder.mkdir()
    (folder / "key").write_text("secret\n")
    return folder


async def test_e10_what_leaves_the_workspace_is_named_by_its_real_path(
    tools: Toolbox, workspace: Path, other: Path
) -> None:
    (workspace / "out").symlink_to(other)
    (workspace / "key").symlink_to(other / "key")
    (workspace / "dangling").symlink_to(other / "new")
    (workspace / "sub").mkdir()
    key = (str(other / "key"),)
    for path in (
        "out/key",
        "key",
        str(other / "key"),
        f"../{other.name}/key",
        f"sub/../../{other.name}/key",
    ):
        assert (await tools.plan("read_file", path=path)).outside == key, path
        action = await tools.plan("write_file", path=path, content="x", append=True)
        assert (action.outside, action.session_key) == (key, f"write_file:{key[0]}")
    for path, real in {"out/new": other / "new", "dangling": other / "new"}.items():
        assert (await tools.plan("write_file", path=path, content="x")).outside == (str(real),)
    assert (await tools.plan("glob", pattern="out/**")).outside == (str(other),)
    assert (await tools.plan("glob", pattern="../*")).outside == (str(workspace.parent),)
    assert (await tools.plan("grep", pattern="x", path="out")).outside == (str(other),)
    assert (await tools.plan("grep", pattern="x", path="key")).outside == key


async def test_e10_dots_after_a_link_mean_what_they_mean_to_the_system(
    tools: Toolbox, workspace: Path, other: Path
) -> None:
    (other / "deep").mkdir()
    (workspace / "out").symlink_to(other / "deep")
    action = await tools.plan("read_file", path="out/../key")
    assert action.outside == (str(other / "key"),)


async def test_e10_links_inside_are_inside(tools: Toolbox, workspace: Path) -> None:
    (workspace / "real").write_text("a\n")
    (workspace / "link").symlink_to("real")
    assert (await tools.plan("read_file", path="link")).outside == ()
    await tools.call("read_file", path="link")
    await tools.call("write_file", path="link", content="b\n")
    assert (workspace / "link").is_symlink()
    assert (workspace / "real").read_text() == "b\n"


async def test_e10_a_workspace_reached_through_a_link_is_inside(
    workspace: Path, tmp_path: Path
) -> None:
    (workspace / "a").write_text("a\n")
    (tmp_path / "alias").symlink_to(workspace)
    tools = Toolbox(tmp_path / "alias")
    for path in ("a", str(tmp_path / "alias" / "a"), str(workspace / "a")):
        assert (await tools.plan("read_file", path=path)).outside == ()


async def test_e10_a_loop_of_links_is_an_error(tools: Toolbox, workspace: Path) -> None:
    (workspace / "a").symlink_to("b")
    (workspace / "b").symlink_to("a")
    for path in ("a", "a/x"):
        problem = f"{path} is a loop of symbolic links; use the real file's path."
        assert await tools.refusal("read_file", path=path) == problem
        assert await tools.refusal("write_file", path=path, content="x") == problem


async def test_e10_a_dangling_link_is_told(tools: Toolbox, workspace: Path) -> None:
    (workspace / "link").symlink_to("gone")
    assert await tools.refusal("read_file", path="link") == (
        f"link is a broken link to {workspace}/gone, which does not exist."
    )


async def test_containment_is_the_worktree_and_paths_start_below_it(workspace: Path) -> None:
    (workspace / ".git").mkdir()
    (workspace / "sub").mkdir()
    (workspace / "top.txt").write_text("top\n")
    (workspace / "sub/a.txt").write_text("a\n")
    tools = Toolbox(workspace / "sub")
    assert await tools.call("read_file", path="a.txt") == "1\ta"
    assert (await tools.plan("read_file", path="../top.txt")).outside == ()
    assert await tools.call("read_file", path="../top.txt") == "1\ttop"
    assert await tools.call("glob", pattern="**/*.txt", path="..") == (
        f"a.txt\n{workspace}/top.txt"
    )
    assert (await tools.plan("read_file", path="../../x")).outside == (str(workspace.parent / "x"),)


async def test_e15_home_blanks_and_line_ends(tools: Toolbox, home: Path, workspace: Path) -> None:
    (home / "a b.txt").write_text("home\n")
    assert await tools.call("read_file", path="~/a b.txt\n") == "1\thome"
    (workspace / "a b.txt").write_text("here\n")
    assert await tools.call("read_file", path=" a b.txt \n") == "1\there"
    (workspace / "odd ").write_text("odd\n")
    assert await tools.call("read_file", path="odd ") == "1\todd"
    assert await tools.call("write_file", path="new.txt\n", content="x") == (
        "Created new.txt (1 bytes)."
    )


async def test_e15_a_windows_path_is_told(tools: Toolbox, workspace: Path) -> None:
    for path in ("C:\\Users\\unicorn\\x", "c:/x", "\\\\server\\share"):
        problem = f"{path} is a Windows path; on this system use a path with /."
        assert await tools.refusal("read_file", path=path) == problem
        assert await tools.refusal("write_file", path=path, content="x") == problem
    (workspace / "C:\\odd").write_text("x\n")
    assert await tools.call("read_file", path="C:\\odd") == "1\tx"


async def test_e15_other_case_and_near_names_are_proposed(tools: Toolbox, workspace: Path) -> None:
    (workspace / "src").mkdir()
    (workspace / "src/Main.py").write_text("x\n")
    assert await tools.refusal("read_file", path="src/main.py") == (
        "src/main.py does not exist. Did you mean src/Main.py?"
    )
    assert await tools.refusal("read_file", path="src/Mains.py") == (
        "src/Mains.py does not exist. Did you mean src/Main.py?"
    )
    assert await tools.refusal("read_file", path="lib/x.py") == (
        "lib/x.py does not exist: the directory lib cannot be read (No such file or directory)."
    )


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("", "The path is empty."),
        (" \n", "The path is empty."),
        ("a\0b", "The path has a NUL character in it."),
        ("a\ud83d", "The path has characters that no file name can hold."),
    ],
)
async def test_e15_what_is_no_path_is_told(tools: Toolbox, path: str, problem: str) -> None:
    for name, more in {"read_file": {}, "write_file": {"content": "x"}}.items():
        assert await tools.refusal(name, path=path, **more) == problem


async def test_e15_a_broken_link_in_the_start_folder_harms_nothing(workspace: Path) -> None:
    (workspace / "broken").symlink_to("/nonexistent/x")
    (workspace / "a.txt").write_text("a\n")
    tools = Toolbox(workspace)
    assert await tools.call("glob", pattern="*") == "a.txt"
    assert await tools.call("glob", pattern="broken") == "broken"
    assert os.path.lexists(workspace / "broken")
