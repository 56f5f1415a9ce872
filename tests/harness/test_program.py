"""Programs that a test leaves running are ended, with their children."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from tests.support.program import Program
from tests.support.terminal import Terminal


def test_close_ends_what_is_left(home: Path, workspace: Path, guard_report: Path) -> None:
    program = Program(home, workspace, guard_report)
    code = "print('up', flush=True); import time; time.sleep(60)"
    terminal = Terminal([sys.executable, "-c", code], cwd=workspace, env=program.env)
    program.terminals.append(terminal)
    terminal.wait_for("up")
    process = program.start("--version")
    start = time.monotonic()
    program.close()
    assert time.monotonic() - start < 5
    assert process.poll() is not None
    assert terminal.wait_exit() == -9
