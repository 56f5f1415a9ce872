"""Taking in a long paste in linear time.

prompt_toolkit collects a paste in one string and looks through all of it at each kilobyte that
arrives: 5 MB keep the prompt busy for ten seconds.
"""

from __future__ import annotations

from collections.abc import Callable

from prompt_toolkit.input import Input
from prompt_toolkit.input.vt100 import Vt100Input
from prompt_toolkit.input.vt100_parser import Vt100Parser
from prompt_toolkit.key_binding.key_processor import KeyPress

_END = "\x1b[201~"


class _Parser(Vt100Parser):
    """Keeps the pieces of a paste until its end mark has come."""

    def __init__(self, feed_key_callback: Callable[[KeyPress], None]) -> None:
        self._pieces: list[str] = []
        self._last = ""
        super().__init__(feed_key_callback)

    def feed(self, data: str) -> None:
        """Take what was read; the end mark may come in two pieces."""
        if not self._in_bracketed_paste:
            super().feed(data)
            return
        self._pieces.append(data)
        seen = self._last + data
        self._last = seen[1 - len(_END) :]
        if _END in seen:
            paste = "".join(self._pieces)
            self._pieces, self._last = [], ""
            super().feed(paste)


def take_long_pastes(source: Input) -> None:
    """Let ``source`` read pastes of any length without delay."""
    if isinstance(source, Vt100Input):
        source.vt100_parser = _Parser(source.vt100_parser.feed_key_callback)
