"""Sessions and their transcripts: append-only JSONL, the source of truth for the memory pipeline.

The first record is the header (format version, session, system text); each further line is one
message, written before the next step begins, or says what of the earlier ones is no longer sent. A
damaged last line (crash in mid-write) is tolerated and left in place.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from catmem import storage
from catmem.errors import StorageError
from catmem.messages import (
    Message,
    Origin,
    Part,
    ProviderPart,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from catmem.sanitize import repair
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


class Session:
    """One conversation: gives out ``seq`` and writes each message before it counts.

    The file is made with the first message, so that a session in which nothing was said leaves
    nothing behind. While it lives, its owner holds an OS lock on ``<id>.lock``, which tells other
    processes to leave it alone.

    Attributes:
        off_record: whether what is said from now on stays out of long-term memory; each message
            carries it in the transcript, so that no later run can overlook it.
    """

    def __init__(self, directory: Path, workspace: Path) -> None:
        started = _now()
        stamp = re.sub(r"[-:]", "", started[:19]).replace("T", "-")
        self.id = f"{stamp}-{secrets.token_hex(3)}"
        self.path = directory / f"{self.id}.jsonl"
        self.system: tuple[str, ...] = ()
        self.off_record = False
        self._started = started
        self._workspace = workspace
        self._messages: list[Message] = []
        self._seq = 0
        self._owner: contextlib.ExitStack | None = None
        self._has_header = False
        self._withheld: Callable[[Message], Message] | None = None

    @property
    def messages(self) -> tuple[Message, ...]:
        """The conversation so far."""
        return tuple(self._messages)

    def append(self, message: Message) -> Message:
        """Give ``message`` its seq and time, write it, and return it.

        Raises:
            StorageError: the transcript cannot be written; then the message is not part of the
                session.
        """
        numbered = replace(message, seq=self._seq + 1, at=_now(), off_record=self.off_record)
        if self._owner is None:
            self._own()
        if not self._has_header:
            self._write_header()
        storage.append_line(self.path, json.dumps(encode(numbered), ensure_ascii=False))
        self._seq += 1
        self._messages.append(numbered)
        if self._withheld is not None:
            change, self._withheld = self._withheld, None
            self._change(change)
        return numbered

    def clear(self) -> None:
        """Forget the conversation in memory; the transcript keeps it and ``seq`` goes on."""
        self._messages.clear()

    def renew_system(self) -> None:
        """Let the next turn make the system text anew.

        Blocks that a provider sealed rest on the old text, so they are not sent again.
        """
        self.system = ()
        self._messages = [_unsealed(message) for message in self._messages]

    def withhold(self, change: Callable[[Message], Message], system: tuple[str, ...]) -> None:
        """Take something out of the conversation as it is sent from now on.

        ``change`` is applied to every message, also to the results of calls that still run, and
        ``system`` becomes the system text. Blocks that a provider sealed rest on what was there
        before, so they are not sent again. The transcript keeps every message as it was, and gets
        a record of what has changed.

        Raises:
            StorageError: the record cannot be written; the conversation is changed all the same.
        """
        last = self._messages[-1] if self._messages else None
        self._withheld = change if last is not None and last.calls else None
        self.system = system
        self._change(change)

    def _change(self, change: Callable[[Message], Message]) -> None:
        changed = [change(message) for message in self._messages]
        pairs = zip(self._messages, changed, strict=True)
        records = [encode(new) for old, new in pairs if new != old]
        self._messages = [_unsealed(message) for message in changed]
        if self._has_header:
            record = {"withheld": records, "system": [repair(text) for text in self.system]}
            storage.append_line(self.path, json.dumps(record, ensure_ascii=False))

    def close(self) -> None:
        """Give up ownership of the transcript."""
        if self._owner is not None:
            lock_path(self.path).unlink(missing_ok=True)
            self._owner.close()
            self._owner = None

    def _own(self) -> None:
        storage.make_dir(self.path.parent)
        owner = contextlib.ExitStack()
        owner.enter_context(storage.lock(lock_path(self.path), timeout=0))
        self._owner = owner

    def _write_header(self) -> None:
        header = {
            "v": FORMAT_VERSION,
            "session": self.id,
            "started": self._started,
            "workspace": repair(str(self._workspace)),
            "system": [repair(text) for text in self.system],
        }
        storage.append_line(self.path, json.dumps(header, ensure_ascii=False))
        self._has_header = True


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
            record = json.loads(line)
            if "withheld" in record:
                header = replace(header, system=tuple(map(str, record["system"])))
                messages = _replaced(messages, map(decode, record["withheld"]))
            else:
                messages.append(decode(record))
        except (ValueError, KeyError, TypeError, AttributeError):
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
            record = json.loads(line)
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
        record = json.loads(line)
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


def encode(message: Message) -> dict[str, Any]:
    """Return the JSON form of a message."""
    record: dict[str, Any] = {
        "seq": message.seq,
        "at": message.at,
        "role": str(message.role),
        "parts": [_encode_part(part) for part in message.parts],
    }
    if message.attachments:
        record["attachments"] = [repair(text) for text in message.attachments]
    if message.incomplete:
        record["incomplete"] = True
    if message.off_record:
        record["off_record"] = True
    return record


def decode(record: Mapping[str, Any]) -> Message:
    """Return the message of a JSON record.

    Raises:
        KeyError, ValueError, TypeError: it is no message record.
    """
    return Message(
        role=Role(record["role"]),
        parts=tuple(_decode_part(part) for part in record["parts"]),
        seq=int(record["seq"]),
        attachments=tuple(record.get("attachments", ())),
        at=str(record["at"]),
        incomplete=bool(record.get("incomplete", False)),
        off_record=bool(record.get("off_record", False)),
    )


def _unsealed(message: Message) -> Message:
    """Return a message without the blocks that hold only behind an unchanged conversation."""
    parts = [part for part in message.parts if not (isinstance(part, ProviderPart) and part.sealed)]
    return replace(message, parts=tuple(parts))


def _replaced(messages: Sequence[Message], changed: Iterable[Message]) -> list[Message]:
    """Return the messages as they are sent after something was withheld."""
    by_seq = {message.seq: message for message in changed}
    return [_unsealed(by_seq.get(message.seq, message)) for message in messages]


def _encode_part(part: Part) -> dict[str, Any]:
    match part:
        case TextPart(text, origin):
            return {"kind": "text", "text": repair(text), "origin": str(origin)}
        case ToolCallPart(id_, name, arguments, problem):
            call = {"kind": "call", "id": id_, "name": name, "arguments": _repair(dict(arguments))}
            return call | ({"problem": problem} if problem else {})
        case ToolResultPart(call_id, name, text, status, subject):
            return {
                "kind": "result",
                "id": call_id,
                "name": name,
                "text": repair(text),
                "status": status,
                "subject": repair(subject),
            }
        case ProviderPart(provider, model, data, sealed):
            block = {"kind": "block", "provider": provider, "model": model, "data": dict(data)}
            return block if sealed else block | {"sealed": False}


def _decode_part(record: Mapping[str, Any]) -> Part:
    match record["kind"]:
        case "text":
            return TextPart(record["text"], Origin(record["origin"]))
        case "call":
            return ToolCallPart(
                record["id"], record["name"], record["arguments"], record.get("problem")
            )
        case "result":
            return ToolResultPart(
                record["id"],
                record["name"],
                record["text"],
                record["status"],
                record.get("subject", ""),
            )
        case "block":
            return ProviderPart(
                record["provider"], record["model"], record["data"], record.get("sealed", True)
            )
        case other:
            raise ValueError(other)


def _repair(value: Any) -> Any:
    if isinstance(value, str):
        return repair(value)
    if isinstance(value, Mapping):
        return {repair(str(key)): _repair(item) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [_repair(item) for item in value]
    return value


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="seconds")
