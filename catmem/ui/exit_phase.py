"""The end of a session on the screen: what is being done, for how long, and how to skip it.

The prompt is gone by then; this is plain lines and, on a terminal, one line that counts seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import termios
import time
from collections.abc import Callable, Iterator
from typing import TextIO

from catmem.sanitize import clean, one_line
from catmem.text import t
from catmem.ui.paint import Paint, cut, flow
from catmem.ui.ports import ExitWork
from catmem.ui.process import on_signals, put

_SKIP_KEYS = (b"\x03", b"\x04")
_TICK_SECONDS = 1.0
_DEFAULT_COLUMNS = 80


class ExitPhase:
    """Shows the work at the end; is its ``ExitView``.

    From ``expect`` on, signals belong to it: one that comes before the work has begun skips it.
    """

    def __init__(self, paint: Paint, stream: TextIO) -> None:
        self._paint = paint
        self._stream = stream
        self._live = paint.color and stream.isatty()
        self._text = ""
        self._since = 0.0
        self._skip: Callable[[], None] | None = None
        self._skip_wanted = False

    def expect(self) -> None:
        """Take over the signals: nothing between the last turn and the work may be lost by one.

        SIGHUP is none that skips: where a terminal is closed it comes beside the end of input, and
        often twice, and the person has asked for nothing.
        """
        on_signals(
            {
                signal.SIGINT: self.skip,
                signal.SIGTERM: self.skip,
                signal.SIGHUP: lambda: None,
            }
        )

    async def run(self, work: ExitWork, skip: Callable[[], None]) -> None:
        """Do ``work``; Ctrl+C, Ctrl+D and signals call ``skip`` once."""
        self._since = time.monotonic()
        self._skip = skip
        if self._skip_wanted:
            skip()
        self.expect()
        with _keys(self.skip):
            ticker = asyncio.create_task(self._tick())
            try:
                await work(self)
            finally:
                ticker.cancel()
                self._clear()

    def skip(self) -> None:
        """Ask the work to end soon, or not to begin."""
        if self._skip is not None and not self._skip_wanted:
            self._skip()
        self._skip_wanted = True

    def status(self, text: str) -> None:
        """Replace the line that says what is going on."""
        self._text = one_line(text)
        if self._live:
            self._draw()
        else:
            self._put(self._text + "\n")

    def write(self, text: str) -> None:
        """Print lines that stay."""
        self._clear()
        lines = clean(text).rstrip("\n").split("\n")
        if self._live:
            lines = [row for line in lines for row in flow(line, _columns(self._stream))]
        self._put("\n".join(lines) + "\n")
        if self._text and self._live:
            self._draw()

    async def _tick(self) -> None:
        while self._live:
            await asyncio.sleep(_TICK_SECONDS)
            if self._text:
                self._draw()

    def _draw(self) -> None:
        seconds = int(time.monotonic() - self._since)
        line = t("ui.exit.status", text=self._text, seconds=seconds)
        self._put("\r" + self._paint.style(cut(line, _columns(self._stream) - 1), "dim") + "\x1b[K")

    def _clear(self) -> None:
        if self._live:
            self._put("\r\x1b[K")

    def _put(self, text: str) -> None:
        put(self._stream, text)


def _columns(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or _DEFAULT_COLUMNS
    except (OSError, ValueError):
        return _DEFAULT_COLUMNS


@contextlib.contextmanager
def _keys(skip: Callable[[], None]) -> Iterator[None]:
    """Read single keys from the terminal, so that Ctrl+D is seen without a line end."""
    try:
        fd = sys.stdin.fileno()
        before = termios.tcgetattr(fd)
    except (OSError, ValueError, termios.error):  # not a terminal
        yield
        return
    mode = list(before)
    mode[3] &= ~(termios.ICANON | termios.ECHO)
    loop = asyncio.get_running_loop()

    def read() -> None:
        try:
            data = os.read(fd, 1024)
        except OSError:
            data = b""
        if not data:
            loop.remove_reader(fd)
        elif any(key in data for key in _SKIP_KEYS):
            skip()

    try:
        termios.tcsetattr(fd, termios.TCSADRAIN, mode)
        loop.add_reader(fd, read)
        yield
    finally:
        loop.remove_reader(fd)
        with contextlib.suppress(termios.error):
            termios.tcsetattr(fd, termios.TCSADRAIN, before)
