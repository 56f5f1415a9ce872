from __future__ import annotations

import time

from tests.ui.conftest import Screen, Start

CHOICES = "y once · s this session (exactly this) · n no · or type what to do instead"


def ask(screen: Screen, text: str = "ask rm -rf build") -> None:
    screen.say(text)
    screen.see("Run this with bash?")


ANSWERS = [
    ("y", "approval: once ''"),
    ("s", "approval: session ''"),
    ("n", "approval: deny ''"),
    ("\x1b", "approval: deny ''"),
    ("\x04", "approval: deny ''"),
    ("yes\r", "approval: once ''"),
    ("not that, use git clean\r", "approval: deny 'not that, use git clean'"),
    ("see README first\r", "approval: deny 'see README first'"),
]


def test_answers_and_no_key_in_the_draft(repl: Start) -> None:
    screen = repl()
    for number, (typed, answer) in enumerate(ANSWERS):
        ask(screen)
        assert f"  rm -rf build\n\nRun this with bash?\n{CHOICES}\n❯" in screen.text
        screen.type(typed)
        screen.wait_for("^approval: ", times=number + 1)
        screen.see_no_more("Run this with bash?")
        time.sleep(0.3)
        lines = screen.text.split("\n")
        assert (lines[-4], lines[-2]) == (answer, "❯")
    screen.leave()


def test_draft_is_put_aside_and_comes_back(repl: Start) -> None:
    screen = repl()
    screen.type("ask rm -rf build\rhalf a thou")  # at once: on a busy machine too it is typed first
    screen.see("Run this with bash?")
    assert "half a thou" not in screen.text
    screen.press("y")
    screen.wait_for("^approval: once ''$")
    screen.press("enter")
    screen.see("❯ half a thou")
    time.sleep(0.7)
    screen.type("ght")
    screen.press("enter")
    screen.wait_for("you said: half a thought")
    assert screen.sent == [[["ask rm -rf build", "typed"]], [["half a thought", "typed"]]]
    screen.leave()


def test_a_is_no_answer(repl: Start) -> None:
    screen = repl()
    ask(screen)
    screen.press("a")
    screen.see(f"{CHOICES}\n❯ a")
    time.sleep(0.5)
    assert "approval:" not in screen.text
    screen.press("backspace", "n")
    screen.wait_for("^approval: deny ''$")
    screen.leave()


def test_ctrl_c_at_a_question_interrupts_the_turn(repl: Start) -> None:
    screen = repl()
    ask(screen)
    screen.press("ctrl-c")
    screen.wait_for("^interrupted$")
    screen.see_no_more("Run this with bash?")
    screen.say("next")
    screen.wait_for("you said: next")
    screen.leave()


def test_question_does_not_open_under_typing_fingers(repl: Start) -> None:
    screen = repl()
    screen.say("ask rm -rf build")
    for letter in "yes yes yes":
        screen.type(letter)
        time.sleep(0.1)
    assert "Run this with bash?" not in screen.text
    screen.see("Run this with bash?")
    screen.press("n")
    screen.wait_for("^approval: deny ''$")
    screen.see("❯ yes yes yes")


def test_change_is_shown_before_it_is_made_and_not_again_after(repl: Start) -> None:
    screen = repl()
    screen.say("edit")
    screen.see("Make this change to notes.txt?")
    diff = "  --- a/notes.txt\n  +++ b/notes.txt\n  @@ -1 +1 @@\n  -old line\n  +new line\n"
    assert diff in screen.text
    assert "s this session (edit_file)" in screen.text
    assert b"\x1b[31m-old line" in screen.raw
    assert b"\x1b[32m+new line" in screen.raw
    screen.press("y")
    screen.wait_for("^● edit_file notes.txt$")
    screen.wait_quiet()
    assert screen.transcript.count("+new line") == 1
    screen.leave()


def test_c01_c02_command_shows_what_a_terminal_would_hide(repl: Start) -> None:
    screen = repl()
    screen.paste("ask echo [/x] \u202e\u200b")
    screen.type(" [bold]")
    screen.press("enter")
    screen.wait_for(r"^  echo \[/x\] .*\[bold\]$")
    screen.press("esc")
    screen.wait_for("approval: deny")


def test_a_long_command_is_shown_whole_before_it_is_approved(repl: Start) -> None:
    screen = repl()
    screen.paste("ask " + "\n".join(f"echo {i}" for i in range(100)))
    screen.press("enter")
    screen.see("Run this with bash?")
    lines = [line.strip() for line in screen.transcript.splitlines()]
    assert [line for line in lines if line.startswith("echo ")] == [f"echo {i}" for i in range(100)]
    screen.press("esc")
    screen.wait_for("approval: deny")


def test_yes_or_no_of_a_command(repl: Start) -> None:
    screen = repl()
    for typed, answer in [("y", "True"), ("n", "False"), ("\x1b", "False"), ("\x04", "False")]:
        screen.say("/memory")
        screen.see("Clear 3 memories?\ny yes · n no\n❯")
        screen.type(typed)
        screen.wait_for(f"confirmed: {answer}\n\n❯")
        screen.see_no_more("Clear 3 memories?")
    screen.leave()
