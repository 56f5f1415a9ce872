"""A real terminal: a child process on a pty, with a screen kept by a VT100 emulator.

A thread reads what the child writes, so that the child never waits for the test, and answers the
questions that a terminal answers.
"""

from __future__ import annotations

import os
import re
import signal
import termios
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

import pexpect

from tests.support.screen import TerminalScreen

KEYS = {
    "enter": "\r",
    "tab": "\t",
    "shift-tab": "\x1b[Z",
    "esc": "\x1b",
    "backspace": "\x7f",
    "delete": "\x1b[3~",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "page-up": "\x1b[5~",
    "page-down": "\x1b[6~",
}
LEFT_ON = {2004: "bracketed paste", 1049: "alternate screen", 1000: "mouse"}
TICK = 0.01
MODE = re.compile(rb"\x1b\[\?([0-9;]+)([hl])")


def key_bytes(key: str) -> bytes:
    """What a terminal sends for `key`: a name of KEYS, "ctrl-x", "alt-x" or "alt-enter"."""
    if key.startswith("alt-"):
        return b"\x1b" + key_bytes(key.removeprefix("alt-"))
    if key.startswith("ctrl-"):
        return bytes([ord(key.removeprefix("ctrl-").upper()) & 0x1F])
    return KEYS.get(key, key).encode()


class Terminal:
    """One program on one terminal; ends the program when the `with` block is left.

    Attributes:
        raw: every byte that the program wrote.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        rows: int = 30,
        cols: int = 80,
    ) -> None:
        self.raw = bytearray()
        self._screen = TerminalScreen(rows, cols)
        self._lock = threading.RLock()
        self._ended = False
        self._last_output = time.monotonic()
        self._child = pexpect.spawn(
            argv[0], list(argv[1:]), cwd=str(cwd), env=dict(env), dimensions=(rows, cols)
        )
        self._fd: int = self._child.child_fd
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # What is to be seen

    @property
    def pid(self) -> int:
        """The process id of the program."""
        assert self._child.pid is not None
        return self._child.pid

    @property
    def lines(self) -> list[str]:
        """The rows of the screen, without blanks at their ends."""
        with self._lock:
            return self._screen.rows()

    @property
    def text(self) -> str:
        """The screen."""
        return "\n".join(self.lines).rstrip()

    @property
    def transcript(self) -> str:
        """What scrolled off the top, and the screen."""
        with self._lock:
            return "\n".join([*self._screen.scrollback(), *self._screen.rows()]).rstrip()

    @property
    def cursor(self) -> tuple[int, int]:
        """Row and column of the cursor, from 0."""
        with self._lock:
            return self._screen.cursor.y, self._screen.cursor.x

    # Waiting

    def wait_for(
        self, pattern: str, timeout: float = 30, *, times: int = 1, on_screen: bool = False
    ) -> None:
        """Wait until the transcript (or the screen alone) has `pattern` at least `times` times."""

        def found(terminal: Terminal) -> bool:
            place = terminal.text if on_screen else terminal.transcript
            return len(re.findall(pattern, place, re.MULTILINE)) >= times

        self.wait_until(found, repr(pattern), timeout)

    def wait_until(
        self, condition: Callable[[Terminal], object], what: str, timeout: float = 30
    ) -> None:
        """Wait until `condition(terminal)` holds; looked at after each output of the program."""
        end = time.monotonic() + timeout
        while True:
            seen, ended = len(self.raw), self._ended
            if condition(self):
                return
            while len(self.raw) == seen and self._ended == ended:
                if ended:
                    raise AssertionError(f"the program ended before {what}\n{self.transcript}")
                if time.monotonic() > end:
                    raise AssertionError(f"timed out waiting for {what}\n{self.transcript}")
                time.sleep(TICK)

    def wait_quiet(self, seconds: float = 0.3, timeout: float = 30) -> None:
        """Wait until the program has written nothing for `seconds`."""
        end = time.monotonic() + timeout
        while (silent := time.monotonic() - self._last_output) < seconds:
            assert time.monotonic() < end, f"the program does not stop writing\n{self.transcript}"
            time.sleep(seconds - silent)

    def wait_exit(self, timeout: float = 30) -> int:
        """Wait for the program's end: its exit code, or minus the signal that ended it."""
        end = time.monotonic() + timeout
        while self._child.isalive():
            assert time.monotonic() < end, f"the program does not end\n{self.transcript}"
            time.sleep(0.01)
        self._reader.join(timeout=2)
        if self._child.signalstatus is not None:
            return -self._child.signalstatus
        assert self._child.exitstatus is not None, "the program's end left no status"
        return self._child.exitstatus

    # Acting

    def type(self, text: str) -> None:
        """Type `text` key by key, as it is."""
        self._send(text.encode())

    def press(self, *keys: str) -> None:
        """Press keys one after the other, see `key_bytes`."""
        for key in keys:
            self._send(key_bytes(key))

    def say(self, text: str) -> None:
        """Type `text` and press Enter."""
        self.type(text)
        self.press("enter")

    def paste(self, text: str) -> None:
        """Paste `text` in one bracketed piece; a terminal sends line ends as CR."""
        self._send(b"\x1b[200~" + text.replace("\n", "\r").encode() + b"\x1b[201~")

    def resize(self, rows: int, cols: int) -> None:
        """Change the size of the window."""
        with self._lock:
            self._screen.resize_window(rows, cols)
        self._child.setwinsize(rows, cols)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the program alone."""
        os.kill(self.pid, number)

    def close(self) -> None:
        """End the program, whatever it does, and the terminal."""
        if self._child.isalive():
            self._child.kill(signal.SIGKILL)
            self._child.wait()
        self._reader.join(timeout=2)
        if not self._child.closed:
            self._child.close(force=True)

    # The state that the program leaves behind

    def assert_sane(self) -> None:
        """Fail unless a shell could go on here: echo, line mode, cursor, no modes left on."""
        local = termios.tcgetattr(self._fd)[3]
        for name in ("ECHO", "ICANON", "ISIG", "IEXTEN"):
            assert local & getattr(termios, name), f"{name} is off"
        assert self.mode(25, default=True), "the cursor is hidden"
        for number, name in LEFT_ON.items():
            assert not self.mode(number), f"{name} is on"

    def mode(self, number: int, *, default: bool = False) -> bool:
        """Whether the private mode `number` was last switched on."""
        states = [
            switch == b"h"
            for numbers, switch in MODE.findall(bytes(self.raw))
            if str(number).encode() in numbers.split(b";")
        ]
        return states[-1] if states else default

    def _send(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._fd, data) :]

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._fd, 1 << 16)
            except OSError:  # how Linux reports that the other side is closed
                data = b""
            with self._lock:
                self.raw += data
                self._last_output = time.monotonic()
                self._ended = not data
                answers = self._screen.feed(data)
            if not data:
                return
            self._send(answers)
