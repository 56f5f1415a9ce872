"""Rules that the wire forms share."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def unmarked(value: Any) -> Any:
    """`value` without cache marks, at any depth."""
    if isinstance(value, dict):
        return {key: unmarked(item) for key, item in value.items() if key != "cache_control"}
    if isinstance(value, list):
        return [unmarked(item) for item in value]
    return value


def has_text(value: Any) -> bool:
    """Whether `value` is a string that is more than white space."""
    return isinstance(value, str) and bool(value.strip())


def is_object_text(value: Any) -> bool:
    """Whether `value` is the text of a JSON object."""
    try:
        return isinstance(json.loads(value), dict)
    except (TypeError, ValueError):
        return False


def check_tools(tools: list[tuple[Any, Any]]) -> Iterator[str]:
    """Check `(name, schema)` of the tools offered."""
    names = [name for name, _ in tools]
    for name, schema in tools:
        if not isinstance(name, str) or not NAME.fullmatch(name):
            yield f"tool name {name!r} is not allowed"
        if not isinstance(schema, dict) or schema.get("type") != "object":
            yield f"the schema of tool {name!r} is not that of an object"
    if len(set(names)) < len(names):
        yield f"tool names are not unique: {names}"


def check_answers(calls: list[str], answers: list[str]) -> Iterator[str]:
    """Check that the calls of one assistant turn are answered once each, in order."""
    for call in calls:
        if (times := answers.count(call)) != 1:
            yield f"tool call {call!r} has {times} results"
    for answer in answers:
        if answer not in calls:
            yield f"tool result for {answer!r}, which the turn before did not call"
    if sorted(calls) == sorted(answers) and calls != answers:
        yield f"tool results {answers} are not in the order of the calls {calls}"


def check_unique(calls: list[str]) -> Iterator[str]:
    """Check that no call id stands for two calls."""
    for call in sorted({call for call in calls if calls.count(call) > 1}):
        yield f"call id {call!r} is used twice"
