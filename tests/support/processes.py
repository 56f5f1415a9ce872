"""Whether processes are alive. A zombie is not: who reaps it, and when, is the machine's affair."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

PROC = Path("/proc")


def alive(pid: int) -> bool:
    """Whether a process runs."""
    if (PROC / "self").exists():
        return _fields(PROC / str(pid))[0] not in {"", "Z", "X"}
    return _answers(os.kill, pid)


def group_alive(group: int) -> bool:
    """Whether a process of the group runs."""
    if not (PROC / "self").exists():
        return _answers(os.killpg, group)
    found = [_fields(folder) for folder in PROC.iterdir() if folder.name.isdigit()]
    return any(state not in {"", "Z", "X"} and pgrp == str(group) for state, pgrp in found)


def gone_soon(is_alive: Callable[[int], bool], number: int, seconds: float = 5) -> bool:
    """Whether a process, or a group, ends within the time."""
    end = time.monotonic() + seconds
    while is_alive(number):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def _fields(folder: Path) -> tuple[str, str]:
    """State and group of a process; empty when it is gone."""
    try:
        stat = (folder / "stat").read_text("utf-8", "replace")
    except OSError:
        return "", ""
    state, _, group, *_ = stat[stat.rfind(")") + 2 :].split()
    return state, group


def _answers(kill: Callable[[int, int], None], number: int) -> bool:
    try:
        kill(number, 0)
    except ProcessLookupError:
        return False
    return True
