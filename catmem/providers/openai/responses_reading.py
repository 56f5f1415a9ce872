"""The events of a Responses stream as parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from catmem.messages import ModelRequest, ProviderPart, ToolCallPart, Usage
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
from catmem.providers.openai.responses_form import PROVIDER

_TEXT = {"response.output_text.delta", "response.refusal.delta"}
_REASONING = {"response.reasoning_summary_text.delta", "response.reasoning_text.delta"}
_ENDS = {"response.completed", "response.incomplete"}
_KEPT = {"message", "reasoning", "function_call"}


class ResponsesReader:
    """Reads one answer. A call is held back until it is sure that the token limit did not cut it.

    Attributes:
        complete: whether the end of the answer has come.
        failure: type and words of an error that the stream carried.
    """

    def __init__(self, request: ModelRequest, model: str) -> None:
        self.complete = False
        self.failure: tuple[str, str] | None = None
        self._calls = CallReader(request)
        self._model = model
        self._held: tuple[ToolCallPart, BlockCompleted] | None = None
        self._called = False
        self._refused = False
        self._incomplete = ""
        self._usage = Usage()

    def read(self, event: Any) -> Iterator[StreamPart]:
        """Yield the parts that an event completes; unknown events bring none."""
        match event.type:
            case kind if kind in _TEXT:
                self._refused = self._refused or kind == "response.refusal.delta"
                yield TextChunk(event.delta)
            case kind if kind in _REASONING:
                yield ReasoningChunk(event.delta)
            case "response.reasoning_summary_part.added" if event.summary_index:
                yield ReasoningChunk("\n\n")
            case "response.output_item.done":
                yield from self._release()
                yield from self._item(event.item)
            case kind if kind in _ENDS:
                self._end(event.response)
            case "response.failed":
                error = event.response.error
                self.failure = (str(getattr(error, "code", "")), str(getattr(error, "message", "")))
            case "error":
                self.failure = (event.code or "", event.message or "")

    def finish(self) -> Iterator[StreamPart]:
        """Yield the last parts."""
        length = self._incomplete == "max_output_tokens"
        yield from self._release(cut_off=length)
        if self._refused or self._incomplete == "content_filter":
            reason = StopReason.REFUSAL
        elif self._incomplete:
            reason = StopReason.LENGTH
        else:
            reason = StopReason.TOOL_CALLS if self._called else StopReason.END
        yield Finished(reason, self._usage)

    def _item(self, item: Any) -> Iterator[StreamPart]:
        if item.type not in _KEPT:
            return
        block = BlockCompleted(ProviderPart(PROVIDER, self._model, item.to_dict(mode="json")))
        if item.type != "function_call":
            yield block
            return
        call = self._calls.complete(item.call_id or "", item.name or "", item.arguments or "")
        self._held = (call, block)

    def _release(self, *, cut_off: bool = False) -> Iterator[StreamPart]:
        """Yield the call that was held back, if there is one; a cut one without its item."""
        if self._held is None:
            return
        call, block = self._held
        self._held = None
        self._called = True
        yield CallCompleted(cut(call) if cut_off else call)
        yield block

    def _end(self, response: Any) -> None:
        self.complete = True
        details = response.incomplete_details
        if response.status == "incomplete" or details is not None:
            self._incomplete = getattr(details, "reason", None) or "unknown"
        usage = response.usage
        if usage is not None:
            cached = getattr(usage.input_tokens_details, "cached_tokens", None)
            self._usage = Usage(usage.input_tokens, usage.output_tokens, cached)
