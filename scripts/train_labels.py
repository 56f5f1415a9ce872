#!/usr/bin/env python3
"""Fit the weights of the labelling extractor to labelled sentences.

Run: .venv/bin/python scripts/train_labels.py [--ask --gguf FILE]

Reads ``scripts/data/extraction/sentences/*.jsonl`` (a text and its acceptable types, none for what
is not to be stored; one file a writer) and ``answers.json`` beside them (how likely the embedded
model finds each label for some of the texts; ``--ask`` asks it for more), and writes
``catmem/memory/pipeline/learned/weights.json``. How far the model is to be believed beside the
words is fitted to texts that the words were not fitted to, sentences of dialogues among them.
Needs the extra ``train`` (scikit-learn, for its regression).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402 - the script runs from a checkout
from scipy.sparse import csr_matrix  # noqa: E402
from sklearn.feature_extraction import DictVectorizer  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.metrics import roc_auc_score  # noqa: E402

from catmem.memory.pipeline.labels import judge  # noqa: E402
from catmem.memory.pipeline.labels.sentences import split  # noqa: E402
from catmem.memory.pipeline.learned import weighing  # noqa: E402
from catmem.memory.pipeline.learned.words import features  # noqa: E402
from catmem.providers.base import LabelModel  # noqa: E402
from scripts.eval_extraction import connect  # noqa: E402

DATA = ROOT / "scripts/data/extraction"
SENTENCES = DATA / "sentences"
DIALOGUES = ("dialogues", "tuning", "held-out", "blind")
_LAST_BLIND = "x055"  # the others are for measuring
ANSWERS = SENTENCES / "answers.json"
Array = Any  # of numpy, which is only there with the extra
_SECOND_SHARE = 0.4  # of a text with two acceptable types
_STRENGTH = 0.6  # scikit-learn's C: how much weights may grow
_FOLDS = 5
_FEWEST_TEXTS = 3  # a feature of fewer is no rule
_LEAST = 0.15  # a feature whose weights differ less from class to class is left out


@dataclass(frozen=True, slots=True)
class Text:
    """A labelled sentence."""

    text: str
    types: Sequence[str]
    writer: str


def read() -> list[Text]:
    """Return all labelled sentences, writer by writer."""
    texts = []
    for path in sorted(SENTENCES.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            record = json.loads(line)
            texts.append(Text(record["text"], record["types"], path.stem))
    return texts


def read_dialogues() -> list[Text]:
    """Return the sentences of the dialogues that were looked at, with the types of their facts."""
    texts = []
    for name in DIALOGUES:
        for dialogue in json.loads((DATA / f"{name}.json").read_text("utf-8")):
            if name == "blind" and dialogue["id"] > _LAST_BLIND:
                continue
            typed = [turn["text"] for turn in dialogue["turns"] if turn["role"] == "user"]
            for sentence in (one for text in typed for one in split(text)):
                types = [
                    fact["types"]
                    for fact in dialogue["facts"]
                    if all(re.search(pattern, sentence.text) for pattern in fact["all"])
                ]
                whole = f"{sentence.lead} {sentence.text}".strip()
                texts.append(Text(whole, types[0] if types else (), "dialogues"))
    return texts


class WordModel:
    """The regression over the words."""

    def __init__(self, texts: Sequence[Text]) -> None:
        found = [features(one.text) for one in texts]
        counts = Counter(name for one in found for name in one)
        kept = [{n: v for n, v in one.items() if counts[n] >= _FEWEST_TEXTS} for one in found]
        self._vectors = DictVectorizer()
        self._regression = fit(self._vectors.fit_transform(kept), texts, _STRENGTH)

    def scores(self, texts: Sequence[Text]) -> Array:
        """Return a row of scores for each text, in the order of the classes."""
        table = self._vectors.transform([features(one.text) for one in texts])
        return in_order(self._regression, self._regression.decision_function(table))

    def rows(self) -> dict[str, list[float]]:
        """Return the weights worth keeping by feature."""
        weights = in_order(self._regression, self._regression.coef_.T)
        names = self._vectors.get_feature_names_out()
        return {
            str(name): [round(float(weight) * weighing.SCALE) for weight in row]
            for name, row in zip(names, weights, strict=True)
            if np.ptp(row) >= _LEAST
        }

    def bias(self) -> list[float]:
        """Return what every text begins with."""
        return rounded(in_order(self._regression, self._regression.intercept_[None, :])[0])


def fit(table: Any, texts: Sequence[Text], strength: float) -> LogisticRegression:
    """Return the regression of the texts' classes; two acceptable types share a text."""
    rows, classes, shares = [], [], []
    for row, one in enumerate(texts):
        types = list(one.types[:2]) or ["none"]
        for place, kind in enumerate(types):
            rows.append(row)
            classes.append(kind)
            second = _SECOND_SHARE if place else 1 - _SECOND_SHARE
            shares.append(1.0 if len(types) == 1 else second)
    regression = LogisticRegression(C=strength, max_iter=1_000)
    return regression.fit(table[rows], classes, sample_weight=shares)


