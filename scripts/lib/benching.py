"""What the benchmarks share: a plain terminal, the programs on it, and the table.

The tests' terminal draws everything that it reads, which would slow the program down; this one only
keeps the bytes and when they came.
"""

from __future__ import annotations

import os
import re
import signal
import statistics
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import pexpect

from tests.support import environment
from tests.support.screen import TerminalScreen

ROOT = Path(__file__).resolve().parents[2]
ROWS, COLUMNS = 30, 80
CATMEM = (sys.executable, "-P", "-m", "catmem")
BASELINE = (sys.executable, "-P", str(Path(__file__).with_name("baseline.py")))
PROMPT = {CATMEM: "❯", BASELINE: ">"}
_ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[=>]")
_TAIL = 20_000


class Program:
    """A program on a terminal of its own, from its start to the end of the ``with`` block."""

    def __init__(self, argv: Sequence[str], home: Path, url: str) -> None:
        self.raw = bytearray()
        self._more = threading.Condition()
        self._answered = 0
        self.started = time.monotonic()
        self._child = pexpect.spawn(
            argv[0],
            list(argv[1:]),
            cwd=str(home),
            env=_environment(home, url),
            dimensions=(ROWS, COLUMNS),
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Program:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.kill(self.pid, signal.SIGKILL)
        self._child.wait()
        self._child.close(force=True)
        self._reader.join(timeout=2)

    @property
    def pid(self) -> int:
        """The process."""
        return int(self._child.pid or 0)

    def wait_for(self, text: str, timeout: float = 60, *, after: int = 0) -> float:
        """Wait until the program has written ``text`` past byte ``after``; return the moment."""
        wanted = text.encode()

        def seen() -> bool:
            tail = bytes(self.raw[max(after, len(self.raw) - _TAIL) :])
            return wanted in _ESCAPES.sub(b"", tail)

        with self._more:
            if not self._more.wait_for(seen, timeout):
                raise SystemExit(f"{text!r} did not appear:\n{self.transcript()}")
            return time.monotonic()

    def type(self, text: str) -> float:
        """Send keys; return the moment."""
        moment = time.monotonic()
        os.write(self._child.child_fd, text.encode())
        return moment

    def transcript(self) -> str:
        """Return scrollback and screen as text."""
        screen = TerminalScreen(ROWS, COLUMNS)
        screen.feed(bytes(self.raw))
        return "\n".join([*screen.scrollback(), *screen.rows()])

    def memory(self) -> float:
        """Return the proportional set size in MiB; 0 where the system does not tell."""
        try:
            facts = Path(f"/proc/{self.pid}/smaps_rollup").read_text("ascii")
        except OSError:
            return 0.0
        found = re.search(r"^Pss: +(\d+) kB", facts, re.MULTILINE)
        return int(found[1]) / 1024 if found else 0.0

    def processor_seconds(self) -> float:
        """Return the processor time used so far; 0 where the system does not tell."""
        try:
            fields = Path(f"/proc/{self.pid}/stat").read_text("utf-8").rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._child.child_fd, 1 << 16)
            except OSError:  # how Linux reports that the other side is closed
                return
            with self._more:
                self.raw += data
                questions = self.raw.count(b"\x1b[6n") - self._answered
                self._answered += questions
                self._more.notify_all()
            if questions:  # the baseline asks where its cursor is
                os.write(self._child.child_fd, b"\x1b[1;1R" * questions)


def _environment(home: Path, url: str) -> dict[str, str]:
    return {
        **environment.clean(home),
        "PATH": "/usr/bin:/bin",
        "CATMEM_PROVIDER": "openai",
        "CATMEM_PROVIDERS_OPENAI_API": "chat",
        "CATMEM_MODEL": "scripted",
        "CATMEM_MEMORY_TRIGGER": "manual",
        "OPENAI_API_KEY": "test",
        "OPENAI_BASE_URL": f"{url}/v1",
    }


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table: both programs' figures and what is wanted of catmem."""

    name: str
    baseline: float | None
    catmem: float
    goal: str
    met: Callable[[float, float], bool]


def print_table(title: str, rows: Sequence[Row]) -> None:
    """Print the rows with their ratios."""
    print(f"{title:<44}{'baseline':>9}{'catmem':>9}{'ratio':>7}  goal")
    for row in rows:
        baseline = "" if row.baseline is None else f"{row.baseline:.3f}"
        ratio = f"{row.catmem / row.baseline:.2f}" if row.baseline else ""
        verdict = "" if row.met(row.baseline or 0.0, row.catmem) else "  MISSED"
        print(f"{row.name:<44}{baseline:>9}{row.catmem:>9.3f}{ratio:>7}  {row.goal}{verdict}")
    load = os.getloadavg()[0]
    print(f"medians; load of this machine {load:.1f} on {os.cpu_count()} processors")


def median(values: Sequence[float]) -> float:
    """Return the middle value."""
    return statistics.median(values)
