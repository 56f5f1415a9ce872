"""Files that were looked through for secrets before and hold none, by the digest of their bytes.

Looking is what takes the longest when thousands of entries are read at a start. The list is derived
and can be deleted at any time. It holds nothing of what the files say, is asked about bytes that
were just read, and is worth nothing once the patterns have changed; whoever forges it can have a
secret shown that stands in a file of theirs.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from pathlib import Path

from catmem import secrets
from catmem.errors import StorageError
from catmem.storage import read_bytes

FILE_NAME = "harmless"
_MAX_BYTES = 4_000_000
_WORTH_A_FILE = 50
_DIGEST = re.compile(rb"[0-9a-f]{64}")


class Harmless:
    """The digests; written to ``state`` when that exists and there are many new ones."""

    def __init__(self, state: Path | None) -> None:
        self._path = state / FILE_NAME if state is not None else None
        self._known: set[str] | None = None
        self._new: set[str] = set()

    def __contains__(self, digest: str) -> bool:
        if self._known is None:
            self._known = self._load()
        return digest in self._known or digest in self._new

    def add(self, digest: str) -> None:
        """Note that what has this digest holds no secret."""
        self._new.add(digest)

    def save(self) -> None:
        """Append what is new; a list that cannot be written is no loss."""
        if self._path is None or len(self._new) < _WORTH_A_FILE or not self._path.parent.is_dir():
            return
        lines = "".join(f"{digest}\n" for digest in sorted(self._new))
        self._known = (self._known or set()) | self._new
        self._new = set()
        with contextlib.suppress(OSError):
            fresh = not self._starts_right()
            flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if fresh else os.O_APPEND)
            descriptor = os.open(self._path, flags | os.O_NOFOLLOW, 0o600)
            with os.fdopen(descriptor, "ab") as file:
                file.write((_edition() + "\n" + lines if fresh else lines).encode())

    def _load(self) -> set[str]:
        if self._path is None:
            return set()
        try:
            first, *lines = read_bytes(self._path, _MAX_BYTES).split(b"\n")
        except StorageError:
            return set()
        if first.decode("utf-8", "replace") != _edition():
            return set()
        return {line.decode() for line in lines if _DIGEST.fullmatch(line)}

    def _starts_right(self) -> bool:
        """Whether the list is one of this edition that may grow further."""
        if self._path is None:
            return False
        try:
            return read_bytes(self._path, _MAX_BYTES).startswith(_edition().encode() + b"\n")
        except StorageError:
            return False


def _edition() -> str:
    """Return what names the patterns: another list is made for others."""
    return f"catmem harmless 1 {hashlib.sha256(secrets.edition().encode()).hexdigest()[:16]}"
