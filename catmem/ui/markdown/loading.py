"""The renderer, loaded late: the first prompt does not need it, headless use never does."""

from __future__ import annotations

import asyncio
import functools
import importlib
import threading
from collections.abc import Sequence
from typing import Protocol

from catmem.ui.markdown.commit import Piece

_SOON_SECONDS = 0.5  # what the first request needs is loaded before it


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


def load_renderer_soon() -> None:
    """Load the renderer in a thread, a moment after the prompt is up."""
    loading = threading.Thread(target=load_renderer, name="load renderer", daemon=True)
    asyncio.get_running_loop().call_later(_SOON_SECONDS, loading.start)
