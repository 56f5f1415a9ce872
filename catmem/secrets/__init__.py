"""Finding and masking secrets: keys, tokens, passwords, private keys, ID and card numbers."""

from __future__ import annotations

from catmem.secrets.finding import Secret, edition, find, mask

__all__ = ["Secret", "edition", "find", "mask"]
