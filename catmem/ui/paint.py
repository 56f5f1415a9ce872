"""Colours and signs of catmem's own lines, as far as the terminal can show them.

``clean`` takes out what foreign text could do to the terminal; ``Paint`` adds what catmem means.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from catmem.sanitize import clean

_SGR = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "cyan": "36",
}
_ASCII = str.maketrans(
    {
        "❯": ">", "┃": "|", "▌": "|", "●": "*", "•": "*", "◦": "*", "·": "-", "─": "-", "…": "...",
        "–": "-", "—": "-", "“": '"', "”": '"', "‘": "'", "’": "'", "✓": "ok", "→": "->", "⏎": "",
    }
)  # fmt: skip
_SIGNS = "❯●…"
_COLUMNS = re.compile(r"(.*?)( {2,})(.*)")
# What does not stand at the end, and at the beginning, of a row.
_OPENING = frozenset("（《「『【〈“‘([{")
_CLOSING = frozenset("，。、；：！？）》」』】〉”’…％,.;:!?)]}%")
SPELLED = "catmem-spelled"
"""Error handler for text streams: what an encoding lacks is spelled in ASCII, else becomes “?”."""


def _spelled(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end].translate(_ASCII)
    return "".join(sign if sign.isascii() else "?" for sign in lacking), error.end


codecs.register_error(SPELLED, _spelled)


def can_encode(encoding: str | None) -> bool:
    """Tell whether a stream of this encoding can show catmem's signs."""
    try:
        _SIGNS.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


@dataclass(frozen=True, slots=True)
class Paint:
    """What the output can show: ``color`` (escape sequences) and ``signs`` beyond ASCII."""

    color: bool
    signs: bool

    @property
    def prompt(self) -> str:
        """What stands before the input."""
        return "❯ " if self.signs else "> "

    def style(self, text: str, *styles: str) -> str:
        """Return ``text`` in the named styles, each of its lines by itself."""
        if not self.color or not styles:
            return text
        start = f"\x1b[{';'.join(_SGR[style] for style in styles)}m"
        return "\n".join(f"{start}{line}\x1b[0m" if line else "" for line in text.split("\n"))

    def fit(self, text: str) -> str:
        """Return ``text`` with signs that the encoding lacks spelled in ASCII."""
        return text if self.signs else text.translate(_ASCII)

    def diff(self, text: str) -> str:
        """Return a unified diff, cleaned and coloured line by line."""
        return "\n".join(self._diff_line(line) for line in clean(text).split("\n"))

    def _diff_line(self, line: str) -> str:
        if line.startswith(("+++", "---")):
            return self.style(line, "bold")
        if line.startswith("@@"):
            return self.style(line, "cyan")
        if line.startswith("+"):
            return self.style(line, "green")
        return self.style(line, "red") if line.startswith("-") else line


def looks_like_diff(text: str) -> bool:
    """Tell whether ``text`` is a unified diff."""
    return text.startswith(("--- ", "@@ ")) or "\n@@ " in text


def cells(text: str) -> int:
    """Return how many terminal columns ``text`` takes (wide characters take two)."""
    if text.isascii():
        return len(text)
    return sum(_cells(character) for character in text)


def cut(text: str, width: int) -> str:
    """Return ``text`` cut to ``width`` columns, with … where something is missing."""
    if cells(text) <= width:
        return text
    taken, room = "", max(width - 1, 0)
    for character in text:
        room -= _cells(character)
        if room < 0:
            break
        taken += character
    return taken + "…" if width > 0 else ""


def wrap(text: str, width: int) -> list[str]:
    """Return one line as rows of at most ``width`` columns.

    It is broken at blanks and between characters of a script that has none, where it has any.
    """
    rows: list[str] = []
    row, taken = "", 0
    for character in text:
        if taken + _cells(character) > width and row:
            head, row = _parted(row, character)
            rows.append(head)
            taken = cells(row)
            if character == " ":
                continue
        row += character
        taken += _cells(character)
    return [*rows, row]


def _parted(row: str, following: str) -> tuple[str, str]:
    """Return the full row that is printed, and what goes to the next one before ``following``."""
    if following == " ":
        return row, ""
    right = following
    for end in range(len(row), 0, -1):
        left = row[end - 1]
        if left == " " and row[: end - 1].strip():
            return row[: end - 1], row[end:]
        if _may_part(left, right):
            return row[:end], row[end:]
        right = left
    return row, ""


def _may_part(left: str, right: str) -> bool:
    """Tell whether a row may end between two characters: one is wide, no sign is torn off."""
    wide = 2 in {_cells(left), _cells(right)}
    seen = _cells(left) > 0 and _cells(right) > 0 and " " not in {left, right}
    return wide and seen and left not in _OPENING and right not in _CLOSING


def flow(line: str, width: int) -> list[str]:
    """Return a line of catmem's own as rows of at most ``width`` columns.

    Rows keep the line's indentation. Of a line in two columns (a gap of two blanks or more between
    them) the second one stays a column, or goes below the first where the window is too narrow.
    """
    if cells(line) <= width:
        return [line]
    label, gap, rest = line.strip(), "", ""
    if columns := _COLUMNS.fullmatch(label):
        label, gap, rest = columns.groups()
    indent = line[: len(line) - len(line.lstrip())]
    column = cells(indent + label + gap)
    if gap and column <= width // 2:
        first, *more = wrap(rest, width - column)
        return [indent + label + gap + first, *(" " * column + row for row in more)]
    rows = [indent + row for row in wrap(label, max(width - len(indent), 1))]
    if gap:
        indent += "  "
        rows += [indent + row for row in wrap(rest, max(width - len(indent), 1))]
    return rows


def bounded(text: str, limit: int, note: Callable[[int], str]) -> str:
    """Return at most ``limit`` lines of ``text``; ``note`` tells how many are left out."""
    lines = text.rstrip("\n").split("\n")
    if len(lines) <= limit:
        return "\n".join(lines)
    return "\n".join([*lines[:limit], note(len(lines) - limit)])


def _cells(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
