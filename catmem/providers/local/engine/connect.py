"""Speaking to the engine: the openai provider's chat code, pointed at the child process.

Imported when the engine runs, because HTTP has no part in a quick start.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Mapping
from typing import Any

from catmem.config.schema import NetworkSettings
from catmem.messages import LabelRequest, ModelRequest, StructuredReply, StructuredRequest
from catmem.providers.access import Access
from catmem.providers.base import Finished, StopReason, StreamPart, TextChunk
from catmem.providers.local.weights.parts import MODEL
from catmem.providers.openai.chat import ChatAdapter
from catmem.providers.openai.chat import connect as connect_chat
from catmem.providers.structured import Form

Extra = Mapping[str, Any]
_WITHOUT: frozenset[str] = frozenset()


class EngineServer:
    """See ``ChatServer``."""

    def __init__(self, adapter: ChatAdapter) -> None:
        self._adapter = adapter

    def stream(self, request: ModelRequest, extra: Extra) -> AsyncGenerator[StreamPart, None]:
        return self._adapter.chat(request, MODEL, _WITHOUT, extra)

    async def structured(self, request: StructuredRequest, extra: Extra) -> StructuredReply:
        texts: list[str] = []
        finished = Finished(StopReason.END)
        parts = self._adapter.ask(request, MODEL, Form.SCHEMA, _WITHOUT, extra)
        async with contextlib.aclosing(parts):
            async for part in parts:
                if isinstance(part, TextChunk):
                    texts.append(part.text)
                elif isinstance(part, Finished):
                    finished = part
        truncated = finished.reason is StopReason.LENGTH
        return StructuredReply("".join(texts), truncated, finished.usage)

    async def choose(self, request: LabelRequest, extra: Extra) -> Mapping[str, float]:
        return await self._adapter.choose(request, MODEL, extra)

    async def aclose(self) -> None:
        await self._adapter.aclose()


def connect(address: str, key: str) -> EngineServer:
    """Return the client of the engine at ``address``."""
    access = Access(
        provider="local",
        model=MODEL,
        default_model=MODEL,
        base_url=f"{address}/v1",
        key=key,
        key_source="",
        wire="chat",
        old_auth=False,
        official=False,
        loopback=True,
    )
    # Reading a long result takes minutes on a slow machine; a dead engine closes the connection.
    return EngineServer(connect_chat(access, NetworkSettings(idle_seconds=3600)))
