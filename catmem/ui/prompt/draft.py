"""What the person is writing: typed text with pasted pieces in it, and where each came from.

A paste of several lines is data, not the person's own words; what is typed around it stays typed.
A long one stands in the draft as a short label and is sent whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from catmem.messages import Message, Origin, Role, TextPart
from catmem.sanitize import clean, repair
from catmem.text import t

_FOLD_LINES = 8
_FOLD_CHARACTERS = 1000
_HISTORY_CHARACTERS = 4000


@dataclass(slots=True)
class Pastes:
    """The pastes of several lines in this session, by what stands for them in a draft."""

    _by_label: dict[str, str] = field(default_factory=dict)
    _recent: list[str] = field(default_factory=list)
    _folded: int = 0

    def take(self, data: str) -> str:
        """Return what to insert into the draft for the pasted ``data``."""
        text = clean(decoded(data).replace("\r\n", "\n").replace("\r", "\n"))
        if "\n" not in text.strip("\n"):
            return text.strip("\n")
        self._recent.append(text)
        lines = text.rstrip("\n").count("\n") + 1
        if lines <= _FOLD_LINES and len(text) <= _FOLD_CHARACTERS:
            self._by_label[text] = text
            return text
        self._folded += 1
        label = t("ui.pasted", number=self._folded, lines=lines)
        self._by_label[label] = text
        return label

    def label_before(self, text: str) -> str:
        """Return the label of a folded paste that ``text`` ends with, else nothing."""
        for label, pasted in self._by_label.items():
            if label != pasted and text.endswith(label):
                return label
        return ""

    def message(self, draft: str) -> Message:
        """Return the user message that ``draft`` stands for, each stretch with its origin."""
        parts = tuple(TextPart(text, origin) for text, origin in _joined(self._stretches(draft)))
        return Message(Role.USER, parts)

    def sent(self) -> None:
        """Begin a new draft; labels keep their meaning, for drafts recalled from the history."""
        self._recent.clear()

    def for_history(self, draft: str) -> str:
        """Return what the history keeps: the text in full, or with labels where it is long."""
        full = self.message(draft).text
        return full if len(full) <= _HISTORY_CHARACTERS else draft

    def _stretches(self, draft: str) -> Iterator[tuple[str, Origin]]:
        present = [label for label in self._by_label if label in draft]
        edited = [text for text in self._recent if text not in present]
        if not present:
            yield from _typed(draft, edited)
            return
        longest_first = sorted(present, key=len, reverse=True)
        for piece in re.split(f"({'|'.join(map(re.escape, longest_first))})", draft):
            if piece in self._by_label:
                yield self._by_label[piece], Origin.PASTED
            else:
                yield from _typed(piece, edited)


def decoded(text: str) -> str:
    """Return ``text`` without lone surrogates; bytes that the locale could not decode are UTF-8."""
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    except UnicodeEncodeError:  # half of a pair, as some terminals paste it
        return repair(text)


def _typed(text: str, edited: list[str]) -> Iterator[tuple[str, Origin]]:
    """Split text that was typed or is left of an edited paste, whose lines are still data."""
    if "\n" not in text or not edited:
        yield text, Origin.TYPED
        return
    pasted = {line.strip() for paste in edited for line in paste.split("\n")} - {""}
    for line in text.splitlines(keepends=True):
        known = any(one in line for one in pasted)
        yield line, Origin.PASTED if known else Origin.TYPED


def _joined(stretches: Iterator[tuple[str, Origin]]) -> Iterator[tuple[str, Origin]]:
    """Join neighbours of one origin and leave out empty ones."""
    whole, last = "", Origin.TYPED
    for text, origin in stretches:
        if text and origin is not last and whole:
            yield whole, last
            whole = ""
        if text:
            whole, last = whole + text, origin
    if whole:
        yield whole, last
