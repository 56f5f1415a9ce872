"""catmem's own log file: what went wrong behind the screen, secrets masked, never on the screen.

Written without the logging module's configuration, because libraries change that; one line an
event.
"""

from __future__ import annotations

import contextlib
import os
import time
import traceback
from pathlib import Path

from catmem.secrets import mask

_MAX_BYTES = 2_000_000


class _Target:
    path: Path | None = None


def setup(path: Path) -> None:
    """Send the log to ``path`` from now on; a file over 2 MB is moved aside once."""
    _Target.path = path
    with contextlib.suppress(OSError):
        if path.stat().st_size > _MAX_BYTES:
            path.replace(path.with_suffix(".old.log"))


def info(what: str) -> None:
    """Note one line."""
    _write("info", what)


def warning(what: str) -> None:
    """Note one line about something that should be looked at."""
    _write("warning", what)


def exception(what: str, error: BaseException) -> None:
    """Note an exception with its traceback."""
    _write("error", what + "\n" + "".join(traceback.format_exception(error)))


def _write(level: str, text: str) -> None:
    if _Target.path is None:
        return
    line = f"{time.strftime('%Y-%m-%dT%H:%M:%S%z')} {os.getpid()} {level} {mask(text).rstrip()}\n"
    with contextlib.suppress(OSError):  # a log that cannot be written must not stop the work
        _Target.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(_Target.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "ab") as file:
            file.write(line.encode("utf-8", "replace"))
