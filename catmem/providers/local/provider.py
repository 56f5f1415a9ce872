"""The provider ``local``: an embedded model, no key, no network.

It owns the engine's process, hands requests to the openai provider's chat code, turns chat requests
into constrained actions and back, and lets a chat request go before any other work.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

from catmem.errors import NetworkError, ProviderError
from catmem.messages import (
    LabelRequest,
    Message,
    ModelRequest,
    Origin,
    Role,
    StructuredReply,
    StructuredRequest,
    TextPart,
)
from catmem.providers.base import (
    CallCompleted,
    Finished,
    StopReason,
    StreamPart,
    TextChunk,
)
from catmem.providers.local.acting.form import Acting, Constrained, cut_call
from catmem.providers.local.acting.reply import ReplyReader
from catmem.providers.local.engine.process import Engine
from catmem.providers.local.engine.states import SavedStates
from catmem.providers.local.prefixes import STEADY, Prefixes, SlotServer
from catmem.providers.local.schedule import Scheduler
from catmem.providers.local.weights import parts
from catmem.text import t

T = TypeVar("T")

_CHAT_SLOT, _BACKGROUND_SLOT = 0, 1
_MAX_TOKENS = 1200


class ChatServer(SlotServer, Protocol):
    """The openai provider's chat code, for one server; ``extra`` is merged into the body."""

    async def structured(
        self, request: StructuredRequest, extra: Mapping[str, Any]
    ) -> StructuredReply: ...

    async def choose(
        self, request: LabelRequest, extra: Mapping[str, Any]
    ) -> Mapping[str, float]: ...

    async def aclose(self) -> None: ...


Connect = Callable[[str, str], ChatServer]
"""Makes the client of a server from its base URL and key."""


class Prepare(Protocol):
    """Brings weights and engine."""

    async def __call__(self, say: Callable[[str], None], *, may_fetch: bool) -> Engine:
        """Report to ``say`` what it is doing, in one short line.

        Raises:
            WeightsError: the weights are not there, and may not or cannot be fetched.
        """
        ...


