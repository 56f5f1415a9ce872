"""The Responses API through the openai SDK, read as raw events."""

from __future__ import annotations

import re
from typing import Any

import httpx2
import openai

from catmem.config.schema import NetworkSettings
from catmem.errors import ProviderError
from catmem.messages import ModelRequest, StructuredRequest
from catmem.providers.access import Access
from catmem.providers.failures import error_facts
from catmem.providers.http import Connection, Limits, retry_after
from catmem.providers.openai import responses_form as wire
from catmem.providers.openai.responses_reading import ResponsesReader
from catmem.providers.remote import OptionalField, Parts, Without
from catmem.providers.structured import Form

_NO_REQUEST = ModelRequest((), ())


class ResponsesAdapter:
    """See ``Adapter``."""

    forms = (Form.SCHEMA, Form.OBJECT, Form.PLAIN)
    optional = (OptionalField(wire.REASONING, re.compile(r"reasoning|summar", re.IGNORECASE)),)

    def __init__(self, connection: Connection) -> None:
        access = connection.access
        self._connection = connection
        self._client = openai.AsyncOpenAI(
            api_key=access.key,
            base_url=access.base_url,
            max_retries=0,
            timeout=httpx2.Timeout(None, connect=connection.client.timeout.connect),
            http_client=connection.client,
        )

    def chat(self, request: ModelRequest, model: str, without: Without) -> Parts:
        """See ``Adapter``."""
        reader = ResponsesReader(request, model)
        return self._send(wire.chat_body(request, model, without), reader, model)

    def ask(self, request: StructuredRequest, model: str, form: Form, without: Without) -> Parts:
        """See ``Adapter``."""
        reader = ResponsesReader(_NO_REQUEST, model)
        return self._send(wire.structured_body(request, model, form, without), reader, model)

    def thinks(self, model: str) -> bool:
        """See ``Adapter``."""
        return wire.thinks(model)

    async def list_models(self) -> list[str]:
        """See ``Adapter``."""
        return await self._connection.list_models()

    async def aclose(self) -> None:
        """See ``Adapter``."""
        await self._client.close()

    async def _send(self, body: dict[str, Any], reader: ResponsesReader, model: str) -> Parts:
        try:
            async with self._connection.first_byte():
                stream = await self._client.responses.create(**body, stream=True)
            async with stream:
                async for event in stream:
                    for part in reader.read(event):
                        yield part
                    if reader.failure is not None:
                        raise self._connection.failures.in_stream(*reader.failure, model)
        except (openai.OpenAIError, httpx2.HTTPError, TimeoutError, ValueError) as error:
            if not reader.complete:
                raise self._explain(error, model) from error
        if not reader.complete:
            raise self._connection.failures.lost()
        for part in reader.finish():
            yield part

    def _explain(self, error: Exception, model: str) -> ProviderError:
        failures = self._connection.failures
        match error:
            case openai.APIStatusError():
                body = error.body if error.body is not None else error.response.text
                wait = retry_after(error.response.headers)
                return failures.answer(error.status_code, body, model, wait)
            case openai.APIConnectionError(__cause__=Exception() as cause):
                return self._connection.explain(cause)
            case openai.APIError():  # an error object inside the stream
                kind, said = error_facts(error.body)
                return failures.in_stream(kind, said or error.message, model)
            case _:
                return self._connection.explain(error)


def connect(access: Access, network: NetworkSettings) -> ResponsesAdapter:
    """Return the adapter for one server."""
    return ResponsesAdapter(Connection(access, Limits.of(network, access)))
