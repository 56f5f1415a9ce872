from __future__ import annotations

import pytest

from catmem.sanitize import clean, one_line
from catmem.tokens import estimate


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("a\x1b[2Jb", "ab"),
        ("\x1b]0;title\x07x", "x"),
        ("\x1b]52;c;aGk=\x1b\\x", "x"),
        ("\x1b]8;;http://e\x07link\x1b]8;;\x07", "link"),
        ("\x9b31mred\x9b0m", "red"),
        ("\x1b]0;never ends\nnext line", "\nnext line"),
        ("tab\tand\nnewline", "tab\tand\nnewline"),
        ("a\x00b\x08c\x7fd\x85e", "abcde"),
        ("\u202eevil\u202c \u2066x\u2069\u200f", "evil x"),
        ("10%\r50%\r100%", "100%"),
        ("one\r\ntwo\r\n", "one\ntwo\n"),
        ("10%\r99%\r\ndone", "99%\ndone"),
        ("x\ud83dy", "x\ufffdy"),
        ("家族 👨‍👩‍👧 ✓", "家族 👨‍👩‍👧 ✓"),
        ("\ufeffbom", "bom"),
    ],
)
def test_c02_clean_leaves_nothing_that_steers_a_terminal(raw: str, shown: str) -> None:
    assert clean(raw) == shown


def test_c02_a_sequence_split_across_chunks_stays_inert() -> None:
    assert "\x1b" not in clean("\x1b") + clean("]52;c;aGk=\x07")


def test_clean_is_linear_on_hostile_input() -> None:
    hostile = "\x1b]" * 200_000 + "\r" * 200_000
    assert "\x1b" not in clean(hostile)


def test_one_line_folds_and_cuts() -> None:
    assert one_line("  a\n b\t c \x1b[1m") == "a b c"
    assert one_line("abcdefghij", 5) == "abcd…"


def test_estimates_are_near_for_english_and_chinese() -> None:
    assert estimate("") == 0
    assert estimate("The quick brown fox jumps over the lazy dog.") == 11
    assert estimate("用户喜欢用 vim 编辑代码") in range(8, 13)
