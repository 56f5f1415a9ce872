"""What code decides about candidates before anything is written, whatever the extractor was.

A candidate needs a quote that is really there. A preference or rule needs the person's own typed
words. Data can tell facts, never give orders. Secrets are masked, names made valid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from catmem.memory.pipeline.extraction import (
    DESCRIPTION_CHARACTERS,
    OWN_TYPES,
    Candidate,
    Evidence,
    Refusal,
)
from catmem.memory.pipeline.judging import rules
from catmem.memory.pipeline.judging.details import detailed
from catmem.memory.pipeline.judging.episodes import told
from catmem.memory.pipeline.judging.kinds import with_right_kind
from catmem.memory.pipeline.judging.orders import is_order
from catmem.memory.pipeline.judging.quotes import Quotable, Quote, Source, normalised
from catmem.memory.pipeline.judging.support import Support, has_words_of
from catmem.memory.pipeline.judging.titles import name_of, title_of
from catmem.memory.pipeline.window import Window
from catmem.memory.search.similarity import SIMILAR, overlap
from catmem.memory.store.entry import Scope
from catmem.memory.store.kind import kind_of
from catmem.memory.store.names import slug_for
from catmem.messages import Role, ToolResultPart
from catmem.sanitize import clean, one_line
from catmem.secrets import mask
from catmem.text import t

_CONTENT_CHARACTERS = 4_000
_PLANTED = frozenset({"pipeline.not_typed", "pipeline.planted", "pipeline.order_from_data"})


@dataclass(frozen=True, slots=True)
class Checked:
    """What stands of an extraction.

    Attributes:
        candidates: each with nothing but quotes that are really there.
        refused: the others, each with its reason.
        episode: without orders that nobody typed.
    """

    candidates: tuple[Candidate, ...]
    refused: tuple[Refusal, ...]
    episode: str | None = None


def check(window: Window, candidates: Sequence[Candidate], episode: str | None = None) -> Checked:
    """Judge the candidates of a window, and add what the person asked for and none covers."""
    judge = _Judge(window)
    for candidate in map(_cleaned, candidates):
        judge.hear(candidate)
    judge.add_what_was_asked(window)
    return judge.verdict(told(episode, judge.support))


class _Judge:
    """Takes the candidates of one window, one after the other."""

    def __init__(self, window: Window) -> None:
        self._session = window.session
        self._quotable = Quotable(window)
        self.support = Support(self._quotable)
        self._heard = rules.hear(window)
        self._kept: list[tuple[Candidate, Sequence[Quote]]] = []
        self._refused: list[Refusal] = []

    def hear(self, candidate: Candidate) -> None:
        """Keep or refuse a candidate."""
        quotes = self._quotable.verify(candidate.evidence)
        candidate = with_right_kind(candidate, _typed(quotes))
        refusal = self._refusal(candidate, quotes)
        if refusal is not None:
            self._refused.append(refusal)
            return
        evidence = tuple(quote.evidence for quote in quotes)
        own_words = _typed(quotes)
        if candidate.type not in OWN_TYPES and not self.support.is_said(_text(candidate)):
            own_words = ()  # typed words that have nothing to do with it
        candidate = replace(candidate, evidence=evidence, own_words=own_words)
        self._kept.append((self._named(candidate), quotes))

    def add_what_was_asked(self, window: Window) -> None:
        """Mark the candidates that cover an explicit request, and add those that none covers."""
        for request in self._heard.requests:
            covering = [
                number for number, (one, _) in enumerate(self._kept) if _covers(one, request)
            ]
            for number in covering:
                one, quotes = self._kept[number]
                self._kept[number] = replace(one, explicit=True), quotes
            if not covering and not _saved_at_once(window, request.seq):
                self._kept.append((_from_request(request), ()))

    def verdict(self, episode: str | None) -> Checked:
        """Return what stands."""
        kept = tuple(
            detailed(one, quotes, self.support, self._session) for one, quotes in self._kept
        )
        return Checked(kept, tuple(self._refused), episode)

    def _named(self, candidate: Candidate) -> Candidate:
        """Names are shown in the index, so they must be as good as what they name."""
        if candidate.own_words and self.support.is_planted(candidate.name.replace("-", " ")):
            return replace(candidate, name=slug_for(candidate.description))
        return candidate

    def _refusal(self, candidate: Candidate, quotes: Sequence[Quote]) -> Refusal | None:
        key = self._objection(candidate, quotes)
        if not key:
            return None
        return Refusal(candidate.name, t(key), planted=key in _PLANTED)

    def _objection(self, candidate: Candidate, quotes: Sequence[Quote]) -> str:
        """Return the key of why a candidate cannot be kept, empty when it can."""
        if not quotes:
            return "pipeline.no_quote"
        typed = _typed(quotes)
        if candidate.type in OWN_TYPES and not typed:
            return "pipeline.not_typed"
        if typed and all(map(rules.holds_once_only, typed)):
            return "pipeline.this_moment"
        if typed and all(map(self._is_taken_back, quotes)):
            return "pipeline.taken_back"
        if any(normalised(one.content) == normalised(candidate.content) for one, _ in self._kept):
            return "pipeline.twice"
        return self._objection_to_words(candidate, typed)

    def _objection_to_words(self, candidate: Candidate, typed: Sequence[str]) -> str:
        """Return the key of what is wrong with where the words of a candidate come from."""
        text = _text(candidate)
        is_planted = self.support.is_planted(text)
        if candidate.type in OWN_TYPES:
            if is_planted or not self.support.is_drawn_from(text, typed):
                return "pipeline.planted"
        elif is_order(text) and (is_planted or not typed or not self.support.is_said(text)):
            return "pipeline.order_from_data"
        return "pipeline.invented" if self.support.is_invented(text) else ""

    def _is_taken_back(self, quote: Quote) -> bool:
        words = normalised(quote.evidence.quote)
        return any(
            said.seq == quote.evidence.seq and words in normalised(said.text)
            for said in self._heard.taken_back
        )


def _text(candidate: Candidate) -> str:
    return f"{candidate.description}\n{candidate.content}"


def _cleaned(candidate: Candidate) -> Candidate:
    return replace(
        candidate,
        scope=candidate.type if candidate.type in set(Scope) else candidate.scope,
        name=name_of(candidate.name, candidate.description),
        description=one_line(mask(candidate.description), DESCRIPTION_CHARACTERS),
        content=mask(clean(candidate.content)).strip()[:_CONTENT_CHARACTERS],
        optional={key: _masked(value) for key, value in candidate.optional.items()},
    )


def _masked(value: object) -> object:
    if isinstance(value, str):
        return mask(clean(value))
    return [_masked(item) for item in value] if isinstance(value, list) else value


def _typed(quotes: Sequence[Quote]) -> tuple[str, ...]:
    return tuple(quote.evidence.quote for quote in quotes if quote.source is Source.TYPED)


def _covers(candidate: Candidate, request: rules.Request) -> bool:
    words = normalised(request.words)
    quotes = [normalised(item.quote) for item in candidate.evidence if item.seq == request.seq]
    if any(quote in words or words in quote for quote in quotes):
        return has_words_of(_text(candidate), request.fact)
    return overlap(_text(candidate), request.fact) > SIMILAR


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
        description=title_of(fact),
        content=fact,
        own_words=(request.words,),
        explicit=True,
    )
