"""The extractor for capable models: one structured request for all candidates of a window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from catmem import log
from catmem.memory.pipeline import excerpt
from catmem.memory.pipeline.answers import fields
from catmem.memory.pipeline.answers.asking import ask_twice
from catmem.memory.pipeline.answers.parsing import Found, find_items
from catmem.memory.pipeline.answers.prompting import prompt, turns
from catmem.memory.pipeline.answers.schema import (
    INTEGER,
    TEXT,
    choice,
    list_of,
    nullable,
    object_of,
)
from catmem.memory.pipeline.extraction import (
    DESCRIPTION_CHARACTERS,
    Candidate,
    Evidence,
    Extraction,
    ExtractionError,
    Known,
    Refusal,
)
from catmem.memory.pipeline.window import Window
from catmem.memory.store.entry import TYPES, Scope
from catmem.messages import StructuredReply, StructuredRequest
from catmem.providers.base import Provider
from catmem.sanitize import one_line
from catmem.secrets import mask
from catmem.text import t

_MOST_CANDIDATES = 20
_EPISODE_CHARACTERS = 600
_MARKS = frozenset({"evidence", "content"})
_ASK = "List every fact worth keeping."
_REPAIR = (
    "That was not the JSON object asked for. Answer again with the object alone: "
    '{"candidates": [...], "episode": "..." or null}. ' + _ASK
)
# What the prompt shows as a form, copied instead of filled in.
_PLACEHOLDERS = frozenset(
    {"kebab-case-slug", "one line", "the fact", "words of that message", "...", "…"}
)
SCHEMA = object_of(
    candidates=list_of(
        object_of(
            evidence=list_of(object_of(seq=INTEGER, quote=TEXT)),
            type=choice(TYPES),
            scope=choice(Scope),
            name=TEXT,
            description=TEXT,
            content=TEXT,
            usageScenario=list_of(TEXT),
            gist=TEXT,
        )
    ),
    episode=nullable(TEXT),
)


class JsonExtractor:
    """Asks for all candidates as one JSON object.

    An answer that cannot be read is asked for once more; one that broke off, once more with twice
    the room.
    """

    def __init__(self, provider: Provider, *, max_tokens: int, budget: int) -> None:
        self._provider = provider
        self._max_tokens = max_tokens
        self._budget = budget

    async def extract(self, window: Window, known: Sequence[Known]) -> Extraction:
        """Show the window, ask, read the answer."""
        request = StructuredRequest(
            system=prompt("extract"),
            turns=(*turns("extract-examples"), self._question(window, known)),
            name="extraction",
            schema=SCHEMA,
            max_tokens=self._max_tokens,
        )
        extraction = await ask_twice(self._provider, request, _read, _REPAIR)
        if extraction is None:
            raise ExtractionError(t("pipeline.unreadable", model=self._provider.model))
        return extraction

    def _question(self, window: Window, known: Sequence[Known]) -> tuple[str, str]:
        today = excerpt.day_of(window.messages[-1]) or _today()
        lines = [f"Today: {today.isoformat()} ({today:%A})"]
        if known:
            lines.append("Already known:")
            lines += [
                f"- {entry.name}: {one_line(entry.description, DESCRIPTION_CHARACTERS)}"
                for entry in known
            ]
        lines += ["", excerpt.render(window, self._budget), "", _ASK]
        return "user", "\n".join(lines)


def _today() -> date:
    return datetime.now().astimezone().date()


def _read(reply: StructuredReply) -> Extraction | None:
    """Return what an answer holds, None when nothing in it can be used."""
    found = find_items(reply.text, "candidates", _MARKS)
    if found is None:
        log.warning(f"extraction: unreadable answer of {len(reply.text)} characters")
        return None
    candidates, refused = _sort(found)
    if refused and not candidates:
        log.warning(f"extraction: no usable item among {len(refused)}")
        return None
    return Extraction(
        tuple(candidates),
        tuple(refused),
        episode=_episode(found.root.get("episode")),
        cut=found.cut or reply.truncated,
    )


def _sort(found: Found) -> tuple[list[Candidate], list[Refusal]]:
    candidates: dict[str, Candidate] = {}
    refused = [Refusal("?", t("pipeline.no_object"))] * found.dropped
    for item in found.items:
        read = read_candidate(item)
        if isinstance(read, Refusal):
            refused.append(read)
        elif read.name in candidates:
            candidates[read.name] = _merged(candidates[read.name], read)
        elif len(candidates) == _MOST_CANDIDATES:
            refused.append(Refusal(read.name, t("pipeline.too_many", limit=_MOST_CANDIDATES)))
        else:
            candidates[read.name] = read
    return list(candidates.values()), refused


def _merged(one: Candidate, other: Candidate) -> Candidate:
    """Join two candidates of one name: the fuller text, all evidence."""
    fuller, lesser = (other, one) if len(other.content) > len(one.content) else (one, other)
    evidence = tuple(dict.fromkeys((*one.evidence, *other.evidence)))
    return Candidate(
        evidence,
        fuller.type,
        fuller.scope,
        fuller.name,
        fuller.description,
        fuller.content,
        {**lesser.optional, **fuller.optional},
    )


def read_candidate(item: Mapping[str, Any]) -> Candidate | Refusal:
    """Turn one item of an answer into a candidate; wrong types and copied forms are refused."""
    name, content = fields.line(item.get("name")), fields.text(item.get("content"))
    description = fields.line(item.get("description")) or fields.line(content.split("\n", 1)[0])
    label = one_line(mask(name or description or "?"), 60)
    kind = fields.line(item.get("type")).lower()
    if kind not in TYPES:
        return Refusal(label, t("pipeline.unknown_type"))
    if not content:
        return Refusal(label, t("pipeline.no_content"))
    if _PLACEHOLDERS & {name.lower(), description.lower(), content.lower()}:
        return Refusal(label, t("pipeline.placeholder"))
    scope = fields.line(item.get("scope")).lower()
    return Candidate(
        evidence=tuple(_evidence(item.get("evidence"))),
        type=kind,
        scope=scope if scope in set(Scope) else "",
        name=name or description,
        description=description,
        content=content,
        optional=_optional(item),
    )


def _evidence(value: Any) -> list[Evidence]:
    items = value if isinstance(value, list) else [value]
    found: list[Evidence] = []
    for item in items:
        if isinstance(item, Mapping):
            seq, quote = fields.number(item.get("seq")), fields.text(item.get("quote"))
            if seq is not None and quote:
                found.append(Evidence(seq, quote))
    return found


def _optional(item: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key in ("keywords", "usageScenario"):
        value = item.get(key)
        lines = [fields.line(entry) for entry in (value if isinstance(value, list) else [value])]
        if kept := [line for line in lines if line and line not in _PLACEHOLDERS]:
            found[key] = kept
    gist = fields.line(item.get("gist"))
    if gist and gist not in _PLACEHOLDERS:
        found["gist"] = gist
    return found


def _episode(value: Any) -> str | None:
    return one_line(fields.text(value), _EPISODE_CHARACTERS) or None
