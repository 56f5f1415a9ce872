from __future__ import annotations

from tests.ui.conftest import Start


def test_c10_mistyped_command_is_caught_and_a_path_is_sent(repl: Start) -> None:
    screen = repl()
    screen.say("/hlelo there")
    screen.see("there is no command /hlelo; did you mean /hello?")
    screen.say("/etc/hosts is a file")
    screen.wait_for("you said: /etc/hosts is a file")
    assert screen.sent == [[["/etc/hosts is a file", "typed"]]]
    screen.leave()


def test_c01_c02_output_of_a_command_is_literal_and_harmless(repl: Start) -> None:
    screen = repl()
    screen.say("/hello [red]")
    screen.wait_for(r"^hello \[/b\] command \[red\]$")
    assert b"\x1b[2J" not in screen.raw
    screen.leave()


def test_names_complete_with_their_help(repl: Start) -> None:
    screen = repl()
    screen.type("/")
    for name in ("/hello", "/memory", "/exit"):
        screen.see(name)
    screen.type("he")
    screen.see_no_more("/memory")
    screen.press("tab")
    screen.see("❯ /hello")
    screen.press("enter")
    screen.wait_for(r"^hello \[/b\] command$")
    screen.type("/memory s")
    screen.see("show")
    screen.see_no_more("list")
    screen.press("ctrl-c")
    screen.see_no_more("show")
    screen.leave()


def test_harmless_command_runs_during_a_turn_and_another_waits(repl: Start) -> None:
    screen = repl()
    screen.say("slow 100")
    screen.wait_for("slow 0003")
    screen.say("/hello now")
    screen.wait_for("command now")
    assert "slow done" not in screen.transcript
    screen.say("/memory")
    screen.see("queued: /memory")
    screen.wait_for("slow done")
    screen.see("Clear 3 memories?")
    screen.press("n")
    screen.wait_for("confirmed: False")
    screen.leave()


def test_long_command_can_be_interrupted(repl: Start) -> None:
    screen = repl()
    screen.say("/wait")
    screen.see("● /wait · 0 s · Esc stops")
    screen.press("esc")
    screen.wait_for("^interrupted$")
    screen.leave()


def test_failing_command_is_one_line(repl: Start) -> None:
    screen = repl()
    screen.say("/broken")
    screen.see("catmem failed here (RuntimeError: broken command); the log has the details")
    assert "broken command" in screen.log
    screen.leave()


def test_exit_command_leaves_also_during_a_turn(repl: Start) -> None:
    screen = repl()
    screen.say("partial")
    screen.see("unfinished sentence")
    screen.say("/exit")
    screen.wait_for("interrupted\nbye: command")
    assert screen.wait_exit() == 0
    screen.assert_sane()
