"""Providers built as the program builds them, and what comes out of them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

from catmem.config import Settings
from catmem.config.schema import (
    AnthropicSettings,
    MemorySettings,
    NetworkSettings,
    OpenAISettings,
    ProvidersSettings,
)
from catmem.messages import (
    Message,
    ModelRequest,
    Origin,
    Part,
    ProviderPart,
    Role,
    StructuredRequest,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    ToolSpec,
)
from catmem.paths import find_paths
from catmem.providers import create
from catmem.providers.base import (
    BlockCompleted,
    CallCompleted,
    Finished,
    Provider,
    ReasoningChunk,
    StreamPart,
    TextChunk,
)
from tests.support.model_server import ModelServer
from tests.support.reply import Wire

MODELS: dict[Wire, str] = {
    "messages": "claude-haiku-5-5",
    "chat": "qwen3",
    "responses": "gpt-6-luna",
}
GLOB = ToolSpec(
    "glob",
    "Find files.",
    {"type": "object", "properties": {"pattern": {"type": "string"}}, "required": ["pattern"]},
)
STATUS = ToolSpec("status", "Say how it is.", {"type": "object", "properties": {}})
SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "integer"}},
    "required": ["a"],
    "additionalProperties": False,
}


def settings_for(
    url: str,
    wire: Wire,
    *,
    model: str | None = "",
    network: NetworkSettings | None = None,
    auth: str = "bearer",
) -> Settings:
    """Settings for one server; ``model`` "" is the usual one of the wire form."""
    return Settings(
        provider="anthropic" if wire == "messages" else "openai",
        model=MODELS[wire] if model == "" else model,
        providers=ProvidersSettings(
            AnthropicSettings(base_url=url, auth=auth),
            OpenAISettings(base_url=url, api="chat" if wire == "messages" else wire),
        ),
        network=network or NetworkSettings(retries=0),
        memory=MemorySettings(),
    )


def provider_of(settings: Settings, **environ: str) -> Provider:
    keys = {"ANTHROPIC_API_KEY": "test", "OPENAI_API_KEY": "test"}
    variables = {**os.environ, **keys, **environ}
    return create(settings, find_paths(Path.cwd(), variables), variables)


@contextlib.asynccontextmanager
async def provider(
    server: ModelServer,
    wire: Wire,
    *,
    model: str | None = "",
    idle: float = 5,
    retries: int = 0,
    auth: str = "bearer",
) -> AsyncIterator[Provider]:
    """A provider for a scripted server, closed at the end."""
    network = NetworkSettings(idle_seconds=idle, retries=retries)
    made = provider_of(settings_for(server.url, wire, model=model, network=network, auth=auth))
    try:
        yield made
    finally:
        await made.aclose()


def request(*messages: Message, tools: Sequence[ToolSpec] = (GLOB,)) -> ModelRequest:
    return ModelRequest(("Be brief.",), messages or (user("hello"),), tuple(tools))


def structured_request(max_tokens: int = 100) -> StructuredRequest:
    return StructuredRequest("Extract.", (("user", "text"),), "facts", SCHEMA, max_tokens)


def user(text: str, *attachments: str) -> Message:
    return Message(Role.USER, (TextPart(text, Origin.TYPED),), attachments=attachments)


def assistant(*parts: Part | str) -> Message:
    whole = (TextPart(p, Origin.MODEL) if isinstance(p, str) else p for p in parts)
    return Message(Role.ASSISTANT, tuple(whole))


def results(*pairs: tuple[str, str], status: str = "ok", note: str = "") -> Message:
    parts = tuple(ToolResultPart(call, "glob", text, status) for call, text in pairs)
    return Message(Role.TOOL, parts, attachments=(note,) if note else ())


def call(call_id: str, pattern: str = "*") -> ToolCallPart:
    return ToolCallPart(call_id, "glob", {"pattern": pattern})


async def parts_of(provider: Provider, asked: ModelRequest | None = None) -> list[StreamPart]:
    return [part async for part in provider.stream(asked or request())]


def text_in(parts: Sequence[StreamPart]) -> str:
    return "".join(part.text for part in parts if isinstance(part, TextChunk))


def reasoning_in(parts: Sequence[StreamPart]) -> str:
    return "".join(part.text for part in parts if isinstance(part, ReasoningChunk))


def calls_in(parts: Sequence[StreamPart]) -> list[ToolCallPart]:
    return [part.call for part in parts if isinstance(part, CallCompleted)]


def blocks_in(parts: Sequence[StreamPart]) -> list[ProviderPart]:
    return [part.block for part in parts if isinstance(part, BlockCompleted)]


def end_of(parts: Sequence[StreamPart]) -> Finished:
    *_, last = parts
    assert isinstance(last, Finished)
    assert not any(isinstance(part, Finished) for part in parts[:-1])
    return last


def answer_of(parts: Sequence[StreamPart]) -> Message:
    """The message that the agent makes of an answer."""
    made: list[Part] = []
    for part in parts:
        match part:
            case TextChunk(text) if made and isinstance(made[-1], TextPart):
                made[-1] = replace(made[-1], text=made[-1].text + text)
            case TextChunk(text):
                made.append(TextPart(text, Origin.MODEL))
            case CallCompleted(one):
                made.append(one)
            case BlockCompleted(block):
                made.append(block)
    return Message(Role.ASSISTANT, tuple(made))
