"""Replacing exact stretches of a text, in the text's own coordinates, so that nothing else changes.

Line ends are the one thing that need not match: a model sends LF, a file may have CRLF or both.
Each line end that an edit keeps stays as it was; new ones follow the stretch they stand in.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from catmem.tools.base import ToolError
from catmem.tools.files.nearest import describe_nearest
from catmem.tools.files.textfile import TextFile

_LINE_END = re.compile(r"\r?\n")


@dataclass(frozen=True, slots=True)
class Edit:
    """One replacement; ``everywhere`` replaces all occurrences, else there must be exactly one."""

    old: str
    new: str
    everywhere: bool = False


def apply(content: TextFile, edits: Sequence[Edit], name: str) -> tuple[TextFile, int]:
    """Return the content after all edits, each applied to the last one's result, and the places.

    Raises:
        ToolError: one of them does not fit; the text says which, and what is there instead.
    """
    text, newline, count = content.text, content.newline, 0
    for number, edit in enumerate(edits, 1):
        which = f"Edit {number} of {len(edits)}: " if len(edits) > 1 else ""
        try:
            text, places = _apply_one(text, edit, newline)
        except _EditError as error:
            raise ToolError(f"{which}{name} is unchanged: {error}") from error
        count += places
    if text == content.text:
        raise ToolError(
            f"The edit changes nothing: old_text and new_text are the same. {name} is unchanged."
        )
    return content.with_text(text), count


class _EditError(Exception):
    """Why one edit cannot be made."""


def _apply_one(text: str, edit: Edit, newline: str) -> tuple[str, int]:
    old = edit.old.removeprefix("\ufeff").replace("\r\n", "\n")
    new = edit.new.replace("\r\n", "\n")
    if not old:
        raise _EditError("old_text is empty; use write_file to fill a file.")
    pattern = _LINE_END.pattern.join(re.escape(line) for line in old.split("\n"))
    places = _places(pattern, text)
    if not places:
        nearest = describe_nearest(text.replace("\r\n", "\n"), old)
        raise _EditError(f"old_text does not occur in it. {nearest}")
    if len(places) > 1 and not edit.everywhere:
        lines = ", ".join(str(text.count("\n", 0, place) + 1) for place in places[:10])
        more = ", …" if len(places) > 10 else ""
        raise _EditError(
            f"old_text occurs {len(places)} times (lines {lines}{more}). "
            "Add surrounding lines to make it unique, or set replace_all."
        )
    return re.subn(pattern, lambda match: _with_line_ends(new, match[0], newline), text)


def _places(pattern: str, text: str) -> list[int]:
    """Return where ``pattern`` starts, overlaps included; what ends together is one (CRLF)."""
    starts: dict[int, int] = {}
    for match in re.finditer(f"(?=({pattern}))", text):
        starts.setdefault(match.end(1), match.start())
    return list(starts.values())


def _with_line_ends(new: str, replaced: str, newline: str) -> str:
    """Give ``new`` the line ends it replaces: those of equal first and last lines one by one."""
    ends = _LINE_END.findall(replaced)
    old_lines, new_lines = _LINE_END.split(replaced), new.split("\n")
    wanted = len(new_lines) - 1
    head = _common(old_lines, new_lines)
    tail = min(
        _common(old_lines[::-1], new_lines[::-1]), min(len(ends), wanted) - min(head, len(ends))
    )
    middle = ends[head] if head < len(ends) else (ends[-1] if ends else newline)
    kept_head = ends[: min(head, wanted)]
    kept_tail = ends[len(ends) - tail :] if tail > 0 else []
    all_ends = [*kept_head, *[middle] * (wanted - len(kept_head) - len(kept_tail)), *kept_tail]
    return "".join(line + end for line, end in zip(new_lines, [*all_ends, ""], strict=True))


def _common(one: list[str], other: list[str]) -> int:
    shorter = min(len(one), len(other))
    return next((at for at in range(shorter) if one[at] != other[at]), shorter)
