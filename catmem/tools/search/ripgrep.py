"""Running ripgrep, or our own searcher: a child whose lines are taken until there are enough."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

_LINE_LIMIT = 1 << 20
_ERROR_LIMIT = 4000


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the child ended: ``complete`` is False when it was stopped (enough, or out of time)."""

    errors: str
    complete: bool


def find() -> str | None:
    """Return ripgrep's path, if it is installed."""
    return shutil.which("rg")


async def list_files(
    command: Sequence[str], base: Path, files: list[str], most: int, seconds: float
) -> Outcome:
    """Add to ``files`` what ``rg --files`` lists."""

    def take(line: bytes) -> bool:
        files.append(line.decode("utf-8", "surrogateescape").removeprefix("./").rstrip("\n"))
        return len(files) < most

    return await run([*command, "--files", "./"], base, take, seconds)


async def run(
    command: Sequence[str],
    cwd: Path,
    take: Callable[[bytes], bool],
    seconds: float,
    stdin: bytes = b"",
) -> Outcome:
    """Run a program that prints lines; ``take`` gets each and returns False when it has enough.

    Cancellation kills the child.
    """
    with tempfile.TemporaryFile() as source:
        source.write(stdin)
        source.seek(0)
        child = await asyncio.create_subprocess_exec(
            *command,
            cwd=cwd,
            stdin=source,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=_LINE_LIMIT,
            start_new_session=True,
        )
    stdout, stderr = child.stdout, child.stderr
    assert stdout is not None  # noqa: S101 - asked for above
    assert stderr is not None  # noqa: S101 - asked for above
    complete, errors = False, b""
    try:
        with contextlib.suppress(TimeoutError, ValueError):  # ValueError: a line beyond the limit
            async with asyncio.timeout(seconds):
                complete = await _take_all(stdout, take)
                errors = await stderr.read(_ERROR_LIMIT) if complete else b""
    finally:
        if child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child.pid, signal.SIGKILL)  # child.kill() would reap it, which asyncio must
        await stdout.read()  # unread output would keep the pipe open
        await child.wait()
    return Outcome(errors.decode("utf-8", "replace"), complete)


async def _take_all(stdout: asyncio.StreamReader, take: Callable[[bytes], bool]) -> bool:
    while line := await stdout.readline():
        if not take(line):
            return False
    return True
