"""An update must not destroy: what of an old body has to survive a new one.

Literals (paths, commands, numbers, dates …) stay unless the person's own words replace them. So do
the pieces (sentences, lines) of an old body whose subject neither the new text nor the person's
words touch. What has to stay is kept as whole pieces, in their order, after the new text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from catmem.memory.pipeline.judging.quotes import normalised
from catmem.memory.pipeline.merging.literals import Literal, folded, literals, missing
from catmem.memory.pipeline.merging.wording import left_behind, what_goes
from catmem.memory.search.similarity import coverage, words_of

_PIECE = re.compile(r"(?:`[^`\n]*`|[^\n。；！？?!;.]|[?!;.](?=[^\s]))+[。；！？?!;.]?")
_PART = re.compile(r"(?:`[^`\n]*`|[^,，`]|,(?=\S)|`)+[,，]?")
_REPEATED = 0.6  # this much of a piece's words in the new body means that it is said there
_REPEATED_FULLY = 0.85  # and this much where nothing may go


def merged(old: str, new: str, quotes: Sequence[str], *, nothing_goes: bool = False) -> str:
    """Return ``new`` with what must survive of ``old`` added at its end.

    ``quotes`` are the person's typed words for the update. With ``nothing_goes`` every piece stays
    that ``new`` does not say itself. Doing it again with the same ``new`` changes nothing.
    """
    pieces = list(pieces_of(old))
    lost = _lost(pieces, new, quotes)
    subject = frozenset[str]() if nothing_goes else words_of(" ".join((new, *quotes)))
    words, plain = words_of(new), normalised(new)
    enough = _REPEATED_FULLY if nothing_goes else _REPEATED
    kept: list[str] = []
    for piece in pieces:
        if lost.intersection(literals(piece)):
            kept.append(_without_replaced(piece, new, lost, left_behind("\n".join(quotes))))
        elif (nothing_goes or len(pieces) > 1) and not words_of(piece) & subject:
            kept += [] if _is_said(piece, plain, words, enough) else [piece]
    return "\n".join([new.rstrip(), *kept])


def pieces_of(text: str) -> Iterator[str]:
    """Yield the sentences and lines of a text; code between marks is never cut."""
    for match in _PIECE.finditer(text):
        if any(map(str.isalnum, match.group())):
            yield match.group().strip()


def _without_replaced(piece: str, new: str, lost: frozenset[Literal], gone: str) -> str:
    """Return a sentence without those parts between commas whose literals were replaced."""
    parts = _PART.findall(piece)
    kept = [
        part
        for part in parts
        if lost.intersection(literals(part))
        or not (missing(part, new) or any(one.stands_in(gone) for one in literals(part)))
    ]
    return piece if len(kept) == len(parts) else "".join(kept).strip(" ,，")


def _is_said(piece: str, new: str, words: frozenset[str], enough: float) -> bool:
    """Whether the new text, given without blanks and as its words, says a piece itself."""
    return normalised(piece) in new or coverage(piece, words) >= enough


def _belongs_to(literal: Literal, piece: str, gone: str) -> bool:
    """Whether a number is the version of something that goes: the 5 of "webpack 5"."""
    if literal.kind != "number":
        return False
    before = folded(piece).partition(literal.text)[0].rstrip(" v")
    named = re.search(r"[a-z][\w.+#-]*$", before, re.ASCII)
    return named is not None and Literal("name", named.group()).stands_in(gone)


def _lost(pieces: Sequence[str], new: str, quotes: Sequence[str]) -> frozenset[Literal]:
    """Return the literals that the new body drops without the person having said so.

    They said so when they named the old one as what goes, or when they named as many new ones of
    its kind as are dropped where they speak of the same thing, and not the old one.
    """
    said = "\n".join(quotes)
    gone = what_goes(said)
    dropped = {
        piece: {
            literal
            for literal in missing(piece, new)
            if not (literal.stands_in(gone) or _belongs_to(literal, piece, gone))
        }
        for piece in pieces
    }
    subject = words_of(f"{new}\n{said}")
    touched = [piece for piece in pieces if len(pieces) == 1 or words_of(piece) & subject]
    old = "\n".join(pieces)
    named = Counter(literal.kind for literal in set(missing(new, old)) if literal.stands_in(said))
    named -= Counter(literal.kind for literal in set(missing(old, new)) if literal.stands_in(gone))
    going = Counter(
        literal.kind for literal in {one for piece in touched for one in dropped[piece]}
    )
    return frozenset(
        literal
        for piece in pieces
        for literal in dropped[piece]
        if piece not in touched
        or literal.stands_in(said)
        or going[literal.kind] > named[literal.kind]
    )
