"""Whether a quote stands in the message it names, and whose words it is.

Compared without regard to width, case, white space and punctuation, because models copy words and
not characters. What is masked in the excerpt is masked here too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from catmem.memory.pipeline.excerpt import MEMORY_TOOLS
from catmem.memory.pipeline.extraction import Evidence
from catmem.memory.pipeline.window import Window, is_small_talk
from catmem.memory.search.lexical import HAN
from catmem.memory.search.similarity import words_of
from catmem.messages import Message, Origin, Role, TextPart, ToolResultPart
from catmem.secrets import mask

_GOOD_PART = 3  # a third of a message proves something, however short it is
_LONG = 14  # letters, a Han character counting two
_FEWEST_PIECES = 2
_FEWEST_LETTERS = 4  # of a single word
_PIECE = re.compile(r"[a-z0-9]+|[^\W_]")
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
        self._texts = {
            message.seq: [(source, text, normalised(text)) for source, text in _texts(message)]
            for message in window.messages
        }

    def verify(self, evidence: Iterable[Evidence]) -> list[Quote]:
        """Return the quotes that really are in their messages, each with its strongest source."""
        found: list[Quote] = []
        for given in evidence:
            item = Evidence(given.seq, mask(given.quote))
            sources = [
                source
                for source, text, letters in self._texts.get(item.seq, ())
                if _stands_in(item.quote, text, letters)
            ]
            if sources and not is_small_talk(item.quote):
                found.append(Quote(item, max(sources)))
        return found

    def text(self, source: Source) -> str:
        """Return all texts of one source."""
        return "\n".join(
            text for found in self._texts.values() for kind, text, _ in found if kind is source
        )

    def words(self, source: Source) -> frozenset[str]:
        """Return the words of all texts of one source."""
        return words_of(unicodedata.normalize("NFKC", self.text(source)))


def normalised(text: str) -> str:
    """Return the letters and digits of a text, in one width and case."""
    return "".join(filter(str.isalnum, _folded(text)))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _stands_in(quote: str, text: str, letters: str) -> bool:
    """Whether a quote stands in a text and says enough to prove something.

    Words like "use" and 「的」 stand everywhere; they count where they are a good part of what was
    said. Short quotes must be whole words, not a piece of others.
    """
    words = normalised(quote)
    if not words or words not in letters:
        return False
    if len(words) * _GOOD_PART >= len(letters):
        return True
    if len(words) + len(HAN.findall(words)) >= _LONG:
        return True
    pieces = _PIECE.findall(_folded(quote))
    tells = len(pieces) >= _FEWEST_PIECES or len(words) >= _FEWEST_LETTERS
    if not tells or not words_of(quote):
        return False
    pattern = r"[\W_]*".join(map(re.escape, pieces))
    return re.search(rf"(?<![a-z0-9]){pattern}(?![a-z0-9])", _folded(text)) is not None


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
