"""Which entries come first where not all of them fit."""

from __future__ import annotations

from collections.abc import Iterable

from catmem.memory.store.entry import Entry

_TYPE_ORDER = {"feedback": 0, "project": 1, "user": 2, "reference": 3}


def rank(entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries, the most useful first.

    Pinned ones lead, what a later entry replaced comes last; between them feedback, project, user,
    reference, each by importance and then by the last update. Equal ones are in order of name.
    """
    by_name = sorted(entries, key=lambda entry: (entry.name, entry.scope))
    by_update = sorted(
        by_name, key=lambda entry: (entry.updated_at, entry.modified_ns), reverse=True
    )
    return sorted(
        by_update,
        key=lambda entry: (
            entry.deprecated,
            not entry.pinned,
            _TYPE_ORDER.get(entry.type, len(_TYPE_ORDER)),
            -entry.importance,
        ),
    )
