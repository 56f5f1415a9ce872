"""The entries of a directory at one moment, each with a name of its own."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from catmem.memory.store.entry import Entry, FileWarning
from catmem.memory.store.names import key_of, slug_for
from catmem.sanitize import one_line
from catmem.text import t

_FEW = 64


@dataclass(frozen=True)
class Snapshot:
    """The entries of a directory at one moment, sorted by name, and what is wrong there.

    ``is_regular`` where every file is known to be called like its entry: then no name can clash.
    """

    entries: tuple[Entry, ...]
    warnings: tuple[FileWarning, ...]
    is_regular: bool = False

    @cached_property
    def by_key(self) -> Mapping[str, Entry]:
        """The entries by name, and by file name where no entry is called so."""
        named = {entry.name: entry for entry in self.entries}
        if self.is_regular:
            return named
        return {key_of(entry.path.stem): entry for entry in self.entries if entry.path} | named


def next_snapshot(
    old: Snapshot,
    entries: Sequence[Entry],
    warnings: Sequence[FileWarning],
    *,
    added: Sequence[Entry],
    removed: Sequence[Entry],
) -> Snapshot:
    """Return the snapshot with these entries, one for each file in order of the files' names.

    ``old`` saves work: the entries are those of its files without ``removed`` and with ``added``.
    Where these are few, what was known of the others is taken over.
    """
    if len(added) + len(removed) <= _FEW and old.entries and old.is_regular:
        by_key = dict(old.by_key)
        for entry in removed:
            del by_key[entry.name]
        if all(_is_regular(entry) and entry.name not in by_key for entry in added):
            by_key.update((entry.name, entry) for entry in added)
            if len(by_key) == len(entries):
                kept = list(old.entries)
                for entry in removed:
                    del kept[bisect_left(kept, entry.name, key=_name)]
                for entry in added:
                    insort(kept, entry, key=_name)
                snapshot = Snapshot(tuple(kept), tuple(warnings), is_regular=True)
                vars(snapshot)["by_key"] = by_key
                return snapshot
    found = list(warnings)
    is_regular = all(map(_is_regular, entries))
    unique = entries if is_regular else _with_unique_names(entries, found)
    return Snapshot(tuple(sorted(unique, key=_name)), tuple(found), is_regular)


def _name(entry: Entry) -> str:
    return entry.name


def _is_regular(entry: Entry) -> bool:
    return entry.path is not None and entry.path.name == f"{entry.name}.md"


def _with_unique_names(entries: Sequence[Entry], warnings: list[FileWarning]) -> list[Entry]:
    """Give each entry a name of its own; the file that is called like its entry keeps the name."""
    by_claim = sorted(
        entries, key=lambda entry: (entry.path.stem if entry.path else "") != entry.name
    )
    taken: dict[str, Entry] = {}
    for entry in by_claim:
        name = entry.name
        if name in taken and entry.path is not None:
            name = free_name(slug_for(entry.path.stem), taken)
            first = taken[entry.name].path
            text = t(
                "memory.store.file.duplicate",
                path=one_line(str(entry.path)),
                name=entry.name,
                other=one_line(str(first)) if first else "",
                new=name,
            )
            warnings.append(FileWarning(entry.path, 0, text))
        taken[name] = entry if name == entry.name else replace(entry, name=name)
    return list(taken.values())


def free_name(name: str, taken: dict[str, Entry]) -> str:
    """Return ``name``, or the first of ``name-2``, ``name-3`` … that is not taken."""
    if name not in taken:
        return name
    number = 2
    while f"{name}-{number}" in taken:
        number += 1
    return f"{name}-{number}"
