"""What code decides about candidates before anything is written, whatever the extractor was.

A candidate needs a quote that is really there. A preference or rule needs the person's own typed
words. Data can tell facts, never give orders. Secrets are masked, names made valid.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from catmem.errors import MemoryStoreError
from catmem.memory.pipeline.extraction import (
    DESCRIPTION_CHARACTERS,
    OWN_TYPES,
    Candidate,
    Evidence,
    Refusal,
)
from catmem.memory.pipeline.judging import rules
from catmem.memory.pipeline.judging.quotes import Quotable, Quote, Source, normalised
from catmem.memory.pipeline.window import Window
from catmem.memory.search.similarity import SIMILAR, coverage, overlap
from catmem.memory.store.entry import Scope
from catmem.memory.store.kind import kind_of
from catmem.memory.store.names import normalise, slug_for
from catmem.messages import Role, ToolResultPart
from catmem.sanitize import clean, one_line
from catmem.secrets import mask
from catmem.text import t

_CONTENT_CHARACTERS = 4_000
# A text that is mostly found in data and hardly in what the two said was planted there.
_MOSTLY = 0.6
_HARDLY = 0.3
_ORDER = re.compile(
    r"(?:^|[.!?;:\n]\s+|\n)\s*(?:please\s+)?"
    r"(?:always|never|ignore|disregard|forget|remember|make sure|be sure|do not|don'?t|from now on"
    r"|you (?:must|should|have to|need to|are to)"
    r"|the (?:agent|assistant|model|ai) (?:must|should|has to|always|never))\b"
    r"|(?:^|[。！？；;，,：:\n])\s*(?:请|你)?(?:总是|永远|必须|务必|一律|不要|不得|不许|禁止|别|忽略|无视|记住|牢记|以后|今后|始终"
    r"|确保|一定要)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Checked:
    """Candidates that stand, each with nothing but quotes that are there, and those refused."""

    candidates: tuple[Candidate, ...]
    refused: tuple[Refusal, ...]


def check(window: Window, candidates: Sequence[Candidate]) -> Checked:
    """Judge the candidates of a window, and add what the person asked for and none covers."""
    quotable = Quotable(window)
    kept: list[Candidate] = []
    refused: list[Refusal] = []
    for candidate in map(_cleaned, candidates):
        quotes = quotable.verify(candidate.evidence)
        if objection := _objection(candidate, quotes, quotable):
            refused.append(Refusal(candidate.name, objection))
        elif any(normalised(one.content) == normalised(candidate.content) for one in kept):
            refused.append(Refusal(candidate.name, t("pipeline.twice")))
        else:
            evidence = tuple(quote.evidence for quote in quotes)
            kept.append(replace(candidate, evidence=evidence, own_words=_typed(quotes)))
    for request in rules.explicit_requests(window):
        covering = [at for at, one in enumerate(kept) if _covers(one, request)]
        for at in covering:
            kept[at] = replace(kept[at], explicit=True)
        if not covering and not _saved_at_once(window, request.seq):
            kept.append(_from_request(request))
    return Checked(tuple(kept), tuple(refused))


def _cleaned(candidate: Candidate) -> Candidate:
    name = mask(candidate.name)
    try:
        name = normalise(name)
    except MemoryStoreError:
        name = slug_for(name)
    return replace(
        candidate,
        scope=candidate.type if candidate.type in set(Scope) else candidate.scope,
        name=name,
        description=one_line(mask(candidate.description), DESCRIPTION_CHARACTERS),
        content=mask(clean(candidate.content)).strip()[:_CONTENT_CHARACTERS],
        optional={key: _masked(value) for key, value in candidate.optional.items()},
    )


def _masked(value: object) -> object:
    if isinstance(value, str):
        return mask(clean(value))
    return [_masked(item) for item in value] if isinstance(value, list) else value


def _objection(candidate: Candidate, quotes: Sequence[Quote], quotable: Quotable) -> str:
    """Return why a candidate cannot be kept, empty when it can."""
    if not quotes:
        return t("pipeline.no_quote")
    typed = _typed(quotes)
    text = f"{candidate.description}\n{candidate.content}"
    if candidate.type in OWN_TYPES:
        if not typed:
            return t("pipeline.not_typed")
        in_data = coverage(text, quotable.words(Source.DATA))
        if in_data >= _MOSTLY and coverage(text, quotable.words(Source.TYPED)) <= _HARDLY:
            return t("pipeline.planted")
    elif not typed and _ORDER.search(text):
        return t("pipeline.order_from_data")
    if typed and all(map(rules.holds_once_only, typed)):
        return t("pipeline.this_moment")
    return ""


def _typed(quotes: Sequence[Quote]) -> tuple[str, ...]:
    return tuple(quote.evidence.quote for quote in quotes if quote.source is Source.TYPED)


def _covers(candidate: Candidate, request: rules.Request) -> bool:
    words = normalised(request.words)
    quotes = [normalised(item.quote) for item in candidate.evidence if item.seq == request.seq]
    if any(quote in words or words in quote for quote in quotes):
        return True
    return overlap(f"{candidate.description}\n{candidate.content}", request.fact) > SIMILAR


def _saved_at_once(window: Window, seq: int) -> bool:
    """Whether the agent answered a message by writing a memory, before the next message."""
    for message in window.messages:
        if message.seq <= seq:
            continue
        if message.role is Role.USER:
            return False
        if any(
            isinstance(part, ToolResultPart) and part.name == "memory_write" and part.status == "ok"
            for part in message.parts
        ):
            return True
    return False


def _from_request(request: rules.Request) -> Candidate:
    fact = mask(clean(request.fact)).strip()
    kind = kind_of(fact) or "feedback"
    return Candidate(
        evidence=(Evidence(request.seq, request.words),),
        type=kind,
        scope="",
        name=slug_for(fact),
        description=one_line(fact, DESCRIPTION_CHARACTERS),
        content=fact,
        own_words=(request.words,),
        explicit=True,
    )
