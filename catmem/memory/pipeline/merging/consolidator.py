"""Candidates against existing entries: at most one request, none when nothing similar exists.

The model sees the candidates and their nearest entries, numbered with small integers. What it
decides goes through ``repairs`` before it counts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from catmem import log
from catmem.memory.pipeline.answers.asking import ask_twice
from catmem.memory.pipeline.answers.parsing import find_items
from catmem.memory.pipeline.answers.prompting import prompt
from catmem.memory.pipeline.answers.schema import (
    INTEGER,
    TEXT,
    choice,
    list_of,
    nullable,
    object_of,
)
from catmem.memory.pipeline.extraction import Candidate, ExtractionError, Progress
from catmem.memory.pipeline.judging.quotes import normalised
from catmem.memory.pipeline.merging.literals import literals
from catmem.memory.pipeline.merging.planning import Allowance, Decision, Match, Plan
from catmem.memory.pipeline.merging.repairs import Planner
from catmem.memory.pipeline.merging.wordwise import decide
from catmem.memory.search.entries import searchable
from catmem.memory.search.similarity import nearest
from catmem.memory.store.entry import TYPES, Entry
from catmem.memory.store.names import key_of
from catmem.memory.store.operations import Action
from catmem.messages import StructuredReply, StructuredRequest
from catmem.providers.base import Provider
from catmem.sanitize import one_line
from catmem.text import t

_NEIGHBOURS = 8
_MOST_SHOWN = 40
_CONTENT_CHARACTERS = 800
_MARKS = frozenset({"candidate", "action"})
_ASK = "Decide about each candidate."
_REPAIR = (
    "That was not the JSON object asked for. Answer again with the object alone: "
    '{"operations": [...]}. ' + _ASK
)
SCHEMA = object_of(
    operations=list_of(
        object_of(
            candidate=INTEGER,
            action=choice(Action),
            target=nullable(INTEGER),
            entry=nullable(
                object_of(type=choice(TYPES), name=TEXT, description=TEXT, content=TEXT)
            ),
            reason=TEXT,
        )
    )
)


@dataclass(frozen=True, slots=True)
class _Answer:
    items: tuple[dict[str, Any], ...]
    cut: bool


class Consolidator:
    """Decides what becomes of candidates; only plans, never writes."""

    def __init__(self, provider: Provider, *, max_tokens: int, progress: Progress) -> None:
        self._provider = provider
        self._max_tokens = max_tokens
        self._progress = progress

    async def plan(
        self,
        candidates: Sequence[Candidate],
        entries: Sequence[Entry],
        allowance: Allowance,
        *,
        by_words: bool = False,
    ) -> Plan:
        """Return one decision for every candidate, as operations for the store and skips.

        With ``by_words`` code decides alone, for a model that would not give usable JSON.

        Raises:
            ProviderError: the request failed.
            ExtractionError: the answer could not be used.
        """
        matches = await asyncio.to_thread(match, candidates, entries)
        shown = _shown(matches)
        open_questions = any(one.neighbours and one.duplicate_of is None for one in matches)
        decisions: Sequence[Decision] = ()
        if open_questions:
            ask = not by_words
            decisions = await self._decide(matches, shown) if ask else decide(matches, shown)
        planner = Planner(entries, shown, allowance)
        return await asyncio.to_thread(planner.plan, matches, decisions)

    async def _decide(self, matches: Sequence[Match], shown: Sequence[Entry]) -> list[Decision]:
        request = StructuredRequest(
            system=prompt("consolidate"),
            turns=(("user", _question(matches, shown)),),
            name="consolidation",
            schema=SCHEMA,
            max_tokens=self._max_tokens,
        )
        self._progress(t("pipeline.stage.compare"))
        answer = await ask_twice(self._provider, request, _read, _REPAIR)
        if answer is None or answer.cut:
            raise ExtractionError(t("pipeline.unreadable", model=self._provider.model))
        return [Decision.read(item) for item in answer.items]


def match(candidates: Sequence[Candidate], entries: Sequence[Entry]) -> list[Match]:
    """Find for each candidate its nearest entries, and the one that says the very same."""
    active = [entry for entry in entries if not entry.deprecated]
    retired = [entry for entry in entries if entry.deprecated]
    texts = [searchable(entry) for entry in active]
    return [_match(candidate, active, texts, retired) for candidate in candidates]


def _match(
    candidate: Candidate, active: Sequence[Entry], texts: Sequence[str], retired: Sequence[Entry]
) -> Match:
    namesakes = [entry for entry in active if entry.name == key_of(candidate.name)]
    kin = [entry.type == candidate.type for entry in active]
    similar = [active[at] for at in nearest(searchable(candidate), texts, kin, _NEIGHBOURS)]
    neighbours = [*namesakes, *(entry for entry in similar if entry not in namesakes)]
    neighbours = neighbours[:_NEIGHBOURS]
    same = [entry for entry in neighbours if _is_same_text(candidate, entry)]
    left = [
        one for one in retired if one.scope == candidate.scope and _is_same_text(candidate, one)
    ]
    return Match(
        candidate,
        tuple(neighbours),
        same[0] if same else None,
        left[0] if left else None,
    )


def _is_same_text(candidate: Candidate, entry: Entry) -> bool:
    if normalised(candidate.content) != normalised(entry.content):
        return False
    return literals(candidate.content) == literals(entry.content)  # 1.5 is not 15


def _shown(matches: Sequence[Match]) -> list[Entry]:
    """Return the entries to show, the nearest of each candidate first, without repeats."""
    shown: list[Entry] = []
    for place in range(_NEIGHBOURS):
        for one in matches:
            if place < len(one.neighbours) and one.neighbours[place] not in shown:
                shown.append(one.neighbours[place])
    return shown[:_MOST_SHOWN]


def _question(matches: Sequence[Match], shown: Sequence[Entry]) -> str:
    lines = ["## Existing entries"]
    for number, entry in enumerate(shown, 1):
        lines += _described(number, entry)
    lines += ["", "## Candidates"]
    for number, one in enumerate(matches, 1):
        lines += _described(number, one.candidate)
        lines += [f'   quoted: "{one_line(item.quote, 300)}"' for item in one.candidate.evidence]
        near = [str(at) for at, entry in enumerate(shown, 1) if entry in one.neighbours]
        lines.append(f"   similar existing entries: {', '.join(near) or 'none'}")
    return "\n".join([*lines, "", _ASK])


def _described(number: int, item: Candidate | Entry) -> list[str]:
    content = item.content.strip()
    if len(content) > _CONTENT_CHARACTERS:
        content = content[:_CONTENT_CHARACTERS].rstrip() + " (… continues, and stays as it is)"
    head = f"{number}. [{item.type}] {item.name}: {one_line(item.description)}"
    return [head, *(f"   | {line}" for line in content.splitlines())]


def _read(reply: StructuredReply) -> _Answer | None:
    found = find_items(reply.text, "operations", _MARKS)
    if found is None or (found.dropped and not found.items):
        log.warning(f"consolidation: unreadable answer of {len(reply.text)} characters")
        return None
    return _Answer(found.items, found.cut or reply.truncated)
