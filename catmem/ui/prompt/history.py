"""The history of the prompt: one file for all instances, private, without secrets."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from prompt_toolkit.history import FileHistory

from catmem import log
from catmem.errors import StorageError
from catmem.sanitize import repair
from catmem.secrets import mask
from catmem.storage import make_dir, reason

_MAX_CHARACTERS = 4000


class PromptHistory(FileHistory):
    """prompt_toolkit's history file, made 0600 and appended to in one write a line.

    Several instances append to it at the same time; each sees what was there when it started. A
    history that cannot be read or written is no reason to stop: it is logged.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self._path = path

    def load_history_strings(self) -> Iterable[str]:
        """Return the stored lines, newest first."""
        try:
            return list(super().load_history_strings())
        except OSError as error:
            log.warning(f"prompt history: {reason(error)}")
            return []

    def append_string(self, string: str) -> None:
        """Add an entry, unless it is the one before it."""
        if self.get_strings()[-1:] != [string]:
            super().append_string(string)

    def store_string(self, string: str) -> None:
        """Append one entry; secrets are masked, what is too long is left out."""
        if len(string) > _MAX_CHARACTERS:
            return
        lines = "".join(f"+{line}\n" for line in mask(repair(string)).split("\n"))
        try:
            make_dir(self._path.parent)
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            with os.fdopen(descriptor, "ab") as file:
                file.write(f"\n{lines}".encode())
        except (OSError, StorageError) as error:
            log.warning(f"prompt history: {error}")
