from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from tests.ui.conftest import environment

ARGV = [sys.executable, "-P", "-m", "tests.ui.driver"]


def run(work: Path, stdin: bytes) -> tuple[int, str, str]:
    done = subprocess.run(
        [*ARGV, str(work)],
        input=stdin,
        capture_output=True,
        check=False,
        env=environment(),
        timeout=20,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_c04_each_piped_line_is_answered(tmp_path: Path) -> None:
    code, out, err = run(tmp_path, "a\n\n# 你好\n/hello x\n/hlelo\ntools\nlast".encode())

    assert code == 0
    assert out == (
        "welcome\nyou said: a\nyou said: # 你好\nhello [/b] command x\nread them\n"
        "you said: last\nbye: end_of_input\n"
    )
    assert "there is no command /hlelo; did you mean /hello?\n" in err
    assert "● read_file src/[a].py\n  1 [/x] first of a\n" in err
    assert (tmp_path / "sent.jsonl").read_text().splitlines()[0] == '[["a", "stdin"]]'


def test_c04_approvals_are_refused_without_waiting(tmp_path: Path) -> None:
    code, out, _ = run(tmp_path, b"ask rm -rf /\n/memory\n")

    assert code == 0
    assert out == (
        "welcome\napproval: deny 'Nobody can be asked: the input is not a terminal.'\n"
        "confirmed: False\nbye: end_of_input\n"
    )


def test_c04_empty_input_ends_at_once(tmp_path: Path) -> None:
    assert run(tmp_path, b"") == (
        0, "welcome\nbye: end_of_input\n", "learning from this session\n"
    )  # fmt: skip


def test_c03_bytes_that_are_no_text(tmp_path: Path) -> None:
    code, out, _ = run(tmp_path, b"x\xff\xed\xa0\xbdy\n")

    assert code == 0
    assert out == "welcome\nyou said: x\ufffd\ufffd\ufffd\ufffdy\nbye: end_of_input\n"


def test_exit_command_ends_before_the_input_does(tmp_path: Path) -> None:
    code, out, _ = run(tmp_path, b"/exit\nnever sent\n")

    assert (code, out) == (0, "welcome\nbye: command\n")


def test_failure_is_one_line_and_the_next_line_is_answered(tmp_path: Path) -> None:
    code, out, err = run(tmp_path, b"crash\nb\n")

    assert code == 0
    assert out == "welcome\nbefore the crash\nyou said: b\nbye: end_of_input\n"
    assert "catmem failed here (RuntimeError: [/red] scripted failure)" in err


def test_ctrl_c_without_a_terminal_stops_the_turn_then_the_session(tmp_path: Path) -> None:
    with subprocess.Popen(
        [*ARGV, str(tmp_path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"partial\n")
        process.stdin.flush()
        while process.stdout.readline() != b"kept para\n":
            pass
        process.send_signal(signal.SIGINT)
        while process.stdout.readline() != b"unfinished sentence\n":
            pass
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == b"bye: interrupt\n"
        assert process.wait(10) == 0
