from __future__ import annotations

import re

import pytest

from tests.ui.conftest import Start


def test_c05_ten_columns(repl: Start) -> None:
    screen = repl(rows=20, cols=10)
    screen.say("ask ls")
    screen.see("Run this")
    screen.press("n")
    screen.wait_until(lambda terminal: "approval" in terminal.text.replace("\n", ""), "the answer")
    screen.say("tools")
    screen.wait_for("read them")
    screen.leave()


@pytest.mark.parametrize(("rows", "cols"), [(3, 20), (10, 2)])
def test_c05_hardly_any_room(repl: Start, rows: int, cols: int) -> None:
    screen = repl(rows=rows, cols=cols)
    screen.say("slow 20")
    screen.wait_until(lambda _: len(screen.sent) == 1, "the message")
    screen.wait_until(lambda t: "slowdone" in re.sub(r"\s", "", t.transcript), "the end")
    screen.press("ctrl-d")
    assert screen.wait_exit() == 0
    screen.assert_sane()


def test_c06_ascii_output_shows_replacements(repl: Start) -> None:
    screen = repl(sign=">", PYTHONIOENCODING="ascii", LC_ALL="C")
    screen.say("hello ✓ 你好")
    screen.wait_for(r"^you said: hello ok \?\?$")
    assert screen.sent == [[["hello ✓ 你好", "typed"]]]
    screen.say("tools")
    screen.wait_for(r"^\* read_file src/\[a\].py$")
    screen.leave()


def test_chinese_interface(repl: Start) -> None:
    screen = repl(LANG="zh_CN.UTF-8")
    screen.say("partial")
    screen.see("● 正在回答")
    screen.press("esc")
    screen.wait_for("^已中断$")
    screen.leave()


@pytest.mark.parametrize("env", [{"TERM": "dumb"}, {"NO_COLOR": "1"}])
def test_c05_plain_terminal_is_complete(repl: Start, env: dict[str, str]) -> None:
    screen = repl(**env)
    screen.say("hello 你好")
    screen.wait_for("^you said: hello 你好$")
    screen.say("ask rm x")
    screen.wait_for("^  rm x\nRun this with bash\\?\n")
    screen.say("use trash")
    screen.wait_for("^approval: deny 'use trash'$")
    screen.say("ask rm x")
    screen.wait_for("Run this with bash", times=2)
    screen.say("y")
    screen.wait_for("^approval: once ''$")
    screen.say("/memory")
    screen.wait_for("Clear 3 memories")
    screen.say("y")
    screen.wait_for("confirmed: True")
    screen.say("partial")
    screen.wait_for("kept para")
    screen.press("ctrl-c")
    screen.wait_for("unfinished sentence\ninterrupted")
    screen.say("/hlelo")
    screen.wait_for("did you mean /hello")
    screen.press("ctrl-d")
    screen.wait_for("^learning from this session\nbye: end_of_input$")
    assert screen.wait_exit() == 0
    assert re.findall(rb"\x1b", bytes(screen.raw)) == []
