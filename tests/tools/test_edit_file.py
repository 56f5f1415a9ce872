from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest

from tests.tools.toolbox import Toolbox

pytestmark = pytest.mark.anyio


class Editor:
    """One file: `edit(before, ...)` writes it, lets it be read, edits it, returns its bytes."""

    def __init__(self, tools: Toolbox, path: Path) -> None:
        self.tools = tools
        self.path = path

    async def edit(self, before: bytes, *edits: dict[str, Any]) -> bytes:
        self.path.write_bytes(before)
        await self.tools.call("read_file", path=self.path.name)
        await self.tools.call("edit_file", path=self.path.name, edits=list(edits))
        return self.path.read_bytes()

    async def refused(self, before: bytes, *edits: dict[str, Any]) -> str:
        self.path.write_bytes(before)
        await self.tools.call("read_file", path=self.path.name)
        problem = await self.tools.refusal("edit_file", path=self.path.name, edits=list(edits))
        assert self.path.read_bytes() == before
        return problem


@pytest.fixture
def editor(tools: Toolbox, workspace: Path) -> Editor:
    return Editor(tools, workspace / "f.py")


def change(old: str, new: str, **more: Any) -> dict[str, Any]:
    return {"old_text": old, "new_text": new, **more}


async def test_one_place_is_replaced(editor: Editor) -> None:
    assert await editor.edit(b"a = 1\nb = 2\n", change("b = 2", "b = 3")) == b"a = 1\nb = 3\n"


async def test_the_plan_shows_the_diff(tools: Toolbox, workspace: Path) -> None:
    (workspace / "f").write_text("a\nb\nc\n")
    await tools.call("read_file", path="f")
    action = await tools.plan("edit_file", path="f", edits=[change("b", "B")])
    assert action.preview == "--- f\n+++ f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c"
    assert (workspace / "f").read_text() == "a\nb\nc\n"


async def test_e01_a_text_that_occurs_several_times_changes_nothing(editor: Editor) -> None:
    before = b"x = 1\ny = 2\nx = 1\nx = 1\n"
    assert await editor.refused(before, change("x = 1", "x = 2")) == (
        "f.py is unchanged: old_text occurs 3 times (lines 1, 3, 4). Add surrounding lines to make "
        "it unique, or set replace_all."
    )
    after = await editor.edit(before, change("x = 1", "x = 2", replace_all=True))
    assert after == b"x = 2\ny = 2\nx = 2\nx = 2\n"


async def test_e01_overlapping_occurrences_are_not_unique(editor: Editor) -> None:
    assert "occurs 2 times (lines 1, 1)" in await editor.refused(b"aaa\n", change("aa", "b"))


async def test_e01_a_text_that_is_not_there_names_the_nearest(editor: Editor) -> None:
    before = b"import os\n\n\ndef greet(name):\n    return 'hello ' + name\n"
    assert await editor.refused(
        before, change("def greet(names):\n    return 'hello ' + names\n", "")
    ) == (
        "f.py is unchanged: old_text does not occur in it. Nearest is lines 4-5:\n"
        "def greet(name):\n    return 'hello ' + name"
    )
    assert await editor.refused(before, change("class Zoo: pass", "")) == (
        "f.py is unchanged: old_text does not occur in it. Nothing in the file is similar to it."
    )


async def test_e01_a_difference_in_indentation_is_named(editor: Editor) -> None:
    before = b"if a:\n\tx = 1\n\ty = 2\n"
    assert await editor.refused(before, change("    x = 1\n    y = 2", "    x = 3")) == (
        "f.py is unchanged: old_text does not occur in it. Nearest is lines 2-3, which differs "
        "only in blanks, tabs or indentation:\n\tx = 1\n\ty = 2"
    )


async def test_full_width_characters_are_never_rewritten(editor: Editor) -> None:
    before = "注释（一），“引号”\xa0a = 1\n说明：你好，世界\n".encode()
    assert "differs only in full-width or look-alike characters" in await editor.refused(
        before, change("说明:你好,世界", "x")
    )
    after = await editor.edit(before, change("a = 1", "a = 2"))
    assert after == "注释（一），“引号”\xa0a = 2\n说明：你好，世界\n".encode()


async def test_line_numbers_in_the_old_text_are_told(editor: Editor) -> None:
    assert (await editor.refused(b"a\nb\nc\n", change("1\ta\n2\tb", "x"))).endswith(
        "It is there without the line numbers: leave out the number and the tab of each line."
    )


async def test_several_edits_are_made_in_order(editor: Editor) -> None:
    after = await editor.edit(b"a b c\n", change("a", "b2"), change("b2 b", "d"), change("c", "e"))
    assert after == b"d e\n"


