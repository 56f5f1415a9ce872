"""The one place that loads the terminal libraries late.

Headless use never needs them, and the first prompt does not need the Markdown renderer.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Sequence
from typing import Protocol

from catmem.ui.markdown.commit import Piece
from catmem.ui.ports import Interface, Setup


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


def load_interface(setup: Setup, *, full: bool) -> Interface:
    """Return the prompt (``full``) or the plain lines."""
    if full:
        made: Interface = importlib.import_module("catmem.ui.repl").Repl(setup)
    else:
        made = importlib.import_module("catmem.ui.plain").PlainRepl(setup)
    return made
