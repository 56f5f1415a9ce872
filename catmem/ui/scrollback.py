"""Everything that is printed for good, in order, through one path and in few writes.

Lines and finished pieces of an answer are collected and drawn together, at most about eight times a
second, because each print above a live prompt costs a redraw of the prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from catmem.sanitize import clean
from catmem.ui.markdown.commit import Committer, Piece
from catmem.ui.markdown.loading import load_renderer
from catmem.ui.paint import Paint, flow

FLUSH_SECONDS = 0.12
_TAB = 4


class Scrollback:
    """Collects what is to be printed.

    Attributes:
        paint: what the terminal can show.
    """

    def __init__(self, emit: Callable[[str], None], width: Callable[[], int], paint: Paint) -> None:
        self.paint = paint
        self._emit = emit
        self._width = width
        self._pending: list[Piece | str] = []
        self._wake: Callable[[], None] | None = None

    def on_pending(self, wake: Callable[[], None] | None) -> None:
        """Call ``wake`` when something waits to be flushed; None: print at once."""
        self._wake = wake

    def write(self, text: str) -> None:
        """Print whole lines that are clean and styled already."""
        self._pending.append(text)
        self._woken()

    def say(self, text: str, *styles: str) -> None:
        """Print lines of plain text, cleaned and broken between words."""
        lines = clean(text).rstrip("\n").expandtabs(_TAB).split("\n")
        rows = [row for line in lines for row in flow(line, self._width())]
        self.write(self.paint.style("\n".join(rows), *styles))

    def pieces(self, pieces: Sequence[Piece]) -> None:
        """Print finished pieces of an answer."""
        if pieces:
            self._pending += pieces
            self._woken()

    def flush(self) -> None:
        """Print what was collected."""
        pending, self._pending = self._pending, []
        drawn: list[str] = []
        run: list[Piece] = []
        for item in pending:
            if isinstance(item, str):
                drawn += [self._draw(run), item + "\n"]
                run = []
            else:
                run.append(item)
        drawn.append(self._draw(run))
        if text := "".join(drawn):
            self._emit(self.paint.fit(text))

    def _draw(self, pieces: Sequence[Piece]) -> str:
        return load_renderer().render(pieces, self._width()) if pieces else ""

    def _woken(self) -> None:
        if self._wake is None:
            self.flush()
        else:
            self._wake()


class Answer(Protocol):
    """Where the text of an answer goes while it streams."""

    def feed(self, text: str) -> None:
        """Take a chunk."""
        ...

    def finish(self) -> None:
        """Print what is left."""
        ...

    def tail(self, lines: int) -> list[str]:
        """Return the last source lines of what is not printed yet."""
        ...


class MarkdownAnswer:
    """An answer drawn as Markdown, piece by piece as pieces are finished."""

    def __init__(self, scrollback: Scrollback) -> None:
        self._scrollback = scrollback
        self._committer = Committer()

    def feed(self, text: str) -> None:
        """Take a chunk."""
        self._scrollback.pieces(self._committer.feed(text))

    def finish(self) -> None:
        """Print what is left."""
        self._scrollback.pieces(self._committer.finish())

    def tail(self, lines: int) -> list[str]:
        """Return the last source lines of what is not printed yet."""
        return self._committer.tail(lines)
