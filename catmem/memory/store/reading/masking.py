"""Secrets in files that a person wrote: none gets further than this.

Whoever reads entries (index, system text, tools, search, pipeline) gets them without. The file
itself is its owner's and stays; a note says where the secret stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from catmem import secrets
from catmem.memory.store.entry import Entry
from catmem.text import t


def masked(entry: Entry, data: bytes) -> tuple[Entry, list[tuple[int, str]]]:
    """Return ``entry`` without secrets; and (line, why) of each in ``data``, its file."""
    text = data.decode("utf-8", "replace")
    found = secrets.find(text)
    if not found:
        return entry, []
    kinds = {text.count("\n", 0, secret.start) + 1: secret.kind for secret in reversed(found)}
    notes = [(line, t("memory.store.file.secret", kind=kinds[line])) for line in sorted(kinds)]
    without = replace(
        entry,
        description=secrets.mask(entry.description),
        content=secrets.mask(entry.content),
        optional={key: _masked(value) for key, value in entry.optional.items()},
    )
    return without, notes


def _masked(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _masked(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_masked(item) for item in value]
    return secrets.mask(value) if isinstance(value, str) else value
