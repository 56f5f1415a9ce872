"""Cutting streamed Markdown into pieces that are finished, so that each is printed exactly once.

Works on whole lines and looks at each line once (linear cost, whatever the size of the answer): an
open code block is given out line by line, a list item by item, a paragraph, quote or table at its
end. The rules are CommonMark's as far as block starts go; what a piece looks like is decided in
``render``. Pure: no terminal, no clock.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from catmem.sanitize import clean

_FENCE = re.compile(r"( {0,3})(`{3,}|~{3,})[ \t]*([^`]*|(?<=~)[^`].*)$")
_ITEM = re.compile(r"( *)([-*+]|\d{1,9}[.)])( +|\t|$)(.*)$")
_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_RULE = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$")
_SETEXT = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")
_QUOTE = re.compile(r" {0,3}>")
_CODE_INDENT = 4
_TAIL_CHARACTERS = 4000


class PieceKind(StrEnum):
    """What a piece is, as far as spacing and drawing differ."""

    BLOCK = "block"
    ITEM = "item"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Piece:
    """A finished stretch of Markdown source.

    Attributes:
        text: its source; of code, the line itself.
        first: it begins a block (a blank line goes before it); else it continues a list or code.
        language: of code, the word after the fence.
    """

    kind: PieceKind
    text: str
    first: bool = True
    language: str = ""


class Committer:
    """Takes the answer as it streams and gives out what is finished."""

    def __init__(self) -> None:
        self._partial: list[str] = []
        self._partial_length = 0
        self._held: list[str] = []
        self._out: list[Piece] = []
        self._state = self._between
        self._fence = ""
        self._fence_indent = 0
        self._language = ""
        self._first = True
        self._item_indent = 0
        self._marker = ""
        self._after_blank = False
        self._blanks = 0

    def feed(self, text: str) -> list[Piece]:
        """Take a chunk; return the pieces that it finished."""
        *lines, rest = text.split("\n")
        for line in lines:
            self._partial.append(line)
            self._line(clean("".join(self._partial)))
            self._partial, self._partial_length = [], 0
        if rest:
            self._partial.append(rest)
            self._partial_length += len(rest)
        return self._take()

    def finish(self) -> list[Piece]:
        """Return what is left, finished or not; the committer is as new afterwards."""
        if self._partial:
            self._line(clean("".join(self._partial)))
        self._flush_held()
        pieces = self._take()
        self.__init__()  # type: ignore[misc] # the one place that resets every field
        return pieces

    def tail(self, lines: int) -> list[str]:
        """Return the last ``lines`` source lines of the unfinished piece, for a preview."""
        partial = "".join(self._partial) if self._partial_length < _TAIL_CHARACTERS else ""
        for chunk in reversed(self._partial) if not partial else ():
            partial = chunk + partial
            if len(partial) >= _TAIL_CHARACTERS:
                break
        held = self._held[-lines:]
        return [*held, clean(partial[-_TAIL_CHARACTERS:])][-lines:] if partial else held

    def _take(self) -> list[Piece]:
        pieces, self._out = self._out, []
        return pieces

    def _line(self, line: str) -> None:
        self._state(line)

    # States: each takes one line

    def _between(self, line: str) -> None:
        if not line.strip():
            return
        if fence := _FENCE.match(line):
            self._open_fence(fence)
        elif _HEADING.match(line) or _RULE.match(line):
            self._out.append(Piece(PieceKind.BLOCK, line))
        elif (item := _ITEM.match(line)) and len(item[1]) < _CODE_INDENT:
            self._open_item(item, first=True)
        elif _indent(line) >= _CODE_INDENT:
            self._language, self._first, self._blanks = "", True, 0
            self._state = self._in_indented_code
            self._in_indented_code(line)
        else:
            self._held = [line]
            self._state = self._in_quote if _QUOTE.match(line) else self._in_paragraph

    def _in_paragraph(self, line: str) -> None:
        if _SETEXT.match(line):
            self._held.append(line)
            self._flush_held()
        elif not line.strip() or _QUOTE.match(line) or _interrupts(line):
            self._flush_held()
            self._between(line)
        else:
            self._held.append(line)

    def _in_quote(self, line: str) -> None:
        if not _QUOTE.match(line) and (not line.strip() or _interrupts(line)):
            self._flush_held()
            self._between(line)
        else:
            self._held.append(line)

    def _in_fence(self, line: str) -> None:
        if _closes(line, self._fence):
            self._state = self._between
            return
        indent = min(_indent(line), self._fence_indent)
        self._code_line(line[indent:])

    def _in_indented_code(self, line: str) -> None:
        if not line.strip():
            self._blanks += 1
        elif _indent(line) >= _CODE_INDENT:
            for _ in range(self._blanks):
                self._code_line("")
            self._blanks = 0
            self._code_line(line.expandtabs(_CODE_INDENT)[_CODE_INDENT:])
        else:
            self._state = self._between
            self._between(line)

    def _in_list(self, line: str) -> None:
        blank = not line.strip()
        if blank or _indent(line) >= self._item_indent:
            self._after_blank = blank
            self._held.append(line)
        elif (item := _ITEM.match(line)) and not _RULE.match(line):
            same = _marker_kind(item[2]) == self._marker
            self._flush_held()
            self._open_item(item, first=not same)
        elif self._after_blank or _QUOTE.match(line) or _interrupts(line):
            self._flush_held()
            self._between(line)
        else:
            self._held.append(line)  # a paragraph's lazy continuation

    # Transitions

    def _open_fence(self, fence: re.Match[str]) -> None:
        self._fence_indent, self._fence = len(fence[1]), fence[2]
        self._language = (fence[3].split() or [""])[0]
        self._first = True
        self._state = self._in_fence

    def _code_line(self, line: str) -> None:
        self._out.append(Piece(PieceKind.CODE, line, self._first, self._language))
        self._first = False

    def _open_item(self, item: re.Match[str], *, first: bool) -> None:
        gap = len(item[3]) if item[4] and 1 <= len(item[3]) <= _CODE_INDENT else 1
        self._item_indent = len(item[1]) + len(item[2]) + gap
        self._marker, self._first = _marker_kind(item[2]), first
        self._after_blank = False
        self._held = [item.string]
        self._state = self._in_list

    def _flush_held(self) -> None:
        """Give out the held block or item and go back to between blocks."""
        if self._held:
            in_list = self._state == self._in_list
            text = "\n".join(self._held).rstrip()
            if in_list:
                self._out.append(Piece(PieceKind.ITEM, text, self._first))
            else:
                self._out.append(Piece(PieceKind.BLOCK, text))
        self._held = []
        self._state = self._between


def _indent(line: str) -> int:
    expanded = line.expandtabs(_CODE_INDENT)
    return len(expanded) - len(expanded.lstrip(" "))


def _closes(line: str, fence: str) -> bool:
    word = line.strip()
    return (
        _indent(line) < _CODE_INDENT
        and len(word) >= len(fence)
        and not word.strip(fence[0])
        and word.startswith(fence[0])
    )


def _interrupts(line: str) -> bool:
    """Tell whether ``line`` ends a paragraph without a blank line before it."""
    if _FENCE.match(line) or _HEADING.match(line) or _RULE.match(line):
        return True
    item = _ITEM.match(line)
    if item is None or not item[4] or len(item[1]) >= _CODE_INDENT:
        return False
    return not item[2][0].isdigit() or item[2][:-1] == "1"


def _marker_kind(marker: str) -> str:
    """Return what tells lists apart: the bullet, or the sign after the number."""
    return marker[-1]
