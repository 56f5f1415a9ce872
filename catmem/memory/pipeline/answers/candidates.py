"""The answer of an extractor: its schema, and reading it into candidates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from catmem import log
from catmem.memory.pipeline.answers import fields, optional
from catmem.memory.pipeline.answers.parsing import Found, find_items
from catmem.memory.pipeline.answers.schema import (
    INTEGER,
    TEXT,
    choice,
    list_of,
    nullable,
    object_of,
)
from catmem.memory.pipeline.extraction import Candidate, Evidence, Extraction, Refusal
from catmem.memory.store.entry import TYPES, Scope
from catmem.messages import StructuredReply
from catmem.sanitize import one_line
from catmem.secrets import mask
from catmem.text import t

_MOST_CANDIDATES = 20
_EPISODE_CHARACTERS = 600
_MARKS = frozenset({"evidence", "content"})
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
            **optional.PROPERTIES,
        )
    ),
    episode=nullable(TEXT),
)


def read_answer(reply: StructuredReply) -> Extraction | None:
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
        optional=optional.read(item, f"{description}\n{content}"),
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


def _episode(value: Any) -> str | None:
    return one_line(fields.text(value), _EPISODE_CHARACTERS) or None
