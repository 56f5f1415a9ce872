#!/usr/bin/env python3
r"""Small tasks through the whole program with the embedded model, judged by their effect.

Run: .venv/bin/python scripts/try_local.py [--tasks FILE ...] [--only WORDS] [--model-path FILE]
The default tasks are scripts/data/tasks/given.json and own.json. A file of tasks is a JSON list:

  {"name": "two edits",                          shown in the table
   "files": {"config.yaml": "port: 7070\n"},      the project it begins with
   "requests": ["Set the port to 80."],          each is one `catmem -p REQUEST` in mode auto, a
                                                 session of its own; memory stays between them
   "check": {"files": {"config.yaml": ["port: 80"]},     regular expressions a file must match
             "files_not": {"config.yaml": ["7070"]},     or must not
             "absent": ["old.txt"],                      files that must be gone
             "answer": ["80"],                           what the last answer must match
             "memory": ["port"]}}                        what one stored entry must match

Columns, in seconds over all requests of a task: start of program and engine (load), reading the
fixed instructions (prefill; only the first task does, the others find them kept as any later start
does), the task itself, and learning at the end. Commands of the model really run, in a temporary
folder.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from scripts.lib.homes import home_with_weights  # noqa: E402 - the script runs from a checkout

DEFAULT_TASKS = [ROOT / "scripts/data/tasks" / name for name in ("given.json", "own.json")]
FIXED_TOKENS = 1000
LIMIT_SECONDS = 900
_PROMPT = re.compile(r"prompt eval time = +([\d.]+) ms / +(\d+) tokens")
_LISTENING = re.compile(r"^(\d+)\.(\d+)\.(\d+)\.\d+ .*listening on", re.MULTILINE)


@dataclass(slots=True)
class Run:
    """What one request cost, in seconds, and what it brought."""

    load: float = 0.0
    prefill: float = 0.0
    task: float = 0.0
    learning: float = 0.0
    answer: str = ""
    tools: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Row:
    """One task's line of the table."""

    name: str
    runs: list[Run]
    faults: list[str]

    def seconds(self, column: str) -> float:
        """Return the sum of a column over the task's requests."""
        return float(sum(getattr(run, column) for run in self.runs))


