"""Long-term memory: one vertical slice with one door, ``setup``."""

from __future__ import annotations
