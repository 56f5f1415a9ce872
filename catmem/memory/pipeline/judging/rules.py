"""Requests to remember, recognised without a model: "remember …", "always …", "以后都…", "不要再…".

Such a request, typed by the person, must not get lost because a model overlooked it. It counts at
the start of a clause and only as an order: not as a question, not as a tale ("it always fails"),
not in words of others ("the docs say: …"), not for this moment only ("just this once", "这次"), and
not when it is taken back. Of two that contradict each other the later one counts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise

from catmem.memory.pipeline.hearsay import remarks
from catmem.memory.pipeline.hearsay.passages import own_words
from catmem.memory.pipeline.judging import phrases
from catmem.memory.pipeline.window import Window, typed_texts
from catmem.memory.search.similarity import overlap


@dataclass(frozen=True, slots=True)
class Request:
    """An explicit request: the words as typed, and the fact in them."""

    seq: int
    words: str
    fact: str


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence that the person typed."""

    seq: int
    text: str


@dataclass(slots=True)
class Heard:
    """What the person's sentences of a window say about remembering.

    Attributes:
        requests: the explicit requests that hold at the end, in order.
        taken_back: sentences that no longer hold, because a later one said so.
    """

    requests: list[Request] = field(default_factory=list)
    taken_back: list[Said] = field(default_factory=list)


_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_SENTENCE = re.compile(r"[^。！？!?；;\n.]+(?:\.(?!\s|$)[^。！？!?；;\n.]*)*[。！？!?；;.]*")
_CLAUSE = re.compile(
    r"[,，、:：]\s*|\s+[-–—]+\s+|\s+(?:and|but|so|also)\s+|\s+(?=另外|顺便|以后)", re.IGNORECASE
)
_QUOTED = re.compile(
    r"`[^`\n]*`|(?<![\w'])'[^'\n]{3,200}'(?!\w)|\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|「[^」\n]{1,200}」|『[^』\n]{1,200}』"
)
_HAN = re.compile(r"[\u4e00-\u9fff]")
_ENDS = " \t,，:：。.!！;；?？"
_CORRECTS = {True: "更正：", False: "corrects: "}
_FACT_CHARACTERS = 500
_MOST_CLAUSES = 50
_FEWEST_LETTERS = 2
_ONLY_A_REMARK = 6  # columns beside "for now", so few that it belongs to the clause after it
_SAME_TOPIC = 0.3
_SHORT = 24  # columns: a value that only means something beside what it replaces
_NOBODY_KNOWS_WHAT = re.compile(
    r"(?:always|never(?: ever)?|don'?t(?: ever)?|do not(?: ever)?|stop)\s+\w+\s+"
    r"(?:it|that|this|them|so)\b(?:\s+(?:again|any ?more|ever again|please|here|there))*\W*$"
    r"|(?:不要再|别再|不许再|永远不要|千万别|绝对不要)\S{0,3}(?:这个|那个|它|这些|这事"
    r"|这样)了?\W*$",
    re.IGNORECASE,
)
_STANCE = re.compile(
    r"\b(?:never|don'?t|do not|always|ever|stop)\b|不要|不许|不准|别|永远|总是|始终|一律|再|都"
    r"|以后",
    re.IGNORECASE,
)
_IS_NEGATIVE = re.compile(
    r"\b(?:never|don'?t|do not|stop)\b|不要|不许|不准|别|禁止|不用|不再", re.IGNORECASE
)


def explicit_requests(window: Window) -> list[Request]:
    """Return what the person explicitly asked to remember; of reversed ones only the last."""
    return hear(window).requests


def hear(window: Window) -> Heard:
    """Go through the typed sentences of a window in order."""
    heard = Heard()
    before: Said | None = None
    reversing = False
    for message in window.messages:
        for text in typed_texts(message):
            for sentence in _sentences(text):
                said = Said(message.seq, sentence)
                reversing = _take(heard, said, before, reversing=reversing)
                before = before if reversing else said
    heard.requests = _without_repeats(heard.requests)
    return heard


