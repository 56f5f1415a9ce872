"""Finding and masking secrets, by three kinds of evidence, one module each.

Tokens that name themselves by their form (``forms``), values that a word beside them gives away
(``words``), and numbers whose check digit is right (``numbers``). Hashes, UUIDs and paths are never
evidence alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

from catmem import __version__
from catmem.secrets import forms, numbers, words


@dataclass(frozen=True, slots=True)
class Secret:
    """Where a secret stands in a text, and what kind it is; the value itself is not kept."""

    start: int
    end: int
    kind: str


def edition() -> str:
    """Return a text that is another one when other things are found."""
    return f"{__version__}\n{forms.PATTERNS}\n{words.PATTERNS}"


def find(text: str) -> list[Secret]:
    """Return the secrets in ``text``, in order, none overlapping another."""
    candidates = chain(forms.find(text), words.find(text), numbers.find(text))
    found = sorted(candidates, key=lambda place: (place[0], -place[1]))
    separate: list[Secret] = []
    for start, end, kind in found:
        if separate and start < separate[-1].end:
            last = separate[-1]
            separate[-1] = Secret(last.start, max(last.end, end), last.kind)
        else:
            separate.append(Secret(start, end, kind))
    return separate


def mask(text: str) -> str:
    """Return ``text`` with each secret replaced by ``[masked KIND]``; the rest is unchanged."""
    pieces: list[str] = []
    position = 0
    for secret in find(text):
        pieces += [text[position : secret.start], f"[masked {secret.kind}]"]
        position = secret.end
    return "".join([*pieces, text[position:]])
