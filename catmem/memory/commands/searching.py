"""``search``: the entries that a text is about."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

from catmem.errors import ExitCode
from catmem.memory.commands.listing import found_line
from catmem.memory.commands.printing import Write, to_json
from catmem.memory.store.stores import Stores
from catmem.sanitize import one_line
from catmem.text import t

if TYPE_CHECKING:
    from catmem.memory.search.entries import EntrySearch, Hit

_MOST = 10


def search_entries(stores: Stores, queries: Iterable[str], out: Write, *, as_json: bool) -> int:
    """Print what each query finds, the best first; return the exit code.

    As JSON one line a query, so that a program can go on asking.
    """
    search = _search_over(stores)
    for query in queries:
        hits = search.search(query, _MOST)
        out(_json_line(query, hits) if as_json else _lines(query, hits))
    return ExitCode.DONE


def _search_over(stores: Stores) -> EntrySearch:
    module = importlib.import_module("catmem.memory.search.entries")  # no start needs it
    search: EntrySearch = module.EntrySearch(stores.load_all())
    return search


def _json_line(query: str, hits: list[Hit]) -> str:
    results = [
        {
            "name": hit.entry.name,
            "scope": hit.entry.scope,
            "score": round(hit.score, 4),
            "passed": hit.passed,
        }
        for hit in hits
    ]
    return to_json({"query": query, "results": results}, indent=None)


def _lines(query: str, hits: list[Hit]) -> str:
    if not hits:
        return t("memory.search.none", query=one_line(query, 60))
    return "\n".join(found_line(hit.entry) for hit in hits)
