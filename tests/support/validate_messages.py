"""The rules of the Messages API (version 2026-10-21, the strictest models)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from tests.support.request import Request
from tests.support.rules import check_answers, check_tools, check_unique, has_text, unmarked
from tests.support.wire_messages import SIGNATURE, signature

SAMPLING = ("temperature", "top_p", "top_k")
KNOWN = {
    "model", "max_tokens", "messages", "system", "tools", "tool_choice", "stream", "thinking",
    "output_config", "cache_control", "metadata", "stop_sequences", "service_tier", "speed",
    "diagnostics",
}  # fmt: skip
MARKS = 4


def check_messages(body: dict[str, Any]) -> Iterator[str]:
    """The rules that the body of a request breaks."""
    yield from _check_frame(body)
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        yield "there are no messages"
        return
    if body.get("system") is not None:
        yield from _check_content("system", body["system"], {"text"})
    for number, message in enumerate(messages, 1):
        yield from _check_message(number, message)
    yield from _check_order(messages)
    yield from _check_calls(messages, has_tools=bool(body.get("tools")))


def check_thinking(request: Request, seen: list[Request]) -> Iterator[str]:
    """Check that thinking sent back stands on the very conversation that it was signed for.

    Preserved thinking: system text, tools and all earlier messages must be what they were; only
    cache marks are not compared. A signature that no scripted model makes is not looked at.
    """
    signed = {signature(earlier.number): earlier for earlier in seen if earlier.wire == "messages"}
    for index, message in enumerate(request.entries):
        for block in _blocks(message, "thinking"):
            if not block.get("signature", "").startswith(SIGNATURE):
                continue
            origin = signed.get(block["signature"])
            if origin is None:
                yield f"thinking with the signature {block.get('signature')!r} was never sent"
                continue
            for part in ("system", "tools"):
                if unmarked(origin.body.get(part)) != unmarked(request.body.get(part)):
                    yield f"thinking of request {origin.number} is bound to another {part!r}"
            if unmarked(origin.entries) != unmarked(request.entries[:index]):
                yield f"thinking of request {origin.number} is bound to other messages"


def _check_frame(body: dict[str, Any]) -> Iterator[str]:
    yield from (f"{key} is refused" for key in SAMPLING if key in body)
    yield from (f"unknown field {key!r}" for key in sorted(body.keys() - KNOWN - set(SAMPLING)))
    if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
        yield "max_tokens is missing"
    yield from check_tools(
        [(tool.get("name"), tool.get("input_schema")) for tool in body.get("tools") or []]
    )
    if (body.get("tool_choice") or {"type": "auto"}).get("type") not in {"auto", "none"}:
        yield "a forced tool choice is refused"
    if body.get("tool_choice") and not body.get("tools"):
        yield "tool_choice without tools"
    if (marks := _count_marks(body)) > MARKS:
        yield f"{marks} cache marks, at most {MARKS} are allowed"


def _count_marks(value: Any) -> int:
    if isinstance(value, dict):
        own = 1 if value.get("cache_control") else 0
        return own + sum(_count_marks(item) for key, item in value.items() if key != "input")
    return sum(_count_marks(item) for item in value) if isinstance(value, list) else 0


def _check_message(number: int, message: dict[str, Any]) -> Iterator[str]:
    place = f"message {number}"
    allowed = {
        "user": {"text", "image", "tool_result"},
        "assistant": {"text", "tool_use", "thinking", "redacted_thinking"},
    }
    if message.get("role") not in allowed:
        yield f"{place} has the role {message.get('role')!r}"
        return
    yield from _check_content(place, message.get("content"), allowed[message["role"]])
    for block in _blocks(message, "tool_use"):
        if not isinstance(block.get("input"), dict):
            yield f"{place}: the input of a tool call is not an object"
    for block in _blocks(message, "tool_result"):
        if isinstance(block.get("content"), list):
            yield from _check_content(f"{place}, tool_result", block["content"], {"text"})
        elif block.get("is_error") and not has_text(block.get("content")):
            yield f"{place}: a failed tool result is empty"
    for block in _blocks(message, "thinking"):
        if not block.get("signature"):
            yield f"{place}: thinking without a signature"
    if _kinds(message)[-1:] in (["thinking"], ["redacted_thinking"]):
        yield f"{place} ends in thinking"


def _check_content(place: str, content: Any, allowed: set[str]) -> Iterator[str]:
    if not isinstance(content, list):
        yield f"{place} is no list of blocks"
        return
    if not content:
        yield f"{place} is empty"
    for block in content:
        if block.get("type") not in allowed:
            yield f"{place} has a block of type {block.get('type')!r}"
        elif block["type"] == "text" and not has_text(block.get("text")):
            yield f"{place} has an empty text block"


def _check_order(messages: list[dict[str, Any]]) -> Iterator[str]:
    roles = [message.get("role") for message in messages]
    if roles[0] != "user":
        yield "the first message is not the user's"
    if roles[-1] != "user":
        yield "the last message is not the user's"
    if any(first == second for first, second in pairwise(roles)):
        yield f"roles do not alternate: {roles}"


def _check_calls(messages: list[dict[str, Any]], *, has_tools: bool) -> Iterator[str]:
    calls: list[str] = []
    pending: list[str] = []
    for number, message in enumerate(messages, 1):
        answers = [block["tool_use_id"] for block in _blocks(message, "tool_result")]
        yield from check_answers(pending, answers)
        if _kinds(message)[: len(answers)] != ["tool_result"] * len(answers):
            yield f"message {number}: tool results do not come first"
        pending = [block["id"] for block in _blocks(message, "tool_use")]
        calls += pending
    yield from check_answers(pending, [])
    yield from check_unique(calls)
    if calls and not has_tools:
        yield "tool blocks without tools"


def _blocks(message: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    return [block for block in blocks if block.get("type") == kind]


def _kinds(message: dict[str, Any]) -> list[Any]:
    content = message.get("content")
    return [block.get("type") for block in content] if isinstance(content, list) else []
