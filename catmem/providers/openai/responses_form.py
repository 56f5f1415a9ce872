"""A request as a Responses body: nothing is stored at the server, every item goes back verbatim."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
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

Item = dict[str, Any]

PROVIDER = "openai"
REASONING = "reasoning"
"""What a server or model may refuse."""

_THINKS = re.compile(r"(gpt-[56]|o\d)")
_ITEMS = {"message", "reasoning", "function_call"}


def thinks(model: str) -> bool:
    """Whether the model is known to take ``reasoning``."""
    return _THINKS.match(model) is not None


def chat_body(request: ModelRequest, model: str, without: frozenset[str]) -> dict[str, Any]:
    """Return the body of a chat request, leaving out the fields in ``without``."""
    body: dict[str, Any] = {
        "model": model,
        "store": False,
        "input": list(_input(request.messages, model)),
    }
    instructions = "\n\n".join(text for text in request.system if text.strip())
    if instructions:
        body["instructions"] = repair(instructions)
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": dict(tool.parameters),
                "strict": False,
            }
            for tool in request.tools
        ]
        if request.tool_choice_none:
            body["tool_choice"] = "none"
    if request.max_tokens:
        body["max_output_tokens"] = request.max_tokens
    if thinks(model) and REASONING not in without:
        body["reasoning"] = {"summary": "auto"}
        body["include"] = ["reasoning.encrypted_content"]
    return body


def structured_body(
    request: StructuredRequest, model: str, form: Form, without: frozenset[str]
) -> dict[str, Any]:
    """Return the body of a request for JSON; low effort where the model thinks."""
    body: dict[str, Any] = {
        "model": model,
        "store": False,
        "instructions": repair(request.system),
        "input": [{"role": role, "content": repair(text)} for role, text in request.turns],
        "max_output_tokens": request.max_tokens,
    }
    if form is Form.SCHEMA:
        schema = {"name": request.name, "strict": True, "schema": dict(request.schema)}
        body["text"] = {"format": {"type": "json_schema", **schema}}
    elif form is Form.OBJECT:
        body["text"] = {"format": {"type": "json_object"}}
    if thinks(model) and REASONING not in without:
        body["reasoning"] = {"effort": "low"}
    return body


def _input(messages: Iterable[Message], model: str) -> Iterator[Item]:
    """Yield the conversation's items; neighbouring user texts become one item."""
    texts: list[str] = []
    for message in messages:
        if message.role is Role.ASSISTANT:
            yield from _said(texts)
            yield from _answer(message, model)
            continue
        for part in message.parts:
            if isinstance(part, ToolResultPart):
                text = part.text if part.text.strip() else NO_OUTPUT
                yield {
                    "type": "function_call_output",
                    "call_id": wire_id(part.call_id),
                    "output": repair(text),
                }
        texts += (message.text, *message.attachments)
    yield from _said(texts)


def _said(texts: list[str]) -> Iterator[Item]:
    blocks = [{"type": "input_text", "text": repair(text)} for text in texts if text.strip()]
    if blocks:
        yield {"role": "user", "content": blocks}
    texts.clear()


def _answer(message: Message, model: str) -> Iterator[Item]:
    """Yield an answer's own items where this model made it, else its text and calls."""
    own = [
        dict(part.data)
        for part in message.parts
        if isinstance(part, ProviderPart)
        and (part.provider, part.model) == (PROVIDER, model)
        and part.data.get("type") in _ITEMS
    ]
    if not own:
        yield from _rebuilt(message)
        return
    while own and own[-1]["type"] == "reasoning":
        own.pop()  # the API refuses reasoning that nothing follows
    calls = iter(message.calls)
    for item in own:
        yield _call(next(calls), item) if item["type"] == "function_call" else item


def _rebuilt(message: Message) -> Iterator[Item]:
    for part in message.parts:
        match part:
            case TextPart(text) if text.strip():
                yield {"role": "assistant", "content": repair(text)}
            case ToolCallPart():
                yield _call(part, {"type": "function_call"})


def _call(call: ToolCallPart, item: Item) -> Item:
    """Return a call's item, verbatim unless its id was taken or its arguments are not JSON."""
    kept = item.get("arguments")
    return {
        **item,
        "call_id": wire_id(call.id),
        "name": wire_name(call.name),
        "arguments": kept if _is_object(kept) else json.dumps(dict(call.arguments)),
    }


def _is_object(text: Any) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (TypeError, ValueError):
        return False
