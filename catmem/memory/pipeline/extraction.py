"""What an extractor is given and what it proposes; the protocol that every extractor follows.

An extractor only proposes. Whether a quote stands, whether a rule may come from that text and what
becomes of a candidate is decided afterwards, in code and the same for all extractors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from catmem.errors import CatmemError
from catmem.memory.pipeline.window import Window

Progress = Callable[[str], None]
"""Takes a stage name or count to show, such as ``2/5``; called whenever work has moved on."""


class ExtractionError(CatmemError):
    """A reply that cannot be used: empty, unreadable, or cut short twice.

    It means *failed*, never "nothing worth remembering".
    """


@dataclass(frozen=True, slots=True)
class Evidence:
    """Words of one message that a candidate rests on."""

    seq: int
    quote: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fact that an extractor proposes.

    Attributes:
        type: ``user``, ``feedback``, ``project`` or ``reference``.
        name: as proposed; made valid by the store's rule before anything else looks at it.
        optional: further fields in the form of an entry's metadata (``usageScenario``, ``gist`` …).
        explicit: the user asked for it in so many words; found by code, never by a model.
    """

    evidence: tuple[Evidence, ...]
    type: str
    name: str
    description: str
    content: str
    optional: Mapping[str, Any] = field(default_factory=dict)
    explicit: bool = False


@dataclass(frozen=True, slots=True)
class Refusal:
    """A candidate or operation that code did not accept, and why; shown in the report."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """What one window gave: proposals, and items of the reply that could not be used."""

    candidates: tuple[Candidate, ...]
    refused: tuple[Refusal, ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """An existing entry, as far as an extractor is told about it."""

    name: str
    description: str


class Extractor(Protocol):
    """Proposes facts worth keeping out of a window.

    Implementations hold their provider. They may be cancelled at any await, and keep nothing that a
    later call would need.
    """

    async def extract(
        self, window: Window, known: Sequence[Known], progress: Progress
    ) -> Extraction:
        """Return what is worth keeping; no candidates means nothing is.

        Raises:
            ProviderError: a request failed.
            ExtractionError: the model answered, but nothing usable.
        """
        ...
