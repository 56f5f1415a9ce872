"""Whether a quote stands in the message it names, and whose words it is.

Compared without regard to width, case, white space and punctuation, because models copy words and
not characters. What is masked in the excerpt is masked here too.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from catmem.memory.pipeline.excerpt import MEMORY_TOOLS
from catmem.memory.pipeline.extraction import Evidence
from catmem.memory.pipeline.window import Window
from catmem.memory.search.similarity import words_of
from catmem.messages import Message, Origin, Role, TextPart, ToolResultPart
from catmem.secrets import mask

_FEWEST_CHARACTERS = 2
_DATA_CHARACTERS = 20_000  # far more than the excerpt shows of it


class Source(IntEnum):
    """Whose words a quote is; the higher, the more it can carry."""

    DATA = 1
    ASSISTANT = 2
    TYPED = 3


@dataclass(frozen=True, slots=True)
class Quote:
    """A quote that stands where it claims to."""

    evidence: Evidence
    source: Source


class Quotable:
    """The texts of a window by message, ready for comparing."""

    def __init__(self, window: Window) -> None:
        self._texts = {message.seq: list(_texts(message)) for message in window.messages}
        self._words: dict[Source, frozenset[str]] = {}

    def verify(self, evidence: Iterable[Evidence]) -> list[Quote]:
        """Return the quotes that really are in their messages, each with its strongest source."""
        found: list[Quote] = []
        for item in evidence:
            words = normalised(item.quote)
            if len(words) >= _FEWEST_CHARACTERS:
                texts = self._texts.get(item.seq, ())
                sources = [source for source, text in texts if words in normalised(text)]
                if sources:
                    found.append(Quote(item, max(sources)))
        return found

    def words(self, source: Source) -> frozenset[str]:
        """Return the words of all texts of one source."""
        if source not in self._words:
            texts = [
                text for found in self._texts.values() for kind, text in found if kind is source
            ]
            self._words[source] = words_of("\n".join(texts))
        return self._words[source]


def normalised(text: str) -> str:
    """Return the letters and digits of a text, in one width and case."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(filter(str.isalnum, folded))


def _texts(message: Message) -> Iterable[tuple[Source, str]]:
    for part in message.parts:
        match part:
            case TextPart(text, Origin.TYPED) if message.role is Role.USER:
                yield Source.TYPED, mask(text)
            case TextPart(text, Origin.MODEL):
                yield Source.ASSISTANT, mask(text)
            case TextPart(text, origin) if origin is not Origin.CATMEM:
                yield Source.DATA, mask(text[:_DATA_CHARACTERS])
            case ToolResultPart(_, name, text, _, subject) if name not in MEMORY_TOOLS:
                yield Source.DATA, mask(f"{subject}\n{text[:_DATA_CHARACTERS]}")
