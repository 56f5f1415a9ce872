"""bash: one shell command, without input and without a terminal, its output live and bounded."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from catmem.events import Action, ActionKind
from catmem.messages import ToolSpec
from catmem.tools.base import ToolError, ToolOutput
from catmem.tools.shell.output import Output
from catmem.tools.shell.process import Ending, Processes

DEFAULT_SECONDS = 120
MAX_SECONDS = 600

_QUIET = {
    "GIT_EDITOR": "true",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "MANPAGER": "cat",
    "PAGER": "cat",
    "PYTHONUNBUFFERED": "1",  # what a Python program printed before a timeout is not lost
    "SSH_ASKPASS_REQUIRE": "never",
    "SYSTEMD_PAGER": "cat",
    "TERM": "dumb",
}
"""Nothing asks, pages or draws: there is nobody at this terminal."""

_CHANGES_DIRECTORY = re.compile(r"(?:^|[;&|\n{]|\b(?:then|do|else)\b)\s*(?:cd|pushd|popd)\b")
_WANTED_INPUT = re.compile(
    r"EOFError|EOF when reading a line|not a t(?:erminal|ty)|terminal is required|no tty|/dev/tty"
    r"|could not read (?:Username|Password)|terminal prompts disabled|Host key verification failed"
    r"|empty commit message",
    re.IGNORECASE,
)


class Bash:
    """The tool bash; ``secret_variables`` are not passed on to commands."""

    read_only = False
    spec = ToolSpec(
        "bash",
        "Run a shell command. Each call starts in the start directory: cd does not persist. "
        "No input and no terminal: pass answers as arguments or through a pipe. stdout and stderr "
        "come merged; of long output only both ends. The call ends when the shell does; "
        "processes left with & go on until the user exits.",
        {
            "type": "object",
            "properties": {
                "command": {"type": "string"},
                "timeout_seconds": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MAX_SECONDS,
                    "description": f"default {DEFAULT_SECONDS}",
                },
            },
            "required": ["command"],
            "additionalProperties": False,
        },
    )

    def __init__(
        self,
        cwd: Path,
        environ: Mapping[str, str],
        secret_variables: Iterable[str],
        processes: Processes,
    ) -> None:
        hidden = frozenset(secret_variables)
        self._cwd = cwd
        self._environ = {**{k: v for k, v in environ.items() if k not in hidden}, **_QUIET}
        self._processes = processes

    def subject(self, arguments: Mapping[str, Any]) -> str:
        return str(arguments.get("command", ""))

    async def plan(self, arguments: Mapping[str, Any]) -> Action:
        command: str = arguments["command"]
        if not command.strip():
            raise ToolError("The command is empty.")
        if "\0" in command:
            raise ToolError("The command has a NUL character in it.")
        key = f"{self.spec.name}:{command}"
        return Action(self.spec.name, ActionKind.EXECUTE, command, command, session_key=key)

    async def run(self, arguments: Mapping[str, Any], emit: Callable[[str], None]) -> ToolOutput:
        command: str = arguments["command"]
        seconds: int = arguments.get("timeout_seconds", DEFAULT_SECONDS)
        output = Output(emit)
        started = time.monotonic()
        ending = await self._processes.run(command, self._cwd, self._environ, output, seconds)
        text = output.text().rstrip()
        notes = _notes(ending, text, seconds, time.monotonic() - started)
        if _CHANGES_DIRECTORY.search(command):
            notes.append(f"cd does not persist: the next command starts in {self._cwd} again")
        lines = [text or "(no output)", *(f"[{note}]" for note in notes)]
        return ToolOutput("\n".join(lines), is_error=ending.timed_out or ending.status != 0)


def _notes(ending: Ending, text: str, seconds: int, took: float) -> list[str]:
    """Say how it ended and what follows from that, for the model and the person."""
    notes = []
    if ending.timed_out:
        notes.append(
            f"timed out after {seconds} s; it and all it started were stopped. If it waited for "
            f"input: there is none. If it needs longer: timeout_seconds up to {MAX_SECONDS}, or "
            "start it in the background with &"
        )
    else:
        notes.append(f"{_status(ending.status)}, {took:.1f} s")
        if ending.status != 0 and _WANTED_INPUT.search(text[-2000:]):
            notes.append(
                "it wanted input or a terminal; there is neither. Use arguments, options such as "
                "-y or -m, or a pipe"
            )
    if ending.left:
        names = ", ".join(f"{member.name} (pid {member.pid})" for member in ending.left[:5])
        more = f" and {len(ending.left) - 5} more" if len(ending.left) > 5 else ""
        notes.append(f"still running in the background: {names}{more}; ends when the user exits")
    return notes


def _status(status: int) -> str:
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"
