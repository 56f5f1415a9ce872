"""Which extractor a model gets: JSON for capable models, labels where that fails."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from catmem import log
from catmem.errors import ProviderError
from catmem.memory.pipeline.extraction import Extraction, ExtractionError, Extractor, Known
from catmem.memory.pipeline.extractor import JsonExtractor
from catmem.memory.pipeline.labels.extractor import LabelExtractor
from catmem.memory.pipeline.window import Window
from catmem.providers.base import LabelModel, Provider

EMBEDDED = "local"
Choice = Callable[[Provider, int, int], Extractor]
"""Makes the extractor for a provider; takes the answer's and the excerpt's budget in tokens."""


class ExtractorChoice:
    """Chooses, and keeps what a later run needs: answers about sentences, models that failed."""

    def __init__(self) -> None:
        self._answers: dict[str, dict[str, Mapping[str, float]]] = {}
        self._unable: set[str] = set()

    def __call__(self, provider: Provider, max_tokens: int, budget: int) -> Extractor:
        """Return labels for the embedded model and for those that failed at JSON, else JSON."""
        json = JsonExtractor(provider, max_tokens=max_tokens, budget=budget)
        if not isinstance(provider, LabelModel):
            return json
        model = f"{provider.name} {provider.model}"
        labels = LabelExtractor(provider, self._answers.setdefault(model, {}))
        if provider.name == EMBEDDED or model in self._unable:
            return labels
        return _JsonThenLabels(json, labels, lambda: self._unable.add(model))

    async def read_ahead(self, provider: Provider) -> None:
        """Let the embedded model read its prompt for labels while it has nothing else to do.

        Raises:
            ProviderError: it cannot be asked.
        """
        if provider.name == EMBEDDED and isinstance(provider, LabelModel):
            await LabelExtractor(provider, {}).read_ahead()


class _JsonThenLabels:
    """Tries labels when both answers to the JSON request could not be used."""

    def __init__(
        self, json: Extractor, labels: Extractor, note_failure: Callable[[], None]
    ) -> None:
        self._json = json
        self._labels = labels
        self._note_failure = note_failure

    async def extract(self, window: Window, known: Sequence[Known]) -> Extraction:
        try:
            return await self._json.extract(window, known)
        except ExtractionError as failure:
            try:
                extraction = await self._labels.extract(window, known)
            except ProviderError as error:
                log.info(f"extraction: no labels either: {error}")
                raise failure from error
        self._note_failure()
        return extraction
