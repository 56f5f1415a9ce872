"""Going through what a person typed, sentence by sentence, and holding on to what matters later.

A sentence is judged by itself, with three exceptions: one that takes back what was said before
("wait, …", 「还是…」) is judged with it and replaces it; one that nobody understands alone ("It
needs that first.") is kept with the one before; an item of a list is judged with its heading.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from catmem.memory.pipeline.judging.quotes import normalised
from catmem.memory.pipeline.judging.rules import Request, holds_once_only
from catmem.memory.pipeline.labels import cues, openings
from catmem.memory.pipeline.labels.judge import Judge
from catmem.memory.pipeline.labels.sentences import Sentence
from catmem.memory.pipeline.window import is_small_talk
from catmem.memory.search.similarity import overlap

_AFTER_KEPT = 0.4  # a sentence beside one that is kept is more likely to be kept
_DEPENDS_ON_KEPT = 1.0
_SAME_TOPIC = 0.2
_INHERITED = 1.5


@dataclass(slots=True)
class Fact:
    """Something to keep, in the person's own words.

    Attributes:
        quotes: the sentences that say it, with the ``seq`` of their message, in order.
        kinds: how likely each type is.
        corrected: what was said first, where nobody understands the correction without it.
        replaced: the quotes of what was said first and no longer holds.
    """

    quotes: list[tuple[int, str]]
    kinds: Mapping[str, float]
    corrected: str = ""
    replaced: list[tuple[int, str]] = field(default_factory=list)


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
        elif not (is_small_talk(sentence.text) or cues.is_single_word(sentence.text)):
            await self._weigh(seq, sentence, words)

    def _take_back(self) -> None:
        if self._last is not None and self._last.fact in self.facts:
            self.facts.remove(self._last.fact)
        self._last = None

    async def _weigh(self, seq: int, sentence: Sentence, words: str) -> None:
        asked = self._is_requested(seq, sentence.text)
        is_question = openings.is_question(sentence.text)
        fact: Fact | None = None
        if asked or not (is_question or holds_once_only(words)):
            reversal = openings.reversal(words)
            if reversal and self._last is not None:
                fact = await self._reverse(seq, sentence, reversal, self._last, asked=asked)
            else:
                fact = await self._keep(seq, sentence, asked=asked)
        self._last = _Heard(seq, sentence.text, fact, is_question)

    async def _keep(self, seq: int, sentence: Sentence, *, asked: bool) -> Fact | None:
        text = sentence.text
        before = self._last if self._last is not None and self._last.seq == seq else None
        depends = openings.is_dependent(text) and before is not None
        shown = f"{sentence.lead} {openings.settled(text)}".strip()
        judgement = await self._judge.judge(shown)
        score = judgement.lasting + cues.lean(shown)
        if before is not None and before.fact is not None:
            score += _DEPENDS_ON_KEPT if depends else _AFTER_KEPT
        if score < 0 and not asked:
            return None
        attached = depends or (cues.is_fragment(text) and not sentence.lead)
        if attached and before is not None and before.fact is not None:
            before.fact.quotes.append((seq, text))
            return before.fact
        quotes = [(seq, text)]
        if sentence.lead and not openings.is_mere_heading(sentence.lead):
            quotes.insert(0, (seq, sentence.lead))
        if depends and before is not None and not before.is_question:
            quotes.insert(0, (seq, before.text))
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
        stands_alone = cues.names_rule(rest)
        own = reversal is openings.Reversal.OWN or last.seq == seq
        is_value = openings.names_new_value(text) or not cues.is_order(rest)
        replaces = last.fact is not None and (
            (own and is_value)
            or not (own or stands_alone)
            or overlap(last.text, text) >= _SAME_TOPIC
        )
        is_passing = last.fact is None and cues.lean(last.text) < 0 and not last.is_question
        if own and is_passing and not (stands_alone or asked):
            return None  # what replaces a request of the moment is one itself
        judgement = await self._judge.judge(f"{last.text} … {text}" if replaces or own else text)
        score = judgement.lasting + cues.lean(rest)
        if replaces and own:  # what replaces a lasting fact lasts as long
            score = judgement.lasting + max(cues.lean(rest), 0) + _INHERITED
        if score < 0 and not asked:
            return None
        fact = Fact([(seq, rest)], judgement.kinds)
        if replaces and last.fact is not None:
            self._replace(last.fact, fact, needs_it=not stands_alone)
        return self._add(fact)

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
