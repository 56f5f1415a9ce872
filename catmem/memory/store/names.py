"""What a memory may be called: one rule for tools, commands, extractor and files."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from catmem.errors import MemoryStoreError
from catmem.sanitize import one_line
from catmem.text import t

MAX_CHARACTERS = 100
MAX_BYTES = 200  # a file name may have 255, and temporary and archived copies add to it
_GENERATED_WIDTH = 48
_RESERVED = {
    "memory",
    "index",
    *("con", "prn", "aux", "nul", "conin", "conout", "clock"),
    *(f"{device}{number}" for device in ("com", "lpt") for number in "0123456789¹²³"),
}
_SIMPLE = re.compile(r"(?=[a-z0-9-]{1,100}\Z)[a-z0-9]+(?:-[a-z0-9]+)*")
_JOINTS = re.compile(r"[\s_-]+")


def normalise(name: str) -> str:
    """Return the canonical form of a name that a person or model gave.

    Lower-case words of letters (any script), digits and ``-``; blanks and underscores become ``-``.

    Raises:
        MemoryStoreError: it is none, or reserved; the sentence suggests another where one is near.
    """
    if _SIMPLE.fullmatch(name) and name not in _RESERVED:  # nearly every one; it is canonical
        return name
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
    candidate = _JOINTS.sub("-", folded.strip(" ")).strip("-")
    shown = one_line(name, 60)
    if not candidate:
        raise MemoryStoreError(t("memory.store.name.empty"))
    if not name.isprintable() or not all(_is_word_character(c) or c == "-" for c in candidate):
        raise MemoryStoreError(t("memory.store.name.characters", name=shown, near=slug_for(name)))
    if candidate in _RESERVED:
        raise MemoryStoreError(t("memory.store.name.reserved", name=shown))
    if len(candidate) > MAX_CHARACTERS or len(candidate.encode()) > MAX_BYTES:
        raise MemoryStoreError(t("memory.store.name.long", name=shown, limit=MAX_CHARACTERS))
    return candidate


def slug_for(text: str) -> str:
    """Return a valid name made from ``text``; letters of any script stay, the rest joins words.

    Cut at about 48 columns, between words where it can be. A text without letters and digits gives
    a name from its hash, so that two of them stay apart.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = "".join(c if _is_word_character(c) else " " for c in folded).split()
    slug = _cut("-".join(words))
    if not slug:
        return f"note-{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:8]}"
    return f"note-{slug}" if slug in _RESERVED else slug


def is_reserved(name: str) -> bool:
    """Whether a file of that name must be no entry: the index, or a device on some systems."""
    return key_of(name) in _RESERVED


def key_of(name: str) -> str:
    """Return what two spellings of one name or file name have in common; refuses nothing."""
    if _SIMPLE.fullmatch(name):
        return name
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
    return _JOINTS.sub("-", folded.strip()).strip("-")


def _is_word_character(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character).startswith("M")


def _cut(slug: str) -> str:
    width = 0
    for position, character in enumerate(slug):
        width += 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if width > _GENERATED_WIDTH:
            kept = slug[:position]
            at_word = kept.rpartition("-")[0]
            return at_word if len(at_word) > len(kept) // 2 else kept.strip("-")
    return slug
