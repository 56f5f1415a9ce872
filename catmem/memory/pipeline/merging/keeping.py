"""An update must not destroy: what of an old body has to survive a new one.

Paths, commands, numbers and the like stay unless the person's own words replace them. Where a body
of several pieces (sentences, lines) shrinks to much less, the pieces stay whose subject neither the
new text nor the person's words touch.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from catmem.memory.pipeline.judging.quotes import normalised
from catmem.memory.search.similarity import coverage, words_of

_PIECE = re.compile(r"[^\n。；;！!？?.]+(?:\.(?![\s]|$)[^\n。；;！!？?.]*)*[。；;！!？?.]?")
_REPEATED = 0.6  # this much of a piece's words in the new body means that it is said there
_SHRUNK = 0.6
_LITERALS = {
    "code": re.compile(r"`([^`\n]+)`"),
    "url": re.compile(r"https?://[^\s<>\"'，。；、）)]+"),
    "path": re.compile(r"(?<![\w/])(?:~|\.{1,2})?/?(?:[\w.@-]+/)+[\w.@*-]*|~/[\w./-]+|\.\w[\w.-]+"),
    "number": re.compile(r"(?<![\w.])v?\d+(?:[.:]\d+)*(?![\w])"),
}


def merged(old: str, new: str, quotes: Sequence[str], *, nothing_goes: bool = False) -> str:
    """Return ``new`` with what must survive of ``old`` added at its end.

    ``quotes`` are the person's typed words for the update. With ``nothing_goes`` every piece stays
    that ``new`` does not say itself.
    """
    pieces = list(_pieces(old))
    lost = _lost(old, new, quotes)
    shrunk = len(pieces) > 1 and len(new) < len(old) * _SHRUNK
    subject = frozenset[str]() if nothing_goes else words_of(" ".join((new, *quotes)))
    kept = [
        piece
        for piece in pieces
        if any(literal in lost for _, literal in _literals(piece))
        or ((nothing_goes or shrunk) and _is_untouched(piece, new, subject))
    ]
    return "\n".join([new.rstrip(), *kept])


def _is_untouched(piece: str, new: str, subject: frozenset[str]) -> bool:
    if normalised(piece) in normalised(new) or coverage(piece, words_of(new)) >= _REPEATED:
        return False
    return not words_of(piece) & subject


def _lost(old: str, new: str, quotes: Sequence[str]) -> frozenset[str]:
    """Return the literals that the new body drops without the person having said so.

    They said so when they named the old one, or as many new ones of its kind as are dropped.
    """
    before, after, said = normalised(old), normalised(new), normalised(" ".join(quotes))
    dropped: dict[str, set[str]] = defaultdict(set)
    for kind, literal in _literals(old):
        if normalised(literal) not in after and normalised(literal) not in said:
            dropped[kind].add(literal)
    named: dict[str, set[str]] = defaultdict(set)
    for kind, literal in _literals(new):
        if normalised(literal) not in before and normalised(literal) in said:
            named[kind].add(literal)
    return frozenset(
        literal
        for kind, literals in dropped.items()
        if len(literals) > len(named[kind])
        for literal in literals
    )


def _literals(text: str) -> Iterator[tuple[str, str]]:
    for kind, pattern in _LITERALS.items():
        for match in pattern.finditer(text):
            literal = match.group(1) if kind == "code" else match.group()
            if any(map(str.isalnum, literal)):
                yield kind, literal


def _pieces(text: str) -> Iterator[str]:
    for match in _PIECE.finditer(text):
        if any(map(str.isalnum, match.group())):
            yield match.group().strip()
