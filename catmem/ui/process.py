"""What an interface has to do with its process: signals, standard input as lines, safe writes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
import termios
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TextIO

from catmem import log
from catmem.sanitize import clean
from catmem.ui.paint import SPELLED

ENDING = (signal.SIGTERM, signal.SIGHUP)
_CHUNK = 1 << 16
_NOT_STARTED = 127  # what a shell says


def on_signals(handlers: Mapping[signal.Signals, Callable[[], object]]) -> None:
    """Call ``handlers`` in the running loop, until others take their place or the loop ends."""
    loop = asyncio.get_running_loop()
    for number, handler in handlers.items():
        loop.add_signal_handler(number, handler)


@contextlib.contextmanager
def logged_exceptions() -> Iterator[None]:
    """Send what fails in callbacks to the log; prompt_toolkit would stop and wait for Enter."""
    loop = asyncio.get_running_loop()

    def handler(_: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        error = context.get("exception")
        what = str(context.get("message", "event loop"))
        if isinstance(error, BaseException):
            log.exception(what, error)
        else:
            log.warning(what)

    before = loop.get_exception_handler()
    loop.set_exception_handler(handler)
    try:
        yield
    finally:
        loop.set_exception_handler(before)


async def run_on_terminal(command: Sequence[str]) -> int:
    """Run a program with this process's own input and output; return its exit status.

    Cancelled, it ends the program and waits for it, so that nobody else reads the keyboard.
    """
    try:
        process = await asyncio.create_subprocess_exec(*command)
    except OSError:
        return _NOT_STARTED
    try:
        return await process.wait()
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()


def put(stream: TextIO, text: str) -> None:
    """Write ``text`` as far as the stream's encoding can show it.

    A reader or terminal that has gone is no error: the work behind the text goes on.
    """
    encoding = stream.encoding or "utf-8"
    try:
        stream.write(text.encode(encoding, SPELLED).decode(encoding))
        stream.flush()
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError):  # so that the flush at exit fails no more
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def typed_ahead(terminal: int) -> list[str]:
    """Return the lines that were entered while the program started.

    The terminal is still in line mode then and has taken Enter for a line's end; later these ends
    could not be told from Ctrl+J. An unfinished line stays where it is and becomes the draft.
    """
    lines: list[str] = []
    try:
        while termios.tcgetattr(terminal)[3] & termios.ICANON and _readable(terminal):
            line = os.read(terminal, _CHUNK)
            if not line:
                break
            lines.append(clean(line.decode("utf-8", "replace")).rstrip("\n"))
    except (OSError, termios.error):  # gone; whoever reads next will notice
        pass
    return [line for line in lines if line.strip()]


def _readable(descriptor: int) -> bool:
    return bool(select.select([descriptor], [], [], 0)[0])


class LineSource:
    """Reads lines from a descriptor: a pipe, a file, or a terminal in line mode.

    A thread of its own reads it, because a file cannot be watched by the event loop and a blocked
    ``input()`` would hold up the end of the process. Undecodable bytes become U+FFFD, control
    characters are taken out.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._started = False

    async def read(self) -> str | None:
        """Return the next line without its end, None at the end of the input."""
        if not self._started:
            self._started = True
            loop = asyncio.get_running_loop()
            threading.Thread(target=self._read_all, args=(loop,), daemon=True).start()
        line = await self._lines.get()
        if line is None:
            self._lines.put_nowait(None)  # the end stays the end
        return line

    def _read_all(self, loop: asyncio.AbstractEventLoop) -> None:
        rest = b""
        while chunk := self._chunk():
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                self._put(loop, line)
        if rest:
            self._put(loop, rest)
        self._put(loop, None)

    def _chunk(self) -> bytes:
        try:
            return os.read(self._descriptor, _CHUNK)
        except OSError:
            return b""

    def _put(self, loop: asyncio.AbstractEventLoop, line: bytes | None) -> None:
        text = None if line is None else clean(line.decode("utf-8", "replace"))
        with contextlib.suppress(RuntimeError):  # the session is over
            loop.call_soon_threadsafe(self._lines.put_nowait, text)
