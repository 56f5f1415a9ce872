"""How servers deviate from the Chat Completions form: rewrites for `Reply.raw_events`.

`ODD_SERVERS` names them all, to run one test against each: every one still sends the whole answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tests.support.reply import Event, Rewrite


def without(*keys: str) -> Rewrite:
    """Leaves these keys out, at any depth."""

    def strip(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: strip(item) for key, item in value.items() if key not in keys}
        return [strip(item) for item in value] if isinstance(value, list) else value

    return _each(strip)


def without_usage(events: list[Event]) -> list[Event]:
    """Leaves out the last chunk, that with the usage."""
    return [event for event in events if isinstance(event.data, str) or "usage" not in event.data]


def without_done(events: list[Event]) -> list[Event]:
    """Ends without `[DONE]`."""
    return [event for event in events if event.data != "[DONE]"]


def with_empty_choices(events: list[Event]) -> Iterator[Event]:
    """Sends a chunk without choices before each other one, as content filters do."""
    for event in events:
        if isinstance(event.data, dict):
            yield Event({**event.data, "choices": []})
        yield event


def with_comments(events: list[Event]) -> Iterator[Event | str]:
    """Sends comment lines in between, as routers do to keep a connection alive."""
    for event in events:
        yield ": PROCESSING\n\n"
        yield event


def reasoning_under(key: str) -> Rewrite:
    """Sends reasoning under another key."""

    def rename(delta: dict[str, Any]) -> dict[str, Any]:
        return {key if name == "reasoning_content" else name: v for name, v in delta.items()}

    return _each_delta(rename)


def _with_nulls(delta: dict[str, Any]) -> dict[str, Any]:
    return {"content": None, "tool_calls": None, "reasoning_content": None, **delta}


def _with_roles(delta: dict[str, Any]) -> dict[str, Any]:
    return {**delta, "role": "assistant", "name": "assistant"}


def with_repeated_heads(events: list[Event]) -> Iterable[Event | str]:
    """Repeats id, type and name of a tool call in each of its pieces."""
    heads: dict[int, dict[str, Any]] = {}

    def repeat(call: dict[str, Any]) -> dict[str, Any]:
        head = heads.setdefault(call["index"], call)
        return {**head, "function": {**head["function"], **call["function"]}}

    def change(delta: dict[str, Any]) -> dict[str, Any]:
        if "tool_calls" not in delta:
            return delta
        return {**delta, "tool_calls": [repeat(call) for call in delta["tool_calls"]]}

    return _each_delta(change)(events)


def _each(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Rewrite:
    def rewrite(events: list[Event]) -> Iterable[Event]:
        for event in events:
            changed = event.data if isinstance(event.data, str) else change(event.data)
            yield Event(changed, event.name)

    return rewrite


def _each_delta(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Rewrite:
    def in_chunk(chunk: dict[str, Any]) -> dict[str, Any]:
        choices = [{**choice, "delta": change(choice["delta"])} for choice in chunk["choices"]]
        return {**chunk, "choices": choices}

    return _each(in_chunk)


ODD_SERVERS: dict[str, Rewrite] = {
    "no index": without("index"),
    "no id": without("id"),
    "no usage": without_usage,
    "no finish reason": without("finish_reason"),
    "no [DONE]": without_done,
    "empty choices": with_empty_choices,
    "content null": _each_delta(_with_nulls),
    "role and name in each delta": _each_delta(_with_roles),
    "id and name in each piece of a call": with_repeated_heads,
    "reasoning under `reasoning`": reasoning_under("reasoning"),
    "comments": with_comments,
}
