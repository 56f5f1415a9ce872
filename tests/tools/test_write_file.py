from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from catmem.events import Action, ActionKind
from tests.tools.toolbox import Toolbox

pytestmark = pytest.mark.anyio


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def test_a_new_file_is_made_with_its_directories(tools: Toolbox, workspace: Path) -> None:
    output = await tools.output("write_file", path="src/lib/a.py", content="x = 1\n")
    assert output.text == "Created src/lib/a.py (6 bytes)."
    assert output.display == "--- /dev/null\n+++ src/lib/a.py\n@@ -0,0 +1 @@\n+x = 1"
    assert (workspace / "src/lib/a.py").read_bytes() == b"x = 1\n"
    mask = os.umask(0)
    os.umask(mask)
    assert mode(workspace / "src/lib/a.py") == 0o666 & ~mask
    assert [path.name for path in (workspace / "src/lib").iterdir()] == ["a.py"]


async def test_the_plan_shows_what_will_change(tools: Toolbox, workspace: Path) -> None:
    (workspace / "a").write_text("".join(f"{n}\n" for n in range(1, 13)))
    await tools.call("read_file", path="a")
    content = "".join(f"{n}\n" for n in range(1, 13)).replace("7\n", "seven\n7b\n")
    assert await tools.plan("write_file", path="a", content=content + "no end") == Action(
        "write_file",
        ActionKind.WRITE,
        "a",
        "--- a\n+++ a\n@@ -4,9 +4,11 @@\n 4\n 5\n 6\n-7\n+seven\n+7b\n 8\n 9\n 10\n 11\n 12\n"
        "+no end\n\\ No newline at end of file",
        session_key="write_file",
    )


async def test_changes_far_apart_are_separate_hunks(tools: Toolbox, workspace: Path) -> None:
    (workspace / "a").write_text("".join(f"{n}\n" for n in range(1, 31)))
    await tools.call("read_file", path="a")
    content = "".join(f"{n}\n" for n in range(1, 31)).replace("10\n", "x\n").replace("25\n", "")
    action = await tools.plan("write_file", path="a", content=content)
    assert action.preview == (
        "--- a\n+++ a\n@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+x\n 11\n 12\n 13\n"
        "@@ -22,7 +22,6 @@\n 22\n 23\n 24\n-25\n 26\n 27\n 28"
    )


async def test_a_large_rewrite_is_shown_in_little_time(tools: Toolbox, workspace: Path) -> None:
    (workspace / "a").write_text("".join(f"{n}\n" for n in range(20_000)))
    await tools.call("read_file", path="a")
    content = "".join(f"new {n}\n" for n in range(20_000))
    action = await tools.plan("write_file", path="a", content=content)
    assert action.preview.startswith("--- a\n+++ a\n@@ -1,20000 +1,20000 @@\n-0\n-1\n")
    assert action.preview.count("\n") == 40_002


async def test_an_existing_file_must_have_been_read(tools: Toolbox, workspace: Path) -> None:
    (workspace / "a").write_text("mine\n")
    assert await tools.refusal("write_file", path="a", content="x") == (
        "a has not been read yet. Read it with read_file first."
    )
    assert (workspace / "a").read_text() == "mine\n"
    await tools.call("read_file", path="a")
    assert await tools.call("write_file", path="a", content="x") == "Wrote a (1 bytes)."
    assert await tools.call("write_file", path="a", content="y") == "Wrote a (1 bytes)."
    assert (workspace / "a").read_text() == "y"


async def test_a_change_on_disk_is_not_overwritten(tools: Toolbox, workspace: Path) -> None:
    await tools.call("write_file", path="a", content="x")
    (workspace / "a").write_text("by the user")
    assert await tools.refusal("write_file", path="a", content="y") == (
        "a has changed on disk since you read it. Read it again, then repeat the change."
    )
    assert (workspace / "a").read_text() == "by the user"
    os.utime(workspace / "a")
    await tools.call("read_file", path="a")
    os.utime(workspace / "a", (1, 1))  # the same content with another time is no change
    await tools.call("write_file", path="a", content="y")
    assert (workspace / "a").read_text() == "y"


async def test_e03_mode_mark_and_line_ends_stay(tools: Toolbox, workspace: Path) -> None:
    path = workspace / "run.bat"
    path.write_bytes(b"\xef\xbb\xbfa\r\nb\r\n")
    path.chmod(0o755)
    await tools.call("read_file", path="run.bat")
    await tools.call("write_file", path="run.bat", content="变\nc\n")
    assert path.read_bytes() == b"\xef\xbb\xbf" + "变\r\nc\r\n".encode()
    assert mode(path) == 0o755


async def test_e03_what_the_encoding_cannot_hold_is_refused(
    tools: Toolbox, workspace: Path
) -> None:
    (workspace / "a").write_bytes("déjà vu, Größe".encode("latin-1"))
    await tools.call("read_file", path="a")
    assert await tools.refusal("write_file", path="a", content="变量") == (
        "The file is stored as latin-1, which cannot hold '变量'. Convert it to UTF-8 with iconv "
        "first, or leave those characters out."
    )
    assert (workspace / "a").read_bytes() == "déjà vu, Größe".encode("latin-1")


async def test_text_is_appended(tools: Toolbox, workspace: Path) -> None:
    (workspace / "a").write_bytes(b"one\r\n")
    await tools.call("write_file", path="a", content="two\n", append=True)
    assert (workspace / "a").read_bytes() == b"one\r\ntwo\r\n"
    assert "has not been read" in await tools.refusal("write_file", path="a", content="x")
    await tools.call("write_file", path="b", content="one\n", append=True)
    await tools.call("write_file", path="b", content="two\n", append=True)
    await tools.call("write_file", path="b", content="three\n")
    assert (workspace / "b").read_bytes() == b"three\n"


async def test_what_cannot_be_written_is_one_sentence(tools: Toolbox, workspace: Path) -> None:
    (workspace / "dir").mkdir()
    (workspace / "file").write_text("x")
    os.mkfifo(workspace / "fifo")
    for path, problem in {
        "dir": "dir is a directory; list it with glob (path, pattern '*').",
        "new/": "new/ names a directory; give the path of a file.",
        "file/x": f"Cannot make the directory {workspace}/file: File exists.",
        "fifo": "fifo is a pipe, socket or device, not a regular file.",
        "n" * 300: f"The path is too long for this system: {'n' * 80}…",
    }.items():
        assert await tools.refusal("write_file", path=path, content="x") == problem


async def test_a_read_only_file_stays(tools: Toolbox, workspace: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everything")
    (workspace / "a").write_text("x")
    (workspace / "a").chmod(0o444)
    await tools.call("read_file", path="a")
    assert await tools.refusal("write_file", path="a", content="y") == (
        "a is read-only. If it is to change, ask the user first."
    )
