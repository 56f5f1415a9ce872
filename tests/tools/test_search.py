from __future__ import annotations

import asyncio
import os
import shutil
import time
from pathlib import Path

import pytest

from tests.tools.toolbox import Toolbox

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["own", "ripgrep"], autouse=True)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each test runs with our own search and, where it is installed, with ripgrep."""
    name: str = request.param
    if name == "ripgrep" and not shutil.which("rg"):
        pytest.skip("ripgrep is not installed")
    if name == "own":
        folders = os.environ["PATH"].split(os.pathsep)
        without = [folder for folder in folders if not os.access(f"{folder}/rg", os.X_OK)]
        monkeypatch.setenv("PATH", os.pathsep.join(without))
    return name


def make(workspace: Path, *names: str, text: str = "x\n") -> None:
    for name in names:
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text(text)


PROJECT = (
    "a.py",
    "b.txt",
    ".hidden/c.py",
    "src/d.py",
    "src/lib/e.py",
    "src/lib/e.pyc",
    "src/F.ts",
    "src/f.tsx",
)


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.py", ["a.py"]),
        ("**/*.py", [".hidden/c.py", "a.py", "src/d.py", "src/lib/e.py"]),
        ("./src/**/*.py", ["src/d.py", "src/lib/e.py"]),
        ("src/*.{ts,tsx}", ["src/F.ts", "src/f.tsx"]),
        ("**/[a-d].py", [".hidden/c.py", "a.py", "src/d.py"]),
        ("**/[!a-d].py", ["src/lib/e.py"]),
        ("?.txt", ["b.txt"]),
        ("*", [".hidden/", "a.py", "b.txt", "src/"]),
        ("src/", ["src/F.ts", "src/d.py", "src/f.tsx", "src/lib/"]),
        ("**/lib", ["src/lib/"]),
        ("src/lib/**", ["src/lib/e.py", "src/lib/e.pyc"]),
        ("src/d.py", ["src/d.py"]),
    ],
)
async def test_glob_finds_by_pattern(
    tools: Toolbox, workspace: Path, pattern: str, found: list[str]
) -> None:
    make(workspace, *PROJECT)
    assert (await tools.call("glob", pattern=pattern)).splitlines() == found


async def test_glob_searches_the_named_directory(tools: Toolbox, workspace: Path) -> None:
    make(workspace, *PROJECT)
    assert await tools.call("glob", pattern="*.py", path="src/lib") == "src/lib/e.py"
    assert await tools.call("glob", pattern=f"{workspace}/src/*.py") == "src/d.py"
    assert await tools.refusal("glob", pattern="*", path="nowhere") == "nowhere is not a directory."
    assert await tools.refusal("glob", pattern="*", path="a.py") == "a.py is not a directory."


async def test_glob_without_a_result_says_what_to_try(tools: Toolbox, workspace: Path) -> None:
    make(workspace, "src/a.py")
    assert await tools.call("glob", pattern="*.py") == (
        "Nothing matches *.py. In all directories below: **/*.py"
    )
    assert await tools.call("glob", pattern="**/*.js") == "Nothing matches **/*.js."


async def test_glob_is_capped_with_a_notice(tools: Toolbox, workspace: Path) -> None:
    make(workspace, *(f"f{number:03}" for number in range(250)))
    lines = (await tools.call("glob", pattern="*")).splitlines()
    assert (lines[0], lines[199]) == ("f000", "f199")
    assert lines[200:] == ["[the first 200 of 250; use a narrower pattern]"]


async def test_e13_what_git_ignores_is_left_out(tools: Toolbox, workspace: Path) -> None:
    make(workspace, "a.log", "keep.log", "dist/a.js", "src/a.js", "src/gen/b.js", "src/gen/c.js")
    make(workspace, "src/dist.js", "sub/deep/tmp/x.js", "sub/tmp/x.js")
    (workspace / ".gitignore").write_text("*.log\n!keep.log\n/dist/\n# comment\n")
    (workspace / "src/.gitignore").write_text("gen/*\n!gen/c.js\n")
    (workspace / "sub/.gitignore").write_text("/tmp\n")
    found = ["keep.log", "src/a.js", "src/dist.js", "src/gen/c.js", "sub/deep/tmp/x.js"]
    assert (await tools.call("glob", pattern="**/*.{js,log}")).splitlines() == found
    text = await tools.call("grep", pattern="x", glob="*.{js,log}")
    assert text.splitlines() == [f"{name}:1:x" for name in found]
    # a search that begins below knows the rules above it
    assert await tools.call("glob", pattern="**", path="src/gen") == "src/gen/c.js"


async def test_e13_ignored_files_are_reached_by_name(tools: Toolbox, workspace: Path) -> None:
    make(workspace, "dist/a.js", "dist/deep/b.js", "node_modules/m/c.js", "p/node_modules/d.js")
    (workspace / ".gitignore").write_text("dist/\nnode_modules/\n")
    assert await tools.call("read_file", path="dist/a.js") == "1\tx"
    assert await tools.call("glob", pattern="dist/a.js") == "dist/a.js"
    assert await tools.call("glob", pattern="dist/*.js") == "dist/a.js"
    assert await tools.call("glob", pattern="**", path="dist") == "dist/a.js\ndist/deep/b.js"
    assert await tools.call("glob", pattern="node_modules/**") == "node_modules/m/c.js"
    assert await tools.call("glob", pattern="**/node_modules/*.js") == "p/node_modules/d.js"
    assert await tools.call("grep", pattern="x", path="dist/a.js") == "dist/a.js:1:x"
    assert await tools.call("grep", pattern="x", path="node_modules") == "node_modules/m/c.js:1:x"
    assert await tools.call("grep", pattern="x", path="dist", glob="deep/*") == (
        "dist/deep/b.js:1:x"
    )


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with 50,000 files in node_modules."""
    workspace = tmp_path_factory.mktemp("crowded")
    make(workspace, "src/a.js")
    for package in range(50):
        folder = workspace / "node_modules" / f"p{package}"
        folder.mkdir(parents=True)
        for number in range(1000):
            os.close(os.open(folder / f"{number}.js", os.O_CREAT | os.O_WRONLY))
    return workspace


