"""The rules of the Responses API for a client that keeps its history itself."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from tests.support.request import text_of
from tests.support.rules import (
    check_answers,
    check_tools,
    check_unique,
    has_text,
    is_object_text,
)


def check_responses(body: dict[str, Any]) -> Iterator[str]:
    """The rules that the body of a request breaks."""
    yield from _check_frame(body)
    items = body.get("input")
    if not isinstance(items, list) or not items:
        yield "input is no list of items"
        return
    for number, item in enumerate(items, 1):
        yield from _check_item(number, item)
    yield from _check_order(body, items)
    yield from _check_calls(items, has_tools=bool(body.get("tools")))


def kind_of(item: dict[str, Any]) -> str:
    """The type of an input item; a message may leave it out."""
    return str(item.get("type") or ("message" if "role" in item else None))


def _check_frame(body: dict[str, Any]) -> Iterator[str]:
    if body.get("store") is not False:
        yield "store is not false"
    for key in ("previous_response_id", "conversation"):
        if body.get(key) is not None:
            yield f"{key} needs a history kept by the server"
    for key in ("messages", "max_tokens", "max_completion_tokens", "response_format"):
        if key in body:
            yield f"{key} belongs to Chat Completions"
    tools = body.get("tools") or []
    if any(tool.get("type") != "function" or "function" in tool for tool in tools):
        yield "a tool is not a flat function"
    yield from check_tools([(tool.get("name"), tool.get("parameters")) for tool in tools])
    if body.get("tool_choice") not in {None, "auto", "none"}:
        yield "a forced tool choice is not supported everywhere"
    if "instructions" in body and not has_text(body["instructions"]):
        yield "instructions are empty"


def _check_item(number: int, item: dict[str, Any]) -> Iterator[str]:
    kind = kind_of(item)
    place = f"item {number} ({kind})"
    if kind == "message":
        yield from _check_message(place, item)
    elif kind == "function_call":
        yield from _check_call(place, item)
    elif kind == "function_call_output":
        if not isinstance(item.get("output"), (str, list)):
            yield f"{place} has no output"
    elif kind == "reasoning":
        if not item.get("encrypted_content") or "summary" not in item:
            yield f"{place} lacks its encrypted content or its summary"
    else:
        yield f"{place} is not known"


def _check_message(place: str, item: dict[str, Any]) -> Iterator[str]:
    if item.get("role") not in {"system", "developer", "user", "assistant"}:
        yield f"{place} has the role {item.get('role')!r}"
    if not has_text(text_of(item)):
        yield f"{place} is empty"


def _check_call(place: str, item: dict[str, Any]) -> Iterator[str]:
    if not has_text(item.get("call_id")) or not has_text(item.get("name")):
        yield f"{place} has no call_id or no name"
    if not is_object_text(item.get("arguments")):
        yield f"{place}: arguments are no JSON object: {item.get('arguments')!r}"


def _check_order(body: dict[str, Any], items: list[dict[str, Any]]) -> Iterator[str]:
    leading = [item.get("role") in {"system", "developer"} for item in items]
    if any(leading[1:]) or (leading[0] and body.get("instructions")):
        yield "system text stands in more than one place"
    last = items[-1]
    if last.get("role") != "user" and kind_of(last) != "function_call_output":
        yield "the last item is neither the user's nor a tool result"
    for item, following in pairwise(items):
        if kind_of(item) == "reasoning" and (
            following.get("role") != "assistant" and kind_of(following) != "function_call"
        ):
            yield f"reasoning is followed by {kind_of(following)} of {following.get('role')!r}"


def _check_calls(items: list[dict[str, Any]], *, has_tools: bool) -> Iterator[str]:
    calls: list[str] = []
    pending: list[str] = []
    answers: list[str] = []
    for item in items:
        kind = kind_of(item)
        if kind == "function_call_output":
            answers.append(item.get("call_id", ""))
            continue
        if answers or item.get("role") == "user":
            yield from check_answers(pending, answers)
            pending, answers = [], []
        if kind == "function_call":
            pending.append(item.get("call_id", ""))
            calls.append(item.get("call_id", ""))
    yield from check_answers(pending, answers)
    yield from check_unique(calls)
    if calls and not has_tools:
        yield "tool calls without tools"
