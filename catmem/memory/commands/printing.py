"""What the memory's commands print with: outputs, JSON, work that is kept off the event loop."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from typing import Any

from catmem.commands import Console
from catmem.memory.store.stores import Stores
from catmem.sanitize import one_line
from catmem.text import listed, t

Write = Callable[[str], None]
"""Prints one or more lines."""

# What JSON leaves as it is, and a terminal would obey.
_UNPRINTABLE = re.compile(
    r"[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


async def off_the_loop(console: Console, work: Callable[[Write], int]) -> None:
    """Do ``work`` in a thread, because it reads files and waits for locks; print what it says."""
    lines: list[str] = []
    await asyncio.to_thread(work, lines.append)
    for line in lines:
        console.write(line)


def unknown_name(stores: Stores, name: str) -> str:
    """Return the sentence for a name that no entry has, with those that are near."""
    near = stores.near(name)
    hint = t("memory.command.near", names=listed(near)) if near else ""
    return t("memory.store.gone", name=one_line(name, 60)) + hint


def scope_word(scope: str) -> str:
    """Return the word for a scope in the language of the interface."""
    return t(f"memory.scope.{scope}")


def to_json(value: Any, *, indent: int | None = 2) -> str:
    """Return JSON that a terminal prints literally; without an indent on one line."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
