"""Whether two short texts are about the same thing, by the words they share.

Independent of the size of a store, so that the same pair is judged the same everywhere: shared
words weighed against the words of the shorter text.
"""

from __future__ import annotations

from collections.abc import Sequence

from catmem.memory.search.lexical import STOP_HAN, Lexical, terms

SIMILAR = 0.35
SIMILAR_KIN = 0.3
_FEWEST_WORDS = 3.0  # one shared word is not enough, however short the text
_HAN_PAIR = 0.5
_HAN_CHARACTER = 0.3
# Words that nearly every entry about a person or a project has.
_EVERYWHERE_TEXT = """
    user prefer preference project repo repositori always never work code new write rule agent
    用户 项目 使用 偏好 喜欢 需要 不要 以后 本项 目用 户用 用 户 项 目"""
_EVERYWHERE = frozenset(_EVERYWHERE_TEXT.split())


def overlap(one: str, other: str) -> float:
    """Return how much two texts share, 0..1."""
    first, second = words_of(one), words_of(other)
    least = max(min(mass(first), mass(second)), _FEWEST_WORDS)
    return min(mass(first & second) / least, 1.0)


def coverage(text: str, known: frozenset[str]) -> float:
    """Return which part of the words of ``text`` is among ``known``, 0..1."""
    words = words_of(text)
    return mass(words & known) / mass(words) if words else 0.0


def nearest(text: str, others: Sequence[str], kin: Sequence[bool], limit: int) -> list[int]:
    """Return the numbers of the ``others`` that are similar to ``text``, best first.

    ``kin`` tells which of them are of the same kind, so that less has to be shared.
    """
    ranked = Lexical(others).search(text)
    similar = [
        number
        for number, _ in ranked
        if overlap(text, others[number]) >= (SIMILAR_KIN if kin[number] else SIMILAR)
    ]
    return similar[:limit]


def words_of(text: str) -> frozenset[str]:
    """Return the words that tell one text from another."""
    return frozenset(
        word for word in terms(text) if word not in _EVERYWHERE and STOP_HAN.isdisjoint(word)
    )


def mass(words: frozenset[str]) -> float:
    """Return how much a set of words weighs: Han pairs and characters less than whole words."""
    return sum(map(_weight, words))


def _weight(word: str) -> float:
    if word[0] < "\u3400":
        return 1.0
    return _HAN_PAIR if len(word) > 1 else _HAN_CHARACTER
