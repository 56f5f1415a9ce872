from __future__ import annotations

import stat

from tests.ui.conftest import Start

KEY = "sk-ant-api03-" + "a1B2" * 20


def test_c13_two_sessions_keep_both_lines_in_a_private_file(repl: Start) -> None:
    one, two = repl(), repl()
    one.say("from one")
    one.wait_for("you said: from one")
    two.say("from two\nsecond line".replace("\n", "\x0a"))
    two.wait_for("you said: from two")
    one.say(f"my key is {KEY}")
    one.wait_for("you said: my key")
    one.leave()
    two.leave()
    three = repl()
    for expected in ("❯ from two\n  second line", "❯ from one"):
        three.press("up", "up")
        three.see(expected)
    three.press("ctrl-c")
    three.leave()

    file = one.work / "state" / "history"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_text().count("+from one\n") == 1


def test_unusable_history_is_no_obstacle(repl: Start, tmp_path: object) -> None:
    first = repl()
    (first.work / "state" / "history").mkdir(parents=True)
    first.say("hello")
    first.wait_for("you said: hello")
    assert "prompt history" in first.log
    first.leave()
