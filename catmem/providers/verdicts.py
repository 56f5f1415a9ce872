"""What servers were found to refuse, remembered per server and model.

A refusal costs a request, and the memory pipeline makes one or two per process, so the findings
outlive it: ``state/servers.json``. They expire, because servers learn.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from catmem import log
from catmem.errors import StorageError
from catmem.storage import make_dir, read_bytes, write_atomic

VERSION = 1
_LIMIT = 1_000_000
_KEPT_SECONDS = 30 * 24 * 3600


class Verdicts:
    """A small durable set of findings; a file that cannot be used is as good as an empty one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._found: dict[str, dict[str, float]] | None = None

    def holds(self, server: str, model: str, finding: str) -> bool:
        """Whether ``finding`` was noted for this model of this server, not too long ago."""
        if self._found is None:
            self._found = self._load()
        noted = self._found.get(_key(server, model), {}).get(finding, 0.0)
        return time.time() - noted < _KEPT_SECONDS

    def note(self, server: str, model: str, finding: str) -> None:
        """Remember ``finding``; also on disk, together with what other processes noted."""
        if self.holds(server, model, finding):
            return
        found = self._load()
        found.setdefault(_key(server, model), {})[finding] = round(time.time())
        self._found = found
        data = json.dumps({"version": VERSION, "found": found}, indent=1, ensure_ascii=False)
        try:
            make_dir(self._path.parent)
            write_atomic(self._path, data.encode())
        except StorageError as error:
            log.warning(str(error))

    def _load(self) -> dict[str, dict[str, float]]:
        if not self._path.exists():
            return self._found or {}
        try:
            data: Any = json.loads(read_bytes(self._path, _LIMIT))
            if data["version"] != VERSION:
                return self._found or {}
            return {
                str(key): {str(name): float(noted) for name, noted in names.items()}
                for key, names in data["found"].items()
            }
        except (StorageError, ValueError, KeyError, TypeError, AttributeError) as error:
            log.warning(f"{self._path}: {type(error).__name__}")
            return self._found or {}


def _key(server: str, model: str) -> str:
    return f"{server} {model}"
