"""The copy of an entry that its owner edits: made, judged, and kept where it cannot be stored."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from catmem import secrets, storage
from catmem.errors import MemoryStoreError, StorageError
from catmem.memory.store.entry import TYPES, Entry
from catmem.memory.store.reading.directory import MAX_BYTES, SUFFIX, entry_in
from catmem.memory.store.reading.loading import load_codec
from catmem.memory.store.store import MAX_DESCRIPTION, checked
from catmem.sanitize import one_line
from catmem.text import t

if TYPE_CHECKING:
    from catmem.memory.store.reading.codec import Document


@dataclass(frozen=True, slots=True)
class Draft:
    """A private copy of an entry's file, and what the file was when the copy was made."""

    entry: Entry
    original: bytes
    path: Path

    def changed(self) -> bool:
        """Whether the copy says anything else than the file did; a copy that is gone does not."""
        try:
            return self.path.read_bytes() != self.original
        except OSError:
            return False

    def remove(self) -> None:
        """Delete the copy."""
        self.path.unlink(missing_ok=True)

    def read(self) -> tuple[Entry, bytes]:
        """Return the entry as its owner wrote it, and the file to store.

        Raises:
            MemoryStoreError: it cannot be stored; the sentence names the copy and the line.
            StorageError: it cannot be read, or is too large.
        """
        data = storage.read_bytes(self.path, MAX_BYTES)
        new, notes = entry_in(data, self.entry.path or self.path, self.entry.scope)
        document = load_codec().decode(data)
        text = document.before + (document.header or "") + document.between + document.body
        _, old_notes = entry_in(self.original, self.entry.path or self.path, self.entry.scope)
        known = {sentence for _, sentence in old_notes}
        for line, sentence in notes:
            if new.damaged or (line and sentence not in known):
                raise self._fault(line, sentence)
        try:
            checked(new)
        except MemoryStoreError as error:
            raise self._fault(_line_at_fault(new, document, text), str(error)) from error
        if found := secrets.find(text):  # in a field that is not catmem's
            reason = t("memory.store.secret", kind=found[0].kind)
            raise self._fault(_line_at_fault(new, document, text), reason)
        return new, _dated(data)

    def _fault(self, line: int, reason: str) -> MemoryStoreError:
        path = one_line(str(self.path))
        if line:
            return MemoryStoreError(
                t("memory.store.file.note_line", path=path, line=line, reason=reason)
            )
        return MemoryStoreError(t("memory.store.file.note", path=path, reason=reason))


def draft_of(entry: Entry, folder: Path) -> Draft:
    """Copy an entry's file into ``folder``, where its owner may edit it.

    Raises:
        StorageError: the file cannot be read, or no copy be made.
    """
    if entry.path is None:
        raise StorageError(t("memory.store.gone", name=entry.name))
    original = storage.read_bytes(entry.path, MAX_BYTES)
    storage.make_dir(folder)
    path = ""
    try:
        descriptor, path = tempfile.mkstemp(prefix=f"{entry.name}-", suffix=SUFFIX, dir=folder)
        with os.fdopen(descriptor, "wb") as file:
            file.write(original)
    except OSError as error:
        if path:
            Path(path).unlink(missing_ok=True)
        reason = storage.reason(error)
        raise StorageError(t("config.storage.write", path=folder, reason=reason)) from error
    return Draft(entry, original, Path(path))


def _line_at_fault(new: Entry, document: Document, text: str) -> int:
    """Return the line that ``checked`` cannot have liked; 0 where there is none to point at."""
    if new.type not in TYPES:
        return document.line_of("type")
    if not new.description or len(new.description) > MAX_DESCRIPTION:
        return document.line_of("description")
    if not new.content.strip():
        return text.count("\n") + 1
    found = secrets.find(text)
    return text[: found[0].start].count("\n") + 1 if found else 0


def _dated(data: bytes) -> bytes:
    """Return the file with today as its last update, where it has a header that can take it."""
    codec = load_codec()
    document = codec.decode(data)
    if document.header is None:
        return data
    today = datetime.now().astimezone().date().isoformat()
    try:
        return codec.rewrite(document, {"updatedAt": today}, document.content)
    except MemoryStoreError:
        return data