class LocalProvider:
    """The embedded model; see ``Provider``, ``LabelModel`` and ``Preparing``."""

    name = "local"
    server = "embedded"
    key_source = ""
    loopback = True

    def __init__(
        self,
        prepare: Prepare,
        connect: Connect,
        cwd: Path,
        *,
        model: str = parts.MODEL,
    ) -> None:
        self.model = model
        self._prepare = prepare
        self._connect = connect
        self.on_status: Callable[[str], None] = lambda _: None
        self._acting = Acting(cwd)
        self._scheduler = Scheduler()
        self._engine: Engine | None = None
        self._server: ChatServer | None = None
        self._prefixes: Prefixes | None = None
        self._address = ""
        self._getting_ready = asyncio.Lock()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamPart, None]:
        """See ``Provider``; the parts are ordinary text and tool calls."""
        calls = self._acting.obvious(request)
        if calls:
            for call in calls:
                yield CallCompleted(call)
            yield Finished(StopReason.TOOL_CALLS)
            return
        async with self._scheduler.chat():
            async for part in self._answer(request):
                yield part

    async def structured(self, request: StructuredRequest) -> StructuredReply:
        """See ``Provider``; waits while the person chats, and begins again when interrupted."""
        extra = {**STEADY, "id_slot": _BACKGROUND_SLOT}

        async def ask(server: ChatServer, prefixes: Prefixes) -> StructuredReply:
            prefixes.forget(_BACKGROUND_SLOT)
            return await server.structured(request, extra)

        return await self._in_background(ask)

    async def choose(self, request: LabelRequest) -> Mapping[str, float]:
        """See ``LabelModel``; scheduled as ``structured`` is."""
        extra = {**STEADY, "id_slot": _BACKGROUND_SLOT}

        async def ask(server: ChatServer, prefixes: Prefixes) -> Mapping[str, float]:
            await prefixes.begin(_BACKGROUND_SLOT, _prefix_of(request))
            return await server.choose(request, extra)

        return await self._in_background(ask)

    async def warm_up(self) -> None:
        """Load the model, so that it is ready when the person is."""
        await self._ready()

    async def prefill(self, request: ModelRequest) -> None:
        """Let the server read what every request of the session begins with, ahead of the first.

        ``request`` carries the session's system texts. Gives way to a chat request.
        """
        opening, prefix = self._acting.fixed_part(request.system), self._acting.fixed_part(())

        async def read(_: ChatServer, prefixes: Prefixes) -> None:
            await prefixes.begin(_CHAT_SLOT, prefix)
            if opening != prefix:
                await prefixes.read(_CHAT_SLOT, opening)

        await self._ready()
        self._say(t("local.reading"))
        try:
            await self._in_background(read)
        finally:
            self._say("")

    async def aclose(self) -> None:
        """End the engine's process."""
        if self._server is not None:
            await self._server.aclose()
        if self._engine is not None:
            await self._engine.aclose()

    async def _answer(self, request: ModelRequest) -> AsyncIterator[StreamPart]:
        reader, finished = ReplyReader(), Finished(StopReason.DROPPED)
        without: frozenset[str] = frozenset()
        while True:
            constrained = self._acting.constrain(request, without=without)
            async for part in self._parts(constrained):
                match part:
                    case TextChunk(piece):
                        for text in reader.feed(piece):
                            yield TextChunk(text)
                    case Finished():
                        finished = part
                    case _:
                        yield part
            if reader.is_answer or finished.reason is StopReason.DROPPED:
                yield finished
                return
            action = reader.action()
            if action is None:
                yield CallCompleted(cut_call())
                yield Finished(StopReason.LENGTH, finished.usage)
                return
            calls = self._acting.calls_of(request, action)
            if calls is not None:
                for call in calls:
                    yield CallCompleted(call)
                yield Finished(StopReason.TOOL_CALLS, finished.usage)
                return
            # It goes in circles: let it do something else, in the end speak.
            without |= {action.get("action", "")}
            reader = ReplyReader()

    async def _parts(self, constrained: Constrained) -> AsyncIterator[StreamPart]:
        extra = {
            **STEADY,
            "id_slot": _CHAT_SLOT,
            "max_tokens": constrained.request.max_tokens or _MAX_TOKENS,
            "grammar": constrained.grammar,
        }
        server, prefixes = await self._ready()
        engine = self._engine
        try:
            await prefixes.begin(_CHAT_SLOT, self._acting.fixed_part(()))
            async with contextlib.aclosing(server.stream(constrained.request, extra)) as stream:
                async for part in stream:
                    yield part
        except NetworkError as error:
            raise await self._cause(error) from error
        if engine is not None:
            engine.answered()

    async def _in_background(self, use: Callable[[ChatServer, Prefixes], Awaitable[T]]) -> T:
        async def work() -> T:
            ready = await self._ready(may_fetch=False)  # nobody waits for a gigabyte at the exit
            try:
                return await use(*ready)
            except NetworkError as error:
                raise await self._cause(error) from error

        return await self._scheduler.background(work)

    async def _ready(self, *, may_fetch: bool = True) -> tuple[ChatServer, Prefixes]:
        """Return the client of the running engine, and what its slots hold.

        Fetches, loads or restarts what is missing.
        """
        async with self._getting_ready:
            try:
                if self._engine is None:
                    self._engine = await self._prepare(self._say, may_fetch=may_fetch)
                if not self._engine.running:
                    alone = self._engine.only_one()
                    self._say(t("local.loading") if alone else t("local.loading_again"))
                address = await self._engine.address()
            finally:
                self._say("")
            if self._server is None or self._prefixes is None or address != self._address:
                if self._server is not None:
                    await self._server.aclose()
                self._server = self._connect(address, self._engine.key)
                states = SavedStates(self._engine.launch, self._engine.version)
                self._prefixes = Prefixes(self._server, states)
                self._address = address
            return self._server, self._prefixes

    async def _cause(self, error: ProviderError) -> ProviderError:
        """Prefer the engine's own death to what the connection says about it."""
        death = await self._engine.death() if self._engine is not None else None
        return death or error

    def _say(self, status: str) -> None:
        self.on_status(status)


def _prefix_of(request: LabelRequest) -> ModelRequest:
    """Return what all label requests with the same examples begin with."""
    turns = []
    for text, label in request.examples:
        turns.append(Message(Role.USER, (TextPart(text, Origin.CATMEM),)))
        turns.append(Message(Role.ASSISTANT, (TextPart(label, Origin.MODEL),)))
    return ModelRequest((request.system,), tuple(turns))
