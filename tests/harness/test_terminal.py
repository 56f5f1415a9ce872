"""The terminal shows what a real one would show, and notices what a program leaves behind."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.terminal import Terminal


def python(tmp_path: Path, code: str, rows: int = 10, cols: int = 40) -> Terminal:
    return Terminal(
        [sys.executable, "-c", code], cwd=tmp_path, env=dict(os.environ), rows=rows, cols=cols
    )


def test_screen_and_scrollback_with_wide_characters(tmp_path: Path) -> None:
    code = "for i in range(30): print(f'第{i}行 ok')\nprint('\\x1b[3Cgap', end='')\ninput()"
    with python(tmp_path, code) as terminal:
        terminal.wait_for("gap")
        assert terminal.transcript.splitlines() == [*(f"第{i}行 ok" for i in range(30)), "   gap"]
        assert terminal.lines == [*(f"第{i}行 ok" for i in range(21, 30)), "   gap"]
        assert terminal.cursor == (9, 6)
        terminal.press("enter")
        assert terminal.wait_exit() == 0


def test_cursor_position_is_answered(tmp_path: Path) -> None:
    code = (
        "import sys, tty\ntty.setcbreak(0)\n"
        "print('ab\\x1b[6n', end='', flush=True)\n"
        "answer = ''\nwhile not answer.endswith('R'): answer += sys.stdin.read(1)\n"
        "print(repr(answer))"
    )
    with python(tmp_path, code) as terminal:
        terminal.wait_for(r"'\\x1b\[1;3R'")


def test_input_reaches_the_program(tmp_path: Path) -> None:
    code = (
        "import sys, tty\ntty.setraw(0)\nprint('ready')\n"
        "while True: print(repr(sys.stdin.buffer.raw.read(99)), end='\\r\\n')"
    )
    with python(tmp_path, code) as terminal:
        terminal.wait_for("ready")
        actions: dict[str, Callable[[], None]] = {
            r"b'\xc3\xa9'": lambda: terminal.type("é"),
            r"b'\x04'": lambda: terminal.press("ctrl-d"),
            r"b'\x1b\r'": lambda: terminal.press("alt-enter"),
            r"b'\x1b[200~a\rb\x1b[201~'": lambda: terminal.paste("a\nb"),
        }
        for seen, act in actions.items():
            act()
            terminal.wait_for(re.escape(seen))


def test_program_that_leaves_the_terminal_as_it_was(tmp_path: Path) -> None:
    code = "print('\\x1b[?2004h\\x1b[?25l\\x1b[?2004l\\x1b[?12;25h')"
    with python(tmp_path, code) as terminal:
        assert terminal.wait_exit() == 0
        terminal.assert_sane()


@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        ("import tty; tty.setraw(0)", "ECHO is off"),
        ("print('\\x1b[?2004h')", "bracketed paste is on"),
        ("print('\\x1b[?25l')", "the cursor is hidden"),
    ],
)
def test_program_that_leaves_a_mess(tmp_path: Path, code: str, complaint: str) -> None:
    with python(tmp_path, code) as terminal:
        assert terminal.wait_exit() == 0
        with pytest.raises(AssertionError, match=complaint):
            terminal.assert_sane()


def test_signal_and_early_end(tmp_path: Path) -> None:
    with python(tmp_path, "import time; print('up', flush=True); time.sleep(60)") as terminal:
        terminal.wait_for("up")
        terminal.signal(signal.SIGTERM)
        assert terminal.wait_exit() == -signal.SIGTERM
        with pytest.raises(AssertionError, match="ended before 'more'"):
            terminal.wait_for("more")


def test_resize_keeps_what_was_above_the_cursor(tmp_path: Path) -> None:
    code = (
        "import os, signal\nprint(*range(8), sep='\\n')\n"
        "signal.signal(signal.SIGWINCH, lambda *_: print(tuple(os.get_terminal_size())))\n"
        "print('ready')\nsignal.pause()\ninput()"
    )
    with python(tmp_path, code) as terminal:
        terminal.wait_for("ready")
        terminal.resize(5, 30)
        terminal.wait_for(r"\(30, 5\)")
        assert terminal.transcript.splitlines() == [*"01234567", "ready", "(30, 5)"]
        assert terminal.lines == ["6", "7", "ready", "(30, 5)", ""]
