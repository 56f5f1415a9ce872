"""Sending through the anthropic SDK.

The raw stream is read, not the SDK's helper: that one hides a cut stream, aborts at invalid tool
arguments and parses them again with every piece.
"""

from __future__ import annotations

import re
from typing import Any

import anthropic
import httpx2

from catmem.config.schema import NetworkSettings
from catmem.errors import ProviderError
from catmem.messages import ModelRequest, StructuredRequest
from catmem.providers.access import Access
from catmem.providers.anthropic import form as wire
from catmem.providers.anthropic.reading import MessagesReader
from catmem.providers.failures import error_facts
from catmem.providers.http import Connection, Limits, old_protocol, retry_after
from catmem.providers.remote import OptionalField, Parts, Without
from catmem.providers.structured import Form

_NO_REQUEST = ModelRequest((), ())


class MessagesAdapter:
    """See ``Adapter``."""

    forms = (Form.SCHEMA, Form.PLAIN)
    optional = (
        # Signed thinking may be refused when it was signed for another conversation.
        OptionalField(wire.THINKING_BLOCKS, re.compile("signature", re.IGNORECASE), lasting=False),
        OptionalField(wire.THINKING, re.compile(r"thinking|adaptive", re.IGNORECASE)),
        OptionalField(wire.CACHE, re.compile(r"cache_control|cache control", re.IGNORECASE)),
    )

    def __init__(self, connection: Connection) -> None:
        access = connection.access
        self._connection = connection
        self._client = anthropic.AsyncAnthropic(
            api_key=access.key,
            base_url=access.base_url,
            max_retries=0,
            timeout=httpx2.Timeout(None, connect=connection.client.timeout.connect),
            default_headers=old_protocol(access),
            http_client=connection.client,
        )

    def chat(self, request: ModelRequest, model: str, without: Without) -> Parts:
        """See ``Adapter``."""
        reader = MessagesReader(request, model)
        return self._send(wire.chat_body(request, model, without), reader, model)

    def ask(self, request: StructuredRequest, model: str, form: Form, without: Without) -> Parts:
        """See ``Adapter``; these requests carry none of the optional fields."""
        del without
        reader = MessagesReader(_NO_REQUEST, model)
        return self._send(wire.structured_body(request, model, form), reader, model)

    def thinks(self, model: str) -> bool:
        """See ``Adapter``."""
        return wire.thinks(model)

    async def list_models(self) -> list[str]:
        """See ``Adapter``."""
        return await self._connection.list_models()

    async def aclose(self) -> None:
        """See ``Adapter``."""
        await self._client.close()

    async def _send(self, body: dict[str, Any], reader: MessagesReader, model: str) -> Parts:
        try:
            async with self._connection.first_byte():
                stream = await self._client.messages.create(**body, stream=True)
            async with stream:
                async for event in stream:
                    for part in reader.read(event):
                        yield part
        except (anthropic.AnthropicError, httpx2.HTTPError, TimeoutError, ValueError) as error:
            if not reader.complete:
                raise self._explain(error, model) from error
        if not reader.complete:
            raise self._connection.failures.lost()
        for part in reader.finish():
            yield part

    def _explain(self, error: Exception, model: str) -> ProviderError:
        match error:
            case anthropic.APIStatusError(status_code=200):  # an error event inside the stream
                kind, said = error_facts(error.body)
                return self._connection.failures.in_stream(kind, said, model)
            case anthropic.APIStatusError():
                body = error.body if error.body is not None else error.response.text
                wait = retry_after(error.response.headers)
                return self._connection.failures.answer(error.status_code, body, model, wait)
            case anthropic.APIConnectionError(__cause__=Exception() as cause):
                return self._connection.explain(cause)
            case _:
                return self._connection.explain(error)


def connect(access: Access, network: NetworkSettings) -> MessagesAdapter:
    """Return the adapter for one server."""
    return MessagesAdapter(Connection(access, Limits.of(network, access)))
