"""What the doctor found: one sentence each, and whether it is put right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from catmem.sanitize import one_line
from catmem.text import listed

_NAMED = 3


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault of ``path``; ``text`` names the file, and the line where it is one's.

    ``repaired`` tells that ``text`` ends with what was done; otherwise it is left to the person.
    """

    path: Path
    text: str
    repaired: bool
    line: int = 0


def shown(path: Path) -> str:
    """Return a path that can be printed."""
    return one_line(str(path))


def few(names: Sequence[str]) -> str:
    """Return the first names of a list, with the number of the others."""
    rest = len(names) - _NAMED
    return listed([*names[:_NAMED], *([f"+{rest}"] if rest > 0 else [])])
