"""The optional fields of a candidate as a model sends them: read within limits, never fatal.

What is unknown, empty, of the wrong type or beyond a limit is left out. Fields that are not the
model's to set (``pinned``, ``status``, ``supersedes``) are not read at all.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from catmem.memory.pipeline.answers import fields
from catmem.memory.pipeline.answers.schema import (
    NUMBER,
    TEXT,
    Schema,
    choice,
    list_of,
    nullable,
)
from catmem.memory.search.lexical import HAN

CATEGORIES = (
    "user_communication",
    "user_behavior",
    "project_introduction",
    "project_tech_stack",
    "project_environment_configuration",
    "project_build_configuration",
    "development_code_specification",
    "development_practice_specification",
    "development_test_specification",
    "common_pitfalls_experience",
    "important_decision_experience",
)
PROPERTIES: dict[str, Schema] = {
    "usageScenario": list_of(TEXT),
    "gist": TEXT,
    "keywords": list_of(TEXT),
    "category": nullable(choice(CATEGORIES)),
    "module": nullable(TEXT),
    "appliesTo": list_of(TEXT),
    "verify": nullable(TEXT),
    "importance": nullable(NUMBER),
}
# How many items, and how many characters each.
_LISTS = {"usageScenario": (4, 120), "keywords": (12, 40), "appliesTo": (6, 80)}
_LINES = {"gist": 160, "module": 60, "verify": 200}
# A path pattern, or a command: "src/**", "bash(git push:*)"; not a bare "*".
_PATTERN = re.compile(r"(?=.*\w)(?:\w+\([^()\n]+\)|[^\s()]*[./*][^\s()]*)")
_NOTHING = frozenset({"", "null", "none", "n/a", "-", "...", "…", "无", "没有"})


def read(item: Mapping[str, Any], fact: str) -> dict[str, Any]:
    """Return the optional fields of one item of an answer; ``fact`` is what the candidate says."""
    return dict(_fields(item, fact))


def _fields(item: Mapping[str, Any], fact: str) -> Iterator[tuple[str, Any]]:
    category = fields.line(item.get("category")).lower()
    if category in CATEGORIES:
        yield "category", category
    for key, (most, longest) in _LISTS.items():
        if found := list(_lines(item.get(key), key, longest))[:most]:
            yield key, found
    for key, longest in _LINES.items():
        line = fields.line(item.get(key))
        fits = line.lower() not in _NOTHING and len(line) <= longest
        if fits and (key != "gist" or _is_other_language(line, fact)):
            yield key, line
    value = _share(item.get("importance"))
    if value is not None:
        yield "importance", value


def _lines(value: Any, key: str, longest: int) -> Iterator[str]:
    items = value if isinstance(value, list) else [value]
    for line in dict.fromkeys(map(fields.line, items)):
        if line.lower() in _NOTHING or len(line) > longest:
            continue
        if key != "appliesTo" or _PATTERN.fullmatch(line):
            yield line


def _is_other_language(gist: str, fact: str) -> bool:
    """Whether a gist helps those who ask in another language than the fact's."""
    return bool(HAN.search(gist)) != bool(HAN.search(fact)) or not (
        HAN.search(fact) or gist.casefold() in fact.casefold()
    )


def _share(value: Any) -> float | None:
    """Return a number from 0 to 1, also one sent as text."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return round(float(value), 2) if math.isfinite(value) and 0 <= value <= 1 else None
