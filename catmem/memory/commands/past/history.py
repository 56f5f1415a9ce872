"""The versions of one entry: when each came about, from which words, and where its text lies."""

from __future__ import annotations

from typing import Any

from catmem.errors import ExitCode
from catmem.memory.commands.past.undoing import moment
from catmem.memory.commands.printing import Write, scope_word, to_json, unknown_name
from catmem.memory.store.commit.history import Version
from catmem.memory.store.stores import Stores
from catmem.sanitize import one_line
from catmem.text import t

_WIDTH = 400


def show_history(
    stores: Stores, name: str, out: Write, err: Write, *, as_json: bool = False
) -> int:
    """Print the versions of an entry, oldest first, also of one that is gone; return exit code."""
    versions = stores.history(name)
    if not versions:
        err(unknown_name(stores, name))
        return ExitCode.FAILED
    if as_json:
        out(to_json([_facts(version) for version in versions]))
    else:
        out("\n".join(line for version in versions for line in _lines(version)))
    return ExitCode.DONE


def _lines(version: Version) -> list[str]:
    what = t(f"memory.history.{version.what}", scope=scope_word(version.scope))
    said = t("memory.history.said", text=version.description) if version.description else ""
    below = [
        t("memory.history.quote", session=version.session, seq=quote.seq, quote=quote.text)
        for quote in version.quotes
    ]
    if version.path is not None:
        below.append(str(version.path))
    first = one_line(f"{moment(version.at)} {what}{said}", _WIDTH)
    return [first, *(f"    {one_line(line, _WIDTH)}" for line in below)]


def _facts(version: Version) -> dict[str, Any]:
    return {
        "at": version.at,
        "what": version.what,
        "scope": version.scope,
        "session": version.session,
        "quotes": [{"seq": quote.seq, "quote": quote.text} for quote in version.quotes],
        "description": version.description,
        "path": str(version.path) if version.path else None,
    }
