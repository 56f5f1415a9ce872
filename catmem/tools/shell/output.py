"""A command's output: shown live in bounded pieces, and kept at both ends whatever its size."""

from __future__ import annotations

import codecs
import time
from collections import deque
from collections.abc import Callable

from catmem.sanitize import clean

HEAD = 10_000
TAIL = 14_000
_RAW = 256 * 1024
"""How much is kept as it came, before overwritten progress lines are taken out of it."""
_RAW_HEAD = 1024 * 1024
"""After so many bytes the head is closed, even where hardly any of them was visible."""
_LIVE_PIECE = 4000
_LIVE_SECONDS = 0.05


class Output:
    """Takes the bytes of a command as they come.

    Memory is bounded. Characters that a read cuts in two are put together; what is no UTF-8 becomes
    U+FFFD. ``emit`` gets at most one piece in 50 ms, and of a flood only its newest part.
    """

    def __init__(self, emit: Callable[[str], None]) -> None:
        self._emit = emit
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._size = 0
        self._head = ""
        self._open_line = ""
        self._tail: deque[str] = deque()
        self._tail_length = 0
        self._head_is_full = False
        self._lost_some = False
        self._live = ""
        self._live_at = 0.0

    def feed(self, data: bytes, *, final: bool = False) -> None:
        """Add bytes; ``final`` ends the output."""
        self._size += len(data)
        text = self._decoder.decode(data, final)
        self._keep(text)
        self._live = (self._live + text)[-_LIVE_PIECE:]
        self.show(at_once=final)

    def show(self, *, at_once: bool = False) -> None:
        """Pass on what came since the last piece, when that is long enough ago."""
        now = time.monotonic()
        if self._live and (at_once or now - self._live_at >= _LIVE_SECONDS):
            self._emit(self._live)
            self._live, self._live_at = "", now

    def text(self) -> str:
        """Return the cleaned output; of a long one head and tail, with its size between them."""
        head, tail = self._head, clean("".join((self._open_line, *self._tail)))
        if not self._lost_some and len(head) + len(tail) <= HEAD + TAIL:
            return head + tail
        if not self._head_is_full:  # one very long line
            head, tail = (head + tail)[:HEAD], (head + tail)[HEAD:]
        if len(tail) > TAIL:
            tail = tail[-TAIL:]
            tail = tail[tail.find("\n", 0, 1000) + 1 :]
        notice = f"[… {self._size:,} bytes in all; the middle is left out …]"
        return "\n".join(filter(None, (head.removesuffix("\n"), notice, tail)))

    def _keep(self, text: str) -> None:
        """Clean whole lines into the head while it has room; then keep the end as it comes."""
        if not self._head_is_full:
            text = self._open_line + text
            end = text.rfind("\n") + 1 if len(text) < _RAW else len(text)
            self._head += clean(text[:end])
            self._open_line = _visible(text[end:])
            self._head_is_full = len(self._head) > HEAD or self._size > _RAW_HEAD
            if not self._head_is_full:
                return
            text, self._open_line = self._head[HEAD:] + self._open_line, ""
            self._head = self._head[:HEAD]
        self._tail.append(text)
        self._tail_length += len(text)
        while self._tail_length - len(self._tail[0]) >= _RAW:
            self._tail_length -= len(self._tail.popleft())
            self._lost_some = True


def _visible(line: str) -> str:
    """Drop what a carriage return will overwrite, so that a progress bar does not grow."""
    return line[line.rfind("\r", 0, max(len(line) - 1, 0)) + 1 :]
