"""What a sentence is made of, for weights that were learned from examples.

Words, pairs of neighbours and the like, as in any linear text classifier; a Chinese character
counts as a word. ``weighing`` weighs them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+|[\u4e00-\u9fff]|[^\sa-z\d\u4e00-\u9fff]")
_PART = re.compile(r"(?:`[^`]*`|[^，；,;`]|[,;](?!\s))+")
_NUMBER = "0"  # one for all numbers
_EDGES = 3  # words at either end that count once more for standing there
_STEM, _ENDING = 4, 3  # letters
_AROUND = " \t，；,;"
_LONGEST = 40  # words; a longer sentence is no more of a fact


def features(sentence: str) -> dict[str, float]:
    """Return the features of a sentence with their values; all are 1 but its length."""
    words = [_NUMBER if word[0].isdigit() else word for word in _words(sentence)]
    found = dict.fromkeys(_features(words), 1.0)
    found["length"] = min(len(words), _LONGEST) / 10
    return found


def parts(sentence: str) -> Iterator[str]:
    """Yield what a sentence is before and after each of its commas."""
    for piece in list(_PART.finditer(sentence))[1:]:
        yield sentence[: piece.start()].strip(_AROUND)
        yield sentence[piece.start() :].strip(_AROUND)


def _words(sentence: str) -> list[str]:
    return _WORD.findall(sentence.lower().replace("’", "'"))


def _features(words: list[str]) -> Iterator[str]:
    ends = ["^", *words, "$"]
    for word in words:
        yield f"1 {word}"
        if len(word) > _STEM and word.isascii():
            yield f"stem {word[:_STEM]}"
            yield f"ending {word[-_ENDING:]}"
    for left, right in pairwise(ends):
        yield f"2 {left} {right}"
    for left, right in zip(ends, ends[2:], strict=False):
        yield f"2+ {left} {right}"  # neighbours but one
    for word in words[:_EDGES]:
        yield f"first {word}"
    for word in words[-_EDGES:]:
        yield f"last {word}"
