"""The session that runs: gives out ``seq`` and writes each message before it counts."""

from __future__ import annotations

import contextlib
import json
import re
import secrets
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from catmem import storage
from catmem.messages import Message
from catmem.sanitize import repair
from catmem.sessions.records import encode
from catmem.sessions.transcripts import FORMAT_VERSION, lock_path, unsealed


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
        self._messages = [unsealed(message) for message in self._messages]

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
        self._messages = [unsealed(message) for message in changed]
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


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="seconds")
