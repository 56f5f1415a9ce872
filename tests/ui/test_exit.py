from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.ui.conftest import Start, environment


def test_work_at_the_end_is_shown_with_its_seconds(repl: Start) -> None:
    screen = repl(DRIVER_LEARN="1.5")
    screen.press("ctrl-d")
    screen.see("learning from this session · 1 s · Ctrl+C skips")
    screen.wait_for("^learned 1\nbye: end_of_input$")
    assert screen.wait_exit() == 0
    screen.assert_sane()


@pytest.mark.parametrize("key", ["ctrl-c", "ctrl-d"])
def test_work_at_the_end_can_be_skipped(repl: Start, key: str) -> None:
    screen = repl(DRIVER_LEARN="30")
    screen.press("ctrl-d")
    screen.see("learning from this session")
    screen.press(key)
    screen.wait_for("^skipped\nbye: end_of_input$")
    assert screen.wait_exit() == 0
    screen.assert_sane()


@pytest.mark.parametrize("busy", [True, False])
def test_a_second_sigterm_skips_the_work(repl: Start, busy: bool) -> None:
    screen = repl(DRIVER_LEARN="30")
    if busy:
        screen.say("partial")
        screen.see("unfinished sentence")
    screen.signal(signal.SIGTERM)
    time.sleep(0.1)  # the same signal twice at once is one signal
    screen.signal(signal.SIGTERM)
    screen.wait_for("^skipped\nbye: signal$")
    assert screen.wait_exit() == 0
    screen.assert_sane()


def test_terminal_that_goes_away_ends_the_session_with_its_work(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "tests.ui.driver", str(tmp_path)],
        stdin=theirs, stdout=theirs, stderr=subprocess.PIPE,
        env=environment(DRIVER_LEARN="1"), start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    seen = b""
    while "❯".encode() not in seen:
        seen += os.read(ours, 4096)
    os.write(ours, b"partial\r")
    time.sleep(0.5)
    os.close(ours)
    for _ in range(2):  # one from the kernel, one from the shell
        process.send_signal(signal.SIGHUP)
        time.sleep(0.1)

    _, errors = process.communicate(timeout=10)
    assert (process.returncode, errors) == (0, b"")
    assert (tmp_path / "sent.jsonl").read_text() == '[["partial", "typed"]]\n'
    assert (tmp_path / "outcome").read_text() == "learned 1"
