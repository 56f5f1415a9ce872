"""Entries that came with a project and that nobody trusts yet, as a person is shown them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from catmem.memory.store.entry import Entry
from catmem.memory.store.stores import Stores
from catmem.text import t

_LINES = 6
_COLUMNS = 160
_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Untrusted:
    """One of them; ``text`` is what it says, bounded, any character may still be in it."""

    name: str
    digest: str
    text: str


def untrusted(stores: Stores) -> list[Untrusted]:
    """Return what came with the project and is not trusted, by name."""
    return [Untrusted(one.name, one.digest, _text(one)) for one in stores.untrusted()]


def shown(entries: Sequence[Untrusted]) -> str:
    """Return the text of the first few, and how many more there are."""
    blocks = [entry.text for entry in entries[:_SHOWN]]
    if (more := len(entries) - _SHOWN) > 0:
        blocks.append(t("memory.trust.more", count=more))
    return "\n".join(blocks)


def _text(entry: Entry) -> str:
    title = f"{entry.name} ({_cut(entry.type)}): {_cut(entry.description)}"
    lines = [line for line in entry.content.splitlines() if line.strip()]
    content = [f"    {_cut(line)}" for line in lines[:_LINES]]
    if (more := len(lines) - _LINES) > 0:
        content.append(f"    {t('memory.trust.more_lines', count=more)}")
    return "\n".join([title, *content])


def _cut(line: str) -> str:
    text = " ".join(line.split())  # what cannot be seen is spelled out later, not taken out
    return text if len(text) <= _COLUMNS else text[: _COLUMNS - 1] + "…"
