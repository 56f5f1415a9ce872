"""The Messages wire form: how a `Reply` looks to a client of `/messages`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.support.reply import Event, Reply, Usage, error_of, pieces, raw_arguments

FINISH = {"length": "max_tokens"}


SIGNATURE = "signature-"


def signature(serial: int) -> str:
    """The signature of the thinking block in the answer to request number `serial`."""
    return f"{SIGNATURE}{serial}"


def events(reply: Reply, serial: int, body: dict[str, Any]) -> Iterator[Event]:
    """The streamed answer to request number `serial`."""
    start = {**_frame(serial, body), "content": [], "stop_reason": None, "stop_sequence": None}
    if reply.usage:
        start["usage"] = {**_usage(reply.usage), "output_tokens": 1}
    yield _event("message_start", message=start)
    yield _event("ping")
    blocks = [*_thinking(reply, serial), *_text(reply), *_calls(reply, serial)]
    for index, (block, deltas) in enumerate(blocks):
        yield _event("content_block_start", index=index, content_block=block)
        for delta in deltas:
            yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    end: dict[str, Any] = {"delta": {"stop_reason": _finish(reply), "stop_sequence": None}}
    if reply.usage:
        end["usage"] = {"output_tokens": reply.usage.output}
    yield _event("message_delta", **end)
    yield _event("message_stop")


def whole(reply: Reply, serial: int, body: dict[str, Any]) -> dict[str, Any]:
    """The answer of a request without `stream`."""
    content: list[dict[str, Any]] = []
    if reply.reasoning:
        thinking = {"thinking": reply.reasoning, "signature": signature(serial)}
        content.append({"type": "thinking", **thinking})
    if reply.text:
        content.append({"type": "text", "text": reply.text})
    for block, _ in _calls(reply, serial):
        arguments = raw_arguments(reply.tool_calls[int(block["id"].rpartition("_")[2])][1])
        content.append({**block, "input": json.loads(arguments)})
    answer = {**_frame(serial, body), "content": content, "stop_reason": _finish(reply)}
    return {**answer, "stop_sequence": None, "usage": _usage(reply.usage or Usage())}


def error_body(reply: Reply) -> dict[str, Any]:
    """The body of an HTTP error."""
    kind, message = error_of(reply)
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


def error_event(kind: str, message: str) -> Event:
    """An error in the middle of a stream."""
    return _event("error", error={"type": kind, "message": message})


def _event(kind: str, **data: Any) -> Event:
    return Event({"type": kind, **data}, kind)


def _frame(serial: int, body: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": f"msg_{serial}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
    }


Block = tuple[dict[str, Any], list[dict[str, Any]]]


def _thinking(reply: Reply, serial: int) -> Iterator[Block]:
    if reply.reasoning:
        deltas = [
            {"type": "thinking_delta", "thinking": piece}
            for piece in pieces(reply.reasoning, reply.chunk)
        ]
        signed = {"type": "signature_delta", "signature": signature(serial)}
        yield {"type": "thinking", "thinking": "", "signature": ""}, [*deltas, signed]


def _text(reply: Reply) -> Iterator[Block]:
    if reply.text:
        yield (
            {"type": "text", "text": ""},
            [{"type": "text_delta", "text": piece} for piece in pieces(reply.text, reply.chunk)],
        )


def _calls(reply: Reply, serial: int) -> Iterator[Block]:
    for index, (name, arguments) in enumerate(reply.tool_calls):
        raw = raw_arguments(arguments)
        head = {"type": "tool_use", "id": f"toolu_{serial}_{index}", "name": name, "input": {}}
        yield (
            head,
            [
                {"type": "input_json_delta", "partial_json": piece}
                for piece in ("", *pieces(raw, reply.chunk))
            ],
        )


def _finish(reply: Reply) -> str:
    if reply.finish:
        return FINISH.get(reply.finish, reply.finish)
    return "tool_use" if reply.tool_calls else "end_turn"


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.input - usage.cached - usage.cache_write,
        "output_tokens": usage.output,
        "cache_read_input_tokens": usage.cached,
        "cache_creation_input_tokens": usage.cache_write,
    }