def main() -> int:
    """Run the tasks and print the table; exit status 1 when nothing could be run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tasks", type=Path, nargs="*", default=DEFAULT_TASKS)
    parser.add_argument(
        "--only", nargs="*", default=[], help="run tasks whose name has one of these"
    )
    parser.add_argument("--model-path", default=os.environ.get("CATMEM_PROVIDERS_LOCAL_MODEL_PATH"))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="catmem-slots-") as slots:
        for path in arguments.tasks:
            tasks = [t for t in json.loads(path.read_text("utf-8")) if wanted(t, arguments.only)]
            print(f"\n{path.name}\n   load prefill  task learn  name")
            rows = []
            for task in tasks:
                rows.append(run_task(task, arguments.model_path, Path(slots)))
                print_row(rows[-1])
            print_summary(rows)
    return 0


def wanted(task: Mapping[str, Any], only: Sequence[str]) -> bool:
    """Whether a task was asked for."""
    return not only or any(words in task["name"] for words in only)


def run_task(task: Mapping[str, Any], model_path: str | None, slots: Path) -> Row:
    """Run a task's requests in a fresh project and home, and judge what is there afterwards.

    ``slots`` holds what the engine has read before any task.
    """
    with tempfile.TemporaryDirectory(prefix="catmem-task-") as folder:
        project, home = Path(folder) / "project", Path(folder) / "home"
        project.mkdir()
        for name, text in task["files"].items():
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            (project / name).write_text(text, "utf-8")
        state = home_with_weights(home) / "state"
        state.mkdir()
        (state / "slots").symlink_to(slots)
        runs = [run_request(text, project, home, model_path) for text in task["requests"]]
        return Row(task["name"], runs, list(faults(task["check"], project, home, runs[-1].answer)))


def run_request(text: str, project: Path, home: Path, model_path: str | None) -> Run:
    """Run one `catmem -p` and time it by the lines it prints."""
    env = {
        **os.environ,
        "HOME": str(home),
        "CATMEM_HOME": str(home / ".catmem"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    if model_path:
        env["CATMEM_PROVIDERS_LOCAL_MODEL_PATH"] = model_path
    command = [sys.executable, "-P", "-m", "catmem", "--provider", "local"]
    command += ["--permission-mode", "auto", "--output-format", "stream-json", "-p", text]
    env["PYTHONPATH"] = str(ROOT)
    run, began = Run(), time.monotonic()
    process = subprocess.Popen(
        command, cwd=project, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    ended = began
    for line in process.stdout or ():
        event = json.loads(line)
        if event["type"] == "result":
            run.answer = event["result"] or event["error"] or ""
            continue
        ended = time.monotonic()
        if event["type"] == "tool_call":
            run.tools.append(event["name"])
    process.wait(LIMIT_SECONDS)
    run.learning = time.monotonic() - ended
    run.load, run.prefill = engine_seconds(home / ".catmem/state/log/local-server.log")
    run.task = max(ended - began - run.load - run.prefill, 0.0)
    return run


def engine_seconds(log: Path) -> tuple[float, float]:
    """Return load and prefill of a run, as the engine's log tells them."""
    text = log.read_text("utf-8", "replace") if log.exists() else ""
    listening, prompt = _LISTENING.search(text), _PROMPT.search(text)
    load = 0.0
    if listening:
        minutes, seconds, millis = (int(number) for number in listening.groups())
        load = minutes * 60 + seconds + millis / 1000
    tokens = int(prompt[2]) if prompt else 0
    if prompt is None or tokens < FIXED_TOKENS / 2:  # they were kept
        return load, 0.0
    return load, float(prompt[1]) / 1000 * min(tokens, FIXED_TOKENS) / tokens


def faults(check: Mapping[str, Any], project: Path, home: Path, answer: str) -> Iterator[str]:
    """Yield what is not as the task wants it."""
    for name, patterns in check.get("files", {}).items():
        text = read(project / name)
        yield from (f"{name} lacks {p}" for p in patterns if not re.search(p, text))
    for name, patterns in check.get("files_not", {}).items():
        text = read(project / name)
        yield from (f"{name} has {p}" for p in patterns if re.search(p, text))
    yield from (f"{name} is there" for name in check.get("absent", []) if (project / name).exists())
    yield from (f"answer lacks {p}" for p in check.get("answer", []) if not re.search(p, answer))
    entries = [
        read(path) for root in (project, home) for path in root.glob(".catmem/memory/[!M]*.md")
    ]
    for pattern in check.get("memory", []):
        if not any(re.search(pattern, entry) for entry in entries):
            yield f"memory lacks {pattern}"


def read(path: Path) -> str:
    """Return a file's text, empty when there is none."""
    return path.read_text("utf-8", "replace") if path.is_file() else ""


def print_row(row: Row) -> None:
    """Print a task's line, and what it did when it failed."""
    columns = "".join(
        f"{row.seconds(name):6.1f} " for name in ("load", "prefill", "task", "learning")
    )
    print(f"{'ok' if not row.faults else 'NO'} {columns} {row.name}", flush=True)
    if row.faults:
        print(f"      {'; '.join(row.faults)}")
        for run in row.runs:
            print(f"      {run.tools} {run.answer[:120]!r}", flush=True)


def print_summary(rows: Sequence[Row]) -> None:
    """Print how many were solved, and the median of what one request took."""
    if rows:
        each = [run.task for row in rows for run in row.runs]
        solved = sum(not row.faults for row in rows)
        median = statistics.median(each)
        print(f"{solved} of {len(rows)} solved; median of a request's task {median:.1f} s")


if __name__ == "__main__":
    sys.exit(main())
