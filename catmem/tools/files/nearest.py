"""Where a text that an edit did not find nearly stands, told so that the next try can be exact."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from difflib import SequenceMatcher

_SIMILAR = 0.6
_MAX_LINES_COMPARED = 20_000
_MAX_LINES_SHOWN = 12
_LINE_NUMBERS = re.compile(r"^ *\d+\t", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Stretch:
    first: int
    lines: list[str]


def describe_nearest(text: str, wanted: str) -> str:
    """Say which stretch of ``text`` is most like ``wanted``; both have LF line ends."""
    if _LINE_NUMBERS.search(wanted) and _LINE_NUMBERS.sub("", wanted) in text:
        return (
            "It is there without the line numbers: leave out the number and the tab of each line."
        )
    lines = text.split("\n")
    target = wanted.strip("\n").split("\n")
    found = _nearest(lines, target)
    if found is None:
        return "Nothing in the file is similar to it."
    where = f"line {found.first}"
    if len(found.lines) > 1:
        where = f"lines {found.first}-{found.first + len(found.lines) - 1}"
    shown = "\n".join(found.lines[:_MAX_LINES_SHOWN])
    more = "\n[…]" if len(found.lines) > _MAX_LINES_SHOWN else ""
    return f"Nearest is {where}{_difference(found.lines, target)}:\n{shown}{more}"


def _nearest(lines: list[str], target: list[str]) -> _Stretch | None:
    """Find the line most like the longest one wanted, and take as many around it as were wanted."""
    anchor = max(range(len(target)), key=lambda index: len(target[index].strip()))
    wanted = _folded(target[anchor])
    if not wanted:
        return None
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted[:500])
    best, at = _SIMILAR, -1
    for number, line in enumerate(lines[:_MAX_LINES_COMPARED]):
        matcher.set_seq1(_folded(line)[:500])
        if min(matcher.real_quick_ratio(), matcher.quick_ratio()) > best:
            ratio = matcher.ratio()
            if ratio > best:
                best, at = ratio, number
    if at < 0:
        return None
    first = max(at - anchor, 0)
    return _Stretch(first + 1, lines[first : first + len(target)])


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())


def _difference(found: list[str], target: list[str]) -> str:
    if [" ".join(line.split()) for line in found] == [" ".join(line.split()) for line in target]:
        return ", which differs only in blanks, tabs or indentation"
    if [_folded(line) for line in found] == [_folded(line) for line in target]:
        return ", which differs only in full-width or look-alike characters"
    return ""
