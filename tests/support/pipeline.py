"""Scripting a whole session: chat replies and what the memory pipeline gets, in one router."""

from __future__ import annotations

import copy
import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tests.support.reply import Reply
from tests.support.request import Request

MARKER = re.compile(r"^\[#(\d+) (?:user|assistant|tool|summary)\]$", re.MULTILINE)
Candidate = dict[str, Any]


def candidate(
    name: str,
    description: str,
    content: str | None = None,
    *,
    quote: str,
    type: str = "user",
    scope: str = "user",
    **optional: Any,
) -> Candidate:
    """A candidate as the extractor writes it; the router finds the `seq` of the message quoted."""
    return {
        "evidence": [{"seq": None, "quote": quote}],
        "type": type,
        "scope": scope,
        "name": name,
        "description": description,
        "content": content or description,
        **optional,
    }


def operation(
    number: int,
    action: str,
    *,
    target: int | None = None,
    entry: Mapping[str, str] | None = None,
    reason: str = "scripted",
) -> dict[str, Any]:
    """An operation as the consolidator writes it, for the candidate with that number."""
    return {
        "candidate": number,
        "action": action,
        "target": target,
        "entry": entry,
        "reason": reason,
    }


class PipelineRouter:
    """A router that gives chat, extraction and consolidation requests each their own replies.

    Each list is used up in order and may be extended between two sessions. A chat request without
    a reply is left to the server's script; an extraction finds nothing by default, a consolidation
    decides nothing, and a request for a label gets no probabilities.
    """

    def __init__(self) -> None:
        self.chat: deque[Reply] = deque()
        self.extractions: deque[Reply | dict[str, Any]] = deque()
        self.consolidations: deque[Reply | dict[str, Any]] = deque()
        self.others: deque[Reply] = deque()

    def __call__(self, request: Request) -> Reply | None:
        if request.is_chat:
            return self.chat.popleft() if self.chat else None
        if request.body.get("top_logprobs"):
            return Reply("no")  # without probabilities, as most servers
        if is_extraction(request):
            nothing: dict[str, Any] = {"candidates": [], "episode": None}
            return self._structured(self.extractions, nothing, request)
        if is_consolidation(request):
            return self._structured(self.consolidations, {"operations": []}, request)
        return self.others.popleft() if self.others else None

    def learn(self, *candidates: Candidate, episode: str | None = None) -> None:
        """Let the next extraction find these."""
        self.extractions.append({"candidates": list(candidates), "episode": episode})

    def decide(self, *operations: dict[str, Any]) -> None:
        """Let the next consolidation answer with these."""
        self.consolidations.append({"operations": list(operations)})

    def _structured(
        self, queue: deque[Reply | dict[str, Any]], default: dict[str, Any], request: Request
    ) -> Reply:
        value = queue.popleft() if queue else default
        if isinstance(value, Reply):
            return value
        value = copy.deepcopy(value)  # the same candidate may be learned in several sessions
        for found in value.get("candidates", []):
            _place_evidence(found, request)
        return Reply.of_json(value)


def route_pipeline(
    *,
    chat: Iterable[Reply] = (),
    candidates: Sequence[Candidate] = (),
    operations: Sequence[dict[str, Any]] = (),
) -> PipelineRouter:
    """A router for one session: its chat replies, what is extracted and what is decided."""
    router = PipelineRouter()
    router.chat.extend(chat)
    if candidates:
        router.learn(*candidates)
    if operations:
        router.decide(*operations)
    return router


def is_extraction(request: Request) -> bool:
    """Whether the request shows an excerpt, whose marker stands in extraction requests only."""
    return not request.is_chat and any(MARKER.search(text) for text in request.user_texts)


def is_consolidation(request: Request) -> bool:
    """Whether the request asks for operations."""
    asks = request.schema or {}
    return "operations" in asks.get("properties", {}) or (
        not asks and '"operations"' in "\n".join([request.system, *request.user_texts])
    )


def excerpt(request: Request) -> dict[int, str]:
    """The messages that an extraction request shows, by their `seq`."""
    parts = MARKER.split("\n".join(request.user_texts))
    return {int(seq): text for seq, text in zip(parts[1::2], parts[2::2], strict=True)}


def _place_evidence(found: Candidate, request: Request) -> None:
    for evidence in found.get("evidence", []):
        if evidence.get("seq") is None:
            shown = excerpt(request).items()
            places = [seq for seq, text in shown if evidence["quote"] in text]
            evidence["seq"] = places[0] if places else 0
