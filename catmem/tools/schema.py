"""Checking a call's arguments against the tool's JSON schema, forgiving what models get near.

Only the part of JSON Schema that our tools use is known: objects with required keys and no others,
arrays, strings, integers, booleans, enums and ``minimum``/``maximum``. Numbers and booleans sent as
text are taken for what they mean.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from typing import Any

from catmem.tools.base import ToolError


def check(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``arguments`` with simple types corrected.

    Optional arguments that are null are left out.

    Raises:
        ToolError: they do not fit; the text names the argument, what came and what is expected.
    """
    return _object(arguments, schema, "")


def _object(value: Mapping[str, Any], schema: Mapping[str, Any], where: str) -> dict[str, Any]:
    properties: Mapping[str, Any] = schema.get("properties", {})
    required: list[str] = schema.get("required", [])
    given = {name: item for name, item in value.items() if item is not None or name in required}
    for name in given:
        if name not in properties:
            raise ToolError(_unknown(name, where, list(properties)))
    for name in required:
        if name not in given:
            raise ToolError(
                f"The argument {where}{name} is missing ({_expected(properties[name])})."
            )
    return {name: _value(item, properties[name], where + name) for name, item in given.items()}


def _value(value: Any, schema: Mapping[str, Any], where: str) -> Any:
    kind = schema["type"]
    value = _coerced(value, kind)
    fits = {
        "object": lambda: isinstance(value, Mapping),
        "array": lambda: isinstance(value, list),
        "string": lambda: isinstance(value, str),
        "integer": lambda: isinstance(value, int) and not isinstance(value, bool),
        "boolean": lambda: isinstance(value, bool),
    }[kind]()
    if not fits or _out_of_range(value, schema):
        raise ToolError(f"The argument {where} must be {_expected(schema)}, not {_shown(value)}.")
    if kind == "object":
        return _object(value, schema, where + ".")
    if kind == "array":
        return [
            _value(item, schema["items"], f"{where}[{index}]") for index, item in enumerate(value)
        ]
    return value


def _coerced(value: Any, kind: str) -> Any:
    """Return ``value`` as ``kind`` where what is meant is beyond doubt, else unchanged."""
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    if kind == "array" and isinstance(value, Mapping):
        return [value]
    if not isinstance(value, str) or kind == "string":
        return value
    text = value.strip()
    if kind == "boolean":
        return {"true": True, "false": False}.get(text.lower(), value)
    try:
        return int(text) if kind == "integer" else json.loads(text)
    except (ValueError, RecursionError):
        return value


def _out_of_range(value: Any, schema: Mapping[str, Any]) -> bool:
    return (
        ("enum" in schema and value not in schema["enum"])
        or ("minimum" in schema and value < schema["minimum"])
        or ("maximum" in schema and value > schema["maximum"])
        or ("minItems" in schema and len(value) < schema["minItems"])
    )


def _expected(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return "one of " + ", ".join(json.dumps(choice) for choice in schema["enum"])
    kind: str = schema["type"]
    words = f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"
    if "minimum" in schema:
        words += f" from {schema['minimum']}"
    if "maximum" in schema:
        words += f" to {schema['maximum']}"
    if kind == "array" and "properties" in schema["items"]:
        words += f" of objects with {', '.join(schema['items']['properties'])}"
    return words


def _unknown(name: str, where: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    hint = f" Did you mean {where}{near[0]}?" if near else f" Known: {', '.join(known)}."
    return f"There is no argument {where}{name}.{hint}"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else text[:79] + "…"
