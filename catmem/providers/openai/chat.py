"""Chat Completions over plain HTTP, without the openai SDK.

Measured: importing the SDK puts 0.4 s before the first answer of a local server and it takes seven
times the processor time per event; its typed objects also hide the odd deltas of compatible servers
that have to be read here anyway.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import AsyncGenerator, Mapping
from typing import Any

import httpx2

from catmem.config.schema import NetworkSettings
from catmem.errors import BadRequestError
from catmem.messages import LabelRequest, ModelRequest, StructuredRequest
from catmem.providers.access import Access
from catmem.providers.base import BlockCompleted, CallCompleted
from catmem.providers.failures import error_facts
from catmem.providers.http import Connection, Limits, events, retry_after
from catmem.providers.openai.chat_form import EFFORT, USAGE, ChatForm
from catmem.providers.openai.chat_reading import ChatReader
from catmem.providers.openai.labels import probabilities
from catmem.providers.remote import OptionalField, Parts, Without
from catmem.providers.structured import Form
from catmem.text import t

_PATH = "/chat/completions"
_DONE = "[DONE]"
_NO_REQUEST = ModelRequest((), ())
_NOTHING: Mapping[str, Any] = {}


class ChatAdapter:
    """See ``Adapter``. ``extra`` fields are for a server that is known to take them."""

    forms = (Form.SCHEMA, Form.OBJECT, Form.PLAIN)
    optional = (
        OptionalField(USAGE, re.compile(r"stream_options|include_usage", re.IGNORECASE)),
        OptionalField(EFFORT, re.compile(r"reasoning_effort", re.IGNORECASE)),
    )

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._form = ChatForm(connection.access)
        self._calls_natively = False

    async def chat(
        self,
        request: ModelRequest,
        model: str,
        without: Without,
        extra: Mapping[str, Any] = _NOTHING,
    ) -> Parts:
        """See ``Adapter``. Calls are looked for in the text until the server sends a real one."""
        reader = ChatReader(request, text_calls=not self._calls_natively)
        body = {**self._form.chat_body(request, model, without), **extra}
        async with contextlib.aclosing(self._send(body, reader, model)) as parts:
            async for part in parts:
                if isinstance(part, CallCompleted) and reader.reasoning is not None:
                    # The reasoning goes before the first of the calls it led to.
                    yield BlockCompleted(self._form.reasoning(reader.reasoning, model))
                    reader.reasoning = None
                yield part
        self._calls_natively = self._calls_natively or reader.called_natively

    def ask(
        self,
        request: StructuredRequest,
        model: str,
        form: Form,
        without: Without,
        extra: Mapping[str, Any] = _NOTHING,
    ) -> Parts:
        """See ``Adapter``."""
        reader = ChatReader(_NO_REQUEST, text_calls=False)
        body = {**self._form.structured_body(request, model, form, without), **extra}
        return self._send(body, reader, model)

    async def choose(
        self, request: LabelRequest, model: str, extra: Mapping[str, Any] = _NOTHING
    ) -> Mapping[str, float]:
        """See ``LabelAdapter``."""
        reader = ChatReader(_NO_REQUEST, text_calls=False)
        found: dict[str, float] | None = None
        body = {**self._form.label_body(request, model), **extra}
        async with contextlib.aclosing(self._chunks(body, reader, model)) as chunks:
            async for chunk in chunks:
                for _ in reader.read(chunk):
                    pass  # the words do not matter, only that the answer is whole
                found = found or probabilities(chunk, request.labels)
        if found is None:
            raise BadRequestError(t("providers.no_probabilities", model=model))
        return found

    def thinks(self, model: str) -> bool:
        """See ``Adapter``."""
        return self._form.thinks(model)

    async def list_models(self) -> list[str]:
        """See ``Adapter``."""
        return await self._connection.list_models()

    async def aclose(self) -> None:
        """See ``Adapter``."""
        await self._connection.aclose()

    async def _send(self, body: dict[str, Any], reader: ChatReader, model: str) -> Parts:
        async with contextlib.aclosing(self._chunks(body, reader, model)) as chunks:
            async for chunk in chunks:
                for part in reader.read(chunk):
                    yield part
        for part in reader.finish():
            yield part

    async def _chunks(
        self, body: dict[str, Any], reader: ChatReader, model: str
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Yield the chunks of an answer; what fails after its end is of no interest."""
        try:
            response = await self._connection.send(_PATH, body)
            async with (
                contextlib.aclosing(response),
                contextlib.aclosing(self._data(response, model)) as texts,
            ):
                async for data in texts:
                    if data.strip() == _DONE:
                        return
                    chunk = self._parse(data)
                    self._raise_error_in(chunk, model)
                    yield chunk
        except (httpx2.HTTPError, TimeoutError) as error:
            if not reader.complete:
                raise self._connection.explain(error) from error
        if not reader.complete:
            raise self._connection.failures.lost()

    async def _data(self, response: httpx2.Response, model: str) -> AsyncGenerator[str, None]:
        """Yield the JSON texts of a response; one that ignored ``stream`` is a single one."""
        if not response.is_success:
            text = await response.aread()
            wait = retry_after(response.headers)
            raise self._connection.failures.answer(response.status_code, text, model, wait)
        kind = response.headers.get("content-type", "")
        if kind.startswith(("application/json", "text/html")):
            yield (await response.aread()).decode("utf-8", "replace")
            return
        async with contextlib.aclosing(events(response)) as found:
            async for data in found:
                yield data

    def _parse(self, data: str) -> dict[str, Any]:
        try:
            chunk = json.loads(data)
        except ValueError as error:
            raise self._connection.failures.nonsense(data) from error
        return chunk if isinstance(chunk, dict) else {}

    def _raise_error_in(self, chunk: dict[str, Any], model: str) -> None:
        if chunk.get("error") or chunk.get("object") == "error":
            kind, said = error_facts(chunk)
            raise self._connection.failures.in_stream(kind, said, model)


def connect(access: Access, network: NetworkSettings) -> ChatAdapter:
    """Return the adapter for one server."""
    return ChatAdapter(Connection(access, Limits.of(network, access)))
