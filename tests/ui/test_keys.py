from __future__ import annotations

import json
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.support.terminal import Terminal
from tests.ui.conftest import Start, environment


def test_draft_stays_while_an_answer_streams(repl: Start) -> None:
    screen = repl()
    screen.say("slow 60")
    screen.wait_for("slow 0005")
    screen.type("draft77")
    screen.see("❯ draft77")
    assert "slow done" not in screen.transcript
    screen.wait_for("slow done")
    screen.see("❯ draft77")
    screen.press("enter")
    screen.wait_for("you said: draft77")
    screen.leave()


def test_enter_while_busy_queues_and_up_recalls(repl: Start) -> None:
    screen = repl()
    screen.say("slow 80")
    screen.see("answering")
    screen.say("second")
    screen.say("third")
    screen.see("queued: second\nqueued: third\n❯")
    screen.press("up")
    screen.see("queued: second\n❯ third")
    screen.wait_for("you said: second")
    screen.see("❯ third")
    assert screen.sent == [[["slow 80", "typed"]], [["second", "typed"]]]


def test_c09_interrupt_keeps_answer_and_draft(repl: Start) -> None:
    screen = repl()
    for times, key in enumerate(["esc", "ctrl-c"], 1):
        screen.say("partial")
        screen.wait_for("^unfinished sentence$", times=times)
        screen.type("my draft")
        screen.see("Esc stops\n❯ my draft")
        began = time.monotonic()
        screen.press(key)
        screen.wait_for("^kept para\n\nunfinished sentence\ninterrupted$", times=times)
        assert time.monotonic() - began < 5
        screen.see("interrupted\n\n❯ my draft")
        screen.press("enter")
        screen.wait_for("^you said: my draft$", times=times)
    screen.leave()


def test_c08_ctrl_c_clears_then_hints_then_leaves(repl: Start) -> None:
    screen = repl()
    screen.type("some words")
    screen.see("❯ some words")
    screen.press("ctrl-c")
    screen.see_no_more("some words")
    screen.press("up")
    screen.see("❯ some words")
    screen.press("ctrl-c")
    screen.see_no_more("some words")
    screen.press("ctrl-c")
    screen.see("press Ctrl+C again")
    screen.press("ctrl-c")
    screen.wait_for("bye: interrupt")
    assert screen.wait_exit() == 0
    screen.assert_sane()
    assert screen.sent == []


def test_second_ctrl_c_after_a_while_only_hints_again(repl: Start) -> None:
    screen = repl()
    screen.press("ctrl-c")
    screen.see("press Ctrl+C again")
    screen.see_no_more("press Ctrl+C again")
    screen.press("ctrl-c")
    screen.see("press Ctrl+C again")
    screen.leave()


def test_c08_ctrl_d_deletes_forward_in_text_and_leaves_on_an_empty_line(repl: Start) -> None:
    screen = repl()
    screen.type("abc")
    screen.press("home", "ctrl-d")
    screen.see("❯ bc")
    screen.press("ctrl-d", "ctrl-d", "ctrl-d")
    screen.wait_for("bye: end_of_input")
    assert screen.wait_exit() == 0
    screen.assert_sane()


def test_ctrl_d_while_busy_interrupts_and_leaves(repl: Start) -> None:
    screen = repl()
    screen.say("partial")
    screen.see("unfinished sentence")
    screen.press("ctrl-d")
    screen.wait_for("^unfinished sentence\ninterrupted\nbye: end_of_input")
    assert screen.wait_exit() == 0
    screen.assert_sane()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_leave_by_the_usual_way(repl: Start, number: signal.Signals) -> None:
    screen = repl()
    screen.say("partial")
    screen.see("unfinished sentence")
    screen.signal(number)
    screen.wait_for("interrupted\nbye: signal")
    assert screen.wait_exit() == 0
    screen.assert_sane()


def test_sigint_from_outside_is_ctrl_c(repl: Start) -> None:
    screen = repl()
    screen.say("partial")
    screen.see("unfinished sentence")
    screen.signal(signal.SIGINT)
    screen.wait_for("^interrupted$")
    screen.leave()


