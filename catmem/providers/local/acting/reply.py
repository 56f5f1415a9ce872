"""Reading the model's JSON reply while it arrives, so that an answer shows as it is written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from catmem.providers.local.acting.actions import ANSWER

_ANSWER_BEGINS = re.compile(rf'\s*\{{\s*"action"\s*:\s*"{ANSWER}"\s*,\s*"text"\s*:\s*"')
_ESCAPES = {
    '"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
}  # fmt: skip
_UNICODE_LENGTH = 4


class JsonText:
    """Decodes the inside of a JSON string piece by piece; an escape may be cut anywhere."""

    def __init__(self) -> None:
        self.closed = False
        self._pending = ""
        self._high = 0

    def feed(self, piece: str) -> str:
        """Return the characters that are certain now; what follows the closing quote is ignored."""
        text, out, at = self._pending + piece, [], 0
        while at < len(text) and not self.closed:
            sign = text[at]
            if sign == '"':
                self.closed = True
            elif sign != "\\":
                end = _next_special(text, at)
                out.append(text[at:end])
                at = end
                continue
            elif (length := _escape_length(text, at)) is None:
                break
            else:
                out.append(self._decode(text[at + 1 : at + length]))
                at += length
                continue
            at += 1
        self._pending = "" if self.closed else text[at:]
        return "".join(out)

    def _decode(self, escape: str) -> str:
        if escape[0] != "u":
            return _ESCAPES.get(escape[0], escape[0])
        code = int(escape[1:], 16)
        high, self._high = self._high, 0
        if 0xD800 <= code < 0xDC00:
            self._high = code
            return ""
        if 0xDC00 <= code < 0xE000:
            return chr(0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00)) if high else "\ufffd"
        return chr(code)


def _next_special(text: str, at: int) -> int:
    ends = [end for sign in '"\\' if (end := text.find(sign, at)) >= 0]
    return min(ends, default=len(text))


def _escape_length(text: str, at: int) -> int | None:
    """Return the length of the escape at ``at``, None while it is not whole."""
    if at + 1 >= len(text):
        return None
    if text[at + 1] != "u":
        return 2
    digits = text[at + 2 : at + 2 + _UNICODE_LENGTH]
    if len(digits) < _UNICODE_LENGTH:
        return None
    return 2 + _UNICODE_LENGTH if re.fullmatch("[0-9a-fA-F]{4}", digits) else 2


class ReplyReader:
    """Takes a reply's pieces; gives an answer's text at once, any other action at the end."""

    def __init__(self) -> None:
        self.raw = ""
        self._answer: JsonText | None = None

    @property
    def is_answer(self) -> bool:
        """Whether the reply speaks to the user."""
        return self._answer is not None

    def feed(self, piece: str) -> Iterator[str]:
        """Yield the part of an answer that ``piece`` completes, if any."""
        self.raw += piece
        if self._answer is None:
            begins = _ANSWER_BEGINS.match(self.raw)
            if begins is None:
                return
            self._answer, piece = JsonText(), self.raw[begins.end() :]
        text = self._answer.feed(piece)
        if text:
            yield text

    def action(self) -> dict[str, str] | None:
        """Return the whole reply as an action; None when it is cut or no JSON object."""
        try:
            value = json.loads(self.raw, strict=False)
        except ValueError:
            return None
        return value if isinstance(value, dict) else None
