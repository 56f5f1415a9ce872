"""The chunks of a Chat Completions stream as parts, whatever a server leaves out or adds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from catmem.messages import ModelRequest, Usage
from catmem.providers.base import (
    CallCompleted,
    Finished,
    ReasoningChunk,
    StopReason,
    StreamPart,
    TextChunk,
)
from catmem.providers.calls import CallReader, cut
from catmem.providers.openai.pieces import Pieces
from catmem.providers.openai.text_calls import TextCall, TextCalls

_THINK, _END_THINK = "<think>", "</think>"
_REASONS = {
    "length": StopReason.LENGTH,
    "max_tokens": StopReason.LENGTH,
    "content_filter": StopReason.REFUSAL,
    "refusal": StopReason.REFUSAL,
}


class ChatReader:
    """Reads one answer.

    Attributes:
        complete: whether the server said that it is done.
        reasoning: all that came as ``reasoning_content``; None if the server sent no such field.
        called_natively: whether the server sent a real tool call.
    """

    def __init__(self, request: ModelRequest, *, text_calls: bool) -> None:
        self.complete = False
        self.reasoning: str | None = None
        self._calls = CallReader(request)
        self._pieces = Pieces()
        self._think = _ThinkTags()
        names = {tool.name for tool in request.tools}
        self._text_calls = TextCalls(names) if text_calls and names else None
        self._found: list[TextCall] = []
        self._reason = ""
        self._refused = False
        self._usage = Usage()

    @property
    def called_natively(self) -> bool:
        return bool(self._pieces.slots)

    def read(self, chunk: dict[str, Any]) -> Iterator[StreamPart]:
        """Yield the parts that a chunk (or a whole answer) brings."""
        if isinstance(chunk.get("usage"), dict):
            self._usage = _usage(chunk["usage"])
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            return
        delta = choice.get("delta") or choice.get("message")
        if isinstance(delta, dict):
            yield from self._delta(delta)
        if choice.get("finish_reason"):
            self._reason = str(choice["finish_reason"])
            self.complete = True

    def finish(self) -> Iterator[StreamPart]:
        """Yield what is held back, the calls and the end."""
        yield from self._sorted(self._think.finish())
        if self._text_calls is not None:
            yield from self._without_calls(self._text_calls.finish())
        reason = _REASONS.get(self._reason)
        if self._refused:
            reason = StopReason.REFUSAL
        written = [(slot.id, slot.name, slot.arguments) for slot in self._pieces.slots]
        written += [("", call.name, call.arguments) for call in self._found]
        for number, (call_id, name, arguments) in enumerate(written, 1):
            call = self._calls.complete(call_id, name, arguments)
            last_of_cut = reason is StopReason.LENGTH and number == len(written)
            yield CallCompleted(cut(call) if last_of_cut else call)
        yield Finished(
            reason or (StopReason.TOOL_CALLS if written else StopReason.END), self._usage
        )

    def _delta(self, delta: dict[str, Any]) -> Iterator[StreamPart]:
        yield from self._reasoning(delta)
        text = _content(delta.get("content"))
        if text:
            yield from self._sorted(self._think.feed(text))
        if isinstance(delta.get("refusal"), str) and delta["refusal"]:
            self._refused = True
            yield TextChunk(delta["refusal"])
        for piece in delta.get("tool_calls") or ():
            self._pieces.add(piece)

    def _reasoning(self, delta: dict[str, Any]) -> Iterator[StreamPart]:
        """``reasoning_content`` may have to be sent back; ``reasoning`` is for showing only."""
        content, shown = delta.get("reasoning_content"), delta.get("reasoning")
        if isinstance(content, str):
            self.reasoning = (self.reasoning or "") + content
        text = content or shown
        if isinstance(text, str) and text:
            yield ReasoningChunk(text)

    def _sorted(self, parts: Iterator[StreamPart]) -> Iterator[StreamPart]:
        """Yield reasoning as it is, and text without the calls in it."""
        for part in parts:
            if isinstance(part, TextChunk) and self._text_calls is not None:
                yield from self._without_calls(self._text_calls.feed(part.text))
            else:
                yield part

    def _without_calls(self, found: Iterator[str | TextCall]) -> Iterator[StreamPart]:
        for one in found:
            if isinstance(one, TextCall):
                self._found.append(one)
            else:
                yield TextChunk(one)


class _ThinkTags:
    """Reads ``<think>…</think>`` at the start of the content as reasoning."""

    def __init__(self) -> None:
        self._held = ""
        self._state = "start"

    def feed(self, text: str) -> Iterator[StreamPart]:
        """Yield text and reasoning as far as they are certain."""
        if self._state == "after":
            yield TextChunk(text)
            return
        self._held += text
        if self._state == "start":
            begun = self._held.lstrip()
            if begun.startswith(_THINK):
                self._held = begun.removeprefix(_THINK)
                self._state = "inside"
            elif not _THINK.startswith(begun):
                self._state = "after"
                yield from self._flush(TextChunk)
        if self._state == "inside":
            yield from self._inside()

    def finish(self) -> Iterator[StreamPart]:
        """Yield what is left; reasoning that was never closed is no answer."""
        yield from self._flush(ReasoningChunk if self._state == "inside" else TextChunk)

    def _inside(self) -> Iterator[StreamPart]:
        thought, closed, rest = self._held.partition(_END_THINK)
        if closed:
            self._state = "after"
            self._held = thought
            yield from self._flush(ReasoningChunk)
            self._held = rest.lstrip()
            yield from self._flush(TextChunk)
            return
        # Keep what may be the beginning of the closing tag.
        keep = next(
            (n for n in range(len(_END_THINK) - 1, 0, -1) if thought.endswith(_END_THINK[:n])), 0
        )
        self._held = thought[: len(thought) - keep]
        yield from self._flush(ReasoningChunk)
        self._held = thought[len(thought) - keep :]

    def _flush(self, kind: type[TextChunk] | type[ReasoningChunk]) -> Iterator[StreamPart]:
        if self._held:
            yield kind(self._held)
        self._held = ""


def _content(value: Any) -> str:
    """Return the text of content, which a few servers send as a list of blocks."""
    if isinstance(value, list):
        return "".join(
            block["text"]
            for block in value
            if isinstance(block, dict) and isinstance(block.get("text"), str)
        )
    return value if isinstance(value, str) else ""


def _usage(usage: dict[str, Any]) -> Usage:
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    if cached is None:
        cached = usage.get("prompt_cache_hit_tokens")  # DeepSeek
    return Usage(
        _number(usage.get("prompt_tokens")),
        _number(usage.get("completion_tokens")),
        _number(cached),
    )


def _number(value: Any) -> int | None:
    return int(value) if isinstance(value, (int, float)) else None
