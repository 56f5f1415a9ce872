"""Fields of what a model sent: the value where it has the right type, else nothing."""

from __future__ import annotations

import re
from typing import Any

from catmem.sanitize import one_line

_NUMBER = re.compile(r"\s*\[?#?(\d{1,9})(?: [a-z]+)?\]?\s*")


def text(value: Any) -> str:
    """Return a text without blanks around it; empty for anything else."""
    return value.strip() if isinstance(value, str) else ""


def line(value: Any) -> str:
    """Return a text on one line; empty for anything else."""
    return one_line(value) if isinstance(value, str) else ""


def number(value: Any) -> int | None:
    """Return a whole number, also one sent as text (``"12"``, ``"[#12 user]"``) or as ``12.0``."""
    if isinstance(value, str):
        digits = _NUMBER.fullmatch(value)
        return int(digits[1]) if digits else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if value == value // 1 else None
