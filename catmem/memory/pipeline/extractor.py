"""The extractor for capable models: one structured request for all candidates of a window.

A second one only where the answer cannot be used, and another where a candidate clearly holds
several rules.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime

from catmem import log
from catmem.errors import ProviderError
from catmem.memory.pipeline import excerpt
from catmem.memory.pipeline.answers.asking import ask_twice
from catmem.memory.pipeline.answers.candidates import SCHEMA, read_answer
from catmem.memory.pipeline.answers.prompting import prompt, turns
from catmem.memory.pipeline.extraction import (
    DESCRIPTION_CHARACTERS,
    Candidate,
    Extraction,
    ExtractionError,
    Known,
)
from catmem.memory.pipeline.judging.several import holds_several, parts_of
from catmem.memory.pipeline.window import Window
from catmem.messages import StructuredRequest
from catmem.providers.base import Provider
from catmem.sanitize import one_line
from catmem.secrets import mask
from catmem.text import t

_ASK = "List every fact worth keeping."
_REPAIR = (
    "That was not the JSON object asked for. Answer again with the object alone: "
    '{"candidates": [...], "episode": "..." or null}. ' + _ASK
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
        question = await asyncio.to_thread(self._question, window, known)
        request = StructuredRequest(
            system=prompt("extract"),
            turns=(*turns("extract-examples"), question),
            name="extraction",
            schema=SCHEMA,
            max_tokens=self._max_tokens,
        )
        extraction = await ask_twice(self._provider, request, read_answer, _REPAIR)
        if extraction is None:
            raise ExtractionError(t("pipeline.unreadable", model=self._provider.model))
        return replace(extraction, candidates=await self._split(extraction.candidates))

    async def _split(self, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        """Return the candidates, those that hold several rules in parts; asks once at most.

        Whatever goes wrong, the candidates as they were are still good.
        """
        crowded = [one for one in candidates if holds_several(one)]
        if not crowded:
            return candidates
        shown = json.dumps({"candidates": list(map(_as_json, crowded))}, ensure_ascii=False)
        request = StructuredRequest(
            system=prompt("split"),
            turns=(("user", shown),),
            name="extraction",
            schema=SCHEMA,
            max_tokens=self._max_tokens,
        )
        try:
            answer = read_answer(await self._provider.structured(request))
        except ProviderError as error:
            log.info(f"extraction: not split: {error}")
            return candidates
        parts = parts_of(crowded, answer.candidates if answer else ())
        return tuple(part for one in candidates for part in parts.get(one.name, (one,)))

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


def _as_json(candidate: Candidate) -> dict[str, object]:
    return {
        "evidence": [{"seq": item.seq, "quote": mask(item.quote)} for item in candidate.evidence],
        "type": candidate.type,
        "scope": candidate.scope,
        "name": mask(candidate.name),
        "description": mask(candidate.description),
        "content": mask(candidate.content),
    }


def _today() -> date:
    return datetime.now().astimezone().date()
