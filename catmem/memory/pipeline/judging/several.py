"""Whether a candidate holds several rules that have nothing to do with each other.

One fact per entry is what makes an entry findable and replaceable. Only clear cases count:
sentences or list items that are orders of their own and share no word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations

from catmem.memory.pipeline.extraction import Candidate
from catmem.memory.pipeline.judging.orders import is_order
from catmem.memory.pipeline.judging.quotes import normalised
from catmem.memory.search.similarity import coverage, overlap, words_of

_PIECE = re.compile(r"[^\n。；;！!？?.]+(?:\.(?![\s]|$)[^\n。；;！!？?.]*)*[。；;！!？?.]?")
_ITEM = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.、)）])\s+")
# Reasons, instructions and examples belong to the rule before them.
_BELONGS = re.compile(
    r"\s*(?:[-*•]\s*)?(?:(?:why|how to apply|reason|because|example|e\.g|otherwise|so|it|this|that"
    r"|they|instead|also applies|exceptions?)\b"
    r"|原因|理由|做法|如何应用|例如|比如|否则|因为|因此|所以|它|这|例外)",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"\b(?:must|should|always|never|needs?|prefers?|likes?|uses?|is|are|has|have)\b"
    r"|必须|应|总是|不要|需要|喜欢|使用|用|是|要",
    re.IGNORECASE,
)
_FEWEST_LETTERS = 8
_FEWEST_PIECES = 2
_KEPT = 0.6  # the parts have to say this much of what the whole said


def holds_several(candidate: Candidate) -> bool:
    """Whether a candidate clearly holds rules that are unrelated to each other."""
    pieces = _rules(candidate.content)
    if len(pieces) < _FEWEST_PIECES:
        return False
    pairs = combinations(pieces, 2)
    return all(overlap(one, other) == 0 for one, other in pairs)


def parts_of(
    crowded: Sequence[Candidate], answered: Sequence[Candidate]
) -> Mapping[str, tuple[Candidate, ...]]:
    """Return the parts of each candidate by its name, where the parts are as good as the whole.

    A part rests on quotes of its whole and is of its type and scope, so that splitting can add
    nothing; together the parts say most of what the whole said.
    """
    found: dict[str, tuple[Candidate, ...]] = {}
    for whole in crowded:
        parts = tuple(part for part in answered if _is_part(part, whole))
        said = words_of("\n".join(part.content for part in parts))
        if len(parts) >= _FEWEST_PIECES and coverage(whole.content, said) >= _KEPT:
            found[whole.name] = parts
    return found


def _is_part(part: Candidate, whole: Candidate) -> bool:
    quotes = [(item.seq, normalised(item.quote)) for item in whole.evidence]
    rests_on_it = all(
        any(seq == item.seq and normalised(item.quote) in quote for seq, quote in quotes)
        for item in part.evidence
    )
    same_kind = (part.type, part.scope) == (whole.type, whole.scope)
    says_of_it = coverage(part.content, words_of(whole.content)) >= _KEPT
    return bool(part.evidence) and rests_on_it and same_kind and says_of_it


def _rules(content: str) -> list[str]:
    pieces = [piece.strip() for piece in _PIECE.findall(content)]
    pieces = [piece for piece in pieces if sum(map(str.isalnum, piece)) >= _FEWEST_LETTERS]
    own = [piece for piece in pieces if not _BELONGS.match(piece)]
    items = [piece for piece in own if _ITEM.match(piece)]
    orders = [piece for piece in own if is_order(_ITEM.sub("", piece))]
    if len(items) >= _FEWEST_PIECES and all(map(_TELLS.search, items)):
        return items
    return orders if len(orders) == len(own) else []
