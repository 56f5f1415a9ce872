"""Which entries come first where not all of them fit."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Sequence

from catmem.memory.store.entry import Entry

_FEW = 64
_TYPE_ORDER = {"feedback": 0, "project": 1, "user": 2, "reference": 3}


def rank(entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries, the most useful first.

    Pinned ones lead, what a later entry replaced comes last; between them feedback, project, user,
    reference, each by importance and then by the last update. Equal ones are in order of name.
    """
    by_name = sorted(entries, key=_by_name)
    by_update = sorted(by_name, key=_by_update, reverse=True)
    return sorted(by_update, key=_by_use)


class Ranking:
    """The entries of one store in order; of those that changed since the last time each moves."""

    def __init__(self) -> None:
        self._ranked: list[Entry] = []
        self._known: dict[int, Entry] = {}  # by identity; they are held, so that it is no other's

    def of(self, entries: Sequence[Entry]) -> list[Entry]:
        """Return what ``rank`` does."""
        now = dict(zip(map(id, entries), entries, strict=True))
        added = now.keys() - self._known.keys()
        removed = self._known.keys() - now.keys()
        if len(added) + len(removed) > _FEW:
            self._ranked = rank(entries)
        elif added or removed:
            self._ranked = [entry for entry in self._ranked if id(entry) not in removed]
            for key in added:
                insort(self._ranked, now[key], key=_Place)
        self._known = now
        return self._ranked


class _Place:
    """Where an entry belongs between others."""

    def __init__(self, entry: Entry) -> None:
        self._entry = entry

    def __lt__(self, other: _Place) -> bool:
        mine, its = self._entry, other._entry
        if _by_use(mine) != _by_use(its):
            return _by_use(mine) < _by_use(its)
        if _by_update(mine) != _by_update(its):
            return _by_update(mine) > _by_update(its)
        return _by_name(mine) < _by_name(its)


def _by_name(entry: Entry) -> tuple[str, str]:
    return entry.name, entry.scope


def _by_update(entry: Entry) -> tuple[str, int]:
    return entry.updated_at, entry.modified_ns


def _by_use(entry: Entry) -> tuple[bool, bool, int, float]:
    return (
        entry.deprecated,
        not entry.pinned,
        _TYPE_ORDER.get(entry.type, len(_TYPE_ORDER)),
        -entry.importance,
    )
