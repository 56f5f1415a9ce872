"""Making foreign text harmless before it reaches a terminal, an index or a prompt.

Safety rests on the second step alone (delete every control character), so a sequence that is split
across two chunks stays harmless; the first step only keeps the remains of sequences from showing.
"""

from __future__ import annotations

import re

_SEQUENCES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI; below: OSC, DCS, SOS, PM, APC; others
    r"|\x9b[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]{0,4096}(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]"
)
_CONTROLS = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_OVERWRITTEN = re.compile(r"[^\n]*\r(?!\n)")


def repair(text: str) -> str:
    """Replace lone surrogates, which no encoder takes, by U+FFFD."""
    return _SURROGATES.sub("\ufffd", text)


def clean(text: str) -> str:
    """Return ``text`` without escape sequences and control characters; newlines, tabs stay.

    Of a line that carriage returns overwrite (progress bars), the last state stays.
    """
    if text.isprintable():  # the common case: no control, format or surrogate character at all
        return text
    text = _SEQUENCES.sub("", text)
    if "\r" in text:
        text = _OVERWRITTEN.sub("", text.replace("\r\n", "\n").rstrip("\r")).replace("\r", "")
    return repair(_CONTROLS.sub("", text))


def one_line(text: str, limit: int = 0) -> str:
    """Return ``text`` cleaned, on one line, cut to ``limit`` characters with … (0: not cut)."""
    if text.isprintable() and "  " not in text:  # the common case; no other blank is printable
        line = text.strip(" ")
    else:
        line = " ".join(clean(text).split())
    return line if not limit or len(line) <= limit else line[: limit - 1].rstrip() + "…"


def unclosing(text: str) -> str:
    """Return a foreign text that can close no tagged section of a prompt it is quoted in."""
    return text.replace("</", "< /")