def holds_once_only(text: str) -> bool:
    """Whether a text says in clear words that it is for this once.

    A rule beside something that holds once ("this time 9000, always 8000") is not for once.
    """
    starts = [*_clause_starts(text), len(text)]
    clauses = [text[start:end] for start, end in pairwise(starts)]
    passing = [clause for clause in clauses if phrases.ONCE_ONLY.search(clause)]
    others = [clause for clause in clauses if not phrases.ONCE_ONLY.search(clause)]
    if any(map(_is_only_a_remark, passing)):
        return True
    return bool(passing) and not any(map(phrases.LASTING.search, others))


def _take(heard: Heard, said: Said, before: Said | None, *, reversing: bool) -> bool:
    """Take one sentence in; return whether it only announces a reversal ("Wait, no.")."""
    sentence = said.text
    request = _request(said.seq, sentence)
    reversal = reversing or phrases.REVERSAL.match(sentence) is not None
    if request is None and phrases.TAKEN_BACK.match(sentence):
        _drop_last(heard, before, anyway=phrases.NOT_TO_BE_KEPT.search(sentence) is not None)
        return False
    rest = _without_reversal(sentence)
    if reversal and _letters(rest) < _FEWEST_LETTERS:
        return True
    last = heard.requests[-1] if heard.requests else None
    if request is not None:
        certain = reversing or phrases.MISSPOKE.search(sentence) is not None
        if reversal and last is not None and _is_about(last, before, request.fact, certain=certain):
            _drop(heard, last)
        for older in [one for one in heard.requests if _is_opposite(one.fact, request.fact)]:
            _drop(heard, older)
        heard.requests.append(request)
    elif reversal and before is not None and not _is_passing(sentence):
        certain = reversing or phrases.MISSPOKE.search(sentence) is not None
        _correct(heard, said, before, rest, certain=certain)
    return False


def _correct(heard: Heard, said: Said, before: Said, rest: str, *, certain: bool) -> None:
    """Take in a sentence that corrects: it replaces what was said before, if it names a value."""
    starts = list(_clause_starts(rest))
    if not any(phrases.NEW_VALUE.match(rest, start) for start in starts):
        return
    last = heard.requests[-1] if heard.requests else None
    if last is not None and _is_about(last, before, rest, certain=certain):
        _drop(heard, last)
        fact = rest.strip(_ENDS)
        if not any(phrases.COMPLETE.match(rest, start) for start in starts):
            fact = f"{fact} ({_CORRECTS[_HAN.search(fact) is not None]}{last.fact})"
        heard.requests.append(Request(said.seq, said.text, fact))
    elif certain or _columns(rest) <= _SHORT or overlap(before.text, rest) >= _SAME_TOPIC:
        heard.taken_back.append(before)


def _drop_last(heard: Heard, before: Said | None, *, anyway: bool) -> None:
    if heard.requests and (anyway or (before and _is_from(heard.requests[-1], before))):
        _drop(heard, heard.requests[-1])
    elif before is not None and anyway:
        heard.taken_back.append(before)


def _drop(heard: Heard, request: Request) -> None:
    heard.requests.remove(request)
    heard.taken_back.append(Said(request.seq, request.words))


def _is_from(request: Request, said: Said) -> bool:
    return request.seq == said.seq and request.words in said.text


def _is_about(last: Request, before: Said | None, fact: str, *, certain: bool) -> bool:
    """Whether a reversal concerns a request: by its words, or by standing right behind it."""
    if overlap(*(_STANCE.sub(" ", one) for one in (last.fact, fact))) >= _SAME_TOPIC:
        return True
    is_next = before is not None and _is_from(last, before)
    is_clear = certain or _columns(fact) <= _SHORT or phrases.GOES_BACK.match(fact) is not None
    return is_next and is_clear


def _is_opposite(one: str, other: str) -> bool:
    """Whether two rules say the same of the same, one as a "do" and one as a "don't"."""
    bare = [_letters_of(_STANCE.sub(" ", fact)) for fact in (one, other)]
    negative = [_IS_NEGATIVE.search(fact) is not None for fact in (one, other)]
    return bare[0] == bare[1] and negative[0] != negative[1]


def _without_reversal(sentence: str) -> str:
    rest = sentence.lstrip()
    while rest and (word := phrases.REVERSAL_WORDS.match(rest)) is not None:
        rest = rest[word.end() :]
    return rest


def _sentences(text: str) -> Iterator[str]:
    own = own_words(unicodedata.normalize("NFC", text))
    without_code = _CODE.sub("\n", own).replace("’", "'")
    for match in _SENTENCE.finditer(without_code):
        if sentence := match.group().strip():
            yield sentence


