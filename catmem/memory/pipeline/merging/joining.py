"""The text and fields of what is written: new entries, and entries that a candidate changes.

A model's wording is taken where it says nothing that neither the candidate nor the old entry nor
the person said; else the candidate's own words are, which were checked before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from catmem.errors import MemoryStoreError
from catmem.memory.pipeline.answers import fields
from catmem.memory.pipeline.extraction import DESCRIPTION_CHARACTERS, Candidate
from catmem.memory.pipeline.judging.quotes import normalised
from catmem.memory.pipeline.merging import wording
from catmem.memory.pipeline.merging.keeping import merged, pieces_of
from catmem.memory.pipeline.merging.literals import missing
from catmem.memory.pipeline.merging.telling import Relation, new_words
from catmem.memory.search.similarity import coverage, words_of
from catmem.memory.store.entry import Entry, Scope
from catmem.memory.store.names import normalise
from catmem.sanitize import clean, one_line
from catmem.secrets import mask

_GROUNDED = 0.7  # this much of a model's words has to be in what it was shown
_GROUNDED_ALONE = 0.9  # of a new entry: in each sentence, so that no other fact comes with it
_TOUCHED = 0.3  # this much of an old sentence in the correction means that it is about that
_MOST_IN_A_LIST = {"usageScenario": 4, "keywords": 8}
_HIGHEST_IMPORTANCE = 0.85  # above it is what only the person decides
_NEVER_PROPOSED = frozenset({"status", "pinned", "supersedes"})


def new_entry(candidate: Candidate, written: Mapping[str, Any]) -> Entry:
    """Return the entry to add: the model's wording, but the checked type and scope."""
    content = _content(candidate, written)
    optional = {k: v for k, v in candidate.optional.items() if k not in _NEVER_PROPOSED}
    if "importance" in optional:
        optional["importance"] = _importance({}, candidate)
    return Entry(
        name=_name(written.get("name")) or candidate.name,
        description=_description(candidate, written) or candidate.description,
        type=candidate.type,
        content=content or candidate.content,
        scope=Scope(candidate.scope) if candidate.scope else Scope.USER,
        optional=optional,
    )


def changed_entry(
    candidate: Candidate,
    current: Entry,
    written: Mapping[str, Any],
    relation: Relation,
    *,
    again: bool,
) -> Entry:
    """Return ``current`` with what ``candidate`` says; see ``keeping`` for what has to stay.

    ``relation`` is the candidate's to the entry; ``again`` tells that another candidate of this run
    changed the entry before, whose words have to stay as well.
    """
    corrects = relation is Relation.CORRECTS
    content = _content(candidate, written, current)
    description = _description(candidate, written, current)
    if relation is Relation.SAME:
        content, description = current.content.rstrip("\n"), current.description
    elif corrects and content:
        content = _without_old(content, current.content, candidate)
    quotes = candidate.own_words if corrects else ()
    return replace(
        current,
        description=description or candidate.description or current.description,
        content=merged(
            current.content,
            content or candidate.content,
            quotes,
            nothing_goes=again or not corrects,
        ),
        optional=_joined(current.optional, candidate, corrects=corrects),
    )


def gives_way(target: Entry, candidate: Candidate) -> bool:
    """Whether nothing of an entry has to survive its correction, so that it can go as a whole."""
    rest = merged(target.content, candidate.content, candidate.own_words)
    return rest == candidate.content.rstrip()


def is_written(written: Mapping[str, Any]) -> bool:
    """Whether a model gave an entry with any text."""
    return bool(fields.text(written.get("content")))


def _content(candidate: Candidate, written: Mapping[str, Any], target: Entry | None = None) -> str:
    """Return the model's text where it can be used, else nothing."""
    text = mask(clean(fields.text(written.get("content")))).strip()
    if not text or missing(candidate.content, text):
        return ""
    known = "" if target is None else f"{target.name}\n{target.description}\n{target.content}"
    if new_words(wording.without_time(candidate.content), known) - words_of(text):
        return ""
    return text if _is_grounded(text, candidate, target) else ""


def _without_old(text: str, old: str, candidate: Candidate) -> str:
    """Return a model's text without the old sentences that it repeats beside their correction."""
    new = normalised(candidate.content)
    words, gone = (
        words_of(candidate.content),
        words_of(wording.left_behind("\n".join(candidate.own_words))),
    )
    former = {normalised(piece) for piece in pieces_of(old)}
    kept = [
        piece
        for piece in pieces_of(text)
        if normalised(piece) not in former
        or normalised(piece) in new
        or not (words_of(piece) & gone or coverage(piece, words) >= _TOUCHED)
    ]
    repeated = len(list(pieces_of(text))) > len(kept)
    return "\n".join(kept) if repeated and kept else text


def _description(
    candidate: Candidate, written: Mapping[str, Any], target: Entry | None = None
) -> str:
    text = fields.text(written.get("description"))
    line = one_line(mask(text), DESCRIPTION_CHARACTERS)
    return line if line and _is_grounded(line, candidate, target) else ""


def _is_grounded(text: str, candidate: Candidate, target: Entry | None) -> bool:
    shown = [candidate.name, candidate.description, candidate.content, *candidate.own_words]
    shown += [item.quote for item in candidate.evidence]
    if target is not None:
        shown += [target.name, target.description, target.content]
    known = "\n".join(shown)
    if missing(text, known):
        return False
    words = words_of(known)
    if target is not None:
        return coverage(text, words) >= _GROUNDED
    pieces = list(pieces_of(text))
    if len(pieces) > max(1, len(list(pieces_of(candidate.content)))):
        return False
    return all(coverage(piece, words) >= _GROUNDED_ALONE for piece in pieces)


def _name(value: Any) -> str:
    try:
        return normalise(mask(value)) if isinstance(value, str) else ""
    except MemoryStoreError:
        return ""


def _joined(old: Mapping[str, Any], candidate: Candidate, *, corrects: bool) -> dict[str, Any]:
    """Return the optional fields to change: lists grow, importance too, the rest is replaced."""
    joined: dict[str, Any] = {}
    for key, value in candidate.optional.items():
        if key in _NEVER_PROPOSED:
            continue
        if key == "importance":
            joined[key] = _importance(old, candidate)
        elif isinstance(value, list):
            before = old.get(key, [])
            before = before if isinstance(before, list) else [str(before)]
            joined[key] = _union(before, value, _MOST_IN_A_LIST.get(key, 8))
        else:
            joined[key] = value
    if corrects and "gist" in old and "gist" not in joined:
        joined["gist"] = ""  # it would go on saying what was corrected
    return joined


def _union(old: Sequence[Any], new: Sequence[Any], most: int) -> list[Any]:
    """Return both without repeats; where there are too many the new ones get half of the places."""
    known = {str(item).casefold() for item in old}
    fresh = [item for item in dict.fromkeys(new) if str(item).casefold() not in known]
    places = max(most - len(old), most // 2)
    fresh = fresh[: min(len(fresh), places)]
    return [*dict.fromkeys(old)][: most - len(fresh)] + fresh


def _importance(old: Mapping[str, Any], candidate: Candidate) -> Any:
    """Return the higher of both; only what the person asked for may pass the limit."""
    highest = 1.0 if candidate.explicit else _HIGHEST_IMPORTANCE
    before, proposed = _number(old.get("importance")), _number(candidate.optional["importance"])
    if proposed is None:
        return old.get("importance", candidate.optional["importance"]) if before is not None else ""
    return max(before or 0.0, min(max(proposed, 0.0), highest))


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if 0 <= number <= 1 else None
