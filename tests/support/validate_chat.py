"""The rules of Chat Completions, as the strictest of the compatible servers read them."""

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


def check_chat(body: dict[str, Any]) -> Iterator[str]:
    """The rules that the body of a request breaks."""
    yield from _check_frame(body)
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        yield "there are no messages"
        return
    yield from _check_roles([message.get("role") for message in messages])
    for number, message in enumerate(messages, 1):
        yield from _check_message(number, message)
    yield from _check_calls(messages, has_tools=bool(body.get("tools")))


def _check_frame(body: dict[str, Any]) -> Iterator[str]:
    tools = body.get("tools")
    if tools == []:
        yield "an empty list of tools"
    if any(tool.get("type") != "function" or "function" not in tool for tool in tools or []):
        yield "a tool is not nested under `function`"
    yield from check_tools(
        [(f.get("name"), f.get("parameters")) for f in (t.get("function", {}) for t in tools or [])]
    )
    if body.get("tool_choice") not in {None, "auto", "none"}:
        yield "a forced tool choice is not supported everywhere"
    if body.get("tool_choice") and not tools:
        yield "tool_choice without tools"
    if body.get("stream_options") and not body.get("stream"):
        yield "stream_options without stream"
    if "max_tokens" in body and "max_completion_tokens" in body:
        yield "both max_tokens and max_completion_tokens"


def _check_roles(roles: list[Any]) -> Iterator[str]:
    for role in sorted({str(role) for role in roles} - {"system", "user", "assistant", "tool"}):
        yield f"a message has the role {role!r}"
    if "system" in roles[1:]:
        yield "a system message stands behind the first place"
    spoken = [role for role in roles if role != "system"]
    if spoken[:1] != ["user"]:
        yield "the first message is not the user's"
    if spoken[-1:] == ["assistant"]:
        yield "the last message is the assistant's"
    for first, second in pairwise(spoken):
        if first == second != "tool":
            yield f"two {first} messages follow each other"


def _check_message(number: int, message: dict[str, Any]) -> Iterator[str]:
    place = f"message {number} ({message.get('role')})"
    content, calls = message.get("content"), message.get("tool_calls")
    if message.get("role") == "tool":
        if not isinstance(content, (str, list)):
            yield f"{place} has no content"
    elif not has_text(text_of(content or "")) and not calls:
        yield f"{place} is empty"
    if calls == []:
        yield f"{place} has an empty list of calls"
    for call in calls or []:
        function = call.get("function") or {}
        if message.get("role") != "assistant" or call.get("type") != "function":
            yield f"{place}: {call!r} is no call of a function by the assistant"
        if not has_text(call.get("id")) or not has_text(function.get("name")):
            yield f"{place}: a call has no id or no name"
        if not is_object_text(function.get("arguments")):
            yield f"{place}: arguments are no JSON object: {function.get('arguments')!r}"


def _check_calls(messages: list[dict[str, Any]], *, has_tools: bool) -> Iterator[str]:
    calls: list[str] = []
    pending: list[str] = []
    answers: list[str] = []
    for message in messages:
        if message.get("role") == "tool":
            answers.append(message.get("tool_call_id", ""))
            continue
        yield from check_answers(pending, answers)
        pending = [call.get("id", "") for call in message.get("tool_calls") or []]
        answers = []
        calls += pending
    yield from check_answers(pending, answers)
    yield from check_unique(calls)
    if calls and not has_tools:
        yield "tool calls without tools"
