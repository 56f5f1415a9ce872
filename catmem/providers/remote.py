"""The provider for models behind HTTP: retries, refused fields and forms, late loading.

What differs between the APIs is in the adapters (``anthropic``, ``openai``). They are imported in a
thread by ``warm_up`` or at the first request, because the SDKs take up to a second.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import re
import threading
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar, runtime_checkable

from catmem import failopen
from catmem.config.schema import NetworkSettings
from catmem.errors import BadRequestError, ProviderError, RefusalError
from catmem.messages import LabelRequest, ModelRequest, StructuredReply, StructuredRequest
from catmem.providers import retry
from catmem.providers.access import Access, Wire
from catmem.providers.base import (
    Finished,
    ReasoningChunk,
    StopReason,
    StreamPart,
    TextChunk,
)
from catmem.providers.failures import RejectedError
from catmem.providers.structured import THINKING_ROOM, Form, in_form, refuses_form
from catmem.providers.verdicts import Verdicts
from catmem.text import t

T = TypeVar("T")
Parts = AsyncGenerator[StreamPart, None]
Without = frozenset[str]

_ADAPTERS: dict[Wire, str] = {
    "messages": "catmem.providers.anthropic.adapter",
    "chat": "catmem.providers.openai.chat",
    "responses": "catmem.providers.openai.responses",
}
_THINKS = "thinks"


@dataclass(frozen=True, slots=True)
class OptionalField:
    """Something a request can do without, where the server refuses it.

    Attributes:
        name: what the adapter knows it by.
        refusal: matches a server's refusal of it.
        lasting: whether the refusal holds for the server and model; else for this conversation.
    """

    name: str
    refusal: re.Pattern[str]
    lasting: bool = True


class Adapter(Protocol):
    """One API's form, over an open connection."""

    optional: tuple[OptionalField, ...]
    forms: tuple[Form, ...]

    def chat(self, request: ModelRequest, model: str, without: Without) -> Parts:
        """Send ``request`` once, without these optional fields."""
        ...

    def ask(self, request: StructuredRequest, model: str, form: Form, without: Without) -> Parts:
        """Send ``request`` once in that form."""
        ...

    def thinks(self, model: str) -> bool:
        """Whether the model is known to think, which counts as output."""
        ...

    async def list_models(self) -> list[str]:
        """Return the models that the server has; empty where it does not say."""
        ...

    async def aclose(self) -> None:
        """Close the connection."""
        ...


@runtime_checkable
class LabelAdapter(Protocol):
    """An adapter whose API tells how likely the first token of an answer was."""

    async def choose(self, request: LabelRequest, model: str) -> Mapping[str, float]:
        """Send ``request`` once."""
        ...