async def test_several_edits_are_all_or_nothing(editor: Editor) -> None:
    problem = await editor.refused(b"a b\n", change("a", "A"), change("z", "Z"))
    assert problem.startswith("Edit 2 of 2: f.py is unchanged: old_text does not occur in it.")


async def test_edits_that_change_nothing_are_told(editor: Editor) -> None:
    assert await editor.refused(b"a\n", change("a", "a")) == (
        "The edit changes nothing: old_text and new_text are the same. f.py is unchanged."
    )
    assert await editor.refused(b"a\n", change("", "b")) == (
        "f.py is unchanged: old_text is empty; use write_file to fill a file."
    )


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        # a CRLF file, edited with LF
        (b"a\r\nb\r\nc\r\n", "a\nb\n", "x\ny\nz\n", b"x\r\ny\r\nz\r\nc\r\n"),
        (b"a\r\nb\r\nc", "b", "b\nb2", b"a\r\nb\r\nb2\r\nc"),
        (b"a\r\nb\r\n", "a\r\nb", "a\r\nB", b"a\r\nB\r\n"),
        (b"a\r\nb\r\n", "\nb", "\nc", b"a\r\nc\r\n"),
        (b"a\r\nb\r\n", "a\n", "", b"b\r\n"),
        # mixed line ends: each one that stays is as it was
        (b"a\nb\r\nc\nd\r\n", "a\nb\nc\nd\n", "a\nb\nX\nd\n", b"a\nb\r\nX\nd\r\n"),
        (b"a\nb\r\nc\nd\r\n", "b\nc\nd", "b\nnew\nc\nd", b"a\nb\r\nnew\nc\nd\r\n"),
        (b"a\nb\r\nc\r\nd\n", "c", "C\nC2", b"a\nb\r\nC\nC2\r\nd\n"),
        (b"a\nb\r\nc\nd\r\n", "b\nc\n", "", b"a\nd\r\n"),
        # byte order mark, no newline at the end
        (b"\xef\xbb\xbfa\nb", "a", "c", b"\xef\xbb\xbfc\nb"),
        (b"\xef\xbb\xbfa\nb", "\ufeffa", "\ufeffc", b"\xef\xbb\xbfc\nb"),
        (b"a\nb", "b", "c", b"a\nc"),
        # other encodings
        ("变量 = 1\n注释\n".encode("gb18030"), "1", "2", "变量 = 2\n注释\n".encode("gb18030")),
        ("é = 1, ö\n".encode("latin-1"), "1", "2", "é = 2, ö\n".encode("latin-1")),
        ("a\r\n变\r\n".encode("utf-16"), "变", "b\nc", "a\r\nb\r\nc\r\n".encode("utf-16")),
        # odd but legal bytes around the edit
        (b"a\x0cb\rc\x1b[0m\n1\n", "1", "2", b"a\x0cb\rc\x1b[0m\n2\n"),
        # text that means something in a regular expression or a replacement
        (b"f(x) + $y\n", "f(x) + $y", r"g\1(\g<0>)", b"g\\1(\\g<0>)\n"),
    ],
)
async def test_e03_what_is_not_edited_stays_byte_for_byte(
    editor: Editor, before: bytes, old: str, new: str, after: bytes
) -> None:
    assert await editor.edit(before, change(old, new)) == after


async def test_e03_mode_bits_stay(editor: Editor) -> None:
    editor.path.touch()
    editor.path.chmod(0o750)
    await editor.edit(b"a\n", change("a", "b"))
    assert stat.S_IMODE(editor.path.stat().st_mode) == 0o750


async def test_a_file_must_be_read_first(tools: Toolbox, workspace: Path) -> None:
    (workspace / "f").write_text("a\n")
    assert await tools.refusal("edit_file", path="f", edits=[change("a", "b")]) == (
        "f has not been read yet. Read it with read_file first."
    )
    assert (await tools.refusal("edit_file", path="g", edits=[change("a", "b")])) == (
        "g does not exist. Use glob to find it."
    )


async def test_a_file_that_changed_on_disk_must_be_read_again(
    tools: Toolbox, workspace: Path
) -> None:
    (workspace / "f").write_text("a\n")
    await tools.call("read_file", path="f")
    (workspace / "f").write_text("a\nuser\n")
    assert await tools.refusal("edit_file", path="f", edits=[change("a", "b")]) == (
        "f has changed on disk since you read it. Read it again, then repeat the change."
    )
    assert (workspace / "f").read_text() == "a\nuser\n"


async def test_a_large_file_without_the_text_is_answered_soon(editor: Editor) -> None:
    before = "".join(f"value_{n} = compute({n}, other_{n})\n" for n in range(20_000)).encode()
    problem = await editor.refused(before, change("value_777 = compute(777, other_778)", "x"))
    assert "value_777 = compute(777, other_777)" in problem
