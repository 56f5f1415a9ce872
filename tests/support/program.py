"""The real program: catmem in a process of its own, with an environment built from nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.support import environment
from tests.support.model_server import ModelServer
from tests.support.reply import Wire
from tests.support.terminal import Terminal

# -P: a workspace with modules of its own shadows nothing, as with the installed command
ARGV = (sys.executable, "-P", "-m", "catmem")


@dataclass(frozen=True, slots=True)
class Finished:
    """How a run without a terminal ended."""

    code: int
    stdout: str
    stderr: str


@dataclass(slots=True)
class Program:
    """catmem with a home, a workspace and (unless None) a model server.

    Attributes:
        wire: the wire form that it is told to speak with the server.
        settings: more variables, and changes to those it gets otherwise; None takes one away.
        guard_report: where the network guard of its processes writes what they tried.
        terminals, processes: what was started; `close` ends what is left of it.
    """

    home: Path
    workspace: Path
    guard_report: Path
    server: ModelServer | None = None
    wire: Wire = "chat"
    settings: Mapping[str, str | None] = field(default_factory=dict)
    terminals: list[Terminal] = field(default_factory=list)
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def catmem_home(self) -> Path:
        """Where this program keeps what it stores."""
        return Path(self.env.get("CATMEM_HOME") or self.home / ".catmem")

    @property
    def env(self) -> dict[str, str]:
        """The whole environment of the program."""
        variables: dict[str, str | None] = {
            "PATH": os.environ["PATH"],
            **environment.clean(self.home),
            **environment.guarded(self.guard_report),
            **self._provider(),
            **self.settings,
        }
        return {name: value for name, value in variables.items() if value is not None}

    def run(self, *args: str, stdin: str | bytes | None = None, timeout: float = 30) -> Finished:
        """Run to the end without a terminal; no `stdin` means an empty one that is no pipe."""
        given = stdin.encode() if isinstance(stdin, str) else stdin
        process = self.start(*args, stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE)
        try:
            out, err = process.communicate(given, timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            raise AssertionError(f"{args} did not end in {timeout} s\n{out!r}\n{err!r}") from None
        return Finished(process.returncode, out.decode(), err.decode())

    def start(self, *args: str, stdin: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
        """Start without a terminal, in a process group of its own, to be signalled or killed."""
        process = subprocess.Popen(
            [*ARGV, *args],
            cwd=self.workspace,
            env=self.env,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self.processes.append(process)
        return process

    def terminal(self, *args: str, rows: int = 30, cols: int = 80) -> Terminal:
        """Start on a terminal of its own."""
        terminal = Terminal([*ARGV, *args], cwd=self.workspace, env=self.env, rows=rows, cols=cols)
        self.terminals.append(terminal)
        return terminal

    def close(self) -> None:
        """End every process that is still there, with its terminal or its pipes."""
        for terminal in self.terminals:
            terminal.close()
        for process in self.processes:
            with process:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)

    def _provider(self) -> dict[str, str]:
        if self.server is None:
            return {}
        if self.wire == "messages":
            return {
                "CATMEM_PROVIDER": "anthropic",
                "ANTHROPIC_API_KEY": "test",
                "ANTHROPIC_BASE_URL": self.server.url,
            }
        return {
            "CATMEM_PROVIDER": "openai",
            "CATMEM_PROVIDERS_OPENAI_API": self.wire,
            "OPENAI_API_KEY": "test",
            "OPENAI_BASE_URL": f"{self.server.url}/v1",
        }


# What the fixture `program` gives: `program(server, wire, CATMEM_MODEL="x")` makes one.
MakeProgram = Callable[..., Program]
