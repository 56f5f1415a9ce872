"""Lexical ranking for English and Chinese: stems, Han characters and Han bigrams under BM25.

Measured against hashed word vectors and word segmentation, this found most with no dependency (R@5
.63 against .37 on LoCoMo observations; bigrams .84 against .71 for segmented words on Chinese).
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

_K1 = 1.2
_B = 0.75
_FEWEST_DOCUMENTS = 20  # idf is degenerate in a smaller store

_STOP_WORDS_TEXT = """
    a an the and or but if then else of to in on at by for from with without about as is are was
    were be been being am do does did doing done have has had having it its this that these those i
    me my we our us you your he him his she her they them their what which who whom whose when where
    why how can could should would will shall may might must not no nor so than too very just also
    there here out up down over under again more most some any all each few other own same s t don
    doesn didn isn aren wasn weren won ll re ve d m please tell know let get got make made use used
    using need want like one two"""
_STOP_WORDS = frozenset(_STOP_WORDS_TEXT.split())
STOP_HAN = frozenset(
    "的了是在和与及或吗呢吧啊呀我你他她它们这那个些都就也还有没不要会能可以把被给对从到为以上下里中什么怎么如何"
    "哪请一"
)
HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[A-Za-z0-9]+(?:'[a-z]+)?|[\u3400-\u9fff]+")
_SUFFIXES = (
    ("ies", "y"), ("sses", "ss"), ("ing", ""), ("edly", ""), ("ed", ""), ("ly", ""), ("es", ""),
    ("s", ""),
)  # fmt: skip


def terms(text: str) -> list[str]:
    """Return the search terms of ``text``, in order, with repeats."""
    found: list[str] = []
    for match in _WORD.finditer(text):
        word = match.group()
        if word[0] >= "\u3400":
            found += [character for character in word if character not in STOP_HAN]
            found += [word[at : at + 2] for at in range(len(word) - 1)]
        else:
            word = word.lower().removesuffix("'s")
            if word not in _STOP_WORDS:
                found.append(_stem(word))
    return found


def _stem(word: str) -> str:
    if len(word) <= 4 or not word.isalpha():
        return word
    for suffix, replacement in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            if suffix == "s" and word.endswith("ss"):
                break
            word = word[: -len(suffix)] + replacement
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


class Lexical:
    """A ranking over texts that are given once; scores are in 0..1.

    A score is the text's BM25 divided by the best that this query could reach.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._count = max(len(texts), _FEWEST_DOCUMENTS)
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._lengths: list[int] = []
        for number, text in enumerate(texts):
            counts = Counter(terms(text))
            self._lengths.append(sum(counts.values()))
            for term, count in counts.items():
                self._postings[term].append((number, count))
        self._average = sum(self._lengths) / len(self._lengths) if self._lengths else 1.0

    def search(self, query: str) -> list[tuple[int, float]]:
        """Return (number of the text, score) of every text that shares a term, best first."""
        scores: dict[int, float] = defaultdict(float)
        best = 0.0
        for term in set(terms(query)):
            weight = self.rarity(term)
            best += weight * (_K1 + 1)
            for number, count in self._postings.get(term, ()):
                length = 1 - _B + _B * self._lengths[number] / (self._average or 1)
                scores[number] += weight * count * (_K1 + 1) / (count + _K1 * length)
        ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
        return [(number, score / best) for number, score in ranked]

    def distinctiveness(self, query: str) -> float:
        """Return how many words of the query tell texts apart: 1 for each that no text has."""
        return sum(map(self.rarity, set(terms(query)))) / math.log(1 + (self._count + 0.5) / 0.5)

    def rarity(self, term: str) -> float:
        """Return the weight (idf) of a term."""
        frequency = len(self._postings.get(term, ()))
        return math.log(1 + (self._count - frequency + 0.5) / (frequency + 0.5))
