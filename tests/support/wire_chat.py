"""The Chat Completions wire form: how a `Reply` looks to a client of `/chat/completions`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.support.reply import Event, Reply, Usage, error_of, pieces, raw_arguments

FINISH = {"refusal": "content_filter"}


def events(reply: Reply, serial: int, body: dict[str, Any]) -> Iterator[Event]:
    """The streamed answer to request number `serial`; usage only where the client asked for it."""

    def chunk(delta: dict[str, Any], finish: str | None = None) -> Event:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return Event({**_frame(serial, body, "chat.completion.chunk"), "choices": [choice]})

    yield chunk({"role": "assistant", "content": ""})
    for piece in pieces(reply.reasoning, reply.chunk):
        yield chunk({"reasoning_content": piece})
    for piece in pieces(reply.text, reply.chunk):
        yield chunk({"content": piece})
    for index, call in enumerate(_calls(reply, serial)):
        function = call["function"]
        head = {**call, "index": index, "function": {**function, "arguments": ""}}
        yield chunk({"tool_calls": [head]})
        for piece in pieces(function["arguments"], reply.chunk):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield chunk({}, _finish(reply))
    if reply.usage and (body.get("stream_options") or {}).get("include_usage"):
        frame = _frame(serial, body, "chat.completion.chunk")
        yield Event({**frame, "choices": [], "usage": _usage(reply.usage)})
    yield Event("[DONE]")


def whole(reply: Reply, serial: int, body: dict[str, Any]) -> dict[str, Any]:
    """The answer of a request without `stream`."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    if reply.tool_calls:
        message["tool_calls"] = _calls(reply, serial)
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish(reply)}
    answer = {**_frame(serial, body, "chat.completion"), "choices": [choice]}
    return answer | ({"usage": _usage(reply.usage)} if reply.usage else {})


def error_body(reply: Reply) -> dict[str, Any]:
    """The body of an HTTP error."""
    kind, message = error_of(reply)
    return {"error": {"message": message, "type": kind, "param": None, "code": kind}}


def error_event(kind: str, message: str) -> Event:
    """An error in the middle of a stream."""
    return Event({"error": {"message": message, "type": kind, "param": None, "code": kind}})


def _frame(serial: int, body: dict[str, Any], kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{serial}", "object": kind, "created": 0, "model": body.get("model")}


def _calls(reply: Reply, serial: int) -> list[dict[str, Any]]:
    return [
        {
            "id": f"call_{serial}_{index}",
            "type": "function",
            "function": {"name": name, "arguments": raw_arguments(arguments)},
        }
        for index, (name, arguments) in enumerate(reply.tool_calls)
    ]


def _finish(reply: Reply) -> str:
    if reply.finish:
        return FINISH.get(reply.finish, reply.finish)
    return "tool_calls" if reply.tool_calls else "stop"


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    }
