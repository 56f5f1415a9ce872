"""Headers in the plain form that catmem writes, read without YAML: ten times faster.

Only what YAML would read in the same way is read here, letter for letter; for anything else the
answer is None, and YAML has the word. Thousands of entries are read at a start, nearly all of them
plain.
"""

from __future__ import annotations

import json
import re
from typing import Any

_OTHER = r"""[^,:?#\[\]{}"'&*!|>%@`\\\n]"""  # what has no meaning of its own within a list
_QUOTED = r'"(?:[^"\\\n]|\\["\\n])*"'
_ITEM = rf"(?:[^\W_]{_OTHER}*+(?<!\s)|{_QUOTED})"
# A key with a plain, quoted or list value. A plain one begins with a letter or digit, and holds no
# colon or hash, which would need a second look.
_LINE = (
    r"(?>[A-Za-z][A-Za-z0-9_-]{0,63}: "
    rf"(?:[^\W_][^:#\n]*+(?<!\s)|{_QUOTED}|\[{_ITEM}(?:, {_ITEM})*+\])\n)"
)
_TOP = rf"(?!metadata:){_LINE}"
_HEADER = re.compile(rf"(?:{_TOP})*+(?:metadata:\n(?:  {_LINE})++(?:{_TOP})*+)?")
_ITEMS = re.compile(_ITEM)
_MOST_CHARACTERS = 20_000


def parse(text: str) -> dict[str, Any] | None:
    """Return the values of a plain header, None for one that is not."""
    if len(text) > _MOST_CHARACTERS or not text.replace("\n", "").isprintable():
        return None
    text = text.removeprefix("\n")
    text = text if text.endswith("\n") else text + "\n"
    if _HEADER.fullmatch(text) is None:
        return None
    values: dict[str, Any] = {}
    inner: dict[str, Any] = {}
    for line in text.splitlines():
        key, _, written = line.partition(": ")
        if not written:  # metadata, the one key whose value stands below it
            values["metadata"] = inner
            continue
        value: Any = written
        if written[0] == "[":
            value = _items(written[1:-1])
        elif written[0] == '"':
            value = json.loads(written)
        if key[0] == " ":
            inner[key[2:]] = value
        else:
            values[key] = value
    return values


def _items(written: str) -> list[str]:
    if '"' not in written:
        return written.split(", ")
    return [json.loads(item) if item[0] == '"' else item for item in _ITEMS.findall(written)]
