#!/usr/bin/env python3
"""How long a turn takes in catmem, beside the smallest chat on the same libraries.

Run: .venv/bin/python scripts/bench_turn.py [--turns N]

Prints the time from Enter to the request on the wire with an empty memory and with 500 entries, the
time of a tool step, the size of the first request, and a streamed answer of 2,000 lines in 4,000
pieces. The model is scripted and on this machine; each program talks to it from a terminal.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

from catmem.tokens import estimate
from scripts.lib.benching import BASELINE, CATMEM, PROMPT, Program, Row, median, print_table
from tests.support.model_server import ModelServer
from tests.support.reply import Reply
from tests.support.request import Request

_ENTRIES = 500
_STEPS = 10
_LINES = 2000
_PIECE = 24
_END = "ENDOFANSWER"
_QUIET_SECONDS = 1.5


@dataclass(frozen=True, slots=True)
class Turns:
    """One program's figures; times in milliseconds but for the two of the long answer."""

    enter: float
    step: float
    answer: float
    processor: float
    once: int
    first: Request


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=9)
    turns = parser.parse_args().turns
    with tempfile.TemporaryDirectory() as folder, ModelServer() as server:
        home = Path(folder)
        (home / "notes.txt").write_text("a line\n")
        baseline = measure(BASELINE, home, server, turns)
        catmem = measure(CATMEM, home, server, turns)
        fill_memory(home / ".catmem" / "memory")
        with Program(CATMEM, home, server.url) as program:
            full = median(enter_times(program, CATMEM, server, turns))
    report(baseline, catmem, full)


def measure(argv: tuple[str, ...], home: Path, server: ModelServer, turns: int) -> Turns:
    """Return the figures of one program, all of one session but for the long answer."""
    with Program(argv, home, server.url) as program:
        enter = enter_times(program, argv, server, turns)
        first = server.requests[-turns]
        step = step_times(program, server)
    with Program(argv, home, server.url) as program:
        enter_times(program, argv, server, 1)
        used = program.processor_seconds()
        size = len(program.raw)
        server.script.append(Reply(long_answer(), chunk=_PIECE))
        began = program.type("long\r")
        seconds = program.wait_for(_END, after=size) - began
        used = program.processor_seconds() - used
        time.sleep(_QUIET_SECONDS)
        shown = program.transcript()
    once = sum(shown.count(f"item {number:04d}:") == 1 for number in range(_LINES))
    return Turns(median(enter), median(step), seconds, used, once, first)


def enter_times(
    program: Program, argv: tuple[str, ...], server: ModelServer, turns: int
) -> list[float]:
    """Return the milliseconds from Enter to the arrival of the request, for each turn."""
    program.wait_for(PROMPT[argv])
    time.sleep(_QUIET_SECONDS)  # what is loaded in the background is loaded by now
    found = []
    for number in range(turns):
        server.script.append(Reply(f"answer-{number}."))
        program.type(f"question-{number}")
        program.wait_for(f"question-{number}")
        before, size = len(server.requests), len(program.raw)
        began = program.type("\r")
        arrived = server.wait_for_requests(before + 1)[before].time
        found.append((arrived - began) * 1000)
        program.wait_for(f"answer-{number}.", after=size)
        time.sleep(0.3)
    return found


def step_times(program: Program, server: ModelServer) -> list[float]:
    """Return the milliseconds from one request to the next, with a small file read in between."""
    call = Reply(tool_calls=[("read_file", {"path": "notes.txt"})], chunk=100)
    server.script.extend([*[call] * _STEPS, Reply("steps-done.")])
    before, size = len(server.requests), len(program.raw)
    program.type("steps\r")
    program.wait_for("steps-done.", after=size)
    moments = [request.time for request in server.requests[before:]]
    return [(later - earlier) * 1000 for earlier, later in pairwise(moments)]


def long_answer() -> str:
    """Return a list of 2,000 items, each two pieces long."""
    width = 2 * _PIECE - 1
    items = [f"- item {number:04d}: some `code` and **bold**" for number in range(_LINES)]
    return "\n".join([*(f"{item:x<{width}}" for item in items), "", f"{_END}\n"])


def fill_memory(folder: Path) -> None:
    """Write 500 entries of the user's."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(_ENTRIES):
        name = f"prefers-thing-{number}"
        (folder / f"{name}.md").write_text(
            f"---\nname: {name}\ndescription: Prefers thing {number} to all the others\n"
            "metadata:\n  type: user\n  createdAt: 2026-01-01\n  updatedAt: 2026-01-01\n"
            f"---\nThe user prefers thing {number}.\n"
        )


def report(baseline: Turns, catmem: Turns, full: float) -> None:
    """Print the tables."""
    print_table("milliseconds", _times(baseline, catmem, full))
    body = json.dumps(catmem.first.body, ensure_ascii=False)
    tools = json.dumps(catmem.first.body.get("tools"), ensure_ascii=False)
    size = estimate(catmem.first.system) + estimate(tools)
    print(
        f"\nfirst request: {len(body.encode())} bytes, {len(catmem.first.tool_names)} tools; "
        f"base prompt {estimate(catmem.first.system)} + tools {estimate(tools)} = {size} tokens "
        f"(goal 3,000){'' if size <= 3000 else '  MISSED'}\n"
    )
    print_table(f"{_LINES} lines in {2 * _LINES} pieces", _long(baseline, catmem))


def _times(baseline: Turns, catmem: Turns, full: float) -> Sequence[Row]:
    return [
        Row("Enter to request", baseline.enter, catmem.enter, "15", lambda _, ms: ms < 15),
        Row(f"the same with {_ENTRIES} entries", baseline.enter, full, "15", lambda _, ms: ms < 15),
        Row(
            "tool step (the baseline's is the tool itself)",
            baseline.step,
            catmem.step,
            "10 more",
            lambda itself, ms: ms < itself + 10,
        ),
    ]


def _long(baseline: Turns, catmem: Turns) -> Sequence[Row]:
    return [
        Row("to its end, s", baseline.answer, catmem.answer, "1.5", lambda _, s: s < 1.5),
        Row("processor, s", baseline.processor, catmem.processor, "", lambda _one, _other: True),
        Row(
            "lines that are there once",
            baseline.once,
            catmem.once,
            str(_LINES),
            lambda _, count: count == _LINES,
        ),
    ]


if __name__ == "__main__":
    main()
