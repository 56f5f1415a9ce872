"""JSON schemas in the subset that every server accepts.

Objects with all properties required and no others, arrays, enums, null by ``anyOf``; no lengths, no
ranges, no references.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
INTEGER: Schema = {"type": "integer"}


def object_of(**properties: Schema) -> Schema:
    """Return the schema of an object with these properties, in this order."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def list_of(items: Schema) -> Schema:
    """Return the schema of an array."""
    return {"type": "array", "items": items}


def choice(values: Iterable[str]) -> Schema:
    """Return the schema of one of some words."""
    return {"type": "string", "enum": [str(value) for value in values]}


def nullable(schema: Schema) -> Schema:
    """Return the schema of a value that may be null."""
    return {"anyOf": [schema, {"type": "null"}]}