def in_order(regression: LogisticRegression, columns: Array) -> Array:
    """Return columns of scikit-learn's order of classes in ours."""
    order = [list(regression.classes_).index(name) for name in weighing.CLASSES]
    return columns[:, order]


def rounded(numbers: Sequence[float]) -> list[float]:
    """Return what goes into the file."""
    return [round(float(number), 3) for number in numbers]


def apart(texts: Sequence[Text]) -> Array:
    """Return each text's scores from a model that has not seen its writer."""
    scores = np.zeros((len(texts), len(weighing.CLASSES)))
    writers = sorted({one.writer for one in texts})
    for fold in range(_FOLDS):
        hidden = writers[fold::_FOLDS]
        others = [one for one in texts if one.writer not in hidden]
        own = [at for at, one in enumerate(texts) if one.writer in hidden]
        scores[own] = WordModel(others).scores([texts[at] for at in own])
    return scores


def joint_inputs(scores: Array, texts: Sequence[Text], answers: dict[str, Any]) -> Array:
    """Return the words' scores and the logs of the model's probabilities, a row for each text."""
    return np.c_[scores, [weighing.logs(answers[judge.shown(one.text)]) for one in texts]]


def lasting(scores: Array) -> Array:
    """Return the log-odds of anything but the last class."""
    top = scores.max(axis=1, keepdims=True)
    likely = np.exp(scores - top)
    return np.log(likely[:, :-1].sum(axis=1) / likely[:, -1])


def report(name: str, scores: Array, texts: Sequence[Text]) -> None:
    """Print how well the scores tell lasting sentences from others, and their types."""
    is_fact = [bool(one.types) for one in texts]
    area = roc_auc_score(is_fact, lasting(scores))
    kinds = scores[:, :-1].argmax(axis=1)
    right = [weighing.CLASSES[kind] in one.types for kind, one in zip(kinds, texts, strict=True)]
    types = np.mean([ok for ok, fact in zip(right, is_fact, strict=True) if fact])
    print(f"{name:<28} {len(texts):>6} texts   area {area:.4f}   types {types:.1%}")


async def ask(texts: Sequence[Text], answers: dict[str, Any], gguf: str) -> None:
    """Ask the embedded model about the texts without an answer."""
    options = argparse.Namespace(provider="local", model=None, base_url=None, gguf=gguf)
    model, _ = connect(options)
    assert isinstance(model, LabelModel)  # noqa: S101 - the embedded one is
    missing = {judge.shown(one.text) for one in texts} - set(answers)
    try:
        for number, text in enumerate(sorted(missing)):
            answer = await model.choose(judge.request(text))
            answers[text] = {label: round(share, 5) for label, share in answer.items()}
            if number % 100 == 99:
                print(f"{number + 1} of {len(missing)}", flush=True)
                write(ANSWERS, answers)
    finally:
        write(ANSWERS, answers)
        await model.aclose()


def write(path: Path, value: dict[str, Any]) -> None:
    """Write JSON, a key a line, so that changes can be read."""
    path.write_text(_lines(value) + "\n", "utf-8")


def _lines(value: Any) -> str:
    if isinstance(value, dict) and set(value) != set(weighing.LABELS):
        rows = (f"{json.dumps(key, ensure_ascii=False)}:{_lines(value[key])}" for key in value)
        return "{\n" + ",\n".join(rows) + "\n}"
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def main() -> None:
    """Fit, report, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--ask", action="store_true", help="ask the embedded model for more answers"
    )
    parser.add_argument("--gguf", default="", help="model file for the embedded model")
    options = parser.parse_args()
    texts, dialogues = read(), read_dialogues()
    answers = json.loads(ANSWERS.read_text("utf-8")) if ANSWERS.exists() else {}
    if options.ask:
        asyncio.run(ask([*texts, *dialogues], answers, options.gguf))
    words = WordModel(texts)
    scores = np.r_[apart(texts), words.scores(dialogues)]
    report("words, sentences", scores[: len(texts)], texts)
    report("words, dialogues", scores[len(texts) :], dialogues)
    texts = [*texts, *dialogues]
    known = [at for at, one in enumerate(texts) if judge.shown(one.text) in answers]
    both = [texts[at] for at in known]
    inputs = joint_inputs(scores[known], both, answers)
    joint = fit(csr_matrix(inputs), both, 1.0)
    fitted = in_order(joint, joint.decision_function(inputs))
    for name, is_dialogue in (("sentences", False), ("dialogues", True)):
        at = [n for n, one in enumerate(both) if (one.writer == "dialogues") is is_dialogue]
        part = [both[n] for n in at]
        report(f"words, {name} with answers", scores[known][at], part)
        report(f"words and model, {name}", fitted[at], part)
    rows = words.rows()
    weights = {
        "words": rows,
        "bias": words.bias(),
        "joint": [rounded(row) for row in in_order(joint, joint.coef_.T)],
        "joint_bias": rounded(in_order(joint, joint.intercept_[None, :])[0]),
    }
    write(weighing.WEIGHTS, weights)
    print(f"{len(rows)} features, {weighing.WEIGHTS.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
