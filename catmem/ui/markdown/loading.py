"""The renderer, loaded late: the first prompt does not need it, headless use never does."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Sequence
from typing import Protocol

from catmem.ui.markdown.commit import Piece


class PieceRenderer(Protocol):
    """Draws pieces of an answer (``catmem.ui.markdown.render.Renderer``)."""

    def render(self, pieces: Sequence[Piece], width: int) -> str:
        """Return the lines of ``pieces``."""
        ...


@functools.cache
def load_renderer() -> PieceRenderer:
    """Return the Markdown renderer, importing it at the first call."""
    renderer: PieceRenderer = importlib.import_module("catmem.ui.markdown.render").Renderer()
    return renderer
