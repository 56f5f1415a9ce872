from __future__ import annotations

import re
import time

import pytest

from tests.ui.conftest import Start

TAIL_ROWS = 6


def test_long_list_is_printed_once_in_few_writes(repl: Start) -> None:
    screen = repl()
    screen.say("big")
    screen.wait_until(lambda terminal: b"ENDMARK" in terminal.raw, "the end", 20)
    screen.wait_quiet()

    items = re.findall(
        r"item (\d{4}): some code and bold text here$", screen.transcript, re.MULTILINE
    )
    assert items == [f"{i:04d}" for i in range(1, 2001)]
    assert screen.text.endswith("\n\nENDMARK\n\n❯\ntest-model · 1.2k tokens · 5 in memory")
    assert len(screen.raw) < 300_000, "the list itself is 110 kB; the rest is redrawn prompts"
    screen.leave()


@pytest.mark.parametrize("rows", [6, 30])
def test_c14_code_and_chinese_are_printed_once(repl: Start, rows: int) -> None:
    screen = repl(rows=rows, cols=40)
    screen.say("long")
    screen.wait_for("the end")
    screen.wait_quiet()

    text = screen.transcript
    assert re.findall(r"^line_(\d\d) = \d+$", text, re.MULTILINE) == [f"{i:02d}" for i in range(60)]
    assert text.replace("\n", "").count("这是一段很长的中文，") == 40
    assert "answering" not in text
    screen.leave()


def test_c15_resize_while_streaming_keeps_what_was_printed(repl: Start) -> None:
    screen = repl(cols=120)
    screen.say("long")
    for cols in (40, 120, 80):
        time.sleep(0.3)
        screen.resize(30, cols)
    screen.wait_for("the end")
    screen.wait_quiet()

    found = re.findall(r"^line_(\d\d) = \d+$", screen.transcript, re.MULTILINE)
    assert found == [f"{i:02d}" for i in range(60)]
    screen.leave()


def test_unfinished_piece_shows_as_a_short_tail(repl: Start) -> None:
    screen = repl()
    screen.say("partial")
    screen.see("unfinished sentence")
    screen.see("Esc stops")

    lines = screen.text.split("\n")
    assert lines[-4:-2] == ["unfinished sentence", lines[-3]]
    assert "answering" in lines[-3]
    assert lines[-2].startswith("❯")


def test_output_of_a_running_tool_shows_its_end(repl: Start) -> None:
    screen = repl()
    screen.say("bash")
    screen.see("building 15")
    lines = screen.text.split("\n")
    shown = [line for line in lines if line.startswith("building")]

    assert len(shown) <= TAIL_ROWS
    assert any("running bash" in line for line in lines)
    screen.wait_for("^● bash make$")
    screen.see_no_more("building")
    assert "\n● bash make\n  built\n" in screen.transcript
    screen.leave()


def test_c01_parallel_calls_are_shown_with_their_results(repl: Start) -> None:
    screen = repl()
    screen.say("tools")
    screen.wait_for("read them")

    assert (
        "● read_file src/[a].py\n  1 [/x] first of a\n  2 second\n  3 third\n  … 1 more lines\n"
        "● read_file src/[b].py\n  1 [/x] first of b\n  2 second\n  3 third\n  … 1 more lines\n"
        "● read_file src/[c].py\n  1 [/x] first of c\n  2 second\n  3 third\n  … 1 more lines\n"
        "\nread them\n"
    ) in screen.transcript
    screen.leave()


def test_reasoning_and_retries_show_in_the_status_line(repl: Start) -> None:
    screen = repl()
    screen.say("think")
    screen.see("● thinking · 0 s · Esc stops")
    screen.see("● retry 2: overloaded; next try in 3 s")
    screen.wait_for("^thought$")
    screen.leave()


def test_c02_escape_sequences_do_not_reach_the_terminal(repl: Start) -> None:
    screen = repl()
    screen.say(r"raw a\x1b]0;title\x07b \x1b[2J\x9b2Jc \x1b]52;c;aGk=\x07d")
    screen.wait_for("^ab c d$")

    assert b"\x1b]" not in screen.raw
    assert b"\x1b[2J" not in screen.raw
    screen.leave()


def test_failing_turn_is_one_line_and_the_session_goes_on(repl: Start) -> None:
    screen = repl()
    screen.say("crash")
    screen.wait_for(r"before the crash\n.*RuntimeError: \[/red\] scripted failure")
    screen.say("hello")
    screen.wait_for("you said: hello")
    assert "scripted failure" in screen.log
    screen.leave()


def test_toolbar_shows_model_tokens_and_memories(repl: Start) -> None:
    screen = repl()
    assert screen.text.split("\n")[-1] == "test-model · 5 in memory"
    screen.say("hello")
    screen.see("test-model · 1.2k tokens · 5 in memory")
    screen.leave()
