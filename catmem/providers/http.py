"""HTTP for all remote adapters: one client per server, its limits, and what its failures mean.

The SDKs get this client too, so that proxies, silence and the first byte are handled in one place.
Imported by adapters only, and they are loaded late: httpx2 has no part in a quick start.
"""

from __future__ import annotations

import asyncio
import email.utils
import json
import os
import re
import ssl
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit
from urllib.request import proxy_bypass

import httpx2

from catmem.config.schema import NetworkSettings
from catmem.errors import ProviderError
from catmem.providers.access import Access
from catmem.providers.failures import Failures

_CONNECT_SECONDS = 15.0
_LOOKUP_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Limits:
    """How many seconds of silence are allowed.

    Attributes:
        first: before an answer begins; None: any.
        idle: within it.
    """

    first: float | None
    idle: float

    @classmethod
    def of(cls, network: NetworkSettings, access: Access) -> Limits:
        """A server on this machine may take its time to read a long prompt."""
        return cls(None if access.loopback else network.first_byte_seconds, network.idle_seconds)


class _Watched(httpx2.AsyncByteStream):
    """A response body that fails when it falls silent; every byte is a sign of life, pings too."""

    def __init__(self, inner: httpx2.AsyncByteStream, limits: Limits) -> None:
        self._inner = inner
        self._limits = limits

    async def __aiter__(self) -> AsyncIterator[bytes]:
        chunks = aiter(self._inner)
        limit = self._limits.first
        while True:
            try:
                async with asyncio.timeout(limit):
                    chunk = await anext(chunks)
            except StopAsyncIteration:
                return
            except TimeoutError as error:
                raise httpx2.ReadTimeout(str(limit)) from error
            limit = self._limits.idle
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


class Connection:
    """The client of one server, with what its exceptions mean.

    Attributes:
        client: for direct use, or for an SDK.
        failures: makes the typed errors.
    """

    def __init__(self, access: Access, limits: Limits) -> None:
        self.access = access
        self.limits = limits
        self.failures = Failures(access)
        # Building the usual TLS context takes 40 ms that a server without TLS does not need.
        tls = access.base_url.startswith("https://")
        try:
            self.client = httpx2.AsyncClient(
                trust_env=not access.loopback,
                verify=True if tls else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
                timeout=httpx2.Timeout(None, connect=_CONNECT_SECONDS),
                event_hooks={"response": [self._watch]},
            )
        except (ImportError, ValueError, httpx2.InvalidURL) as error:
            # A SOCKS proxy without its package, or an address that is none.
            raise self.failures.bad_proxy(_odd_proxy(), str(error)) from error

    async def send(self, path: str, body: dict[str, Any]) -> httpx2.Response:
        """Post ``body`` as JSON; return the response when its head has come, its body unread."""
        request = self.client.build_request(
            "POST",
            self.access.base_url + path,
            content=json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"),
            headers={"Content-Type": "application/json", **self._headers()},
        )
        async with self.first_byte():
            return await self.client.send(request, stream=True)

    def first_byte(self) -> asyncio.Timeout:
        """Limit the wait for the head of a response."""
        return asyncio.timeout(self.limits.first)

    def explain(self, error: Exception) -> ProviderError:
        """Return what an exception of the client means: silence, a lost or a refused connection."""
        match error:
            case httpx2.ReadTimeout():
                return self.failures.silent(float(str(error) or self.limits.idle))
            case TimeoutError():
                return self.failures.silent(self.limits.first or 0)
            case httpx2.ReadError() | httpx2.RemoteProtocolError() | httpx2.WriteError():
                return self.failures.lost()
            case httpx2.DecodingError():
                return self.failures.nonsense(str(error))
            case httpx2.HTTPError():
                reason = str(error) or type(error).__name__
                return self.failures.unreachable(reason, self._proxy())
            case _:
                return self.failures.nonsense(f"{type(error).__name__}: {error}")

    async def list_models(self) -> list[str]:
        """Return the names of the models that the server has; empty where it does not say.

        Raises:
            ProviderError: it cannot be reached.
        """
        version = "/v1" if self.access.provider == "anthropic" else ""
        url = f"{self.access.base_url}{version}/models"
        try:
            async with asyncio.timeout(_LOOKUP_SECONDS):
                response = await self.client.get(url, headers=self._headers())
            found = response.json()["data"] if response.is_success else []
            return [str(model["id"]) for model in found if model.get("id")]
        except httpx2.TransportError as error:
            raise self.explain(error) from error
        except (TimeoutError, ValueError, KeyError, TypeError, AttributeError):
            return []

    async def aclose(self) -> None:
        """Close the connections."""
        await self.client.aclose()

    def _headers(self) -> dict[str, str]:
        headers = {"Authorization": f"Bearer {self.access.key}"}
        return headers | old_protocol(self.access)

    async def _watch(self, response: httpx2.Response) -> None:
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Watched(response.stream, self.limits)

    def _proxy(self) -> str:
        """Return the name of the variable by which this server is reached through a proxy."""
        server = urlsplit(self.access.base_url)
        if self.access.loopback or proxy_bypass(server.hostname or ""):
            return ""
        return next(_set_variables(f"{server.scheme.upper()}_PROXY", "ALL_PROXY"), "")


def _set_variables(*names: str) -> Iterator[str]:
    for name in names:
        yield from (variable for variable in (name, name.lower()) if os.environ.get(variable))


def _odd_proxy() -> str:
    """Return the proxy variable that no client without further packages can use."""
    found = list(_set_variables("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"))
    odd = [name for name in found if not re.match(r"https?://|[^:]+(:\d+)?/?$", os.environ[name])]
    return (odd or found or ["ALL_PROXY"])[0]


def old_protocol(access: Access) -> dict[str, str]:
    """Return the headers for servers that know the Messages API as it was before 2026-10."""
    if not access.old_auth:
        return {}
    return {"x-api-key": access.key, "anthropic-version": "2023-06-01"}


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a ``retry-after`` header asks for, given as seconds or as a date."""
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None


async def events(response: httpx2.Response) -> AsyncGenerator[str, None]:
    """Yield the data of each server-sent event; comments and other fields are left out.

    Lines end at a line feed only: JSON may hold the other separators of Unicode.
    """
    data: list[str] = []
    rest = b""
    async for chunk in response.aiter_bytes():
        *lines, rest = (rest + chunk).split(b"\n")
        for line in (line.removesuffix(b"\r") for line in lines):
            if line.startswith(b"data:"):
                data.append(line[5:].decode("utf-8", "replace").removeprefix(" "))
            elif not line and data:
                yield "\n".join(data)
                data.clear()
    if rest.startswith(b"data:"):
        data.append(rest[5:].decode("utf-8", "replace").strip())
    if data:
        yield "\n".join(data)
