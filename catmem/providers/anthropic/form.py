"""A request as a Messages API body.

System text and content always go out as lists of blocks, marked for the cache or not, so that from
one request to the next nothing but ``cache_control`` moves: caches and signed thinking stay valid.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from catmem.messages import (
    Message,
    ModelRequest,
    ProviderPart,
    Role,
    StructuredRequest,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from catmem.providers.calls import NO_OUTPUT, wire_id, wire_name
from catmem.providers.structured import Form
from catmem.sanitize import repair

Block = dict[str, Any]

PROVIDER = "anthropic"
THINKING, THINKING_BLOCKS, CACHE = "thinking", "thinking_blocks", "cache_control"
"""What a server may refuse."""

_VERSION = re.compile(r"claude-[a-z]+-(\d+)(?:-(\d{1,2})(?!\d))?")
_ADAPTIVE_SINCE = (4, 6)
_MAX_TOKENS = 32_000
_MAX_TOKENS_ELSEWHERE = 8_192
_EPHEMERAL = {"type": "ephemeral"}
_MARKED_MESSAGES = 2


def thinks(model: str) -> bool:
    """Whether the model takes ``thinking: adaptive``."""
    found = _VERSION.match(model)
    return found is not None and (int(found[1]), int(found[2] or 0)) >= _ADAPTIVE_SINCE


def chat_body(request: ModelRequest, model: str, without: frozenset[str]) -> dict[str, Any]:
    """Return the body of a chat request, leaving out the fields in ``without``."""
    own = None if THINKING_BLOCKS in without else model
    messages = _messages(request.messages, own)
    system = [_text(text) for text in request.system if text.strip()]
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": request.max_tokens or _max_tokens(model),
        "messages": messages,
    }
    if system:
        body["system"] = system
    if request.tools:
        body["tools"] = [
            {
                "name": tool.name,
                "description": tool.description,
                "input_schema": dict(tool.parameters),
            }
            for tool in request.tools
        ]
        if request.tool_choice_none:
            body["tool_choice"] = {"type": "none"}
    if thinks(model) and THINKING not in without:
        body["thinking"] = {"type": "adaptive", "display": "summarized"}
    if CACHE not in without:
        _mark(system, messages)
    return body


def structured_body(request: StructuredRequest, model: str, form: Form) -> dict[str, Any]:
    """Return the body of a request for JSON; low effort where the model thinks."""
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": request.max_tokens,
        "system": [_text(request.system)],
        "messages": [{"role": role, "content": [_text(text)]} for role, text in request.turns],
    }
    if form is Form.SCHEMA:
        schema = {"type": "json_schema", "schema": dict(request.schema)}
        effort = {"effort": "low"} if thinks(model) else {}
        body["output_config"] = {"format": schema, **effort}
    return body


def _max_tokens(model: str) -> int:
    return _MAX_TOKENS if _VERSION.match(model) else _MAX_TOKENS_ELSEWHERE


def _text(text: str) -> Block:
    return {"type": "text", "text": repair(text)}


def _messages(messages: Iterable[Message], own_model: str | None) -> list[dict[str, Any]]:
    """Return the conversation with neighbours of one role merged and nothing empty in it."""
    merged: list[dict[str, Any]] = []
    for message in messages:
        assistant = message.role is Role.ASSISTANT
        blocks = list(_blocks(message, own_model))
        while assistant and blocks and blocks[-1]["type"] in {"thinking", "redacted_thinking"}:
            blocks.pop()  # the API refuses a message that ends in thinking
        if not blocks:
            continue
        role = "assistant" if assistant else "user"
        if merged and merged[-1]["role"] == role:
            merged[-1]["content"] += blocks
        else:
            merged.append({"role": role, "content": blocks})
    return merged


def _blocks(message: Message, own_model: str | None) -> Iterator[Block]:
    if message.role is Role.USER and message.text.strip():
        yield _text(message.text)
    for part in message.parts:
        match part:
            case TextPart(text) if message.role is not Role.USER and text.strip():
                yield _text(text)
            case ToolCallPart():
                yield {
                    "type": "tool_use",
                    "id": wire_id(part.id),
                    "name": wire_name(part.name),
                    "input": dict(part.arguments),
                }
            case ToolResultPart():
                failed = {} if part.status == "ok" else {"is_error": True}
                content = [_text(part.text if part.text.strip() else NO_OUTPUT)]
                call = {"tool_use_id": wire_id(part.call_id), "content": content}
                yield {"type": "tool_result", **call, **failed}
            case ProviderPart(provider, model, data) if (provider, model) == (PROVIDER, own_model):
                yield dict(data)
    for attachment in message.attachments:
        if attachment.strip():
            yield _text(attachment)


def _mark(system: Sequence[Block], messages: Sequence[dict[str, Any]]) -> None:
    """Set cache marks: after the system text, and after the two newest messages of the user's side.

    The older of the two is where the request before this one had its newest.
    """
    if system:
        system[-1]["cache_control"] = _EPHEMERAL
    ends = [message["content"][-1] for message in messages if message["role"] == "user"]
    for block in ends[-_MARKED_MESSAGES:]:
        block["cache_control"] = _EPHEMERAL
