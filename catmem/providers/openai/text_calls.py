"""Tool calls that a model wrote into its text, because its server has no real ones.

Recognised at the start of a line: a JSON object with ``name`` and ``arguments`` (or
``parameters``), bare, in a code fence, or in ``<tool_call>`` tags; only for tools that exist. Text
that may become such a call is held back while it arrives, everything else passes at once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

# What an object may begin with: one of these keys, or a part of one.
_KEYS = ("name", "arguments", "parameters", "type", "function", "id")
_OPENING = re.compile(r"(?:<tool_call>\s*|```[ \t]*(?:json|tool_call|tool_code)?[ \t]*\n\s*)?\{")
_FIRST_KEY = re.compile(r'\s*(?:"([^"]*)(")?)?')
_CLOSING = {
    "<tool_call>": re.compile(r"\s*</tool_call>"),
    "```": re.compile(r"\s*```[ \t]*(?=\n|$)"),
}
_LONGEST_OPENING = 64


@dataclass(frozen=True, slots=True)
class TextCall:
    """A call found in text; ``arguments`` is JSON text."""

    name: str
    arguments: str


class TextCalls:
    """Splits streamed text into what is shown and calls of the tools named."""

    def __init__(self, tools: Collection[str]) -> None:
        self._tools = tools
        self._held = ""
        self._at_line_start = True
        self._after_call = False
        self._object: _ObjectEnd | None = None

    def feed(self, text: str) -> Iterator[str | TextCall]:
        """Take more text; yield what is certain by now."""
        self._held += text
        yield from self._advance(last=False)

    def finish(self) -> Iterator[str | TextCall]:
        """Yield what is still held back."""
        yield from self._advance(last=True)

    def _advance(self, *, last: bool) -> Iterator[str | TextCall]:
        while self._held:
            if self._after_call:  # the blank rest of its line goes with the call
                self._held = self._held.lstrip()
                self._after_call = not self._held
                continue
            if not self._at_line_start:
                line, newline, self._held = self._held.partition("\n")
                yield line + newline
                self._at_line_start = bool(newline)
                continue
            found = self._look(last=last)
            if found is None:
                return
            yield found

    def _look(self, *, last: bool) -> str | TextCall | None:
        """Look at held text at a line's start: None while it may still become a call."""
        blank = len(self._held) - len(self._held.lstrip())
        body = self._held[blank:]
        if not body:
            return self._take(len(self._held)) if last else None
        opening = _OPENING.match(body)
        if opening is None:
            waiting = not last and len(body) < _LONGEST_OPENING and _may_open(body)
            return None if waiting else self._pass_on(blank)
        start = opening.end() - 1
        if not _may_be_call(body[start + 1 :]):
            return self._pass_on(blank)
        if self._object is None:
            self._object = _ObjectEnd(blank + start)
        end = self._object.find(self._held)
        if end is None:
            return self._pass_on(blank) if last else None
        return self._close(opening.group(), blank, end, last=last)

    def _close(self, opening: str, blank: int, end: int, *, last: bool) -> str | TextCall | None:
        """The object is whole: wait for its closing mark, then see whether it is a call."""
        start = self._held.index("{")
        call = _as_call(self._held[start:end], self._tools)
        if call is None:
            return self._pass_on(blank)
        closing = next((mark for key, mark in _CLOSING.items() if opening.startswith(key)), None)
        if closing is not None:
            found = closing.match(self._held, end)
            if found is not None:
                end = found.end()
            elif not last and len(self._held) - end < _LONGEST_OPENING:
                return None
        self._take(end)
        self._after_call = self._at_line_start = True
        return call

    def _pass_on(self, blank: int) -> str:
        """Give out the line that turned out to be text."""
        text = self._take(self._held.find("\n", blank) + 1 or len(self._held))
        self._at_line_start = text.endswith("\n")
        return text

    def _take(self, length: int) -> str:
        text, self._held = self._held[:length], self._held[length:]
        self._object = None
        return text


class _ObjectEnd:
    """Finds the end of a JSON object in text that grows, looking at each character once."""

    def __init__(self, start: int) -> None:
        self._position = start
        self._depth = 0
        self._in_string = False
        self._end: int | None = None

    def find(self, text: str) -> int | None:
        """Return the position behind the object's last brace, None until it is there."""
        while self._end is None and self._position < len(text):
            char = text[self._position]
            self._position += 1
            if self._in_string:
                if char == "\\":
                    self._position += 1
                elif char == '"':
                    self._in_string = False
            elif char == '"':
                self._in_string = True
            elif char in "{[":
                self._depth += 1
            elif char in "}]":
                self._depth -= 1
                if self._depth == 0:
                    self._end = self._position
        return self._end


def _may_open(body: str) -> bool:
    """Whether more text could make this the beginning of a call."""
    if body.startswith("```"):
        info, newline, rest = body[3:].partition("\n")
        known = any(word.startswith(info.strip()) for word in ("json", "tool_call", "tool_code"))
        return known and (not newline or not rest.strip())
    if "```".startswith(body) or "<tool_call>".startswith(body):
        return True
    return body.startswith("<tool_call>") and not body.removeprefix("<tool_call>").strip()


def _may_be_call(inside: str) -> bool:
    """Whether an object whose text after the brace begins so can be a call, judged by its key."""
    found = _FIRST_KEY.match(inside)
    key, closed = (found[1], found[2]) if found else (None, None)
    if key is None:
        return not inside.strip()
    return key in _KEYS if closed else any(known.startswith(key) for known in _KEYS)


def _as_call(text: str, tools: Collection[str]) -> TextCall | None:
    try:
        value: Any = json.loads(text, strict=False)
    except ValueError:
        return None
    if isinstance(value.get("function"), dict):
        value = value["function"]
    name = value.get("name")
    arguments = value.get("arguments", value.get("parameters"))
    if not isinstance(name, str) or name not in tools:
        return None
    if isinstance(arguments, dict):
        return TextCall(name, json.dumps(arguments))
    return TextCall(name, arguments) if isinstance(arguments, str) else None
