"""Whose words a text is made of: the person's, the agent's, those of data, or nobody's.

A quote shows where a fact is said to come from; the words of the fact show where it does. Models
translate and put things in other words, so only clear cases count.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from catmem.memory.pipeline.judging.quotes import Quotable, Source, normalised
from catmem.memory.search.lexical import HAN
from catmem.memory.search.similarity import coverage, words_of

_MOSTLY = 0.5
_IN_PART = 0.2
_HARDLY = 0.15
_SHORT = 20  # columns: too short to name what it is about
_STANCE = re.compile(
    r"\b(?:always|never|please|remember|from now on)\b|以后|总是|永远|记住|都", re.IGNORECASE
)
_LATIN = re.compile(r"[A-Za-z]{2,}")
_FEWEST_LETTERS = 4
# What nobody writes by chance: addresses, paths, commands.
_LITERAL = re.compile(
    r"`([^`\n]+)`|((?:https?|ftp|ssh)://[^\s<>\"'，。；、）)]+)"
    r"|(?<![\w.+-])([\w.+-]{1,64}@[\w-]+\.[\w.-]+)"
    r"|(?<![\w.])(\d{1,3}(?:\.\d{1,3}){3})(?![\w.])"
    r"|(?<![\w.-])([\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|cn|sh|co|ai|app|info|xyz|test|example"
    r"|internal))\b"
    r"|(?<![\w.@~/-])((?:~|\.{1,2})?/?(?:[\w.@-]+/)+[\w.@*-]+)"
    r"|(?<!\S)(--?[A-Za-z][\w-]*)",
    re.ASCII,
)
_INVENTABLE = frozenset({1, 2, 3, 4})  # groups: code, URL, mail, IP
# A short sentence that judges what the agent did ("no, not like that"): a fact may be drawn from it
# that has none of its words.
_JUDGES = re.compile(
    r"\b(?:no|not|don'?t|never|always|should|shouldn't|must|instead|wrong|stop|prefer|like|hate"
    r"|rather|every time|from now on|remember|again|too|better|yes|keep|that way)\b"
    r"|不|别|以后|应该|错|总是|记住|喜欢|习惯|尽量|必须|一律|每次|太|更|下次|统一|都用|就这样|保持",
    re.IGNORECASE,
)


class Support:
    """Compares texts with the words of one window."""

    def __init__(self, quotable: Quotable) -> None:
        self._typed = quotable.words(Source.TYPED)
        data = quotable.words(Source.DATA)
        self._answered = quotable.words(Source.ASSISTANT)
        self._has_data = bool(data)
        self._data_alone = data - self._typed
        self._all = data | self._answered | self._typed
        self._in_han = _is_han("\n".join(map(quotable.text, Source)))
        self._said = normalised(quotable.text(Source.TYPED))
        self._in_data = normalised(quotable.text(Source.DATA))
        self._answers = normalised(quotable.text(Source.ASSISTANT))

    def is_planted(self, text: str) -> bool:
        """Whether a text is mostly, or in its literals, made of what stands in data alone."""
        if any(one in self._in_data and one not in self._said for one in _literals(text)):
            return True
        return _covered(text, self._data_alone) >= _MOSTLY

    def is_said(self, text: str) -> bool:
        """Whether a good part of a text's words was typed."""
        return _covered(text, self._typed) >= _IN_PART

    def is_drawn_from(self, text: str, quotes: Sequence[str]) -> bool:
        """Whether a preference or rule can rest on these typed words, and not on data."""
        if not self._has_data or self.is_said(text):
            return True
        if _covered(text, self._answered) < _HARDLY:  # what is judged is what the agent said
            return False
        return any(_only_judges(quote) and _is_han(quote) == _is_han(text) for quote in quotes)

    def is_invented(self, text: str) -> bool:
        """Whether a text has next to nothing of the conversation, or names what nobody named."""
        letters = self._said + self._in_data + self._answers
        if any(one not in letters for one in _literals(text, _INVENTABLE)):
            return True
        return self._shares_a_script(text) and _covered(text, self._all) <= _HARDLY

    def _shares_a_script(self, text: str) -> bool:
        """Whether most of the conversation is in the script of a text, so that words compare."""
        return _is_han(text) == self._in_han


def has_words_of(text: str, fact: str) -> bool:
    """Whether a text can say the same as a fact: they share a word, or are in other scripts."""
    telling = frozenset(words_of(_STANCE.sub(" ", fact)))
    return not telling or _is_han(text) != _is_han(fact) or _covered(text, telling) > 0


def _only_judges(quote: str) -> bool:
    columns = sum(map(str.isalnum, quote)) + len(HAN.findall(quote))
    return columns <= _SHORT and _JUDGES.search(quote) is not None


def _is_han(text: str) -> bool:
    return len(HAN.findall(text)) > len(_LATIN.findall(text))


def _covered(text: str, known: frozenset[str]) -> float:
    return coverage(unicodedata.normalize("NFKC", text), known)


def _literals(text: str, groups: frozenset[int] = frozenset(range(1, 8))) -> Iterator[str]:
    for match in _LITERAL.finditer(text):
        if match.lastindex in groups:
            literal = normalised(match[match.lastindex])
            if len(literal) >= _FEWEST_LETTERS:
                yield literal
