"""Taking a forgotten entry out of what memory returned or attached earlier in a session.

What the person and the model said stays: it is their conversation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from catmem.memory.pipeline.excerpt import MEMORY_TOOLS
from catmem.memory.store.entry import Entry
from catmem.memory.store.names import key_of
from catmem.messages import Message, ToolResultPart
from catmem.sanitize import one_line

NOTE = "[Taken out: forgotten at the user's request.]"
_TELLING = 12  # a shorter text may stand anywhere
_LIST_LINE = re.compile(r"- [^\n]*")


def withholder(entries: Sequence[Entry]) -> Callable[[Message], Message]:
    """Return a function that takes these entries out of a message."""
    names = {key_of(entry.name) for entry in entries}
    alternatives = "|".join(re.escape(entry.name) for entry in entries)
    named = re.compile(rf"(?<![\w-])(?:{alternatives})(?![\w-])", re.IGNORECASE)
    texts = [
        text
        for entry in entries
        for text in (one_line(entry.description), entry.content.strip())
        if len(text) >= _TELLING
    ]

    def holds(text: str) -> bool:
        return named.search(text) is not None or any(known in text for known in texts)

    def without(message: Message) -> Message:
        parts = tuple(
            _without_result(part, names, holds)
            if isinstance(part, ToolResultPart) and part.name in MEMORY_TOOLS
            else part
            for part in message.parts
        )
        attachments = tuple(text for text in message.attachments if not holds(text))
        return replace(message, parts=parts, attachments=attachments)

    return without


def _without_result(
    result: ToolResultPart, names: set[str], holds: Callable[[str], bool]
) -> ToolResultPart:
    if result.name == "memory_read" and key_of(result.subject) in names:
        return replace(result, text=NOTE)
    if not holds(result.text):
        return result
    lines = result.text.split("\n")
    kept = [line for line in lines if not (_LIST_LINE.fullmatch(line) and holds(line))]
    if len(kept) == len(lines) or holds("\n".join(kept)):
        return replace(result, text=NOTE)
    return replace(result, text="\n".join(kept))
