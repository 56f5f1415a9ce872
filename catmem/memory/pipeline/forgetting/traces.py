"""What a forgotten fact looks like wherever it may still stand, and texts without it.

Recognised are the entry's own lines and the quotes it rests on, its name, tokens that are like no
ordinary word (paths, versions, made-up names), and sentences that share most of its words.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from catmem.memory.search.lexical import HAN
from catmem.memory.search.similarity import mass, words_of
from catmem.memory.store.entry import Entry, as_line
from catmem.sanitize import one_line

MARKER = "[forgotten]"
_SAME = 0.55  # more than one of two words, two of three, three of five
_SAME_IN_A_LONG_PIECE = 0.85  # which shares many words with anything, by chance
_LONG_PIECE = 300  # characters
_FEW_WORDS = 3.0
_FEWEST_CELLS = 6
_PIECE = re.compile(
    r"[^\n。！？!?；;.]*(?:\.(?!\s|$)[^\n。！？!?；;.]*)*(?:[\n。！？!?；;.]+\s*|$)"
)
_TOKEN = re.compile(r"[A-Za-z0-9_~.][\w.~/:@+%-]*[\w/]", re.ASCII)
_UNUSUAL = re.compile(
    r"[a-z]\d|\d[a-z]|[a-z][_./:@~-]+[a-z0-9]|~/|\d+\.\d+\.\d+|\d{4,}", re.IGNORECASE
)
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][\w-]{2,}", re.ASCII)  # a capital within a sentence
_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")
_SHORTEST_TOKEN = 5
# What holds a record together; never anybody's words.
_FRAME_TEXT = """
    v kind tx undoes at run session seq occasion outcome role id origin status started workspace"""
_FRAME = frozenset(_FRAME_TEXT.split())
_FILE = frozenset(("scope", "action", "name", "path", "state", "before", "after", "archived"))
_BULLET = re.compile(r"^(?:[-*+>#]+|\d+[.)])\s+")


class Traces:
    """The traces of some entries, old versions among them; ``quotes`` are what they rest on.

    ``ordinary`` are tokens that are no traces by themselves.
    """

    def __init__(
        self, entries: Sequence[Entry], quotes: Collection[str], ordinary: Collection[str]
    ) -> None:
        self.names = frozenset(entry.name for entry in entries)
        texts = [text for entry in entries for text in _texts(entry)]
        phrases = {
            phrase
            for text in (*texts, *quotes)
            for phrase in _phrases(text)
            if _cells(phrase) >= _FEWEST_CELLS and words_of(phrase)
        }
        unusual = {token for text in texts for token in tokens(text)} - set(ordinary)
        self._lines = _any_of(map(_spaced, _longest_first(phrases)))
        self._tokens = _any_of((*map(re.escape, _longest_first(unusual)), *_named(self.names)))
        exact = (*phrases, *unusual, *self.names)
        self._keys = {max(text.split(), key=len).casefold() for text in exact}
        faces = {*(entry.description for entry in entries), *texts, *quotes}
        self._faces = [face for face in map(words_of, faces) if face]

    def held_by(self, text: str) -> bool:
        """Whether a text has any of it."""
        return text in self.names or self.without(text) != text

    def may_be_in(self, text: str) -> bool:
        """Whether it is worth to look closer: quick, for large files."""
        folded = text.casefold()
        if any(key in folded for key in self._keys) and (
            self._lines.search(text) or self._tokens.search(text)
        ):
            return True
        return any(_may_say(folded, face, _SAME) for face in self._faces)

    def without(self, text: str) -> str:
        """Return a text with a marker in place of everything that has to do with it."""
        if text in self.names:
            return MARKER
        if not self.may_be_in(text):
            return text
        text = self._lines.sub(MARKER, text)
        pieces = [match.group() for match in _PIECE.finditer(text) if match.group()]
        return "".join(map(self._piece, pieces))

    def without_all(self, value: Any) -> Any:
        """Return a record of the journal or of a transcript without it.

        What is about an entry alone is left out: its name in a list, its key, what became of its
        file; so is a block of a provider's, which would not be valid with another text. What became
        of the file of another entry stays to the byte: undo and recovery go by its paths.
        """
        if isinstance(value, str):
            return self.without(value)
        if isinstance(value, list):
            return [self.without_all(item) for item in value if not self._is_about(item)]
        if not isinstance(value, dict):
            return value
        if value.keys() == _FILE:
            return value
        frame = _FRAME | {"name"} if "kind" in value else _FRAME
        return {
            key: item if key in frame else self.without_all(item)
            for key, item in value.items()
            if key not in self.names
        }

    def _piece(self, piece: str) -> str:
        if any(self._says(piece, face) for face in self._faces):
            return MARKER + piece[len(piece.rstrip()) :]
        return self._tokens.sub(MARKER, piece)

    def _says(self, piece: str, face: frozenset[str]) -> bool:
        """Whether a piece of text and a line of the entry share most of what the shorter says."""
        is_long = len(piece) > _LONG_PIECE
        same = _SAME_IN_A_LONG_PIECE if is_long else _SAME
        if not _may_say(piece.casefold(), face, same):
            return False
        words = words_of(piece)
        total, told = mass(words), mass(face)
        least = max(min(total, told), min(told, _FEW_WORDS))
        return mass(words & face) >= same * least

    def _is_about(self, item: Any) -> bool:
        if isinstance(item, str):
            return item in self.names
        if not isinstance(item, dict):
            return False
        if item.get("kind") == "block":
            data = item.get("data")
            return bool(self.without_all({"data": data}) != {"data": data})
        return item.get("name") in self.names and "archived" in item


def tokens(text: str) -> Iterator[str]:
    """Yield the tokens of a text that are like no ordinary word, and names; dates are ordinary."""
    yield from _NAME.findall(text)
    for token in _TOKEN.findall(text):
        if len(token) >= _SHORTEST_TOKEN and _UNUSUAL.search(token) and not _DATE.fullmatch(token):
            yield token


def _texts(entry: Entry) -> Iterator[str]:
    yield entry.description
    yield entry.content
    for key in ("gist", "usageScenario", "verify"):
        value = entry.optional.get(key, "")
        yield from map(as_line, value if isinstance(value, list) else [value])


def _phrases(text: str) -> Iterator[str]:
    """Yield the lines and sentences of a text that are long enough to tell something."""
    yield one_line(text)
    for line in text.splitlines():
        bare = _BULLET.sub("", line.strip())
        yield bare
        yield from (match.group().strip(" .。!！;；") for match in _PIECE.finditer(bare))


def _longest_first(texts: Iterable[str]) -> list[str]:
    return sorted(texts, key=len, reverse=True)


def _spaced(phrase: str) -> str:
    """Return a pattern for a phrase, however its words are spaced."""
    return r"\s+".join(map(re.escape, phrase.split()))


def _named(names: Iterable[str]) -> Iterator[str]:
    """Yield a pattern for each name; one of one word counts only where an entry's name stands."""
    for name in _longest_first(names):
        escaped = re.escape(name)
        if "-" in name:
            yield rf"(?<![\w-]){escaped}(?![\w-])"
        else:
            yield rf"(?<=[\[(/]){escaped}(?=[\]/]|\.md\b)"


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern for any of these that begins and ends no word in the middle.

    Han words have no ends. Without patterns it matches nothing.
    """
    either = "|".join(patterns) or "(?!)"
    return re.compile(rf"(?<![a-z0-9])(?:{either})(?![a-z0-9])", re.IGNORECASE)


def _cells(text: str) -> int:
    return len(text) + len(HAN.findall(text))


def _may_say(folded: str, face: frozenset[str], same: float) -> bool:
    """Whether a folded text has as much of a line of the entry as it must; quick and generous."""
    there = frozenset(word for word in face if _stem_of(word) in folded)
    return mass(there) >= same * min(mass(face), _FEW_WORDS)


def _stem_of(word: str) -> str:
    """Return what every form of a word begins with: its last letter may be another one."""
    return word[:-1] if word.isascii() and len(word) > 3 else word
