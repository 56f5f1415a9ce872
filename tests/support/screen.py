"""The screen of a terminal with its scrollback: pyte, and what real terminals do beyond it."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

import pyte

QUERY = re.compile(rb"\x1b\[\??6n|\x1b\[5n|\x1b\[>?0?c")
# Sequences that terminals obey silently and pyte would print in part.
UNKNOWN = re.compile(
    rb"\x1b\[[<>=][0-9;]*[a-zA-Z]|\x1b\[[0-9;]*:[0-9;:]*m"  # private, colour with colons
    rb"|\x1b[P^_][^\x1b\x07]*\x1b\\"  # strings for the terminal
)
UNFINISHED = re.compile(rb"\x1b(?:\[[0-9;:?<>= ]*|[P^_\]][^\x1b\x07]*\x1b?)?\Z")
HISTORY = 200_000


class TerminalScreen(pyte.HistoryScreen):
    """Feeds bytes to pyte, answers queries, and keeps what scrolls off the top."""

    def __init__(self, rows: int, cols: int) -> None:
        super().__init__(cols, rows, history=HISTORY, ratio=0.5)
        self._stream = pyte.ByteStream(self)
        self._held = b""

    def _reset_history(self) -> None:
        super()._reset_history()
        self._above: list[str] = []

    def feed(self, data: bytes) -> bytes:
        """Take what the program wrote; returns what the terminal answers to it."""
        data = self._held + data
        self._held = b""
        if unfinished := UNFINISHED.search(data):
            self._held = unfinished.group()
            data = data[: unfinished.start()]
        answers = b""
        start = 0
        for query in QUERY.finditer(data):
            self._stream.feed(UNKNOWN.sub(b"", data[start : query.start()]))
            answers += self._answer(query.group())
            start = query.end()
        self._stream.feed(UNKNOWN.sub(b"", data[start:]))
        return answers

    def rows(self) -> list[str]:
        """The rows of the screen, without blanks at their ends."""
        return [self._row(self.buffer[y]) for y in range(self.lines)]

    def scrollback(self) -> list[str]:
        """The rows that have scrolled off the top, oldest first."""
        new = islice(self.history.top, len(self._above), None)
        self._above += [self._row(row) for row in new]  # what has scrolled off changes no more
        return list(self._above)

    def resize_window(self, rows: int, cols: int) -> None:
        """Change the size; rows lost above the cursor go to the scrollback."""
        surplus = max(0, self.cursor.y + 1 - rows)
        for _ in range(surplus):
            self.history.top.append(self.buffer[0])
            for y in range(1, self.lines):
                self.buffer[y - 1] = self.buffer[y]
            self.buffer.pop(self.lines - 1, None)
        self.cursor.y -= surplus
        for y in range(min(rows, self.lines), self.lines):
            self.buffer.pop(y, None)
        self.lines = min(rows, self.lines)  # so that pyte has no rows to take from the top
        self.resize(rows, cols)

    def _answer(self, query: bytes) -> bytes:
        if query.endswith(b"6n"):
            return f"\x1b[{self.cursor.y + 1};{self.cursor.x + 1}R".encode()
        return b"\x1b[0n" if query.endswith(b"5n") else b"\x1b[?62;22c"

    def _row(self, row: Any) -> str:
        # the cell behind a wide character holds ""; cells never written hold a blank
        return "".join(row[x].data for x in range(self.columns)).rstrip()
