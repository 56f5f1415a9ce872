"""Headers in the plain form that catmem writes, read without YAML: ten times faster.

Only what YAML would read in the same way is read here, letter for letter; for anything else the
answer is None, and YAML has the word. Thousands of entries are read at a start, nearly all of them
plain.
"""

from __future__ import annotations

import json
import re
from typing import Any

_OTHER = r"""[^,:?#\[\]{}"'&*!|>%@`\\\n"""  # what has no meaning of its own within a list
_QUOTED = r'"(?:[^"\\\n]|\\["\\n])*"'
_ITEM = rf"(?:[^\W_](?:{_OTHER}]*{_OTHER}\s])?|{_QUOTED})"
# A key, and a plain, quoted or list value. A plain one begins with a letter or digit, and holds no
# colon or hash, which would need a second look.
_LINE = re.compile(
    r"(?P<indent>  )?(?P<key>[A-Za-z][A-Za-z0-9_-]{0,63}):"
    rf"(?: (?:(?P<plain>[^\W_](?:[^:#\n]*[^:#\s])?)|(?P<quoted>{_QUOTED})"
    rf"|\[(?P<list>{_ITEM}(?:, {_ITEM})*)\]))?\n"
)
_ITEMS = re.compile(_ITEM)
_MOST_CHARACTERS = 20_000


def parse(text: str) -> dict[str, Any] | None:
    """Return the values of a plain header, None for one that is not."""
    if len(text) > _MOST_CHARACTERS or not text.replace("\n", "").isprintable():
        return None
    text = text.removeprefix("\n")
    end = 0
    values: dict[str, Any] = {}
    inner: dict[str, Any] | None = None
    for match in _LINE.finditer(text if text.endswith("\n") else text + "\n"):
        if match.start() != end:
            return None
        end = match.end()
        indent, key, plain, quoted, items = match.groups()
        if plain is quoted is items is None:
            if indent or key != "metadata" or key in values:
                return None
            values[key] = inner = {}
            continue
        if not indent:
            inner, target = None, values
            if key == "metadata":
                return None
        elif inner is None:
            return None
        else:
            target = inner
        target[key] = plain or (json.loads(quoted) if quoted else _items(items))
    is_whole = end >= len(text) and values.get("metadata") != {}
    return values if is_whole and values else None


def _items(written: str) -> list[str]:
    if '"' not in written:
        return written.split(", ")
    return [json.loads(item) if item[0] == '"' else item for item in _ITEMS.findall(written)]
