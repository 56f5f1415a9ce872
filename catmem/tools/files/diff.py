"""The unified diff that an approval shows: complete, and fast for unlike texts too."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

_Opcode = tuple[str, int, int, int, int]
_CONTEXT = 3
_COMPARABLE = 4_000_000
"""Beyond this product of line counts the middle shows as replaced: comparing would take seconds."""


def unified_diff(old: str, new: str, name: str) -> str:
    """Return the diff of two texts, headed by ``name``; empty when only line ends differ.

    A new file is the diff from the empty text.
    """
    before, after = _lines(old), _lines(new)
    hunks = list(_hunks(before, after))
    if not hunks:
        return ""
    return "\n".join([f"--- {name if old else '/dev/null'}", f"+++ {name}", *hunks])


def _lines(text: str) -> list[str]:
    if not text:
        return []
    lines = text.replace("\r\n", "\n").split("\n")
    if not lines[-1]:
        return lines[:-1]
    lines[-1] += "\n\\ No newline at end of file"
    return lines


def _hunks(before: list[str], after: list[str]) -> Iterator[str]:
    if before == after:
        return
    shorter = min(len(before), len(after))
    start = 0
    while start < shorter and before[start] == after[start]:
        start += 1
    end = 0
    while end < shorter - start and before[-1 - end] == after[-1 - end]:
        end += 1
    skipped = max(start - _CONTEXT, 0)
    kept_end = max(end - _CONTEXT, 0)
    before = before[: len(before) - kept_end]
    after = after[: len(after) - kept_end]
    for group in _groups(before[skipped:], after[skipped:], start - skipped, end - kept_end):
        yield from _hunk([_shifted(opcode, skipped) for opcode in group], before, after)


def _groups(
    before: list[str], after: list[str], same_before: int, same_after: int
) -> Iterator[list[_Opcode]]:
    """Group the changes of two texts whose first and last lines are known to be the same."""
    ends = (len(before) - same_after, len(after) - same_after)
    if (ends[0] - same_before) * (ends[1] - same_before) <= _COMPARABLE:
        yield from SequenceMatcher(None, before, after).get_grouped_opcodes(_CONTEXT)
        return
    yield [
        ("equal", 0, same_before, 0, same_before),
        ("replace", same_before, ends[0], same_before, ends[1]),
        ("equal", ends[0], len(before), ends[1], len(after)),
    ]


def _shifted(opcode: _Opcode, lines: int) -> _Opcode:
    tag, i1, i2, j1, j2 = opcode
    return tag, i1 + lines, i2 + lines, j1 + lines, j2 + lines


def _hunk(group: list[_Opcode], before: list[str], after: list[str]) -> Iterator[str]:
    first, last = group[0], group[-1]
    yield f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@"
    for tag, i1, i2, j1, j2 in group:
        if tag == "equal":
            yield from (f" {line}" for line in before[i1:i2])
            continue
        yield from (f"-{line}" for line in before[i1:i2])
        yield from (f"+{line}" for line in after[j1:j2])


def _range(start: int, stop: int) -> str:
    length = stop - start
    if length == 1:
        return str(start + 1)
    return f"{start if length == 0 else start + 1},{length}"
