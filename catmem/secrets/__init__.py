"""Finding and masking secrets: keys, tokens, passwords, private keys, ID and card numbers."""

from __future__ import annotations

from catmem.secrets.finding import Secret, find, mask

__all__ = ["Secret", "find", "mask"]
