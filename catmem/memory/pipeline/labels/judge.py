"""One sentence, judged: how likely it matters later, and what kind of fact it is.

The model answers with one token, whose probabilities are read and weighed together with the words
of the sentence (``learned``). Where the words alone leave no doubt the model is not asked.
"""

from __future__ import annotations

from collections.abc import Mapping

from catmem.memory.pipeline.labels.examples import EXAMPLES, SYSTEM
from catmem.memory.pipeline.learned.weighing import LABELS, Judgement, by_both, by_words
from catmem.messages import LabelRequest
from catmem.providers.base import LabelModel
from catmem.sanitize import one_line

SENTENCE_CHARACTERS = 400  # of a longer one the rest is not looked at
_PREFIX = "sentence: "
_EXAMPLES = tuple((_PREFIX + text, label) for text, label in EXAMPLES)
_ANY_SENTENCE = "ok"
_SURELY_NOT = -4.0  # log-odds


def shown(text: str) -> str:
    """Return a text as the model sees it."""
    return one_line(text, SENTENCE_CHARACTERS)


def request(text: str) -> LabelRequest:
    """Return the request for the label of a text that was made ready by ``shown``."""
    return LabelRequest(SYSTEM, _EXAMPLES, _PREFIX + text, LABELS)


class Judge:
    """Asks a model, and nothing twice.

    ``answers`` outlives a run: what was interrupted goes on at the sentence where it stopped.
    """

    def __init__(self, model: LabelModel, answers: dict[str, Mapping[str, float]]) -> None:
        self._model = model
        self._answers = answers

    async def read_ahead(self) -> None:
        """Let the server read what every request begins with.

        Raises:
            ProviderError: the request failed.
        """
        await self._answer(_ANY_SENTENCE)

    async def judge(self, text: str) -> Judgement:
        """Judge a text of one or two sentences.

        Raises:
            ProviderError: the request failed.
        """
        text = shown(text)
        judgement = by_words(text)
        if judgement.lasting < _SURELY_NOT:
            return judgement
        return by_both(text, await self._answer(text))

    async def _answer(self, text: str) -> Mapping[str, float]:
        if text not in self._answers:
            self._answers[text] = await self._model.choose(request(text))
        return self._answers[text]
