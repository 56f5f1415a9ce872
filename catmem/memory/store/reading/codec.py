"""How an entry stands in a file: bytes to ``Document`` and back.

python-frontmatter finds the header and splits it off; it is trusted with nothing more. Its
``loads`` takes a byte-order mark for text, strips the body's own blanks, lets YAML turn words into
dates and booleans, and dies of keys called ``content`` or ``handler``; its ``dumps`` sorts the
keys.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from frontmatter.default_handlers import YAMLHandler

from catmem.memory.store.entry import OPTIONAL_KEYS, Entry, as_line
from catmem.memory.store.reading import header, plain
from catmem.memory.store.reading.header import HeaderError, Values
from catmem.sanitize import clean, one_line
from catmem.text import t

_HANDLER = YAMLHandler()
_HEADER_LINE = re.compile(r"\s*(?:[\w.-]+:(?:\s.*)?|- .*|#.*)")
_AT_THE_TOP = frozenset({"name", "description"})
_CONTROLS = bytes([*range(9), 11, 12, *range(14, 32), 127])  # but tab and the ends of lines


@dataclass(frozen=True, slots=True)
class Note:
    """A fault of the text: the sentence, and the line it is about (0: none in particular)."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Document:
    """A file's text, taken apart but unchanged.

    Attributes:
        before, header, between, body: these four, joined, are the text; newlines as in the file.
            ``header`` is None where there is none, and then the other three but ``body`` are empty.
        values: what the header says.
        bom: whether the file began with a byte-order mark.
        notes: what is wrong with it.
        damaged: not all of it was understood, so it must not be written.
    """

    before: str
    header: str | None
    between: str
    body: str
    values: Values = field(default_factory=dict)
    bom: bool = False
    notes: tuple[Note, ...] = ()
    damaged: bool = False

    @property
    def content(self) -> str:
        """The body, each newline a single character."""
        return self.body.replace("\r\n", "\n")

    def text_of(self, key: str) -> str:
        """Return a field as one line of text; in ``metadata`` or at the top level."""
        return as_line(self.value_of(key))

    def value_of(self, key: str) -> Any:
        """Return a field as it was read; the empty text when it is not there."""
        metadata = None if key in _AT_THE_TOP else self.values.get("metadata")
        if isinstance(metadata, dict) and key in metadata:
            return metadata[key]
        return self.values.get(key, "")

    def path_of(self, key: str) -> tuple[str, ...]:
        """Return where a field stands, or belongs."""
        if key in _AT_THE_TOP:
            return (key,)
        metadata = self.values.get("metadata")
        nested = isinstance(metadata, dict) and key in metadata
        return (key,) if key in self.values and not nested else ("metadata", key)

    def line_of(self, key: str) -> int:
        """Return the line, from 1, on which a field of the header stands; 0 for none."""
        key_line = re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*:")
        lines = (self.header or "").split("\n")
        found = (number for number, line in enumerate(lines) if key_line.match(line))
        number = next(found, None)
        return 0 if number is None else self.before.count("\n") + 1 + number

    @property
    def optional(self) -> dict[str, Any]:
        """The optional fields that say something."""
        metadata = self.values.get("metadata")
        fields = self.values | metadata if isinstance(metadata, dict) else self.values
        return {key: fields[key] for key in OPTIONAL_KEYS if fields.get(key)}


def decode(data: bytes) -> Document:
    """Take a file's bytes apart; never fails, faults are noted."""
    text, notes, damaged = _text(data)
    controls = _holds_controls(data if not notes else text.encode("utf-8", "replace"))
    if not notes and not controls and (found := _plain(text)) is not None:
        return found
    bom = text.startswith("\ufeff")
    document = _split(text.removeprefix("\ufeff"))
    if controls:
        damaged = True
        notes += (Note(0, t("memory.store.file.controls")),)
    if not (bom or notes):
        return document
    return replace(
        document, bom=bom, notes=notes + document.notes, damaged=damaged or document.damaged
    )


def _plain(text: str) -> Document | None:
    """Take apart a file as catmem writes it, the quick way; None for any other."""
    end = text.find("\n---\n", 3) + 1
    if not end or not text.startswith("---\n"):
        return None
    values = plain.parse(text[4:end])
    return Document("---", text[3:end], "---\n", text[end + 4 :], values) if values else None


def _holds_controls(data: bytes) -> bool:
    """Look at UTF-8, where no part of a longer character is one: quicker than to search a text."""
    return len(data.translate(None, _CONTROLS)) != len(data)


