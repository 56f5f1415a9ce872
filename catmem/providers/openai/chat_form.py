"""A request as a Chat Completions body, in the form that the strictest servers accept.

Exactly one system message at the very front, user and assistant in turns, every call answered; a
field that not every server knows is left out unless there is a reason for it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from catmem.messages import (
    LabelRequest,
    Message,
    ModelRequest,
    ProviderPart,
    Role,
    StructuredRequest,
    ToolCallPart,
    ToolResultPart,
)
from catmem.providers.access import Access
from catmem.providers.calls import NO_OUTPUT, wire_id, wire_name
from catmem.providers.openai import labels
from catmem.providers.structured import Form
from catmem.sanitize import repair

Entry = dict[str, Any]

PROVIDER = "openai"
REASONING = "reasoning_content"
USAGE, EFFORT = "stream_options", "reasoning_effort"
"""What a server may refuse."""

# OpenAI's own models that think, by name.
_THINKS = re.compile(r"(gpt-[56]|o\d)")


class ChatForm:
    """Makes the bodies for one server."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def chat_body(self, request: ModelRequest, model: str, without: frozenset[str]) -> Entry:
        """Return the body of a chat request, leaving out the fields in ``without``."""
        body = self._frame(request.system, list(self._turns(request.messages, model)), model)
        if USAGE not in without:
            body["stream_options"] = {"include_usage": True}
        if request.max_tokens:
            body[self._limit_field] = request.max_tokens
        if request.tools:
            body["tools"] = [
                {
                    "type": "function",
                    "function": {
                        "name": tool.name,
                        "description": tool.description,
                        "parameters": dict(tool.parameters),
                    },
                }
                for tool in request.tools
            ]
            if request.tool_choice_none:
                body["tool_choice"] = "none"
        return body

    def structured_body(
        self, request: StructuredRequest, model: str, form: Form, without: frozenset[str]
    ) -> Entry:
        """Return the body of a request for JSON."""
        turns = [{"role": role, "content": repair(text)} for role, text in request.turns]
        body = self._frame((request.system,), turns, model)
        body[self._limit_field] = request.max_tokens
        if USAGE not in without:
            body["stream_options"] = {"include_usage": True}
        if self.thinks(model) and EFFORT not in without:
            body["reasoning_effort"] = "low"
        if form is Form.SCHEMA:
            schema = {"name": request.name, "strict": True, "schema": dict(request.schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif form is Form.OBJECT:
            body["response_format"] = {"type": "json_object"}
        return body

    def label_body(self, request: LabelRequest, model: str) -> Entry:
        """Return the body of a label request: one token, with its alternatives."""
        return {"model": model, **labels.label_body(request), self._limit_field: 1}

    def thinks(self, model: str) -> bool:
        """Whether this is one of OpenAI's own models that think."""
        return self._access.official and _THINKS.match(model) is not None

    def reasoning(self, text: str, model: str) -> ProviderPart:
        """Return reasoning as a block for the transcript; it goes back to the same server alone."""
        return ProviderPart(
            PROVIDER,
            model,
            {"type": REASONING, "server": self._access.base_url, REASONING: text},
            sealed=False,
        )

    @property
    def _limit_field(self) -> str:
        return "max_completion_tokens" if self._access.official else "max_tokens"

    def _frame(self, system: Iterable[str], turns: list[Entry], model: str) -> Entry:
        text = "\n\n".join(part for part in system if part.strip())
        head = [{"role": "system", "content": repair(text)}] if text else []
        return {"model": model, "messages": [*head, *turns], "stream": True}

    def _turns(self, messages: Iterable[Message], model: str) -> Iterator[Entry]:
        """Yield the conversation with neighbours of one role merged and nothing empty in it."""
        waiting: Entry | None = None
        for message in messages:
            for entry in self._entries(message, model):
                if waiting is not None and _mergeable(waiting, entry):
                    waiting = _merged(waiting, entry)
                    continue
                if waiting is not None:
                    yield waiting
                waiting = entry
        if waiting is not None:
            yield waiting

    def _entries(self, message: Message, model: str) -> Iterator[Entry]:
        attached = [text for text in message.attachments if text.strip()]
        match message.role:
            case Role.ASSISTANT:
                yield from self._assistant(message, model)
            case Role.TOOL:
                results = [part for part in message.parts if isinstance(part, ToolResultPart)]
                for number, result in enumerate(results, 1):
                    text = result.text if result.text.strip() else NO_OUTPUT
                    text = _joined([text, *(attached if number == len(results) else [])])
                    yield {"role": "tool", "tool_call_id": wire_id(result.call_id), "content": text}
            case _:
                text = _joined([text for text in (message.text, *attached) if text.strip()])
                if text:
                    yield {"role": "user", "content": text}

    def _assistant(self, message: Message, model: str) -> Iterator[Entry]:
        text = repair(message.text)
        calls = [_call(call) for call in message.calls]
        if not calls and not text.strip():
            return
        entry: Entry = {"role": "assistant", "content": text if text.strip() else None}
        if calls:
            entry["tool_calls"] = calls
            # DeepSeek demands the reasoning of tool turns back, even an empty one.
            for part in message.parts:
                if isinstance(part, ProviderPart) and self._is_ours(part, model):
                    entry[REASONING] = repair(str(part.data[REASONING]))
        yield entry

    def _is_ours(self, part: ProviderPart, model: str) -> bool:
        made_here = part.provider == PROVIDER and part.model == model
        return made_here and (part.data.get("type"), part.data.get("server")) == (
            REASONING,
            self._access.base_url,
        )


def _joined(texts: Iterable[str]) -> str:
    return repair("\n\n".join(texts))


def _call(call: ToolCallPart) -> Entry:
    return {
        "id": wire_id(call.id),
        "type": "function",
        "function": {"name": wire_name(call.name), "arguments": json.dumps(dict(call.arguments))},
    }


def _mergeable(first: Entry, second: Entry) -> bool:
    if first["role"] != second["role"] or first["role"] == "tool":
        return False
    return "tool_calls" not in first  # a second assistant message must follow the call's results


def _merged(first: Entry, second: Entry) -> Entry:
    texts = [text for text in (first["content"], second["content"]) if text]
    return {**second, "content": "\n\n".join(texts) or None}
