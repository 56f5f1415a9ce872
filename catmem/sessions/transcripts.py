"""Transcripts on disk: their form, reading them, finding and deleting them.

The first record is the header (format version, session, system text); each further line is one
message, written before the next step begins, or says what of the earlier ones is no longer sent. A
damaged last line (crash in mid-write) is tolerated and left in place.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from catmem import storage
from catmem.errors import StorageError
from catmem.messages import Message, ProviderPart
from catmem.sessions.records import decode
from catmem.text import t

FORMAT_VERSION = 1
_TAIL_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class Header:
    """The first record of a transcript."""

    session: str
    started: str
    workspace: str
    system: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Transcript:
    """A transcript as read from disk; ``damaged`` counts lines that could not be read."""

    path: Path
    header: Header
    messages: tuple[Message, ...]
    damaged: int = 0

    @property
    def last_seq(self) -> int:
        """``seq`` of the last message, 0 when there is none."""
        return self.messages[-1].seq if self.messages else 0


def lock_path(transcript: Path) -> Path:
    """Return the lock file that the owner of ``transcript`` holds."""
    return transcript.with_suffix(".lock")


def list_transcripts(directory: Path) -> list[Path]:
    """Return the transcripts in ``directory``, oldest first."""
    try:
        return sorted(path for path in directory.iterdir() if path.suffix == ".jsonl")
    except OSError:
        return []


def transcripts_before(root: Path, moment: float) -> list[Path]:
    """Return the transcripts of every project below ``root`` that nothing was added to since.

    ``moment`` is in seconds since the epoch; oldest first within each project.
    """
    found: list[Path] = []
    for directory in _folders(root):
        for path in list_transcripts(directory):
            with contextlib.suppress(OSError):
                if path.stat().st_mtime < moment:
                    found.append(path)
    return found


def delete_transcript(path: Path) -> None:
    """Delete a transcript, and all beside it that is called like its session: ``<id>``, ``<id>.…``.

    Raises:
        StorageError: a living session owns it, or it cannot be deleted.
    """
    try:
        with storage.lock(lock_path(path), timeout=0):
            for item in sorted(path.parent.iterdir(), key=lambda item: item != path):
                if item.name == path.stem or item.name.startswith(f"{path.stem}."):
                    _delete(item)
    except OSError as error:
        raise StorageError(
            t("config.storage.write", path=path, reason=storage.reason(error))
        ) from error
    with contextlib.suppress(OSError):  # others are still there
        path.parent.rmdir()


def _delete(item: Path) -> None:
    if item.is_dir() and not item.is_symlink():
        shutil.rmtree(item)
    else:
        item.unlink(missing_ok=True)


def _folders(root: Path) -> list[Path]:
    try:
        return sorted(path for path in root.iterdir() if path.is_dir() and not path.is_symlink())
    except OSError:
        return []


def read_transcript(path: Path) -> Transcript:
    """Read a transcript; unreadable lines are counted, not fatal.

    Raises:
        StorageError: the file cannot be read, has no header, or was written by a newer catmem.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise StorageError(
            t("config.storage.read", path=path, reason=storage.reason(error))
        ) from error
    header = _header(path, lines[0])
    messages: list[Message] = []
    damaged = 0
    for line in lines[1:]:
        if not line.strip():
            continue
        try:
            record = storage.parse_json(line)
            if "withheld" in record:
                header = replace(header, system=tuple(map(str, record["system"])))
                messages = _replaced(messages, map(decode, record["withheld"]))
            else:
                messages.append(decode(record))
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
            damaged += 1
    return Transcript(path, header, tuple(messages), damaged)


def last_seq(path: Path) -> int:
    """Return ``seq`` of a transcript's last message, reading no more of it than needed.

    0 where there is none, or where the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - _TAIL_BYTES, 0))
            lines = file.read().split(b"\n")
    except OSError:
        return 0
    for line in reversed(lines[1:] if size > _TAIL_BYTES else lines):
        try:
            record = storage.parse_json(line)
        except ValueError:
            continue
        if isinstance(record, dict) and isinstance(record.get("seq"), int):
            return int(record["seq"])
    try:
        return read_transcript(path).last_seq
    except StorageError:
        return 0


def _header(path: Path, line: bytes) -> Header:
    try:
        record = storage.parse_json(line)
        if record["v"] > FORMAT_VERSION:
            raise StorageError(t("config.session.newer", path=path, version=record["v"]))
        return Header(
            str(record["session"]),
            str(record["started"]),
            str(record["workspace"]),
            tuple(str(text) for text in record["system"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise StorageError(t("config.session.no_header", path=path)) from error


def unsealed(message: Message) -> Message:
    """Return a message without the blocks that hold only behind an unchanged conversation."""
    parts = [part for part in message.parts if not (isinstance(part, ProviderPart) and part.sealed)]
    return replace(message, parts=tuple(parts))


def _replaced(messages: Sequence[Message], changed: Iterable[Message]) -> list[Message]:
    """Return the messages as they are sent after something was withheld."""
    by_seq = {message.seq: message for message in changed}
    return [unsealed(by_seq.get(message.seq, message)) for message in messages]
