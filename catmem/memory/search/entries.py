"""The ranking over entries: which of them a text is about, and whether that is beyond doubt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from catmem.memory.search.lexical import Lexical
from catmem.memory.store.entry import Entry

_GATE = 0.25


class Findable(Protocol):
    """What has the fields of an entry."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def content(self) -> str: ...
    @property
    def optional(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Hit:
    """An entry that was found; ``score`` is in 0..1.

    ``passed`` tells that the shared words are rare enough, and enough of the query, that the entry
    is very likely meant.
    """

    entry: Entry
    score: float
    passed: bool


class EntrySearch:
    """A search over entries of one or more stores that are given once; outdated ones are left out.

    All stores share one ranking: how rare a word is counts over all of them.
    """

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = [entry for entry in entries if not entry.deprecated]
        self._lexical = Lexical([searchable(entry) for entry in self._entries])

    def search(self, query: str, limit: int) -> list[Hit]:
        """Return at most ``limit`` entries that share a word with ``query``, best first.

        Of equal ones the more important comes first, then the newer.
        """
        weight = self._lexical.distinctiveness(query)
        hits = [
            Hit(self._entries[number], score, weight * score**1.5 >= _GATE)
            for number, score in self._lexical.search(query)
        ]
        hits.sort(key=lambda hit: (hit.entry.updated_at, hit.entry.modified_ns), reverse=True)
        hits.sort(key=lambda hit: (-round(hit.score, 9), -hit.entry.importance))
        return hits[:limit]


def searchable(item: Findable) -> str:
    """Return the text by which an entry, or what may become one, is found."""
    more = [item.optional.get(key, "") for key in ("keywords", "usageScenario", "gist")]
    words = [" ".join(map(str, value)) if isinstance(value, list) else str(value) for value in more]
    return "\n".join((item.name.replace("-", " "), item.description, item.content, *words))
