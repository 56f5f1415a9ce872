"""Steps that the scenarios share: opening a session, leaving it, reading what it left behind."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from tests.support.pipeline import MARKER
from tests.support.program import Finished, Program
from tests.support.request import Request
from tests.support.terminal import Terminal

EMPTY = r"^[❯>]$"
BUSY = r"Esc (stops|停止)"
QUESTION = r"^y (once|yes|仅此一次|是)"
NO_PIPELINE = {"CATMEM_MEMORY_TRIGGER": "manual"}


def enter(program: Program, *args: str, rows: int = 30, cols: int = 100) -> Terminal:
    """Start on a terminal and wait for the prompt."""
    terminal = program.terminal(*args, rows=rows, cols=cols)
    terminal.wait_for(EMPTY, on_screen=True)
    return terminal


def wait_idle(terminal: Terminal) -> None:
    """Wait until the prompt is there and nothing runs."""

    def idle(terminal: Terminal) -> object:
        there, *busy = (
            re.search(pattern, terminal.text, re.MULTILINE) for pattern in (EMPTY, BUSY, QUESTION)
        )
        return there and not any(busy)

    terminal.wait_until(idle, "the turn's end")


def answer(terminal: Terminal, text: str, pattern: str) -> None:
    """Send a message, wait for what is to be seen and for the turn's end."""
    terminal.say(text)
    terminal.wait_for(pattern)
    wait_idle(terminal)


def asked(terminal: Terminal, pattern: str = "") -> None:
    """Wait for a question that is open, and about `pattern`."""
    terminal.wait_for(pattern)
    terminal.wait_for(QUESTION, on_screen=True)


def leave(terminal: Terminal, code: int = 0) -> str:
    """Press Ctrl+D; return what the whole session printed."""
    wait_idle(terminal)
    terminal.press("ctrl-d")
    return ended(terminal, code)


def ended(terminal: Terminal, code: int = 0) -> str:
    """Wait for the program's end with `code`, in order; return what the session printed."""
    assert terminal.wait_exit() == code, terminal.transcript
    terminal.assert_sane()
    assert "Traceback" not in terminal.transcript
    return terminal.transcript


def finished(run: Finished, code: int = 0) -> Finished:
    """Check how a run without a terminal ended."""
    assert run.code == code, run
    assert "Traceback" not in run.stderr
    return run


def one_line(text: str) -> str:
    """The only line of an error output."""
    assert text.count("\n") == 1, text
    return text.rstrip("\n")


def files(folder: Path) -> dict[str, str]:
    """The text of every file below `folder`, by its path there."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_text("utf-8") for path in found}


def entry(name: str, description: str, content: str, type: str = "user") -> str:
    """An entry file as it stands in the design, written today."""
    today = date.today().isoformat()  # noqa: DTZ011 - entries carry the local date
    return (
        f"---\nname: {name}\ndescription: {description}\nmetadata:\n  type: {type}\n"
        f"  createdAt: {today}\n  updatedAt: {today}\n---\n{content}\n"
    )


def shown(extraction: Request) -> str:
    """What an extraction request shows of the conversation itself."""
    text = extraction.user_texts[-1]
    first = MARKER.search(text)
    assert first is not None, text
    return text[first.start() :]


def records(program: Program) -> Iterator[dict[str, Any]]:
    """Every record of every transcript, in order."""
    for path in sorted((program.catmem_home / "sessions").rglob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            yield json.loads(line)
