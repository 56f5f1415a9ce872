"""A text file's bytes as text and back, so that what an edit does not touch stays identical.

The encoding is found in this order: byte order mark, UTF-8, GB18030 where the bytes look like
Chinese, Latin-1. An encoding is only chosen when encoding the text again gives the same bytes.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, replace

from catmem.tools.base import ToolError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CHINESE_PAIRS = re.compile(rb"[\xa1-\xf7][\xa1-\xfe]")
_HIGH_BYTES = re.compile(rb"[\x80-\xff]")
_SNIFFED = 8192
_KINDS = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"BM", "a BMP image"),
    (b"RIFF", "an image, sound or video"),
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive or office document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x7fELF", "a program (ELF)"),
    (b"SQLite format 3", "an SQLite database"),
)


@dataclass(frozen=True, slots=True)
class TextFile:
    """The decoded content: ``text`` without the byte order mark, line ends as in the file."""

    text: str
    encoding: str = "utf-8"
    mark: bytes = b""

    @property
    def newline(self) -> str:
        """The line end that most lines have."""
        crlf = self.text.count("\r\n")
        return "\r\n" if crlf * 2 > self.text.count("\n") else "\n"

    @property
    def note(self) -> str:
        """The encoding in words where it is not plain UTF-8, else empty."""
        return "" if self.encoding == "utf-8" else f"encoding: {self.encoding}"

    def with_text(self, text: str) -> TextFile:
        """Return the same file with another text."""
        return replace(self, text=text.removeprefix("\ufeff"))

    def encode(self) -> bytes:
        """Return the file's bytes.

        Raises:
            ToolError: the text has characters that the file's encoding lacks.
        """
        try:
            return self.mark + self.text.encode(self.encoding)
        except UnicodeEncodeError as error:
            bad = self.text[error.start : error.start + 20]
            raise ToolError(
                f"The file is stored as {self.encoding}, which cannot hold {bad!r}. Convert it to "
                "UTF-8 with iconv first, or leave those characters out."
            ) from error


def binary_kind(data: bytes, name: str) -> str | None:
    """Return what a file that begins with ``data`` is, if it is not text, else None."""
    if any(data.startswith(mark) for mark, encoding in _MARKS if encoding != "utf-8"):
        return None
    if b"\0" not in data[:_SNIFFED] and not data.startswith((b"\x89PNG", b"\xff\xd8\xff", b"%PDF")):
        return None
    kinds = (kind for magic, kind in _KINDS if data.startswith(magic))
    return next(kinds, "an image" if name.lower().endswith(".ico") else "a binary file")


def decode(data: bytes) -> TextFile:
    """Return the text of ``data``; all bytes have one, so tell binary files apart before."""
    for mark, encoding in _MARKS:
        if data.startswith(mark) and (text := _exact(data[len(mark) :], encoding)) is not None:
            return TextFile(text, encoding, mark)
    for encoding in ("utf-8", *(["gb18030"] if _looks_chinese(data) else [])):
        if (text := _exact(data, encoding)) is not None:
            return TextFile(text, encoding)
    return TextFile(data.decode("latin-1"), "latin-1")


def _exact(data: bytes, encoding: str) -> str | None:
    try:
        text = data.decode(encoding)
        return text if text.encode(encoding) == data else None
    except UnicodeError:
        return None


def _looks_chinese(data: bytes) -> bool:
    """Whether most bytes above ASCII are pairs of GB 2312; in Western text they stand alone."""
    high = len(_HIGH_BYTES.findall(data))
    return len(_CHINESE_PAIRS.findall(data)) * 2 >= high * 0.7