def _request(seq: int, sentence: str) -> Request | None:
    # Quoted words are no order; they are hidden, but stay in the fact.
    shown = _QUOTED.sub(lambda quoted: "x" * len(quoted[0]), sentence)
    tag = phrases.TAG.search(shown)
    end = tag.start() if tag else len(shown)
    shown = shown[:end]
    if tag is None and phrases.QUESTION.search(shown) and not phrases.POLITE.match(shown):
        return None
    if phrases.ASKS_FOR_A_VALUE.search(shown):
        return None
    if remarks.is_ironic(shown) or remarks.is_text_to_write(sentence):
        return None
    starts = list(_clause_starts(shown))
    for number, start in enumerate(starts):
        stop = min(end, start + _FACT_CHARACTERS)
        lead = phrases.LEAD.match(shown, start, stop)
        begin = lead.end() if lead else start
        for trigger in (phrases.ENGLISH, phrases.CHINESE):
            if match := trigger.match(shown, begin, stop):
                found = _Found(sentence, shown, starts, number, begin, match.end(), stop)
                return found.request(seq)
    return None


@dataclass(frozen=True, slots=True)
class _Found:
    """Where a request stands in a sentence."""

    sentence: str
    shown: str
    starts: Sequence[int]
    clause: int
    begin: int
    fact: int
    stop: int

    def request(self, seq: int) -> Request | None:
        """Return the request, None where what stands around it says that it is none."""
        before = self.shown[: self.starts[self.clause]].rstrip(" ,，:：、-–—")
        if phrases.REPORTED.search(before) and not phrases.OWN_REPORT.search(before):
            return None
        stop = self._end()
        if stop is None:
            return None
        begin, fact = self.begin, self.fact
        told = self.sentence[fact:stop].strip(_ENDS)
        points_back = phrases.POINTS_BACK.search(told) is not None
        if self.clause and (points_back or not _letters(_STANCE.sub("", told))):
            begin = fact = stop - len(_without_reversal(self.sentence[:stop]))
        elif fact == begin and self.clause and phrases.CONDITION.match(self._before()):
            begin = fact = self.starts[self.clause - 1]
        words = self.sentence[begin:stop].strip()
        told = self.sentence[fact:stop].strip(_ENDS)
        if _letters(told) < _FEWEST_LETTERS or _NOBODY_KNOWS_WHAT.match(told):
            return None
        return Request(seq, words, told)

    def _before(self) -> str:
        start = self.starts[self.clause]
        return self.shown[self.starts[self.clause - 1] : start].rstrip(" ,，:：、")

    def _end(self) -> int | None:
        """Return where the request ends, None when it holds for this moment only.

        A remark "for now" of its own belongs to the clause after it; a clause of its own after a
        lasting rule ("always 8000, this time 9000") does not belong to the rule.
        """
        start = self.starts[self.clause]
        following = [*self.starts[self.clause + 1 :], self.stop]
        own = self.shown[start : following[0]]
        lasts = phrases.LASTING.search(own) is not None
        before = self._before() if self.clause else ""
        if _is_passing(before) and (_is_only_a_remark(before) or not lasts):
            return None
        if _is_passing(own):
            return None
        for begin, end in pairwise(following):
            clause = self.shown[begin:end]
            if _is_passing(clause):
                return begin if lasts and not _is_only_a_remark(clause) else None
        return self.stop


def _is_passing(text: str) -> bool:
    return phrases.THIS_MOMENT.search(text) is not None


def _is_only_a_remark(clause: str) -> bool:
    rest = phrases.THIS_MOMENT.sub("", clause)
    return _columns(rest) <= _ONLY_A_REMARK


def _columns(text: str) -> int:
    """Return how many columns the letters of a text take."""
    return _letters(text) + len(_HAN.findall(text))


def _clause_starts(sentence: str) -> Iterator[int]:
    yield 0
    for match in islice(_CLAUSE.finditer(sentence), _MOST_CLAUSES):
        yield match.end()


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))


def _letters_of(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _without_repeats(requests: Sequence[Request]) -> list[Request]:
    last = {request.fact.casefold(): request for request in requests}
    return [request for request in requests if last[request.fact.casefold()] is request]
