"""The extractor for small models: it labels the person's sentences instead of writing JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from catmem import secrets
from catmem.memory.pipeline.extraction import Candidate, Evidence, Extraction, Known
from catmem.memory.pipeline.judging.rules import explicit_requests
from catmem.memory.pipeline.labels.hearing import Fact, Hearing
from catmem.memory.pipeline.labels.judge import Judge
from catmem.memory.pipeline.labels.naming import name_for
from catmem.memory.pipeline.labels.openings import settled
from catmem.memory.pipeline.labels.sentences import Sentence, split
from catmem.memory.pipeline.window import Window, typed_texts
from catmem.providers.base import LabelModel
from catmem.sanitize import one_line

_DESCRIPTION_CHARACTERS = 120
_HAN = re.compile(r"[\u4e00-\u9fff]")
_ENDED = re.compile(r"[。！？!?：:.]$")
_TRAILING = " \t,，;；、"
_ASKED = re.compile(
    r"(?:please |pls )?(?:remember|note|keep in mind)(?:\s+that\b|\s*[:,])\s*"
    r"|请?(?:你)?(?:记住|记好|牢记|记一下|记下)(?:了)?[,，:：\s]*",
    re.IGNORECASE,
)
# What speaks of the project or those who work on it.
_PROJECT = re.compile(
    r"\b(?:we|our|us|the team|the (?:clients?|customers?)"
    r"|this (?:project|repo|repository|code ?base|service))\b"
    r"|我们|咱们?|团队|项目|仓库|客户",
    re.IGNORECASE,
)


class LabelExtractor:
    """Keeps the sentences that a model labels as lasting, in the person's own words.

    Nothing can be invented, every quote is exact, and text of tools and files is never looked at.
    ``answers`` holds what the model said; it may be shared by all extractors of a provider.
    """

    def __init__(self, model: LabelModel, answers: dict[str, Mapping[str, float]]) -> None:
        self._judge = Judge(model, answers)

    async def read_ahead(self) -> None:
        """Let the server read what every question begins with, so that the exit is spared it.

        Raises:
            ProviderError: the request failed.
        """
        await self._judge.read_ahead()

    async def extract(self, window: Window, known: Sequence[Known]) -> Extraction:  # noqa: ARG002 - labels need no list of entries
        """Judge the typed sentences of a window; may be cancelled between any two of them."""
        hearing = Hearing(self._judge, explicit_requests(window))
        for message in window.messages:
            for text in typed_texts(message):
                for sentence in _sentences(text):
                    await hearing.hear(message.seq, sentence)
        return Extraction(tuple(map(_candidate, hearing.facts)), labelled=True)


def _sentences(text: str) -> Iterator[Sentence]:
    """Yield the sentences of a text that hold no part of a secret."""
    found = secrets.find(text)
    position = 0
    for sentence in split(text):
        start = max(text.find(sentence.text, position), 0)
        position = end = start + len(sentence.text)
        if not any(secret.start < end and start < secret.end for secret in found):
            yield sentence


def _candidate(fact: Fact) -> Candidate:
    content = _joined([_plain(quote) for _, quote in fact.quotes])
    kind = max(fact.kinds, key=fact.kinds.__getitem__)
    if fact.corrected:
        content = f"{content} ({_instead(content)}{_plain(fact.corrected)})"
    scope = "project" if kind == "feedback" and _PROJECT.search(content) else ""
    return Candidate(
        evidence=tuple(Evidence(seq, quote) for seq, quote in (*fact.quotes, *fact.replaced)),
        type=kind,
        scope=scope,
        name=name_for(content),
        description=one_line(content, _DESCRIPTION_CHARACTERS),
        content=content,
    )


def _joined(sentences: Sequence[str]) -> str:
    if not _HAN.search(sentences[-1]):
        return " ".join(sentences)
    return (
        "".join(one if _ENDED.search(one) else f"{one}；" for one in sentences[:-1]) + sentences[-1]
    )


def _plain(sentence: str) -> str:
    """Return a sentence without "remember that" in front of it."""
    rest = _ASKED.sub("", sentence, count=1) if _ASKED.match(sentence) else sentence
    return settled(rest.strip(_TRAILING) or sentence)


def _instead(text: str) -> str:
    return "更正：" if _HAN.search(text) else "corrects: "
