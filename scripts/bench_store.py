#!/usr/bin/env python3
"""How long the memory store takes with 100, 1,000 and 5,000 entries.

Run: .venv/bin/python scripts/bench_store.py [--sizes 100,1000,5000] [--rounds N]

Each size has a process of its own. *First open* is that of files nobody has read yet, *open* that
of any later start; *list* asks again in the same process, which in a large store is told what was
touched; *index* writes a missing MEMORY.md. *Add* and *update* are whole transactions (lock,
journal, archive, index, all synced to the disk); *first add* is that of a process that has just
read all entries. Beside them stands what the disk alone takes: one file written with and without
fsync. Each figure is the best of its rounds: other programs can only add to what the store takes.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from catmem import storage
from catmem.memory.store.entry import Entry
from catmem.memory.store.operations import Action, Operation, Result
from catmem.memory.store.reading.loading import load_codec
from catmem.memory.store.stores import Stores, open_stores
from catmem.paths import Paths, find_paths

_GOALS = {"open": 0.3, "add": 0.02, "update": 0.02}
_MOST_GROWTH = 1.5
_TEXT = """\
deploy staging database migrate release branch commit review test build cache server client budget
layout window prompt history search index module package 部署 数据库 测试 分支 提交"""
_WORDS = _TEXT.split()


def main() -> None:
    """Measure each size in a process of its own and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="100,1000,5000")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one is not None:
        print(json.dumps(measure(options.one, options.rounds)))
        return
    sizes = [int(size) for size in options.sizes.split(",")]
    report({size: _in_a_process(size, options.rounds) for size in sizes})


def _in_a_process(size: int, rounds: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--one", str(size), "--rounds", str(rounds)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    figures: dict[str, float] = json.loads(printed)
    return figures


def measure(size: int, rounds: int) -> dict[str, float]:
    """Return seconds by what was done, and ``memory`` in bytes for each entry."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CATMEM_HOME"] = str(Path(folder) / "home")
        paths = find_paths(_made(Path(folder) / "workspace"), os.environ)
        fill(paths.user_memory, size)
        _made(paths.state)
        load_codec()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        figures = {"first open": _seconds(lambda: open_stores(paths).load_all())}
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        stores = open_stores(paths)
        stores.load_all()
        return {
            **figures,
            "open": _best(rounds, lambda: open_stores(paths).load_all()),
            "list": _best(rounds, stores.load_all),
            "index": _best(rounds, lambda: _rebuild(stores, paths)),
            **writes(stores, rounds),
            "first add": min(_first_add(paths) for _ in range(rounds)),
            **plain_writes(Path(folder), rounds),
            "memory": used * 1024 / size,
        }


def fill(directory: Path, size: int) -> None:
    """Write so many entries as catmem would."""
    _made(directory)
    for number in range(size):
        entry = Entry(
            f"fact-{number}",
            f"Fact {number} about {_words(number, 5)}",
            ("user", "feedback", "project", "reference")[number % 4],
            f"{_words(number, 50)}.\n",
            created_at="2026-08-01",
            updated_at="2026-08-02",
            optional={
                "keywords": _words(3 * number, 3).split(),
                "usageScenario": [f"when {_words(5 * number, 6)}"],
                "importance": 0.6,
            },
        )
        (directory / f"{entry.name}.md").write_bytes(load_codec().encode(entry))
    time.sleep(0.1)  # what was just written is read twice, because a clock ticks slowly


def _words(start: int, count: int) -> str:
    return " ".join(_WORDS[(start + 7 * place) % len(_WORDS)] for place in range(count))


def writes(stores: Stores, rounds: int) -> dict[str, float]:
    """Return what adding and updating take."""
    fresh = Entry("new-fact", "A new fact", "user", "It is new.")

    def update() -> None:
        entry = Entry("new-fact", "A new fact", "user", f"It is of {time.monotonic_ns()}.")
        _done(stores, Operation(Action.UPDATE, entry, name="new-fact"), Result.UPDATED)

    _done(stores, Operation(Action.ADD, fresh), Result.ADDED)
    return {"add": _best(rounds, lambda: _add(stores)), "update": _best(rounds, update)}


def _first_add(paths: Paths) -> float:
    stores = open_stores(paths)
    stores.load_all()
    return _seconds(lambda: _add(stores))


def _add(stores: Stores) -> None:
    name = f"new-{time.monotonic_ns()}"
    operation = Operation(Action.ADD, Entry(name, f"About {name}", "user", "It is new."))
    _done(stores, operation, Result.ADDED)


def plain_writes(folder: Path, rounds: int) -> dict[str, float]:
    """Return what the disk takes for one small file, replaced with and without fsync."""
    path = folder / "plain.md"

    def unsynced() -> None:
        (folder / "plain.tmp").write_bytes(b"x" * 700)
        (folder / "plain.tmp").replace(path)

    return {
        "one file, fsync": _best(rounds, lambda: storage.write_atomic(path, b"x" * 700)),
        "one file, no fsync": _best(rounds, unsynced),
    }


def report(found: dict[int, dict[str, float]]) -> None:
    """Print milliseconds by size, with goals for the largest and growth against the one before."""
    sizes = sorted(found)
    print(f"{'milliseconds':<22}" + "".join(f"{size:>10,}" for size in sizes) + "   goal")
    for name in found[sizes[-1]]:
        if name != "memory":
            cells = "".join(f"{found[size][name] * 1000:>10.2f}" for size in sizes)
            print(f"{name:<22}{cells}   {_verdict(found[sizes[-1]][name], _GOALS.get(name))}")
    cells = "".join(f"{found[size]['memory'] / 1024:>10.1f}" for size in sizes)
    print(f"{'KiB for each entry':<22}{cells}")
    if len(sizes) > 1:
        smaller, larger = sizes[-2:]
        for name in ("open", "list", "memory"):
            per_entry = [found[size][name] / (1 if name == "memory" else size) for size in sizes]
            growth = per_entry[-1] / per_entry[-2]
            words = f"{name} for each entry, {larger:,} to {smaller:,}"
            print(f"{words:<52}{growth:.2f}   {_verdict(growth, _MOST_GROWTH, 1)}")
    print(f"best of each row; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")


def _verdict(value: float, goal: float | None, unit: int = 1000) -> str:
    if goal is None:
        return ""
    return f"< {goal * unit:g}" + ("" if value < goal else "  MISSED")


def _rebuild(stores: Stores, paths: Paths) -> None:
    (paths.user_memory / "MEMORY.md").unlink(missing_ok=True)
    stores.refresh_indexes()


def _done(stores: Stores, operation: Operation, result: Result) -> None:
    outcome = stores.apply([operation]).outcomes[0]
    if outcome.result is not result:
        sys.exit(f"{operation.action} failed: {outcome.reason}")


def _made(directory: Path) -> Path:
    directory.mkdir(parents=True)
    return directory


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _best(rounds: int, work: Callable[[], object]) -> float:
    return min(_seconds(work) for _ in range(rounds))


if __name__ == "__main__":
    main()
