"""What a slot has read, kept on disk, so that the next start need not read it again.

A file's name says what it is the state of and holds the hash of its content, because the engine
checks nothing: it aborts on a file that was cut, and answers from damaged numbers as if all was
well. Every method touches the disk and is meant for a thread.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import time
from pathlib import Path
from typing import NamedTuple

from catmem.errors import StorageError
from catmem.providers.local.engine.process import SLOTS, Launch
from catmem.storage import make_dir, reason, remove
from catmem.text import t

MOST_FILES = 4
"""Chat and labels, before and after an update; about 30 MB each with the embedded model."""
_SUFFIX = ".slot"
_DRAFT = ".draft-"
_DRAFT_SECONDS = 3600
_FORMAT = 1


class Saved(NamedTuple):
    """What the engine says about a state that it wrote; ``size`` in bytes."""

    tokens: int
    size: int


class SavedStates:
    """The folder of saved states, as one launch of the engine may use it."""

    def __init__(self, launch: Launch, version: str) -> None:
        self._launch = launch
        self._version = version

    def find(self, prefix: str) -> str | None:
        """Return the name of a whole file with the state after ``prefix``; None for none.

        A damaged one is removed.

        Raises:
            StorageError: a file cannot be read or removed.
        """
        try:
            for path in sorted(self._folder.glob(f"{self._key(prefix)}-*{_SUFFIX}")):
                if path.name == f"{self._key(prefix)}-{_hash_of(path)}{_SUFFIX}":
                    os.utime(path)  # used: the last to be removed
                    return path.name
                remove(path)
        except OSError as error:
            raise self._cannot_read(error) from error
        return None

    def draft(self) -> str:
        """Return a new name for the engine to write to.

        Raises:
            StorageError: the folder cannot be made.
        """
        make_dir(self._folder)
        return f"{_DRAFT}{secrets.token_hex(8)}{_SUFFIX}"

    def keep(self, draft: str, prefix: str, size: int) -> None:
        """Give the draft, which must have ``size`` bytes, its name; remove what is too many.

        Raises:
            StorageError: it is not whole, or the folder cannot be written to.
        """
        path = self._folder / draft
        try:
            if path.stat().st_size != size:
                raise StorageError(t("local.state_cut", path=path))
            path.replace(self._folder / f"{self._key(prefix)}-{_hash_of(path)}{_SUFFIX}")
            self._tidy()
        except OSError as error:
            raise self._cannot_read(error) from error

    def remove(self, name: str) -> None:
        """Remove a file or draft; that it is gone already is no error.

        Raises:
            StorageError: it cannot be removed.
        """
        remove(self._folder / name)

    @property
    def _folder(self) -> Path:
        return self._launch.states

    def _key(self, prefix: str) -> str:
        """Return what tells this text, read by this model in this engine, from every other one."""
        launch, model = self._launch, self._launch.model.stat()
        facts = [_FORMAT, self._version, launch.context, SLOTS]
        facts += [str(launch.model.resolve()), model.st_size, model.st_mtime_ns, prefix]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:16]

    def _tidy(self) -> None:
        """Remove all but the files used last, and drafts that nobody can be writing any more."""
        files = [(path.stat().st_mtime, path) for path in self._folder.glob(f"*{_SUFFIX}")]
        drafts = {path for _, path in files if path.name.startswith(_DRAFT)}
        kept = sorted((one for one in files if one[1] not in drafts), reverse=True)
        for _, path in kept[MOST_FILES:]:
            remove(path)
        for written, path in files:
            if path in drafts and written < time.time() - _DRAFT_SECONDS:
                remove(path)

    def _cannot_read(self, error: OSError) -> StorageError:
        return StorageError(t("config.storage.read", path=self._folder, reason=reason(error)))


def _hash_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:32]
