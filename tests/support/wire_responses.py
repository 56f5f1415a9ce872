"""The Responses wire form: how a `Reply` looks to a client of `/responses`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

from tests.support.reply import Event, Reply, Usage, error_of, pieces, raw_arguments

INCOMPLETE = {"length": "max_output_tokens", "refusal": "content_filter"}


def sealed_reasoning(serial: int) -> str:
    """The encrypted content of the reasoning item in the answer to request number `serial`."""
    return f"sealed-{serial}"


def events(reply: Reply, serial: int, body: dict[str, Any]) -> Iterator[Event]:
    """The streamed answer to request number `serial`."""
    numbers = count()
    for kind, data in _story(reply, serial, body):
        yield Event({"type": kind, "sequence_number": next(numbers), **data}, kind)


def whole(reply: Reply, serial: int, body: dict[str, Any]) -> dict[str, Any]:
    """The answer of a request without `stream`."""
    answer = _frame(serial, body)
    answer["status"] = _status(reply)
    answer["output"] = _items(reply, serial)
    if answer["status"] == "incomplete":
        reason = INCOMPLETE.get(reply.finish or "", reply.finish)
        answer["incomplete_details"] = {"reason": reason}
    answer["usage"] = _usage(reply.usage) if reply.usage else None
    return answer


def error_body(reply: Reply) -> dict[str, Any]:
    """The body of an HTTP error."""
    kind, message = error_of(reply)
    return {"error": {"message": message, "type": kind, "param": None, "code": kind}}


def error_event(kind: str, message: str) -> Event:
    """An error in the middle of a stream."""
    return Event(
        {"type": "error", "sequence_number": 99, "code": kind, "message": message, "param": None},
        "error",
    )


Told = tuple[str, dict[str, Any]]


def _story(reply: Reply, serial: int, body: dict[str, Any]) -> Iterator[Told]:
    yield "response.created", {"response": _frame(serial, body)}
    yield "response.in_progress", {"response": _frame(serial, body)}
    for index, item in enumerate(_items(reply, serial)):
        opened = {"output_index": index, "item": _opened(item)}
        yield "response.output_item.added", opened
        yield from _ITEM_STORIES[item["type"]](item, index, reply.chunk)
        yield "response.output_item.done", {"output_index": index, "item": item}
    yield f"response.{_status(reply)}", {"response": whole(reply, serial, body)}


def _message_story(item: dict[str, Any], index: int, size: int) -> Iterator[Told]:
    place = {"item_id": item["id"], "output_index": index, "content_index": 0}
    part = item["content"][0]
    yield "response.content_part.added", {**place, "part": {**part, "text": ""}}
    for piece in pieces(part["text"], size):
        yield "response.output_text.delta", {**place, "delta": piece, "logprobs": []}
    yield "response.output_text.done", {**place, "text": part["text"], "logprobs": []}
    yield "response.content_part.done", {**place, "part": part}


def _reasoning_story(item: dict[str, Any], index: int, size: int) -> Iterator[Told]:
    place = {"item_id": item["id"], "output_index": index, "summary_index": 0}
    part = item["summary"][0]
    yield "response.reasoning_summary_part.added", {**place, "part": {**part, "text": ""}}
    for piece in pieces(part["text"], size):
        yield "response.reasoning_summary_text.delta", {**place, "delta": piece}
    yield "response.reasoning_summary_text.done", {**place, "text": part["text"]}
    yield "response.reasoning_summary_part.done", {**place, "part": part}


def _call_story(item: dict[str, Any], index: int, size: int) -> Iterator[Told]:
    place = {"item_id": item["id"], "output_index": index}
    for piece in pieces(item["arguments"], size):
        yield "response.function_call_arguments.delta", {**place, "delta": piece}
    done = {**place, "arguments": item["arguments"], "name": item["name"]}
    yield "response.function_call_arguments.done", done


_ITEM_STORIES = {
    "message": _message_story,
    "reasoning": _reasoning_story,
    "function_call": _call_story,
}


def _items(reply: Reply, serial: int) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if reply.reasoning:
        items.append(
            {
                "id": f"rs_{serial}",
                "type": "reasoning",
                "summary": [{"type": "summary_text", "text": reply.reasoning}],
                "encrypted_content": sealed_reasoning(serial),
            }
        )
    if reply.text:
        items.append(
            {
                "id": f"msg_{serial}",
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": [
                    {
                        "type": "output_text",
                        "text": reply.text,
                        "annotations": [],
                        "logprobs": [],
                    }
                ],
            }
        )
    for index, (name, arguments) in enumerate(reply.tool_calls):
        items.append(
            {
                "id": f"fc_{serial}_{index}",
                "type": "function_call",
                "call_id": f"call_{serial}_{index}",
                "name": name,
                "arguments": raw_arguments(arguments),
                "status": "completed",
            }
        )
    return items


def _opened(item: dict[str, Any]) -> dict[str, Any]:
    """An item as it is announced, before its content has arrived."""
    empty: dict[str, dict[str, Any]] = {
        "message": {"content": [], "status": "in_progress"},
        "reasoning": {"summary": [], "encrypted_content": ""},
        "function_call": {"arguments": "", "status": "in_progress"},
    }
    return item | empty[item["type"]]


def _status(reply: Reply) -> str:
    return "incomplete" if reply.finish in INCOMPLETE else reply.finish or "completed"


def _frame(serial: int, body: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": f"resp_{serial}",
        "object": "response",
        "created_at": 0,
        "model": body.get("model"),
        "status": "in_progress",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "output": [],
        "usage": None,
    }


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "input_tokens_details": {
            "cached_tokens": usage.cached,
            "cache_write_tokens": usage.cache_write,
        },
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
    }
