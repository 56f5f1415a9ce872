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
"""Takes the name of the stage that begins, in the words of the catalogue."""

OWN_TYPES = frozenset({"user", "feedback"})
"""Preferences and rules: entries that only the person's typed words may make or change."""

DESCRIPTION_CHARACTERS = 160


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
        scope: ``user`` or ``project``; empty when the extractor does not say.
        name: as proposed; made valid by the store's rule before anything else looks at it.
        optional: further fields in the form of an entry's metadata (``usageScenario``, ``gist`` …).
        own_words: the quotes that are words the person typed; set by code.
        explicit: the person asked for it in so many words; set by code.
    """

    evidence: tuple[Evidence, ...]
    type: str
    scope: str
    name: str
    description: str
    content: str
    optional: Mapping[str, Any] = field(default_factory=dict)
    own_words: tuple[str, ...] = ()
    explicit: bool = False


@dataclass(frozen=True, slots=True)
class Refusal:
    """A candidate or operation that code did not accept, and why; shown in the report.

    ``planted``: it was a preference, a rule or an order that nobody typed.
    """

    name: str
    reason: str
    planted: bool = False


@dataclass(frozen=True, slots=True)
class Extraction:
    """What one window gave.

    Attributes:
        refused: items of the answer that could not be used.
        episode: what was worked on in the window, if the extractor tells.
        cut: the answer broke off, so that the window counts as failed; what was finished is kept.
        labelled: made from labels by a model that writes no JSON, and is not asked for it later.
    """

    candidates: tuple[Candidate, ...]
    refused: tuple[Refusal, ...] = ()
    episode: str | None = None
    cut: bool = False
    labelled: bool = False


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

    async def extract(self, window: Window, known: Sequence[Known]) -> Extraction:
        """Return what is worth keeping; no candidates means nothing is.

        Raises:
            ProviderError: a request failed.
            ExtractionError: the model answered, but nothing usable.
        """
        ...
