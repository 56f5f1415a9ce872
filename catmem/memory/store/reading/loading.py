"""The one place that loads the codec of entry files late.

YAML and frontmatter take a good part of the time to the first prompt, which needs no entry.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from catmem.memory.store.entry import Entry

if TYPE_CHECKING:
    from catmem.memory.store.reading.codec import Document


class Codec(Protocol):
    """Turns the bytes of a file into its parts and back (``catmem.memory.store.reading.codec``)."""

    def decode(self, data: bytes) -> Document:
        """Take a file's bytes apart."""
        ...

    def encode(self, entry: Entry) -> bytes:
        """Return a new file."""
        ...

    def rewrite(self, document: Document, changes: Mapping[str, Any], content: str) -> bytes:
        """Return a file with changes."""
        ...


@functools.cache
def load_codec() -> Codec:
    """Return the codec, importing it at the first call."""
    codec: Any = importlib.import_module("catmem.memory.store.reading.codec")
    loaded: Codec = codec
    return loaded
