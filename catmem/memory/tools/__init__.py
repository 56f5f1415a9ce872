"""The model's tools for long-term memory: memory_read and memory_write."""

from __future__ import annotations

from catmem.memory.tools.reading import PART_TOKENS, MemoryRead
from catmem.memory.tools.writing import MemoryWrite

__all__ = ["PART_TOKENS", "MemoryRead", "MemoryWrite"]
