from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from tests.tools.toolbox import Toolbox

pytestmark = pytest.mark.anyio


async def test_lines_come_with_their_numbers(tools: Toolbox, workspace: Path) -> None:
    (workspace / "a.txt").write_bytes(b"one\r\n\ntwo\n  \nlast")
    assert await tools.call("read_file", path="a.txt") == "1\tone\n2\t\n3\ttwo\n4\t  \n5\tlast"


async def test_a_window_is_read_with_a_notice_how_to_go_on(tools: Toolbox, workspace: Path) -> None:
    (workspace / "a.txt").write_text("".join(f"line {n}\n" for n in range(1, 11)))
    assert await tools.call("read_file", path="a.txt", offset=3, limit=2) == (
        "3\tline 3\n4\tline 4\n[lines 3-4 of 10; read on with offset=5]"
    )
    assert await tools.call("read_file", path="a.txt", offset=9) == "9\tline 9\n10\tline 10"
    assert await tools.refusal("read_file", path="a.txt", offset=11) == "a.txt has only 10 lines."


async def test_an_empty_file_is_told_as_such(tools: Toolbox, workspace: Path) -> None:
    (workspace / "a.txt").touch()
    assert await tools.call("read_file", path="a.txt") == "[the file is empty]"


async def test_many_lines_are_bounded(tools: Toolbox, workspace: Path) -> None:
    (workspace / "a.txt").write_text("".join(f"{n}\n" for n in range(1, 5001)))
    text = await tools.call("read_file", path="a.txt")
    assert text.endswith("2000\t2000\n[lines 1-2000 of 5000; read on with offset=2001]")
    (workspace / "b.txt").write_text(("x" * 1000 + "\n") * 500)
    text = await tools.call("read_file", path="b.txt")
    assert len(text) < 50_200
    assert text.endswith("[lines 1-49 of 500; read on with offset=50]")


async def test_e04_a_line_of_3_mb_is_cut(tools: Toolbox, workspace: Path) -> None:
    (workspace / "min.js").write_text("x" * 3_000_000 + "\nend\n")
    text = await tools.call("read_file", path="min.js")
    assert len(text) < 2300
    assert "x… [2,998,000 more characters]\n2\tend\n[long lines are cut" in text


async def test_e04_a_program_is_refused(tools: Toolbox, workspace: Path) -> None:
    shutil.copy("/bin/sh", workspace / "program")
    size = (workspace / "program").stat().st_size
    assert await tools.refusal("read_file", path="program") == (
        f"program is a program (ELF) ({size:,} bytes). Only text can be read and edited here; "
        "use bash with a fitting program, or ask the user what is in it."
    )


@pytest.mark.parametrize(
    ("start", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n", "a PNG image"),
        (b"\xff\xd8\xff\xe0", "a JPEG image"),
        (b"%PDF-1.7\n", "a PDF document"),
        (b"PK\x03\x04\0", "a ZIP archive or office document"),
        (b"text\0more", "a binary file"),
    ],
)
async def test_e04_images_and_other_binaries_are_named(
    tools: Toolbox, workspace: Path, start: bytes, kind: str
) -> None:
    (workspace / "f").write_bytes(start)
    assert (await tools.refusal("read_file", path="f")).startswith(f"f is {kind} (")


async def test_e04_a_sparse_file_of_5_gb_is_read_at_once(tools: Toolbox, workspace: Path) -> None:
    for name, start in (("zeros", b""), ("log", b"first\nsecond\n")):
        with (workspace / name).open("wb") as file:
            file.write(start)
            file.truncate(5 << 30)
    started = time.monotonic()
    assert "zeros is a binary file (5,368,709,120 bytes)" in await tools.refusal(
        "read_file", path="zeros"
    )
    assert "log is a binary file" in await tools.refusal("read_file", path="log")
    assert time.monotonic() - started < 1


async def test_e04_a_large_log_is_read_in_windows(tools: Toolbox, workspace: Path) -> None:
    line = "x" * 91
    with (workspace / "log").open("w") as file:
        file.writelines(f"{number:08} {line}\n" for number in range(1, 100_001))
    text = await tools.call("read_file", path="log", limit=2)
    assert text == (
        f"1\t00000001 {line}\n2\t00000002 {line}\n"
        "[the file has 10,100,000 bytes; read on with offset=3]"
    )
    text = await tools.call("read_file", path="log", offset=99_999)
    assert text.startswith(f"99999\t00099999 {line}\n100000\t00100000 {line}")
    assert await tools.refusal("read_file", path="log", offset=100_002) == (
        "Line 100002 of log does not exist, or lies more than 1 GiB into the file; "
        "use bash (tail, sed -n)."
    )


async def test_e04_a_large_line_of_chinese_is_not_garbled(tools: Toolbox, workspace: Path) -> None:
    (workspace / "big").write_text("a" + "汉字" * 2_000_000, "utf-8")
    text = await tools.call("read_file", path="big")
    assert text.startswith("1\ta汉字汉字")
    assert "encoding" not in text


@pytest.mark.parametrize(
    ("text", "encoding", "note"),
    [
        ("naïve café, 5 €", "utf-8", ""),
        ("变量 = 1\n", "utf-8-sig", ""),
        ("变量 = 1\n# 注释，全角", "gb18030", "gb18030"),
        ("// Größe: naïve déjà vu\nint a;\n", "latin-1", "latin-1"),
        ("été\n", "latin-1", "latin-1"),
        ("变量 = 1\n", "utf-16", "utf-16-le"),
    ],
)
async def test_e04_encodings_are_readable(
    tools: Toolbox, workspace: Path, text: str, encoding: str, note: str
) -> None:
    (workspace / "a.c").write_bytes(text.encode(encoding))
    lines = [f"{number}\t{line}" for number, line in enumerate(text.splitlines(), 1)]
    if note:
        lines.append(f"[encoding: {note}]")
    assert await tools.call("read_file", path="a.c") == "\n".join(lines)


async def test_e04_what_is_no_regular_file_never_hangs(tools: Toolbox, workspace: Path) -> None:
    os.mkfifo(workspace / "fifo")
    (workspace / "dir").mkdir()
    special = "is a pipe, socket or device, not a regular file."
    assert await tools.refusal("read_file", path="fifo") == f"fifo {special}"
    assert await tools.refusal("read_file", path="/dev/zero") == f"/dev/zero {special}"
    assert await tools.refusal("read_file", path="/dev/tty") != ""
    assert await tools.refusal("read_file", path="dir") == (
        "dir is a directory; list it with glob (path, pattern '*')."
    )


async def test_an_unreadable_file_is_an_error(tools: Toolbox, workspace: Path) -> None:
    assert await tools.refusal("read_file", path="/proc/self/mem") != ""
    if os.geteuid() != 0:
        (workspace / "secret").write_text("x")
        (workspace / "secret").chmod(0)
        assert await tools.refusal("read_file", path="secret") == (
            "Cannot read secret: Permission denied."
        )
