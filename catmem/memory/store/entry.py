"""An entry: one stored fact, as the rest of the program sees it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from catmem.sanitize import one_line

TYPES = ("user", "feedback", "project", "reference")
OPTIONAL_KEYS = (
    "category",
    "keywords",
    "usageScenario",
    "gist",
    "module",
    "importance",
    "status",
    "pinned",
    "appliesTo",
    "supersedes",
    "evidence",
    "verify",
)
USUAL_IMPORTANCE = {"feedback": 0.8, "user": 0.75, "project": 0.7, "reference": 0.6}
_UNKNOWN_IMPORTANCE = 0.5


class Scope(StrEnum):
    """How far a memory travels, which is also the store it lies in."""

    USER = "user"
    PROJECT = "project"


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory.

    A new one needs the first four fields alone; the store fills in the rest.

    Attributes:
        name: unique key; canonical (``names.normalise``).
        description: one line.
        type: one of ``TYPES``; a file edited by hand may hold any text.
        content: the body, each newline a single character, otherwise exactly as in the file.
        scope: the store it lies in.
        created_at: ISO date, or whatever text the file has; empty when it has none.
        updated_at: the same.
        optional: those of ``OPTIONAL_KEYS`` that say something. In an entry that was read, scalars
            are text (``"0.7"``, ``"true"``) and collections lists and dicts of text.
        path: its file; None before it is saved.
        digest: SHA-256 of the file's bytes, for compare-and-swap; empty before it is saved.
        modified_ns: the file's modification time; orders entries of one day.
        damaged: the file was not understood fully; it is shown but never written.
    """

    name: str
    description: str
    type: str
    content: str
    scope: Scope = Scope.USER
    created_at: str = ""
    updated_at: str = ""
    optional: Mapping[str, Any] = field(default_factory=dict)
    path: Path | None = None
    digest: str = ""
    modified_ns: int = 0
    damaged: bool = False

    @property
    def importance(self) -> float:
        """From 0 to 1; an entry that does not say has what is usual for its type."""
        usual = USUAL_IMPORTANCE.get(self.type, _UNKNOWN_IMPORTANCE)
        try:
            value = float(self.optional.get("importance", usual))
        except (TypeError, ValueError):
            return usual
        return min(max(value, 0.0), 1.0) if value == value else usual

    @property
    def pinned(self) -> bool:
        """Whether the user wants it always at hand."""
        return str(self.optional.get("pinned", "")).strip().lower() in {"true", "yes", "1", "on"}

    @property
    def deprecated(self) -> bool:
        """Whether a later entry has taken its place."""
        return str(self.optional.get("status", "")).strip().lower() == "deprecated"


@dataclass(frozen=True, slots=True)
class FileWarning:
    """Something about a file of the store that its owner should know; never a reason to stop.

    ``line`` counts from 1; 0 where the fault is no line's. ``text`` is the whole sentence, with
    file and line in it.
    """

    file: Path
    line: int
    text: str


def as_line(value: Any) -> str:
    """Return a field's value in one line of plain text, whatever collection it is."""
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {as_line(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(as_line, value))
    return one_line(str(value))


def as_text(value: Any) -> Any:
    """Return ``value`` as it is read back: scalars as text, collections as lists and dicts."""
    if isinstance(value, Mapping):
        return {str(key): as_text(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_text(item) for item in value]
    return value if isinstance(value, str) else json.dumps(value)
