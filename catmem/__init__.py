"""catmem: a terminal coding agent with built-in long-term memory."""

from __future__ import annotations

__version__ = "0.1.0"