def encode(entry: Entry) -> bytes:
    """Return a new file for ``entry``, in UTF-8."""
    metadata = {
        "type": entry.type,
        "createdAt": entry.created_at,
        "updatedAt": entry.updated_at,
        **entry.optional,
    }
    lines = [
        "---",
        f"name: {header.format_value(entry.name)}",
        f"description: {header.format_value(entry.description)}",
        "metadata:",
        *(f"  {key}: {header.format_value(value)}" for key, value in metadata.items()),
        "---",
        _ended(entry.content),
    ]
    return "\n".join(lines).encode()


def rewrite(document: Document, changes: Mapping[str, Any], content: str) -> bytes:
    """Return the file with fields and body changed and everything else as it was, in UTF-8.

    Raises:
        MemoryStoreError: its header cannot be edited in place.
    """
    newline = "\r\n" if "\r\n" in document.before + document.between + document.body else "\n"
    body = document.body
    if content.rstrip("\n") != document.content.rstrip("\n"):
        body = _ended(content).replace("\n", newline)
    if document.header is None:
        fresh = header.change("", {document.path_of(key): changes[key] for key in changes})
        text = f"---\n{fresh}---\n".replace("\n", newline) + body
    else:
        edits = {document.path_of(key): value for key, value in changes.items()}
        text = document.before + header.change(document.header, edits) + document.between + body
    return text.encode("utf-8-sig" if document.bom else "utf-8")


def _ended(content: str) -> str:
    return content if content.endswith("\n") else content + "\n"


def _text(data: bytes) -> tuple[str, tuple[Note, ...], bool]:
    """Decode: UTF-8 with or without mark, UTF-16 with one (PowerShell), GB18030 (old Windows)."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    else:
        try:
            return data.decode("utf-8"), (), False
        except UnicodeDecodeError:
            encoding = "gb18030"
    try:
        note = Note(0, t("memory.store.file.encoding", name=encoding))
        return data.decode(encoding), (note,), False
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace"), (Note(0, t("memory.store.file.not_text")),), True


def _split(text: str) -> Document:
    lead = len(text) - len(text.lstrip())
    if not _HANDLER.detect(text[lead:]):
        return Document("", None, "", text, notes=(Note(1, t("memory.store.file.no_header")),))
    try:
        inner, _ = _HANDLER.split(text[lead:])
    except ValueError:
        return _unterminated(text, lead)
    start = text.index(inner, lead + 3)
    end = start + len(inner)
    body = text.find("\n", end) + 1 or len(text)
    return _read(Document(text[:start], inner, text[end:body], text[body:]))


def _read(document: Document) -> Document:
    """Read the header; a faulty one as its writer meant it, where that is clear."""
    text = document.header or ""
    first_line = document.before.count("\n") + 1
    try:
        values = header.parse(text)
    except HeaderError as fault:
        return _mended(document, fault, first_line)
    if values is None:  # two horizontal rules, not a header
        whole = document.before + text + document.between + document.body
        return Document("", None, "", whole, notes=(Note(1, t("memory.store.file.no_header")),))
    return _with(document, text, values)


def _mended(document: Document, fault: HeaderError, first_line: int) -> Document:
    text = document.header or ""
    cleaned = clean(text) if _holds_controls(text.encode("utf-8", "replace")) else text
    mended, line = header.mend(cleaned)
    try:
        values = header.parse(mended) if fault.mendable else None
    except HeaderError:
        values = None
    place = first_line + (fault.line if values is None or line < 0 else line)
    note = Note(place, t("memory.store.file.yaml", problem=one_line(fault.problem, 80)))
    if values is None:
        return _with(document, text, header.loose(cleaned), note, damaged=True)
    return _with(document, mended, values, note)


def _with(
    document: Document, text: str, values: Values, *notes: Note, damaged: bool = False
) -> Document:
    return replace(document, header=text, values=values, notes=notes, damaged=damaged)


def _unterminated(text: str, lead: int) -> Document:
    """Read a header whose closing line is missing: as far as its lines look like one."""
    lines = [line + "\n" for line in text[lead:].split("\n")]
    lines[-1] = lines[-1][:-1]
    looks = [bool(_HEADER_LINE.fullmatch(line.rstrip())) for line in lines]
    count = looks.index(False, 1) if False in looks[1:] else len(lines)
    inner = "".join(lines[1:count])
    note = Note(count, t("memory.store.file.unterminated"))
    try:
        values = header.parse(inner) or {}
    except HeaderError:
        values = header.loose(inner)
    if not values:
        return Document("", None, "", text, notes=(Note(1, t("memory.store.file.no_header")),))
    body = "".join(lines[count:])
    return Document(text[:lead] + lines[0], inner, "", body, values, notes=(note,), damaged=True)
