#!/usr/bin/env python3
"""How long catmem takes to its prompt, beside the smallest chat on the same libraries.

Run: .venv/bin/python scripts/bench_start.py [--runs N]

Prints the time to the prompt and to the first request, the memory at the prompt, and how many
modules are imported. The first start of each program is not counted, so
bytecode is there as it is for a person's second start.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

from scripts.lib.benching import (
    BASELINE,
    CATMEM,
    PROMPT,
    Program,
    Row,
    median,
    print_table,
)
from tests.support.model_server import ModelServer
from tests.support.reply import Reply

_SETTLE_SECONDS = 2.0
_LIBRARIES = "import prompt_toolkit, rich.console"


@dataclass(frozen=True, slots=True)
class Start:
    """One start: seconds to the prompt and to a request typed at once, MiB at the prompt.

    ``enter`` and ``settled`` are the seconds from the first Enter to its request and the MiB when
    what is loaded in the background is there.
    """

    prompt: float
    request: float
    memory: float
    enter: float
    settled: float


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=9)
    runs = parser.parse_args().runs
    starts: dict[tuple[str, ...], list[Start]] = {BASELINE: [], CATMEM: []}
    libraries: list[float] = []
    with tempfile.TemporaryDirectory() as folder, ModelServer() as server:
        for number in range(runs + 1):
            libraries.append(seconds_of([sys.executable, "-P", "-c", _LIBRARIES]))
            for argv, found in starts.items():
                one = start(argv, Path(folder), server)
                if number:
                    found.append(one)
    report(starts[BASELINE], starts[CATMEM], libraries[1:])
    modules = {name: count_modules(code) for name, code in _IMPORTS.items()}
    print("modules imported: " + ", ".join(f"{name} {count}" for name, count in modules.items()))


_IMPORTS = {
    "the two libraries": _LIBRARIES,
    "catmem's prompt": "import catmem.cli, catmem.ui.repl",
    "memory list": "import catmem.cli",
}


def start(argv: tuple[str, ...], home: Path, server: ModelServer) -> Start:
    """Start once for the times and once for the memory."""
    with Program(argv, home, server.url) as program:
        prompt = program.wait_for(PROMPT[argv]) - program.started
        server.script.append(Reply("hello"))
        before = len(server.requests)
        program.type("hi\r")
        request = server.wait_for_requests(before + 1, 60)[-1].time - program.started
        program.wait_for("hello")
    with Program(argv, home, server.url) as program:
        program.wait_for(PROMPT[argv])
        memory = program.memory()
        time.sleep(_SETTLE_SECONDS)
        settled = program.memory()
        server.script.append(Reply("hello"))
        before = len(server.requests)
        program.type("hi")
        program.wait_for("hi")
        entered = program.type("\r")
        enter = server.wait_for_requests(before + 1, 60)[-1].time - entered
        program.wait_for("hello")
        return Start(prompt, request, memory, enter, settled)


def seconds_of(argv: list[str]) -> float:
    """Return how long a command runs."""
    began = time.monotonic()
    subprocess.run(argv, check=True)
    return time.monotonic() - began


def count_modules(code: str) -> int:
    """Return how many modules ``code`` imports."""
    ran = subprocess.run(
        [sys.executable, "-P", "-c", f"{code}\nimport sys\nprint(len(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return int(ran.stdout)


def report(baseline: list[Start], catmem: list[Start], libraries: list[float]) -> None:
    """Print the table."""
    prompt = median([one.prompt for one in catmem])
    rows = [
        Row(
            "start to prompt, s",
            median([one.prompt for one in baseline]),
            prompt,
            "1.5 x",
            lambda one, other: other <= 1.5 * one,
        ),
        Row(
            "the same to the bare import of both, s",
            median(libraries),
            prompt,
            "",
            lambda _one, _other: True,
        ),
        Row(
            "start and first Enter to request, s",
            median([one.prompt + one.enter for one in baseline]),
            median([one.prompt + one.enter for one in catmem]),
            "0.4 where the baseline needs 0.26",
            lambda one, other: other <= one * 0.4 / 0.26,
        ),
        Row(
            "start to a request typed at once, s",
            median([one.request for one in baseline]),
            median([one.request for one in catmem]),
            "",
            lambda _one, _other: True,
        ),
        Row(
            "memory at the prompt, MiB",
            median([one.memory for one in baseline]),
            median([one.memory for one in catmem]),
            "60",
            lambda _, other: other < 60,
        ),
        Row(
            f"memory {_SETTLE_SECONDS:g} s later, MiB",
            median([one.settled for one in baseline]),
            median([one.settled for one in catmem]),
            "",
            lambda _one, _other: True,
        ),
    ]
    print_table(f"{len(catmem)} starts", rows)


if __name__ == "__main__":
    main()
