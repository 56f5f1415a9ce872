"""Going through what a person typed, sentence by sentence, and holding on to what matters later.

A sentence is judged by itself, with three exceptions: one that takes back what was said before
("wait, …", 「还是…」) is judged with it and replaces it; one that nobody understands alone ("It
needs that first.") is kept with the one before; an item of a list is judged with its heading.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from catmem.memory.pipeline.hearsay import remarks
from catmem.memory.pipeline.judging import phrases
from catmem.memory.pipeline.judging.quotes import normalised
from catmem.memory.pipeline.judging.rules import Request, holds_once_only
from catmem.memory.pipeline.labels import openings
from catmem.memory.pipeline.labels.judge import SENTENCE_CHARACTERS, Judge
from catmem.memory.pipeline.labels.sentences import Sentence, without_fillers
from catmem.memory.pipeline.learned.weighing import by_words
from catmem.memory.pipeline.learned.words import parts
from catmem.memory.pipeline.window import is_small_talk
from catmem.memory.search.similarity import overlap

_ENOUGH = -0.2  # log-odds from which a sentence is kept
_STANDS_ALONE = 1.0  # the same by words alone, for a correction that needs nothing before it
_TELLS_MORE = 2.0  # log-odds by which a part of a sentence outdoes the whole
_AFTER_KEPT = 0.4  # a sentence beside one that is kept is more likely to be kept
_DEPENDS_ON_KEPT = 1.0
_SAME_TOPIC = 0.2
_INHERITED = 1.5


@dataclass(slots=True)
class Fact:
    """Something to keep, in the person's own words.

    Attributes:
        quotes: the sentences that say it, with the ``seq`` of their message, in order.
        kinds: how strongly its sentences speak for each type.
        corrected: what was said first, where nobody understands the correction without it.
        replaced: the quotes of what was said first and no longer holds.
    """

    quotes: list[tuple[int, str]]
    kinds: Mapping[str, float]
    corrected: str = ""
    replaced: list[tuple[int, str]] = field(default_factory=list)

    def goes_on(self, seq: int, text: str, kinds: Mapping[str, float]) -> None:
        """Add a sentence, which has its say about the type."""
        self.quotes.append((seq, text))
        self.kinds = {kind: self.kinds[kind] + kinds[kind] for kind in kinds}


@dataclass(frozen=True, slots=True)
class _Heard:
    seq: int
    text: str
    fact: Fact | None
    is_question: bool


class Hearing:
    """Takes the sentences of a window in order; ``facts`` is what is kept so far."""

    def __init__(self, judge: Judge, requests: list[Request]) -> None:
        self.facts: list[Fact] = []
        self._judge = judge
        self._requests = [(request.seq, normalised(request.words)) for request in requests]
        self._last: _Heard | None = None
        self._opening = ""

    async def hear(self, seq: int, sentence: Sentence) -> None:
        """Decide about one sentence.

        Raises:
            ProviderError: the model could not be asked.
        """
        words = f"{self._opening} {sentence.opening} {sentence.text}".strip()
        self._opening = ""
        if openings.is_cancelling(words):
            self._take_back()
        elif openings.is_bare_reversal(words):
            self._opening = words
        elif not (is_small_talk(sentence.text) or openings.is_single_word(sentence.text)):
            await self._weigh(seq, sentence, words)

    def _take_back(self) -> None:
        if self._last is not None and self._last.fact in self.facts:
            self.facts.remove(self._last.fact)
        self._last = None

    async def _weigh(self, seq: int, sentence: Sentence, words: str) -> None:
        asked = self._is_requested(seq, sentence.text)
        is_question = openings.is_question(sentence.text)
        fact: Fact | None = None
        if asked or not (is_question or holds_once_only(words) or remarks.is_none(words)):
            reversal = openings.reversal(words)
            if reversal and self._last is not None:
                fact = await self._reverse(seq, sentence, reversal, self._last, asked=asked)
            else:
                fact = await self._keep(seq, sentence, asked=asked)
        self._last = _Heard(seq, sentence.text, fact, is_question)

    async def _keep(self, seq: int, sentence: Sentence, *, asked: bool) -> Fact | None:
        text = _telling_part(sentence.text)
        before = self._last if self._last is not None and self._last.seq == seq else None
        depends = openings.is_dependent(text) and before is not None
        needed = before if depends and before is not None and not before.is_question else None
        settled = openings.settled(text)
        shown = [settled]
        if sentence.lead:  # an item may be clear by itself, or only by what introduces it
            shown.append(f"{sentence.lead} {settled}")
        elif needed is not None:
            shown.append(f"{needed.text} {settled}")
        judgements = [await self._judge.judge(one) for one in shown]
        judgement = max(judgements, key=lambda one: one.lasting)
        score = judgement.lasting - _ENOUGH
        if before is not None and before.fact is not None:
            score += _DEPENDS_ON_KEPT if depends else _AFTER_KEPT
        if score < 0 and not asked:
            return None
        attached = depends or openings.points_back(text)
        attached = attached or (_is_fragment(text) and not sentence.lead)
        if attached and before is not None and before.fact is not None:
            before.fact.goes_on(seq, text, judgement.kinds)
            return before.fact
        quotes = [(seq, text)]
        if sentence.lead and not openings.is_mere_heading(sentence.lead):
            quotes.insert(0, (seq, sentence.lead))
        if needed is not None:
            quotes.insert(0, (seq, needed.text))
        return self._add(Fact(quotes, judgement.kinds))

    async def _reverse(
        self,
        seq: int,
        sentence: Sentence,
        reversal: openings.Reversal,
        last: _Heard,
        *,
        asked: bool,
    ) -> Fact | None:
        """Judge a sentence that corrects: the person's own words before, or what the agent did."""
        text = sentence.text
        rest = openings.without_reversal(text)
        stands_alone = by_words(rest).lasting > _STANDS_ALONE
        own = reversal is openings.Reversal.OWN or last.seq == seq
        old = self._taken_back(text, rest, last, own=own, stands_alone=stands_alone)
        is_passing = old is None and last.fact is None and not last.is_question
        if own and is_passing and not (stands_alone or asked):
            return None  # what replaces a request of the moment is one itself
        before = last.text if old is None or old is last.fact else old.quotes[-1][1]
        judgement = await self._judge.judge(f"{before} … {text}" if old or own else text)
        score = judgement.lasting - _ENOUGH
        if old is not None and own:  # what replaces a lasting fact lasts as long
            score += _INHERITED
        if score < 0 and not asked:
            return None
        fact = Fact([(seq, rest)], judgement.kinds)
        if old is not None:
            self._replace(old, fact, needs_it=not stands_alone)
        return self._add(fact)

    def _taken_back(
        self, text: str, rest: str, last: _Heard, *, own: bool, stands_alone: bool
    ) -> Fact | None:
        """Return the fact that a correction replaces: the last one, or an earlier one like it."""
        is_value = openings.names_new_value(text) or not openings.is_order(rest)
        if last.fact is not None and (
            (own and is_value)
            or not (own or stands_alone)
            or overlap(last.text, text) >= _SAME_TOPIC
        ):
            return last.fact
        alike = [
            fact
            for fact in self.facts
            if any(overlap(quote, rest) >= _SAME_TOPIC for _, quote in fact.quotes)
        ]
        if not alike and own and phrases.GOES_BACK.match(rest):
            alike = self.facts
        return alike[-1] if alike else None

    def _replace(self, old: Fact, new: Fact, *, needs_it: bool) -> None:
        if old in self.facts:
            self.facts.remove(old)
        new.replaced = [*old.replaced, *old.quotes]
        if needs_it:
            new.corrected = old.quotes[-1][1]

    def _add(self, fact: Fact) -> Fact:
        self.facts.append(fact)
        return fact

    def _is_requested(self, seq: int, text: str) -> bool:
        """Whether the person asked to remember this in so many words."""
        said = normalised(text)
        return any(at == seq and (words in said or said in words) for at, words in self._requests)


def _is_fragment(text: str) -> bool:
    """Whether a text is short and no fact by itself: "New commits only."."""
    return openings.is_short(text) and by_words(text).lasting < _STANDS_ALONE


def _telling_part(sentence: str) -> str:
    """Return the part with the fact where the rest is a request: "rename it, we use nouns".

    A long sentence is not taken apart: each of its commas costs as much as the whole.
    """
    if len(sentence) > SENTENCE_CHARACTERS:
        return sentence
    found = {part: by_words(part).lasting for part in map(without_fillers, parts(sentence))}
    best = max(found, key=found.__getitem__, default=sentence)
    least = max(by_words(sentence).lasting + _TELLS_MORE, _STANDS_ALONE)
    return best if found.get(best, least) > least else sentence
