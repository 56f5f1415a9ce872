"""Reading the JSON in a model's answer, whatever stands around it and however it is damaged.

Works in linear time and never raises on any text. It answers with plain dictionaries; what they
mean is checked by whoever asked. Handled: code fences and prose around the object, reasoning before
it, several objects, a bare array, an object inside a JSON string, trailing commas, comments, NaN,
Python's literals, raw line breaks in strings, duplicate keys, and an answer that breaks off.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_MAX_TEXT = 100_000
_MAX_DEPTH = 12
_WORK_PER_CHARACTER = 3
_WORK_PER_VALUE = 4
_THOUGHT_ENDS = "</think>"
_THOUGHT_BEGINS = "<think>"
_START = re.compile(r"[{\[]")
_BLANK = re.compile(r"(?:[\s\ufeff]+|//[^\n]*|/\*.*?(?:\*/|\Z))*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORD = re.compile(r"[A-Za-z_-]+")
_WORDS = {"true": True, "false": False, "null": None, "none": None, "nan": None}
_FENCE = re.compile(r"```[\w-]*")


@dataclass(frozen=True, slots=True)
class Found:
    """What an answer held.

    Attributes:
        items: the dictionaries of the list that was asked for, finished ones only.
        dropped: list members that were no dictionaries.
        root: the object around the list, for its other fields.
        cut: the answer broke off inside the list.
    """

    items: tuple[dict[str, Any], ...]
    dropped: int
    root: Mapping[str, Any]
    cut: bool = False


class _BrokenError(ValueError):
    """Not JSON, not even nearly."""


def find_items(text: str, key: str, marks: frozenset[str]) -> Found | None:
    """Find the list ``key`` in an answer; None when there is none, which is no empty list.

    ``marks`` are keys by which a member of the list is recognised when it stands alone or in a bare
    array. Of several objects the last with members counts, else the last.
    """
    text = text[:_MAX_TEXT]
    answer = text.rpartition(_THOUGHT_ENDS)[2]
    found = _search(answer, key, marks)
    if found is None and answer != text:  # the tag stood inside a string
        found = _search(text, key, marks)
    if found is not None and not found.items and _is_unfinished_thought(answer):
        return None
    return found


def _is_unfinished_thought(text: str) -> bool:
    return text.lstrip().startswith(_THOUGHT_BEGINS)


def _search(text: str, key: str, marks: frozenset[str]) -> Found | None:
    loose: list[dict[str, Any]] = []
    best: Found | None = None
    loose_cut = False
    for value, cut in _values(text):
        if isinstance(value, dict) and (holder := _holder(value, key)) is not None:
            found = _listed(holder, key, marks, cut=cut)
            if found is not None and (best is None or found.items or not best.items):
                best = found
        else:
            members = value if isinstance(value, list) else [] if cut else [value]
            loose += [item for item in members if isinstance(item, dict) and marks & item.keys()]
            loose_cut = loose_cut or (cut and bool(loose))
    if best is None and loose:
        return Found(tuple(loose), 0, {}, cut=loose_cut)
    if best is None and _FENCE.sub("", text).strip() == "[]":
        return Found((), 0, {})
    return best


def _holder(value: dict[str, Any], key: str) -> dict[str, Any] | None:
    """Return ``value``, or an object directly inside it, that has ``key``."""
    if key in value:
        return value
    inner = [item for item in value.values() if isinstance(item, dict) and key in item]
    return inner[0] if len(inner) == 1 else None


def _listed(holder: dict[str, Any], key: str, marks: frozenset[str], *, cut: bool) -> Found | None:
    listed = holder[key]
    if isinstance(listed, str):
        return _search(listed, key, marks) or _bare(listed, holder, marks)
    if isinstance(listed, dict):
        members = [listed] if marks & listed.keys() else list(listed.values())
        listed = members if any(map(_is_object, members)) else None
    if not isinstance(listed, list):
        return None
    items = tuple(item for item in listed if isinstance(item, dict))
    return Found(items, len(listed) - len(items), holder, cut=cut)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _bare(text: str, holder: dict[str, Any], marks: frozenset[str]) -> Found | None:
    for value, cut in _values(text):
        if isinstance(value, list):
            items = tuple(i for i in value if isinstance(i, dict) and marks & i.keys())
            return Found(items, len(value) - len(items), holder, cut=cut)
    return None


def _values(text: str) -> list[tuple[Any, bool]]:
    """Return the objects and arrays that stand in ``text``, each with whether it broke off."""
    stripped = _FENCE.sub("", text).strip()
    if stripped.startswith('"') and _STRING.fullmatch(stripped):
        text = _unquote(stripped)
    reader = _Reader(text)
    values: list[tuple[Any, bool]] = []
    place = 0
    while (start := _START.search(text, place)) is not None and reader.work > 0:
        try:
            value, place = reader.read(start.start())
        except _BrokenError:
            place = start.end()
        else:
            values.append((value, reader.cut))
    return values


def _unquote(literal: str) -> str:
    try:
        value = json.loads(literal, strict=False)
    except ValueError:
        return literal[1:-1]
    return value if isinstance(value, str) else literal


class _Reader:
    """A forgiving JSON reader; its total work is bounded, so that no text makes it slow."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.work = len(text) * _WORK_PER_CHARACTER + 1_000
        self.cut = False

    def read(self, start: int) -> tuple[Any, int]:
        """Read the value at ``start``; return it and the place after it; sets ``cut``."""
        self.cut = False
        place = start
        try:
            value, place = self._value(start, 0)
        finally:
            self.work -= max(place - start, 1)
        return value, place

    def _value(self, place: int, depth: int) -> tuple[Any, int]:
        self.work -= _WORK_PER_VALUE
        if depth > _MAX_DEPTH or self.work <= 0:
            raise _BrokenError
        place = self._skip(place)
        if place >= len(self._text):
            self.cut = True
            return None, place
        match self._text[place]:
            case "{":
                return self._object(place + 1, depth)
            case "[":
                return self._array(place + 1, depth)
            case '"':
                return self._string(place)
            case _:
                return self._scalar(place)

    def _skip(self, place: int) -> int:
        blank = _BLANK.match(self._text, place)
        end = blank.end() if blank else place
        self.work -= end - place
        return end

    def _array(self, place: int, depth: int) -> tuple[list[Any], int]:
        items: list[Any] = []
        while True:
            place = self._skip_commas(place)
            if self.cut or self._text[place] == "]":
                return items, place + (not self.cut)
            item, place = self._value(place, depth + 1)
            if self.cut:
                return items, place
            items.append(item)

    def _object(self, place: int, depth: int) -> tuple[dict[str, Any], int]:
        found: dict[str, Any] = {}
        while True:
            place = self._skip_commas(place)
            if self.cut or self._text[place] == "}":
                return found, place + (not self.cut)
            if self._text[place] != '"':
                raise _BrokenError
            key, place = self._string(place)
            place = self._skip(place)
            self.cut = place >= len(self._text)
            if self.cut:
                return found, place
            if self._text[place] != ":":
                raise _BrokenError
            value, place = self._value(place + 1, depth + 1)
            if not self.cut or isinstance(value, list):
                _set(found, key, value)
            if self.cut:
                return found, place

    def _skip_commas(self, place: int) -> int:
        place = self._skip(place)
        while place < len(self._text) and self._text[place] == ",":
            place = self._skip(place + 1)
        self.cut = place >= len(self._text)
        return place

    def _string(self, place: int) -> tuple[str, int]:
        literal = _STRING.match(self._text, place)
        if literal is None:
            self.work -= len(self._text) - place
            self.cut = True
            return "", len(self._text)
        self.work -= literal.end() - place
        return _unquote(literal.group()), literal.end()

    def _scalar(self, place: int) -> tuple[Any, int]:
        number = _NUMBER.match(self._text, place)
        if number:
            return _number(number.group()), self._end(number.end())
        word = _WORD.match(self._text, place)
        if word and word.group().lower() in _WORDS:
            return _WORDS[word.group().lower()], self._end(word.end())
        if word and word.group().lower().strip("-") in {"infinity", "inf"}:
            return None, self._end(word.end())
        raise _BrokenError

    def _end(self, place: int) -> int:
        """A scalar at the very end may have lost its rest."""
        self.cut = place >= len(self._text)
        return place


def _set(found: dict[str, Any], key: str, value: Any) -> None:
    """Of duplicate keys the last counts, but never an empty value over a full one."""
    if key not in found or value not in ("", None, [], {}):
        found[key] = value


def _number(literal: str) -> int | float | None:
    if literal.lstrip("-").isdigit():
        return int(literal) if len(literal) < 19 else None
    return float(literal)
