"""What every conversation and every label begin with: read once by the engine, then kept on disk.

Only text that is the same for everybody is read on its own and kept; a state is saved before the
slot has seen anything else. What fails here costs the time to read, and a line in the log.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import defaultdict
from collections.abc import AsyncGenerator, Mapping
from typing import Any, Protocol

from catmem import log
from catmem.errors import NetworkError, ProviderError, StorageError
from catmem.messages import ModelRequest
from catmem.providers.base import Finished, StreamPart
from catmem.providers.local.engine.states import Saved, SavedStates

STEADY: Mapping[str, Any] = {"temperature": 0, "cache_prompt": True}


class SlotServer(Protocol):
    """The part of the engine's server that is needed here; ``slot`` counts from 0."""

    def stream(
        self, request: ModelRequest, extra: Mapping[str, Any]
    ) -> AsyncGenerator[StreamPart, None]: ...

    async def save(self, slot: int, name: str) -> Saved:
        """Write the slot's state to a file of that name in the launch's folder.

        Raises:
            ProviderError: it could not be written, or the engine is gone.
        """
        ...

    async def restore(self, slot: int, name: str) -> None:
        """Let the slot go on from a file.

        Raises:
            ProviderError: the engine refuses it, or is gone.
        """
        ...


class Prefixes:
    """Which prefix each slot of one running engine holds."""

    def __init__(self, server: SlotServer, states: SavedStates) -> None:
        self._server = server
        self._states = states
        self._held: dict[int, ModelRequest] = {}
        self._turns: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def begin(self, slot: int, prefix: ModelRequest) -> None:
        """Have the slot hold ``prefix``: from disk, else read and kept for the next start.

        Raises:
            NetworkError: the engine is gone.
        """
        async with self._turns[slot]:
            if self._held.get(slot) == prefix:
                return
            self._held.pop(slot, None)
            text = _text(prefix)
            if not await self._restored(slot, text):
                try:
                    tokens = await self.read(slot, prefix)
                except NetworkError:
                    raise
                except ProviderError as error:  # some models' templates end in no answer
                    log.warning(f"embedded model: the instructions are not read alone: {error}")
                else:
                    await self._keep(slot, text, tokens)
            self._held[slot] = prefix

    def forget(self, slot: int) -> None:
        """Note that the slot is used for something that begins otherwise."""
        self._held.pop(slot, None)

    async def read(self, slot: int, request: ModelRequest) -> int | None:
        """Let the slot read ``request``; return its tokens.

        Raises:
            ProviderError: it could not.
        """
        extra = {**STEADY, "id_slot": slot, "max_tokens": 1}
        tokens = None
        async with contextlib.aclosing(self._server.stream(request, extra)) as parts:
            async for part in parts:
                if isinstance(part, Finished):
                    tokens = part.usage.input_tokens
        return tokens

    async def _restored(self, slot: int, text: str) -> bool:
        try:
            name = await asyncio.to_thread(self._states.find, text)
            if name is None:
                return False
            try:
                await self._server.restore(slot, name)
            except ProviderError:  # never again, should it even have been the engine's end
                await asyncio.to_thread(self._states.remove, name)
                raise
        except NetworkError:
            raise
        except (StorageError, ProviderError) as error:
            log.warning(f"embedded model: its instructions are read again: {error}")
            return False
        return True

    async def _keep(self, slot: int, text: str, tokens: int | None) -> None:
        name = ""
        try:
            name = await asyncio.to_thread(self._states.draft)
            saved = await self._server.save(slot, name)
            if saved.tokens == tokens:  # and not a token more than the text that is everybody's
                await asyncio.to_thread(self._states.keep, name, text, saved.size)
                return
            log.warning(f"embedded model: {saved.tokens} tokens saved where {tokens} were read")
        except NetworkError:
            raise
        except (StorageError, ProviderError) as error:
            log.warning(f"embedded model: what it has read is not kept: {error}")
        if name:
            with contextlib.suppress(StorageError):
                await asyncio.to_thread(self._states.remove, name)


def _text(prefix: ModelRequest) -> str:
    turns = [(message.role.value, message.text) for message in prefix.messages]
    return json.dumps([prefix.system, turns], ensure_ascii=False)
