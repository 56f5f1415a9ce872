"""The one place that decides which entries of a project store the model may know.

An entry whose content the user approved here, or catmem wrote here, is trusted. Of the others those
are not that git tracks (they come with a clone or a pull), and those that lay in the store before
catmem's first run in this memory root. What is left is what somebody wrote here by hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from catmem.config.trust import RootTrust, TrustFile
from catmem.memory.store import git
from catmem.memory.store.entry import Entry
from catmem.memory.store.reading.snapshot import Snapshot
from catmem.paths import real

_NOTHING = Snapshot((), ())


class EntryTrust:
    """Trust in the entries of ``directory``, the project store of the trust file's root."""

    def __init__(self, file: TrustFile, directory: Path) -> None:
        self._file = file
        self._directory = directory
        self._latest = _NOTHING
        self._judged: tuple[Snapshot, RootTrust, git.Identity | None] | None = None
        self._trusted = _NOTHING
        self._by_hand: set[tuple[str, str]] = set()

    def trusted(self, everything: Snapshot) -> Snapshot:
        """Return the snapshot without entries that are not trusted; its warnings stay."""
        self._latest = everything
        known = self._file.read()
        directory = real(self._directory)
        repository = git.repository_of(directory) if everything.entries else None
        identity = repository.identity() if repository else None
        judged = (everything, known, identity)
        if self._judged is not None and _same(self._judged, judged):
            return self._trusted
        if self._judged is None or self._judged[2] != identity:
            self._by_hand.clear()  # something else may be tracked now
        is_changing = repository is not None and repository.is_changing()
        kept = self._kept(everything.entries, known, directory, is_changing=is_changing)
        self._trusted = Snapshot(kept, everything.warnings, everything.is_regular)
        self._judged = None if is_changing else judged
        return self._trusted

    def begin(self) -> None:
        """Note the first run in this memory root, with what ``trusted`` saw last.

        Raises:
            StorageError: it cannot be noted; until it is, all that lies there was there before.
        """
        if not self._file.read().first_run:
            self._file.change(self._begun)

    def wrote(self, digests: Iterable[str]) -> None:
        """Note contents that catmem is about to write itself.

        Raises:
            StorageError: it cannot be noted.
        """
        fresh = set(digests) - set(self._file.read().entries)
        if fresh:
            self._file.change(lambda known: self._begun(known).trusting(fresh))

    def _begun(self, known: RootTrust) -> RootTrust:
        if known.first_run:
            return known
        now = datetime.now().astimezone().isoformat(timespec="seconds")
        found = sorted(entry.digest for entry in self._latest.entries)
        return replace(known, first_run=now, found=tuple(found))

    def _kept(
        self, entries: Sequence[Entry], known: RootTrust, directory: Path, *, is_changing: bool
    ) -> tuple[Entry, ...]:
        approved, found = set(known.entries), set(known.found)
        unknown = [
            entry
            for entry in entries
            if entry.digest not in approved
            and entry.digest not in found
            and _key(entry) not in self._by_hand
        ]
        may_ask = bool(known.first_run) and not is_changing
        if unknown and may_ask and directory.is_relative_to(real(self._file.root)):
            self._ask_git(unknown, directory)
        return tuple(
            entry for entry in entries if entry.digest in approved or _key(entry) in self._by_hand
        )

    def _ask_git(self, unknown: Sequence[Entry], directory: Path) -> None:
        """Note which of these nobody brought; where git does not say, none of them."""
        inside = git.repository_of(directory) is not None
        tracked = git.tracked_names(directory) if inside else frozenset()
        if tracked is not None:
            keys = [_key(entry) for entry in unknown]
            self._by_hand.update(key for key in keys if key[0] not in tracked)


def _key(entry: Entry) -> tuple[str, str]:
    return git.folded(entry.path.name if entry.path else ""), entry.digest


def _same(
    one: tuple[Snapshot, RootTrust, git.Identity | None],
    other: tuple[Snapshot, RootTrust, git.Identity | None],
) -> bool:
    """Compare by identity: snapshots and trust are the same objects as long as nothing changed."""
    return one[0] is other[0] and one[1] is other[1] and one[2] == other[2]
