"""The events of a Messages stream as parts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from catmem.messages import ModelRequest, ProviderPart, ToolCallPart, Usage
from catmem.providers.anthropic.form import PROVIDER
from catmem.providers.base import (
    BlockCompleted,
    CallCompleted,
    Finished,
    ReasoningChunk,
    StopReason,
    StreamPart,
    TextChunk,
)
from catmem.providers.calls import CallReader, cut
from catmem.text import t

_REASONS = {
    "max_tokens": StopReason.LENGTH,
    "model_context_window_exceeded": StopReason.LENGTH,
    "pause_turn": StopReason.LENGTH,  # the server paused: more would come if it were asked
    "refusal": StopReason.REFUSAL,
}


class MessagesReader:
    """Reads one answer. A call is held back until it is sure that the token limit did not cut it.

    Attributes:
        complete: whether the end of the answer has come.
    """

    def __init__(self, request: ModelRequest, model: str) -> None:
        self.complete = False
        self._calls = CallReader(request)
        self._model = model
        self._block: Any = None
        self._pieces: list[str] = []
        self._signature = ""
        self._held: ToolCallPart | None = None
        self._called = False
        self._stop_reason = ""
        self._refusal = ""
        self._usage: dict[str, int | None] = {}

    def read(self, event: Any) -> Iterator[StreamPart]:
        """Yield the parts that an event completes; unknown events bring none."""
        match event.type:
            case "message_start":
                self._count(event.message.usage)
            case "content_block_start":
                yield from self._release()
                yield from self._start(event.content_block)
            case "content_block_delta":
                yield from self._delta(event.delta)
            case "content_block_stop":
                yield from self._stop()
            case "message_delta":
                self._count(event.usage)
                self._end(event.delta)
            case "message_stop":
                self.complete = True

    def finish(self) -> Iterator[StreamPart]:
        """Yield the last parts."""
        reason = _REASONS.get(self._stop_reason)
        yield from self._release(cut_off=reason is StopReason.LENGTH)
        reason = reason or (StopReason.TOOL_CALLS if self._called else StopReason.END)
        yield Finished(reason, self._total(), self._refusal)

    def _start(self, block: Any) -> Iterator[StreamPart]:
        self._block = block
        self._pieces = []
        self._signature = ""
        if block.type == "text" and block.text:
            yield TextChunk(block.text)
        elif block.type == "thinking":
            self._pieces.append(block.thinking or "")
            self._signature = block.signature or ""

    def _delta(self, delta: Any) -> Iterator[StreamPart]:
        match delta.type:
            case "text_delta":
                yield TextChunk(delta.text)
            case "thinking_delta":
                self._pieces.append(delta.thinking)
                yield ReasoningChunk(delta.thinking)
            case "signature_delta":
                self._signature += delta.signature
            case "input_json_delta":
                self._pieces.append(delta.partial_json)

    def _stop(self) -> Iterator[StreamPart]:
        block, self._block = self._block, None
        written = "".join(self._pieces)
        match getattr(block, "type", ""):
            case "thinking" if self._signature:  # unsigned thinking cannot be sent back
                data = {"thinking": written, "signature": self._signature}
                yield self._kept({"type": "thinking", **data})
            case "redacted_thinking":
                yield self._kept({"type": "redacted_thinking", "data": block.data})
            case "tool_use":
                self._held = self._calls.complete(block.id, block.name, written or _given(block))

    def _kept(self, data: dict[str, str]) -> BlockCompleted:
        return BlockCompleted(ProviderPart(PROVIDER, self._model, data))

    def _release(self, *, cut_off: bool = False) -> Iterator[StreamPart]:
        """Yield the call that was held back, if there is one."""
        if self._held is not None:
            self._called = True
            yield CallCompleted(cut(self._held) if cut_off else self._held)
            self._held = None

    def _end(self, delta: Any) -> None:
        if delta.stop_reason:
            self._stop_reason = delta.stop_reason
            self.complete = True
        category = getattr(getattr(delta, "stop_details", None), "category", None)
        if delta.stop_reason == "refusal" and category:
            self._refusal = t("providers.refused_as", category=category)

    def _count(self, usage: Any) -> None:
        """Take over token counts; those of later events replace the earlier ones."""
        for name in (
            "input_tokens",
            "output_tokens",
            "cache_read_input_tokens",
            "cache_creation_input_tokens",
        ):
            number = getattr(usage, name, None)
            if number is not None:
                self._usage[name] = number

    def _total(self) -> Usage:
        fresh = self._usage.get("input_tokens")
        cached = self._usage.get("cache_read_input_tokens")
        if fresh is not None:
            fresh += (cached or 0) + (self._usage.get("cache_creation_input_tokens") or 0)
        return Usage(fresh, self._usage.get("output_tokens"), cached)


def _given(block: Any) -> str:
    """Return arguments that came whole with the block's start, as some servers send them."""
    if not block.input:
        return ""
    return block.input if isinstance(block.input, str) else json.dumps(block.input)
