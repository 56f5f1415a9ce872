"""Weights learned from labelled sentences: what words tell, and how far a model is to be believed.

A small model knows what a sentence is about but is unsure how long it holds; words tell that well
but not what they mean. Both are weighed by a softmax regression (``weights.json``) that
``scripts/train_labels.py`` fits to the sentences in ``scripts/data/extraction``. What was tried is
told in ``docs/learning-small-models.md``.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from catmem.memory.pipeline.learned.words import features

KINDS = ("user", "feedback", "project", "reference")
LABELS = (*KINDS, "now", "ask", "chat")
"""What a model may answer about a sentence: the types of entries, and what is not lasting."""
CLASSES = (*KINDS, "none")
SCALE = 100  # what the words' weights are multiplied by in the file
FLOOR = 1e-4  # a probability nearer to 0 than this says no more
_NEVER = 1e-12
WEIGHTS = Path(__file__).with_name("weights.json")


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is made of a text.

    Attributes:
        lasting: log-odds that it matters in later sessions.
        kinds: how likely it is an entry of each type.
    """

    lasting: float
    kinds: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Weights:
    """Rows have a number for each class.

    Attributes:
        words: rows by feature of a text, in hundredths.
        bias: what every text begins with.
        joint: rows for the scores of the words and then for the logs of the model's probabilities.
        joint_bias: what every text with both begins with.
    """

    words: Mapping[str, Sequence[float]]
    bias: Sequence[float]
    joint: Sequence[Sequence[float]]
    joint_bias: Sequence[float]


def by_words(text: str) -> Judgement:
    """Judge a text by its words alone."""
    return _judgement(_word_scores(text))


def by_both(text: str, answer: Mapping[str, float]) -> Judgement:
    """Judge a text by its words and by how likely a model finds each label."""
    weights = _weights()
    inputs = [*_word_scores(text), *logs(answer)]
    scores = list(weights.joint_bias)
    for value, row in zip(inputs, weights.joint, strict=True):
        scores = [score + value * weight for score, weight in zip(scores, row, strict=True)]
    return _judgement(scores)


def logs(answer: Mapping[str, float]) -> list[float]:
    """Return the logs of the probabilities of all labels, which are made to add up to 1."""
    total = sum(answer.get(label, 0.0) for label in LABELS) or 1.0
    return [math.log(max(answer.get(label, 0.0) / total, FLOOR)) for label in LABELS]


def _word_scores(text: str) -> list[float]:
    weights = _weights()
    scores = list(weights.bias)
    for name, value in features(text).items():
        row = weights.words.get(name)
        if row is not None:
            share = value / SCALE
            scores = [score + share * weight for score, weight in zip(scores, row, strict=True)]
    return scores


def _judgement(scores: Sequence[float]) -> Judgement:
    top = max(scores)
    likely = [math.exp(score - top) for score in scores]
    total = sum(likely)
    kinds = {kind: share / total for kind, share in zip(KINDS, likely, strict=False)}
    lasting = math.log(max(sum(kinds.values()), _NEVER) / max(likely[-1] / total, _NEVER))
    return Judgement(lasting, kinds)


@functools.cache
def _weights() -> _Weights:
    return _Weights(**json.loads(WEIGHTS.read_text("utf-8")))