class RemoteProvider:
    """See ``Provider``. ``model`` is empty until the server was asked, if no setting names one."""

    def __init__(self, access: Access, network: NetworkSettings, verdicts: Verdicts) -> None:
        self.name = access.provider
        self.server = access.base_url
        self.key_source = access.key_source
        self.loopback = access.loopback
        self.model = access.model or (access.default_model if access.official else "")
        self._access = access
        self._network = network
        self._verdicts = verdicts
        self._dropped: set[str] = set()
        self._adapter: Adapter | None = None
        self._loading = asyncio.Lock()

    def stream(self, request: ModelRequest) -> Parts:
        """See ``Provider``."""
        return retry.stream(lambda: self._chat(request), self._network.retries)

    async def structured(self, request: StructuredRequest) -> StructuredReply:
        """See ``Provider``."""
        return await retry.call(lambda: self._ask(request), self._network.retries)

    async def choose(self, request: LabelRequest) -> Mapping[str, float]:
        """See ``LabelModel``."""
        return await retry.call(lambda: self._choose(request), self._network.retries)

    async def warm_up(self) -> None:
        """See ``Provider``; what fails here fails again at the first request, which tells."""
        with contextlib.suppress(ProviderError):
            await self._ready()

    async def aclose(self) -> None:
        """See ``Provider``."""
        if self._adapter is not None:
            await self._adapter.aclose()

    async def _ready(self) -> Adapter:
        """Return the adapter, loaded, with the model known."""
        async with self._loading:
            if self._adapter is None:
                self._adapter = await _in_thread(self._load)
            if not self.model:
                names = await self._adapter.list_models()
                default = self._access.default_model
                self.model = names[0] if names and default not in names else default
            return self._adapter

    def _load(self) -> Adapter:
        module = importlib.import_module(_ADAPTERS[self._access.wire])
        adapter: Adapter = module.connect(self._access, self._network)
        return adapter

    async def _chat(self, request: ModelRequest) -> Parts:
        adapter = await self._ready()
        parts = self._sent(adapter, lambda without: adapter.chat(request, self.model, without))
        async with contextlib.aclosing(parts):
            async for part in parts:
                yield part

    async def _choose(self, request: LabelRequest) -> Mapping[str, float]:
        adapter = await self._ready()
        if not isinstance(adapter, LabelAdapter):
            raise BadRequestError(t("providers.no_probabilities", model=self.model))
        return await adapter.choose(request, self.model)

    async def _ask(self, request: StructuredRequest) -> StructuredReply:
        adapter = await self._ready()
        if adapter.thinks(self.model) or self._holds(_THINKS):
            request = replace(request, max_tokens=request.max_tokens + THINKING_ROOM)
        refused: list[Form] = []
        forms = [form for form in adapter.forms if not self._holds(f"no {form}")]
        for form in forms:
            try:
                reply = await self._collect(adapter, in_form(request, form), form)
            except RejectedError as error:
                if form is forms[-1] or not refuses_form(error):
                    raise
                refused.append(form)
                continue
            for one in refused:
                self._note(f"no {one}")
            return reply
        raise AssertionError  # the last form returns or raises

    async def _collect(
        self, adapter: Adapter, request: StructuredRequest, form: Form
    ) -> StructuredReply:
        texts: list[str] = []
        finished = Finished(StopReason.END)
        parts = self._sent(adapter, lambda without: adapter.ask(request, self.model, form, without))
        async with contextlib.aclosing(parts):
            async for part in parts:
                match part:
                    case TextChunk(text):
                        texts.append(text)
                    case ReasoningChunk():
                        self._note(_THINKS)
                    case Finished():
                        finished = part
        if finished.reason is StopReason.REFUSAL:
            raise RefusalError(finished.detail or t("providers.refused"))
        truncated = finished.reason is StopReason.LENGTH
        return StructuredReply("".join(texts), truncated, finished.usage)

    async def _sent(self, adapter: Adapter, send: Callable[[Without], Parts]) -> Parts:
        """Yield the parts of a request; send it again without a field that the server refuses."""
        dropped = {field.name for field in adapter.optional if self._does_without(field.name)}
        while True:
            begun = False
            try:
                async with contextlib.aclosing(send(frozenset(dropped))) as parts:
                    async for part in parts:
                        if not begun:
                            self._keep(adapter, dropped)
                        begun = True
                        yield part
            except RejectedError as error:
                left = (field for field in adapter.optional if field.name not in dropped)
                field = next((one for one in left if one.refusal.search(error.said)), None)
                if begun or field is None:
                    raise
                dropped.add(field.name)
            else:
                return

    def _does_without(self, field: str) -> bool:
        return field in self._dropped or self._holds(f"no {field}")

    def _keep(self, adapter: Adapter, dropped: set[str]) -> None:
        """A request went through without these fields: leave them out from now on."""
        self._dropped |= dropped
        for field in adapter.optional:
            if field.name in dropped and field.lasting:
                self._note(f"no {field.name}")

    def _holds(self, finding: str) -> bool:
        return self._verdicts.holds(self._access.base_url, self.model, finding)

    def _note(self, finding: str) -> None:
        self._verdicts.note(self._access.base_url, self.model, finding)


async def _in_thread(work: Callable[[], T]) -> T:
    """Run ``work`` in a thread that does not hold up the end of the program."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T | Exception] = loop.create_future()

    def finish(result: T | Exception) -> None:
        if not done.done():
            done.set_result(result)

    def run() -> None:
        result = failopen.attempt_now("loading the provider", work)
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(finish, result)

    threading.Thread(target=run, name="provider", daemon=True).start()
    result = await done
    if isinstance(result, Exception):
        raise result
    return result
