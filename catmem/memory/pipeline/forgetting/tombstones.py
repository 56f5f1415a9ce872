"""Tombstones: what the person forgot or deleted stays forgotten, whatever old sessions still say.

Kept in ``tombstones.jsonl`` under CATMEM_HOME, append-only. A tombstone holds no word of what was
forgotten, only short hashes of its words under a salt of its own: enough to recognise a candidate
that says the same, too little to tell what it was.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

from catmem import storage
from catmem.memory.pipeline.extraction import Candidate, Evidence, Refusal
from catmem.memory.pipeline.forgetting.wishes import asks_to_forget
from catmem.memory.pipeline.window import Window
from catmem.memory.search.similarity import mass, words_of
from catmem.memory.store.entry import Entry, Scope, as_line
from catmem.memory.store.operations import Action, Operation, Outcome, Result
from catmem.memory.store.stores import Stores
from catmem.messages import Message
from catmem.text import t

FORMAT_VERSION = 1
FILE_NAME = "tombstones.jsonl"
# A candidate says the same when this part of its words was forgotten …
_SAME = 0.8
# … and it holds this part of what one line of the forgotten entry said.
_ITS_GIST = 0.5
# Of a candidate that rests on the very message that the forgotten entry rested on.
_SAME_EVIDENCE = 0.35
# Words in which the same fact is put now one way, now another.
_WAYS_OF_SAYING = re.compile(
    r"\b(?:us(?:er|e[sd]?|ing|ual|ually)|lik(?:e[sd]?|ing)|lov(?:e[sd]?|ing)|want(?:s|ed)?|needs?"
    r"|prefer(?:s|red|ence)?|choos(?:e|es|ing)|habit|favou?rites?)\b"
    r"|用户|我们?|使用|喜欢|偏好|偏爱|最爱|习惯|一般|一直|总是|平时",
    re.IGNORECASE,
)
_SALT_BYTES = 8
# Twenty bits: several words of a language share each value, and two texts hardly agree by chance.
_HASH_DIGITS = 5


@dataclass(frozen=True, slots=True)
class Occasion:
    """When and on which words something is forgotten.

    Attributes:
        at: the moment; what is typed later, in another session, may be learned again.
        session: the session in which it was asked for; empty outside one.
        evidence: what the forgotten entries rested on, by their name: (session, evidence).
    """

    at: datetime = field(default_factory=lambda: datetime.now().astimezone())
    session: str = ""
    evidence: Mapping[str, Sequence[tuple[str, Evidence]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Judged:
    """Candidates that may be learned, those that were forgotten, and what is lifted by the former.

    ``lifted`` holds ids of tombstones; it takes effect with ``Tombstones.lift``.
    """

    candidates: tuple[Candidate, ...]
    refused: tuple[Refusal, ...] = ()
    lifted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Tombstone:
    id: str
    salt: str
    at: datetime
    session: str
    place: str
    faces: tuple[tuple[frozenset[str], float], ...]
    words: frozenset[str]
    said: frozenset[str]
    evidence: frozenset[tuple[str, int]]
    content: str

    def forbids(self, session: str, candidate: Candidate) -> bool:
        """Whether a candidate says what was forgotten."""
        texts = (candidate.description, f"{candidate.description}\n{candidate.content}")
        faces = [_words(text) for text in texts]
        whole = self._hashed(faces[-1])
        same = any(self._share(face, self.words) >= _SAME for face in faces)
        if same and any(self._kept(face, total, whole) >= _ITS_GIST for face, total in self.faces):
            return True
        here = [item for item in candidate.evidence if (session, item.seq) in self.evidence]
        quoted = _words("\n".join(item.quote for item in here))
        return bool(here) and (
            any(self._share(face, self.words) >= _SAME_EVIDENCE for face in faces)
            or self._share(quoted, self.words | self.said) >= _SAME_EVIDENCE
        )

    def says(self, entry: Entry) -> bool:
        """Whether an entry has the very content that was forgotten: it was taken back."""
        return _hash(self.salt, entry.content.strip(), 16) == self.content

    def _share(self, words: frozenset[str], known: frozenset[str]) -> float:
        """Return which part of ``words`` is among the hashed ``known``."""
        shared = frozenset(word for word in words if _hash(self.salt, word) in known)
        return mass(shared) / mass(words) if words else 0.0

    def _kept(self, face: frozenset[str], total: float, words: Mapping[str, str]) -> float:
        """Return which part of a face of the forgotten entry is among ``words``, by their hash."""
        shared = frozenset(words[digest] for digest in face & words.keys())
        return mass(shared) / total if total else 0.0

    def _hashed(self, words: Iterable[str]) -> dict[str, str]:
        return {_hash(self.salt, word): word for word in words}


class Tombstones:
    """The file; read afresh each time, because other processes append to it too."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._path = stores.user.places.state / FILE_NAME

    def mark(self, operations: Sequence[Operation], occasion: Occasion) -> list[str]:
        """Write a tombstone for every entry that ``operations`` will delete, durably.

        Done before the deletion, so that no crash can leave something deleted that is learned
        again. Returns one id for each operation, empty for those that delete nothing.

        Raises:
            StorageError: it cannot be written.
        """
        salt = secrets.token_hex(_SALT_BYTES)
        records = [
            self._record(operation, occasion, salt, number)
            for number, operation in enumerate(operations)
        ]
        self._append(*filter(None, records))
        return ["" if record is None else record["id"] for record in records]

    def settle(self, marks: Sequence[str], outcomes: Sequence[Outcome]) -> None:
        """Take back the tombstones of what was not deleted after all.

        Raises:
            StorageError: it cannot be written.
        """
        pairs = zip(marks, outcomes, strict=True)
        self.lift([mark for mark, one in pairs if mark and one.result is not Result.DELETED])

    def lift(self, ids: Sequence[str]) -> None:
        """Let what these tombstones forbid be learned again.

        Raises:
            StorageError: it cannot be written.
        """
        if ids:
            self._append({"lifted": list(ids)})

    def judge(
        self, window: Window, candidates: Sequence[Candidate], but: Collection[str] = ()
    ) -> Judged:
        """Take out the candidates that say what was forgotten and not said anew since.

        ``but`` holds ids of tombstones that do not count.
        """
        standing = [one for one in self._standing() if one.id not in but]
        kept: list[Candidate] = []
        refused: list[Refusal] = []
        lifted: list[str] = []
        for candidate in candidates:
            forbidding = [one for one in standing if one.forbids(window.session, candidate)]
            if all(_said_anew(window, candidate, one) for one in forbidding):
                kept.append(candidate)
                lifted += [one.id for one in forbidding]
            else:
                refused.append(Refusal(candidate.name, t("pipeline.forgotten")))
        return Judged(tuple(kept), tuple(refused), tuple(dict.fromkeys(lifted)))

    def forbidding(self, entry: Entry) -> list[str]:
        """Return the ids of the tombstones that forbid to learn what an entry says."""
        candidate = Candidate(
            (), entry.type, str(entry.scope), entry.name, entry.description, entry.content
        )
        return [one.id for one in self._here() if one.forbids("", candidate)]

    def _record(
        self, operation: Operation, occasion: Occasion, salt: str, number: int
    ) -> dict[str, Any] | None:
        if operation.action is not Action.DELETE:
            return None
        entry = self._stores.get(operation.name, operation.scope)
        if entry is None:
            return None
        evidence = occasion.evidence.get(entry.name, ())
        return {
            "id": f"{salt}-{number}",
            "salt": salt,
            "at": occasion.at.isoformat(timespec="milliseconds"),
            "session": occasion.session,
            "place": self._place() if entry.scope is Scope.PROJECT else "",
            "faces": [
                [_hashes(salt, words), round(mass(words), 2)]
                for words in map(_words, (entry.description, _gist(entry)))
                if words
            ],
            "words": _hashes(salt, _words(_text(entry))),
            "said": _hashes(salt, _words("\n".join(item.quote for _, item in evidence))),
            "evidence": [[session, item.seq] for session, item in evidence],
            "content": _hash(salt, entry.content.strip(), 16),
        }

    def _append(self, *records: Mapping[str, Any]) -> None:
        if records:
            lines = [json.dumps({"v": FORMAT_VERSION, **record}) for record in records]
            storage.append_line(self._path, "\n".join(lines), sync=True)

    def _standing(self) -> list[_Tombstone]:
        """Return the tombstones that hold here and now: not those of what is stored again."""
        found = self._here()
        entries = self._stores.load_all() if found else []
        return [one for one in found if not any(map(one.says, entries))]

    def _here(self) -> list[_Tombstone]:
        found: dict[str, _Tombstone] = {}
        for record in self._records():
            for lifted in _lifted(record):
                found.pop(lifted, None)
            if (one := _decode(record)) is not None:
                found[one.id] = one
        return [one for one in found.values() if one.place in {"", self._place()}]

    def _records(self) -> Iterator[dict[str, Any]]:
        """Yield the records; a damaged line, or one of a newer format, is passed over."""
        try:
            lines = self._path.read_bytes().split(b"\n")
        except OSError:
            return
        for line in lines:
            try:
                record = storage.parse_json(line)
            except ValueError:
                continue
            if isinstance(record, dict) and record.get("v") == FORMAT_VERSION:
                yield record

    def _place(self) -> str:
        """Return what tells this project's store from another's; empty where there is none."""
        project = self._stores.project
        return _hash("", str(project.places.directory), 16) if project is not None else ""


