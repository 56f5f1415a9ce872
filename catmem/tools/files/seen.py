"""What the model has seen of each file, so that no change it does not know of is overwritten."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from catmem.errors import StorageError
from catmem.storage import reason, write_atomic
from catmem.tools.base import ToolError
from catmem.tools.files.textfile import TextFile, binary_kind, decode
from catmem.tools.workspace import Place, Workspace, missing

WHOLE_FILE = 8 * 1024 * 1024
"""Files up to this many bytes are read whole; larger ones are shown in windows and not edited."""


def open_regular(workspace: Workspace, place: Place) -> tuple[int, int]:
    """Open a regular file for reading; return its descriptor and size in bytes.

    Opened without blocking, so that a FIFO or a device cannot hang the caller.

    Raises:
        ToolError: it is missing, unreadable, or something else than a regular file.
    """
    try:
        descriptor = os.open(place.real, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    except FileNotFoundError as error:
        raise missing(workspace, place) from error
    except OSError as error:
        raise ToolError(f"Cannot read {place.shown}: {reason(error)}.") from error
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode):
        return descriptor, status.st_size
    os.close(descriptor)
    if stat.S_ISDIR(status.st_mode):
        raise ToolError(f"{place.shown} is a directory; list it with glob (path, pattern '*').")
    raise ToolError(f"{place.shown} is a pipe, socket or device, not a regular file.")


def refuse_binary(data: bytes, place: Place, size: int) -> None:
    """Raise a ToolError when the file's first bytes show that it is not text."""
    kind = binary_kind(data, place.path.name)
    if kind is not None:
        raise ToolError(
            f"{place.shown} is {kind} ({size:,} bytes). Only text can be read and edited here; "
            "use bash with a fitting program, or ask the user what is in it."
        )


class SeenFiles:
    """Content hashes of the files as the model last read or wrote them."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._hashes: dict[Path, bytes] = {}

    def remember(self, place: Place, data: bytes) -> None:
        """Note that the model knows ``place`` with this content."""
        self._hashes[place.real] = hashlib.sha256(data).digest()

    def knows(self, place: Place, data: bytes) -> bool:
        """Whether ``data`` is what the model last saw there."""
        return self._hashes.get(place.real) == hashlib.sha256(data).digest()

    def save(self, place: Place, data: bytes, mode: int | None = None) -> None:
        """Write the file; ``mode`` is for a new one, an existing one keeps its own.

        Not to be called in a thread: a cancelled call has then either changed the file, or not
        begun to.

        Raises:
            ToolError: it cannot be written, or is marked read-only.
        """
        if mode is None and not os.access(place.real, os.W_OK):
            raise ToolError(f"{place.shown} is read-only. If it is to change, ask the user first.")
        try:
            write_atomic(place.real, data, mode=mode)
        except StorageError as error:
            raise ToolError(str(error)) from error

    def load(self, place: Place) -> tuple[bytes, TextFile]:
        """Return the bytes and text of an existing text file.

        Raises:
            ToolError: it is missing, unreadable, binary, or too large to be read whole.
        """
        descriptor, size = open_regular(self._workspace, place)
        with os.fdopen(descriptor, "rb") as file:
            if size > WHOLE_FILE:
                raise ToolError(
                    f"{place.shown} is too large to be changed here ({size:,} bytes); "
                    "use bash (sed, or a script)."
                )
            try:
                data = file.read(WHOLE_FILE + 1)
            except OSError as error:
                raise ToolError(f"Cannot read {place.shown}: {reason(error)}.") from error
        refuse_binary(data, place, size)
        return data, decode(data)

    def require(self, place: Place, data: bytes) -> None:
        """Raise a ToolError unless the model knows the file with exactly this content."""
        if place.real not in self._hashes:
            raise ToolError(f"{place.shown} has not been read yet. Read it with read_file first.")
        if not self.knows(place, data):
            raise ToolError(
                f"{place.shown} has changed on disk since you read it. "
                "Read it again, then repeat the change."
            )
