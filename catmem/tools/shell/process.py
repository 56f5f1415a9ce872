"""Running a shell command in a session of its own, and ending everything that it started.

The shell leads a new session without a terminal: nothing it starts can reach the person's keyboard
or screen, and the session's number names all of it. A command is over when its shell is. What it
left in the background goes on, its output is dropped, and it is ended by ``close``; only a process
that made itself a session of its own (setsid, a daemon) outlives catmem, as its author meant it to.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from catmem.storage import reason
from catmem.tools.base import ToolError
from catmem.tools.shell.members import Member, members
from catmem.tools.shell.output import Output

_READ = 64 * 1024
_POLL_SECONDS = 0.05
_FIRST_POLL_SECONDS = 0.001
_GRACE_SECONDS = 1.5
_DRAIN_READS = 64


@dataclass(frozen=True, slots=True)
class Ending:
    """How a command ended; ``left`` are the processes that go on in the background."""

    status: int
    timed_out: bool
    left: tuple[Member, ...]


class Processes:
    """The commands of one catmem process: started here, ended here."""

    def __init__(self) -> None:
        self._sessions: dict[int, tuple[Member, ...]] = {}

    async def run(
        self, command: str, cwd: Path, environ: Mapping[str, str], output: Output, seconds: float
    ) -> Ending:
        """Run ``command`` until its shell ends or ``seconds`` have passed; cancellation ends it.

        Raises:
            ToolError: it could not be started.
        """
        shell, pipe = _start(command, cwd, environ)
        self._sessions[shell.pid] = ()
        reader = _Reader(pipe, output)
        ended = False
        try:
            ended = await _wait(shell, reader, output, seconds)
        finally:
            try:
                if not ended:
                    await _end(shell.pid, shell)
            finally:
                reader.finish()
                left = self._sessions[shell.pid] = members(shell.pid)
                if not left:
                    del self._sessions[shell.pid]
        return Ending(_status(shell), not ended, left)

    async def close(self) -> None:
        """End every process that still runs, within about two seconds."""
        sessions, self._sessions = self._sessions, {}
        await asyncio.gather(
            *(_end(number) for number, known in sessions.items() if _is_same(number, known))
        )


def _status(shell: subprocess.Popen[bytes]) -> int:
    """Return the exit status; a shell that even SIGKILL has not ended yet counts as killed."""
    status = shell.poll()
    return -signal.SIGKILL if status is None else status


def _is_same(session: int, known: tuple[Member, ...]) -> bool:
    """Whether a session is still ours: the system may have given its number away since."""
    return not known or not set(known).isdisjoint(members(session))


def _start(
    command: str, cwd: Path, environ: Mapping[str, str]
) -> tuple[subprocess.Popen[bytes], int]:
    """Start the shell; return it and the reading end of its output."""
    reading, writing = os.pipe()
    try:
        shell = subprocess.Popen(
            [shutil.which("bash") or "/bin/sh", "-c", command],
            stdin=subprocess.DEVNULL,
            stdout=writing,
            stderr=writing,
            cwd=cwd,
            env=environ,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        os.close(reading)
        if isinstance(error, OSError):
            raise ToolError(
                f"The command could not be started in {cwd}: {reason(error)}."
            ) from error
        raise ToolError("The command has characters that cannot be passed to a shell.") from error
    finally:
        os.close(writing)
    os.set_blocking(reading, False)
    return shell, reading


class _Reader:
    """Feeds the pipe into the output while the command runs, and keeps it empty afterwards.

    Were it closed, a server left in the background would die of its next log line.
    """

    def __init__(self, pipe: int, output: Output) -> None:
        self._loop = asyncio.get_running_loop()
        self._pipe = pipe
        self._output: Output | None = output
        self.ended = self._loop.create_future()
        self._loop.add_reader(pipe, self._read)

    def finish(self) -> None:
        """Take what the pipe still holds as the end of the output."""
        for _ in range(_DRAIN_READS):
            if self.ended.done() or not self._read():
                break
        if self._output is not None:
            self._output.feed(b"", final=True)
            self._output = None

    def _read(self) -> bool:
        """Read once; return whether there was something."""
        try:
            data = os.read(self._pipe, _READ)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:
            self._loop.remove_reader(self._pipe)
            os.close(self._pipe)
            self.ended.set_result(None)
        elif self._output is not None:
            self._output.feed(data)
        return bool(data)


async def _wait(
    shell: subprocess.Popen[bytes], reader: _Reader, output: Output, seconds: float
) -> bool:
    """Wait for the shell; return False when it is still running after ``seconds``.

    The end of the pipe is a hint to look, not the end: a command may close it early, a background
    child keep it open.
    """
    deadline = time.monotonic() + seconds
    pause = _FIRST_POLL_SECONDS
    while shell.poll() is None:
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        if reader.ended.done():
            await asyncio.sleep(min(pause, left))
            pause = min(pause * 2, _POLL_SECONDS)
        else:
            await asyncio.wait({reader.ended}, timeout=min(_POLL_SECONDS, left))
        output.show()
    return True


async def _end(session: int, shell: subprocess.Popen[bytes] | None = None) -> None:
    """End a session: asked first (TERM), killed after a grace period, or at once when cancelled."""
    deadline = time.monotonic() + _GRACE_SECONDS
    try:
        _signal(session, signal.SIGTERM)
        _signal(session, signal.SIGCONT)
        while time.monotonic() < deadline:
            if (shell is None or shell.poll() is not None) and not members(session):
                return
            await asyncio.sleep(_POLL_SECONDS)
    finally:
        _signal(session, signal.SIGKILL)
        if shell is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                shell.wait(0.5)


def _signal(session: int, number: signal.Signals) -> None:
    """Send a signal to the shell's group, and to other groups in the same session."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(session, number)
    for member in members(session):
        if member.group != session:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(member.pid, number)