def _said_anew(window: Window, candidate: Candidate, tombstone: _Tombstone) -> bool:
    """Whether the person typed it after it was forgotten: in another session, or as a request."""
    if window.session == tombstone.session and not candidate.explicit:
        return False
    typed = {item.seq for item in candidate.evidence if item.quote in candidate.own_words}
    return any(
        message.seq in typed
        and (moment_of(message) or tombstone.at) > tombstone.at
        and not asks_to_forget(message.text)
        for message in window.messages
    )


def moment_of(message: Message) -> datetime | None:
    """Return when a message was written; None where its time is missing or unreadable."""
    try:
        return datetime.fromisoformat(message.at).astimezone()
    except (ValueError, OverflowError):  # no time, or one before the first
        return None


def _lifted(record: Mapping[str, Any]) -> list[str]:
    ids = record.get("lifted")
    return [one for one in ids if isinstance(one, str)] if isinstance(ids, list) else []


def _decode(record: Mapping[str, Any]) -> _Tombstone | None:
    """Return the tombstone of a record; None where it is something else, or damaged."""
    texts = [record.get(key) for key in ("id", "salt", "at", "session", "place", "content")]
    if not all(isinstance(text, str) for text in texts):
        return None
    try:
        return _Tombstone(
            id=record["id"],
            salt=record["salt"],
            at=datetime.fromisoformat(record["at"]).astimezone(),
            session=record["session"],
            place=record["place"],
            faces=tuple((frozenset(words), float(total)) for words, total in record["faces"]),
            words=frozenset(record["words"]),
            said=frozenset(record["said"]),
            evidence=frozenset((session, int(seq)) for session, seq in record["evidence"]),
            content=record["content"],
        )
    except (KeyError, ValueError, TypeError, OverflowError):
        return None


def _gist(entry: Entry) -> str:
    return as_line(entry.optional.get("gist", ""))


def _text(entry: Entry) -> str:
    """Return everything that an entry says."""
    parts = (entry.name.replace("-", " "), entry.description, entry.content, _gist(entry))
    keywords = as_line(entry.optional.get("keywords", ""))
    return "\n".join((*parts, keywords))


def _words(text: str) -> frozenset[str]:
    return words_of(_WAYS_OF_SAYING.sub(" ", text))


def _hashes(salt: str, words: Iterable[str]) -> list[str]:
    return sorted({_hash(salt, word) for word in words})


@lru_cache(maxsize=65_536)
def _hash(salt: str, text: str, digits: int = _HASH_DIGITS) -> str:
    return hashlib.sha256(f"{salt}\n{text}".encode("utf-8", "replace")).hexdigest()[:digits]
