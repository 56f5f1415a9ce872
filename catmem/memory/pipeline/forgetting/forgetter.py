"""Finding what a person wants forgotten, and forgetting it: archive, tombstone, episodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from catmem.memory.pipeline.forgetting import purging
from catmem.memory.pipeline.forgetting.purging import Purged, Redacted
from catmem.memory.pipeline.forgetting.tombstones import Occasion, Tombstones
from catmem.memory.pipeline.forgetting.traces import Traces, tokens
from catmem.memory.pipeline.journal import Journal
from catmem.memory.search.lexical import Lexical
from catmem.memory.search.similarity import coverage, words_of
from catmem.memory.store.entry import Entry, Scope, as_line
from catmem.memory.store.names import key_of
from catmem.memory.store.operations import Action, ApplyReport, Operation
from catmem.memory.store.stores import Stores
from catmem.paths import Paths

MOST_MATCHES = 8
_ENOUGH = 0.6  # of the words that were given


@dataclass(frozen=True, slots=True)
class Found:
    """What a name or some words stand for.

    Attributes:
        entries: best first.
        episodes: summaries of past sessions, by their text.
        versions: what the archive holds of these entries, or of one that is no longer stored.
    """

    entries: tuple[Entry, ...] = ()
    episodes: tuple[str, ...] = ()
    versions: tuple[Entry, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.entries or self.episodes or self.versions)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the entries, also of those that are in the archive alone."""
        return tuple(dict.fromkeys(entry.name for entry in (*self.entries, *self.versions)))


class Forgetter:
    """Forgets entries of both stores, and episodes that the journal keeps."""

    def __init__(self, stores: Stores, paths: Paths) -> None:
        self._stores = stores
        self._paths = paths
        self._journal = Journal(stores.journal.path)
        self._tombstones = Tombstones(stores)

    def find(self, words: str) -> Found:
        """Return the entries of that name, else those that these words fit; and the episodes."""
        named = [entry for scope in Scope if (entry := self._stores.get(words, scope)) is not None]
        entries = named or self._by_words(words)
        wanted = [words, *(entry.description for entry in entries)]
        episodes = [
            text
            for text in self._journal.episodes()
            if any(coverage(query, words_of(text)) >= _ENOUGH for query in wanted)
        ]
        names = {entry.name for entry in entries} or {key_of(words)}
        versions = purging.archived(self._stores, names)
        return Found(tuple(entries), tuple(dict.fromkeys(episodes)), tuple(versions))

    def forget(self, found: Found, session: str = "") -> ApplyReport:
        """Move the entries to the archive for good, and erase the episodes.

        An entry that was changed since it was found is left alone; the report says so. ``session``
        is the one in which this was asked for.

        Raises:
            StorageError: a tombstone or the journal cannot be written; the entries stay.
        """
        report = self.delete(
            [
                Operation(Action.DELETE, name=entry.name, scope=entry.scope, digest=entry.digest)
                for entry in found.entries
            ],
            session,
        )
        self._journal.erase_episodes(found.episodes)
        return report

    def traces(self, found: Found) -> Traces:
        """Return what ``found`` looks like wherever it stands; asked before it is forgotten."""
        evidence = self._journal.evidence()
        quotes = {item.quote for name in found.names for _, item in evidence[name]}
        return Traces((*found.entries, *found.versions), quotes, self._ordinary(found))

    def purge(self, traces: Traces) -> Purged:
        """Remove every trace but those in transcripts; see ``purging.purge``."""
        return purging.purge(self._stores, self._paths, traces)

    def redact(self, transcripts: Sequence[Path], traces: Traces, own: Path | None) -> Redacted:
        """Take the traces out of transcripts; see ``purging.redact``."""
        return purging.redact(transcripts, traces, own)

    def delete(self, operations: Sequence[Operation], session: str = "") -> ApplyReport:
        """Carry out operations; what they delete is not learned again.

        Raises:
            StorageError: a tombstone cannot be written; then nothing was done.
        """
        occasion = Occasion(session=session, evidence=self._journal.evidence())
        marks = self._tombstones.mark(operations, occasion)
        report = self._stores.apply(operations)
        self._tombstones.settle(marks, report.outcomes)
        return report

    def allow(self, entry: Entry) -> None:
        """Let what an entry says be learned again, because the person had it saved anew.

        Raises:
            StorageError: it cannot be noted.
        """
        self._tombstones.lift(self._tombstones.forbidding(entry))

    def _by_words(self, words: str) -> list[Entry]:
        entries = self._stores.load_all()
        texts = [_searched(entry) for entry in entries]
        ranked = [number for number, _ in Lexical(texts).search(words)]
        fitting = [one for one in ranked if coverage(words, words_of(texts[one])) >= _ENOUGH]
        return [entries[number] for number in fitting[:MOST_MATCHES]]

    def _ordinary(self, found: Found) -> set[str]:
        """Return unusual tokens that say nothing about ``found``: other entries have them too."""
        others = (one for one in self._stores.load_all() if one.name not in found.names)
        return {token for entry in others for token in tokens(_searched(entry))}


def _searched(entry: Entry) -> str:
    optional = (as_line(entry.optional.get(key, "")) for key in ("gist", "keywords"))
    return "\n".join((entry.name, entry.description, entry.content, *optional))
