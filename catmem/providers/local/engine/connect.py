"""Speaking to the engine: the openai provider's chat code, pointed at the child process.

Imported when the engine runs, because HTTP has no part in a quick start.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace
from typing import Any

import httpx2

from catmem.config.schema import NetworkSettings
from catmem.messages import LabelRequest, ModelRequest, StructuredReply, StructuredRequest
from catmem.providers.access import Access
from catmem.providers.base import Finished, StopReason, StreamPart, TextChunk
from catmem.providers.http import Connection, Limits
from catmem.providers.local.engine.states import Saved
from catmem.providers.local.weights.parts import MODEL
from catmem.providers.openai.chat import ChatAdapter
from catmem.providers.structured import Form

Extra = Mapping[str, Any]
_WITHOUT: frozenset[str] = frozenset()


class EngineServer:
    """See ``ChatServer`` and ``SlotServer``."""

    def __init__(self, adapter: ChatAdapter, own: Connection) -> None:
        self._adapter = adapter
        self._own = own

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

    async def save(self, slot: int, name: str) -> Saved:
        answer = await self._slot(slot, "save", name)
        try:
            return Saved(int(answer["n_saved"]), int(answer["n_written"]))
        except (KeyError, TypeError, ValueError) as error:
            raise self._own.failures.nonsense(repr(answer)) from error

    async def restore(self, slot: int, name: str) -> None:
        await self._slot(slot, "restore", name)

    async def aclose(self) -> None:
        await self._adapter.aclose()
        await self._own.aclose()

    async def _slot(self, slot: int, action: str, name: str) -> dict[str, Any]:
        """Use llama.cpp's own route for the state of a slot."""
        try:
            response = await self._own.send(f"/slots/{slot}?action={action}", {"filename": name})
            async with contextlib.aclosing(response):
                text = await response.aread()
        except httpx2.HTTPError as error:
            raise self._own.explain(error) from error
        if not response.is_success:
            raise self._own.failures.answer(response.status_code, text, MODEL, None)
        try:
            answer = json.loads(text)
        except ValueError as error:
            raise self._own.failures.nonsense(text.decode("utf-8", "replace")) from error
        return answer if isinstance(answer, dict) else {}


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
    limits = Limits.of(NetworkSettings(idle_seconds=3600), access)
    own = Connection(replace(access, base_url=address), limits)
    return EngineServer(ChatAdapter(Connection(access, limits)), own)