async def test_e13_50_000_files_in_node_modules_do_no_harm(crowded: Path) -> None:
    tools = Toolbox(crowded)
    started = time.monotonic()
    assert await tools.call("glob", pattern="**/*.js") == "src/a.js"
    assert await tools.call("grep", pattern="x") == "src/a.js:1:x"
    assert time.monotonic() - started < 3
    text = await tools.call("glob", pattern="node_modules/**/*.js")
    assert text.endswith("[the first 200 of 50,000; use a narrower pattern]")
    assert time.monotonic() - started < 10


async def test_e13_broken_links_and_loops_are_passed_over(tools: Toolbox, workspace: Path) -> None:
    make(workspace, "sub/a.txt")
    (workspace / "broken").symlink_to("nowhere")
    (workspace / "sub/up").symlink_to(workspace)
    os.mkfifo(workspace / "fifo")
    assert await tools.call("glob", pattern="**") == "sub/a.txt"
    assert await tools.call("grep", pattern="x") == "sub/a.txt:1:x"


async def test_e13_an_unreadable_folder_is_passed_over(tools: Toolbox, workspace: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    make(workspace, "a.txt", "closed/b.txt")
    (workspace / "closed").chmod(0)
    try:
        assert await tools.call("glob", pattern="**") == "a.txt"
        assert await tools.call("grep", pattern="x") == "a.txt:1:x"
    finally:
        (workspace / "closed").chmod(0o700)


async def test_grep_gives_path_line_and_text(tools: Toolbox, workspace: Path) -> None:
    make(workspace, "src/a.py", text="def f():\r\n    return 1\r\n# 变量 f\r\n")
    make(workspace, "b.txt", text="nothing\n")
    assert await tools.call("grep", pattern=r"\bf\b") == "src/a.py:1:def f():\nsrc/a.py:3:# 变量 f"
    assert await tools.call("grep", pattern="RETURN \\d", ignore_case=True) == (
        "src/a.py:2:    return 1"
    )
    assert await tools.call("grep", pattern="变.", path="src/a.py") == "src/a.py:3:# 变量 f"
    assert await tools.call("grep", pattern="n", glob="*.txt") == "b.txt:1:nothing"
    assert await tools.call("grep", pattern="n", glob="src/**/*.py") == "src/a.py:2:    return 1"
    assert await tools.call("grep", pattern="zzz") == "No matches."


async def test_grep_passes_over_binary_files(tools: Toolbox, workspace: Path) -> None:
    (workspace / "a.bin").write_bytes(b"needle\0needle\n")
    (workspace / "b.txt").write_bytes(b"needle \xff\xfe\n")
    assert await tools.call("grep", pattern="needle") == "b.txt:1:needle \ufffd\ufffd"


async def test_grep_is_capped_in_lines_and_columns(tools: Toolbox, workspace: Path) -> None:
    make(workspace, "a.txt", text=("x" * 5000 + "\n") * 150)
    output = await tools.output("grep", pattern="x+")
    lines = output.text.splitlines()
    assert lines[100:] == ["[only the first 100; narrow the search with path, glob or pattern]"]
    assert max(len(line) for line in lines) < 330


async def test_grep_understands_what_only_one_engine_does(tools: Toolbox, workspace: Path) -> None:
    make(workspace, "a.txt", text="foobar\nfoobaz\nabab\n")
    assert await tools.call("grep", pattern="foo(?!bar)") == "a.txt:2:foobaz"
    assert await tools.call("grep", pattern=r"^(..)\1$") == "a.txt:3:abab"


async def test_grep_tells_what_is_wrong(tools: Toolbox, workspace: Path) -> None:
    make(workspace, "a.txt")
    os.mkfifo(workspace / "fifo")
    assert await tools.refusal("grep", pattern="(") == (
        "The pattern is not a valid regular expression: missing ), unterminated subpattern at "
        "position 0."
    )
    assert await tools.refusal("grep", pattern="") == (
        "The pattern is empty or has a NUL character in it."
    )
    assert await tools.refusal("grep", pattern="x", path="b.txt") == (
        "b.txt does not exist. Did you mean a.txt?"
    )
    assert await tools.refusal("grep", pattern="x", path="fifo") == (
        "fifo is a pipe, socket or device, not a file or directory."
    )


async def test_a_pattern_that_looks_like_an_option_is_a_pattern(
    tools: Toolbox, workspace: Path
) -> None:
    make(workspace, "-e.txt", text="--files\n")
    assert await tools.call("grep", pattern="--files") == "-e.txt:1:--files"
    assert await tools.call("grep", pattern="-f", path="-e.txt") == "-e.txt:1:--files"


async def test_a_search_can_be_cancelled(tools: Toolbox, workspace: Path, engine: str) -> None:
    make(workspace, "a.txt", text="a" * 60 + "!\n")
    endless = r"^(a+)+\1$"  # backtracks for ever; ripgrep leaves back-references to our search
    task = asyncio.create_task(tools.call("grep", pattern=endless))
    await asyncio.sleep(0.5)
    assert not task.done()
    started = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - started < 0.5
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    assert not children.exists() or children.read_text() == ""


async def test_odd_file_names_do_no_harm(tools: Toolbox, workspace: Path) -> None:
    (workspace / os.fsdecode(b"caf\xe9.txt")).write_text("x\n")
    make(workspace, "变 量.txt")
    assert await tools.call("glob", pattern="*.txt") == "caf\ufffd.txt\n变 量.txt"
    assert await tools.call("grep", pattern="x") == "caf\ufffd.txt:1:x\n变 量.txt:1:x"


async def test_a_ripgrep_that_does_not_work_is_replaced(
    tools: Toolbox, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, "bin/rg", text="#!/bin/sh\necho 'error: unknown argument' >&2; exit 2\n")
    (tmp_path / "bin/rg").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin{os.pathsep}{os.environ['PATH']}")
    make(workspace, "a.txt")
    assert await tools.call("glob", pattern="*") == "a.txt"
    assert await tools.call("grep", pattern="x") == "a.txt:1:x"