def test_newlines_by_ctrl_j_and_alt_enter(repl: Start) -> None:
    screen = repl()
    screen.type("a")
    screen.press("ctrl-j")
    screen.type("b")
    screen.press("alt-enter")
    screen.type("c")
    screen.see("❯ a\n  b\n  c")
    screen.press("enter")
    screen.wait_for("you said: a\nb\nc")
    assert screen.sent == [[["a\nb\nc", "typed"]]]
    screen.leave()


def test_c07_paste_of_several_lines_is_one_message(repl: Start) -> None:
    screen = repl()
    screen.type("look: ")
    screen.paste("/memory clear\nsecond\nthird")
    screen.see("❯ look: /memory clear\n  second\n  third")
    screen.type(" done")
    screen.press("enter")
    screen.wait_for("you said: look")
    assert screen.sent == [
        [["look: ", "typed"], ["/memory clear\nsecond\nthird", "pasted"], [" done", "typed"]]
    ]
    screen.leave()


def test_c07_pasted_lines_that_begin_with_a_command_are_sent(repl: Start) -> None:
    screen = repl()
    screen.paste("/exit\nnow")
    screen.press("enter")
    screen.wait_for("you said: /exit")
    assert screen.sent == [[["/exit\nnow", "pasted"]]]
    screen.leave()


def test_pasted_single_line_counts_as_typed(repl: Start) -> None:
    screen = repl()
    screen.paste("just one line\n")
    screen.press("enter")
    screen.wait_for("you said: just one line")
    assert screen.sent == [[["just one line", "typed"]]]
    screen.leave()


def test_long_paste_is_folded_and_sent_whole(repl: Start) -> None:
    screen = repl()
    text = "\n".join(f"row {i}" for i in range(1000))
    screen.type("see ")
    screen.paste(text)
    screen.see("❯ see [Pasted text #1 · 1000 lines]")
    screen.press("backspace")
    screen.see_no_more("Pasted")
    screen.paste(text)
    screen.see("❯ see [Pasted text #2 · 1000 lines]")
    screen.press("enter")
    screen.wait_for("row 999")
    assert screen.sent == [[["see ", "typed"], [text, "pasted"]]]
    screen.leave()


def test_c09_suspend_and_resume(tmp_path: Path) -> None:
    with Terminal(
        ["/bin/sh", "-i"],
        cwd=tmp_path,
        env=environment(PS1="SHELL> "),
    ) as shell:
        shell.wait_for("SHELL>")
        shell.say(f"{sys.executable} -P -m tests.ui.driver {tmp_path}")
        shell.wait_for("^❯")
        shell.type("dra")
        shell.wait_for("^❯ dra")
        shell.press("ctrl-z")
        shell.wait_for("SHELL>", times=2)
        shell.say("stty -a | grep -o ' echo '")
        shell.wait_for("^ echo")
        shell.say("fg")
        shell.wait_for("^❯ dra")
        shell.type("ft")
        shell.press("enter")
        shell.wait_for("you said: draft")
        shell.press("ctrl-d")
        shell.wait_for("bye: end_of_input")


def test_enter_in_the_history_search_takes_the_line_and_sends_nothing(repl: Start) -> None:
    screen = repl()
    screen.say("needle in the past")
    screen.wait_for("you said: needle")
    screen.type("draft")
    screen.see("❯ draft")
    screen.press("ctrl-r")
    screen.type("needle")
    screen.see("needle in the past\nI-search backward: needle")
    screen.press("enter")
    screen.see("❯ needle in the past")
    assert screen.sent == [[["needle in the past", "typed"]]]


def test_lines_entered_before_the_prompt_is_there_are_sent(tmp_path: Path) -> None:
    argv = [sys.executable, "-P", "-m", "tests.ui.driver", str(tmp_path)]
    with Terminal(argv, cwd=tmp_path, env=environment(DRIVER_START="1")) as terminal:
        time.sleep(0.3)
        terminal.say("first")
        terminal.say("/nonsense")
        terminal.say("second")
        terminal.type("a draft")
        terminal.wait_for("^you said: second$")
        terminal.wait_for("^❯ a draft$", on_screen=True)
    sent = [json.loads(line) for line in (tmp_path / "sent.jsonl").read_text().splitlines()]
    assert sent == [[["first", "typed"]], [["second", "typed"]]]
