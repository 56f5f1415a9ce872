from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.terminal import Terminal

ROOT = Path(__file__).parents[2]


class Screen(Terminal):
    """The driver of this folder on a terminal, and what it left on disk."""

    def __init__(self, work: Path, rows: int, cols: int, env: dict[str, str]) -> None:
        self.work = work
        argv = [sys.executable, "-P", "-m", "tests.ui.driver", str(work)]
        super().__init__(argv, cwd=work, env=env, rows=rows, cols=cols)

    @property
    def sent(self) -> list[list[list[str]]]:
        """The messages that the agent got, each as its (text, origin) parts."""
        file = self.work / "sent.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    @property
    def log(self) -> str:
        file = self.work / "catmem.log"
        return file.read_text() if file.exists() else ""

    def see(self, text: str) -> None:
        """Wait until `text` stands somewhere on the screen."""
        self.wait_until(lambda terminal: text in terminal.text, repr(text))

    def see_no_more(self, text: str) -> None:
        """Wait until `text` is gone from the screen."""
        self.wait_until(lambda terminal: text not in terminal.text, f"no {text!r}")

    def leave(self) -> None:
        """Ctrl+D on an empty line; the program ends well and the terminal is as it was."""
        self.press("ctrl-d")
        assert self.wait_exit() == 0
        self.assert_sane()


Start = Callable[..., Screen]


def environment(**changes: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), **changes}


@pytest.fixture
def repl(tmp_path: Path) -> Iterator[Start]:
    """Starts the driver and waits for its prompt: `repl(rows=30, cols=80, TERM="dumb")`."""
    started: list[Screen] = []

    def start(*, rows: int = 30, cols: int = 80, sign: str = "❯", **env: str) -> Screen:
        screen = Screen(tmp_path, rows, cols, environment(**env))
        started.append(screen)
        screen.see(sign)
        return screen

    yield start
    for screen in started:
        screen.close()
