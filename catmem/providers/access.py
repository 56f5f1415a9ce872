"""From settings and environment to one way in: which provider, server, key and wire form.

The order for each fact is setting, then environment variable, then default; an empty variable
counts as not set. Nothing here talks to a server.
"""

from __future__ import annotations

import ipaddress
import shlex
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Literal
from urllib.parse import urlsplit

from catmem.config import Settings
from catmem.config.schema import AnthropicSettings, OpenAISettings
from catmem.errors import ConfigError, MissingKeyError, NoProviderError
from catmem.text import t

Purpose = Literal["chat", "memory"]
Wire = Literal["messages", "chat", "responses"]

DEFAULT_MODELS = {"anthropic": "claude-sonnet-5-5", "openai": "gpt-6.2-sol"}
_SERVERS = {"anthropic": "https://api.anthropic.com", "openai": "https://api.openai.com/v1"}
_URL_VARIABLES = {"anthropic": "ANTHROPIC_BASE_URL", "openai": "OPENAI_BASE_URL"}
_ENDPOINTS = ("/chat/completions", "/responses", "/messages", "/models")
_NO_KEY = "none"  # sent where a server needs no key: some of them still want the header
_COMMAND_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Access:
    """Everything needed to reach one model.

    Attributes:
        provider: ``anthropic``, ``openai`` or ``local``.
        model: the name to send; None: ask the server what it has, else ``default_model``.
        default_model: the provider's own default.
        base_url: without a slash at its end; with the version for openai, without for anthropic.
        key: the key, never shown; a filler where the server needs none.
        key_source: the variable or command that it came from; empty where there is none.
        wire: the API's form.
        old_auth: send ``x-api-key`` and the version header of the older Messages protocol.
        official: whether this is the provider's own server.
        loopback: whether the server is on this machine.
    """

    provider: str
    model: str | None
    default_model: str
    base_url: str
    key: str = field(repr=False)
    key_source: str
    wire: Wire
    old_auth: bool
    official: bool
    loopback: bool


def find_access(
    settings: Settings, environ: Mapping[str, str], purpose: Purpose = "chat"
) -> Access:
    """Return the way in that settings and environment describe.

    ``memory`` is the model of the memory pipeline, where settings name another one for it.

    Raises:
        NoProviderError: ``provider: auto``, and no key or server is named anywhere.
        MissingKeyError: the provider is chosen, but its key is not there.
        ConfigError: a key or an address that cannot be used.
    """
    if purpose == "memory" and settings.memory.provider is not None:
        provider, model = settings.memory.provider, settings.memory.model
    else:
        provider = _choose(settings, environ)
        model = settings.model
        if purpose == "memory":
            model = settings.memory.model or model
    if provider == "local":
        return _embedded(model)
    server = _server(provider, settings, environ)
    key, source = _key(provider, server, settings, environ)
    return Access(
        provider=provider,
        model=model,
        default_model=DEFAULT_MODELS[provider],
        base_url=server.url,
        key=key,
        key_source=source,
        wire=_wire(settings, server) if provider == "openai" else "messages",
        old_auth=provider == "anthropic" and settings.providers.anthropic.auth == "x-api-key",
        official=server.official,
        loopback=server.loopback,
    )


def _embedded(model: str | None) -> Access:
    """Return the way in to the embedded model: no server of its own before it is started."""
    return Access(
        provider="local",
        model=model,
        default_model="",
        base_url="",
        key=_NO_KEY,
        key_source="",
        wire="chat",
        old_auth=False,
        official=True,
        loopback=True,
    )


def _section(provider: str, settings: Settings) -> AnthropicSettings | OpenAISettings:
    return settings.providers.anthropic if provider == "anthropic" else settings.providers.openai


def _choose(settings: Settings, environ: Mapping[str, str]) -> str:
    """Return the provider; with ``auto`` the first one with a key or a server that needs none."""
    if settings.provider != "auto":
        return settings.provider
    for provider in ("anthropic", "openai"):
        section = _section(provider, settings)
        if _variable(environ, section.api_key_env) or section.api_key_command:
            return provider
    for provider in ("anthropic", "openai"):
        if not _server(provider, settings, environ).wants_key:
            return provider
    raise NoProviderError(
        t(
            "providers.none",
            anthropic=settings.providers.anthropic.api_key_env,
            openai=settings.providers.openai.api_key_env,
        )
    )


def _variable(environ: Mapping[str, str], name: str) -> str:
    return environ.get(name, "").strip()


@dataclass(frozen=True, slots=True)
class _Server:
    url: str
    official: bool
    loopback: bool

    @property
    def wants_key(self) -> bool:
        """Servers reached in the clear (this machine, the local network) may do without one."""
        return self.url.startswith("https://")


def _server(provider: str, settings: Settings, environ: Mapping[str, str]) -> _Server:
    given = (_section(provider, settings).base_url or "").strip()
    given = given or _variable(environ, _URL_VARIABLES[provider])
    url = normal_url(provider, given) if given else _SERVERS[provider]
    host = urlsplit(url).hostname or ""
    official = host.endswith(("api.openai.com", "api.anthropic.com"))
    return _Server(url, official, is_loopback(host))


def normal_url(provider: str, given: str) -> str:
    """Return a base URL as the provider's client needs it, from any of the forms people write.

    Accepted are a missing scheme, ``/v1`` or none, a slash at the end, a whole endpoint.

    Raises:
        ConfigError: it is no http address, or carries a password, query or fragment.
    """
    text = given.strip()
    try:
        parts = urlsplit(text if "://" in text else f"{_scheme(text)}://{text}")
        host, _ = parts.hostname, parts.port
    except ValueError:
        host, parts = None, urlsplit("")
    odd = parts.query or parts.fragment or "@" in parts.netloc or " " in text
    if not host or parts.scheme not in {"http", "https"} or odd:
        shown = text.rpartition("@")[2].partition("?")[0]
        raise ConfigError(t("providers.bad_url", url=shown, variable=_URL_VARIABLES[provider]))
    path = parts.path.rstrip("/")
    for endpoint in _ENDPOINTS:
        path = path.removesuffix(endpoint).rstrip("/")
    if provider == "anthropic":
        path = path.removesuffix("/v1")
    return f"{parts.scheme}://{parts.netloc}{path or ('/v1' if provider == 'openai' else '')}"


def _scheme(text: str) -> str:
    """Guess a missing scheme: an address on this machine or with a port is a local server's."""
    parts = urlsplit(f"//{text}")
    return "http" if parts.port or is_loopback(parts.hostname or "") else "https"


def is_loopback(host: str) -> bool:
    """Whether a host name or address means this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _wire(settings: Settings, server: _Server) -> Wire:
    match settings.providers.openai.api:
        case "chat":
            return "chat"
        case "responses":
            return "responses"
        case _:
            return "responses" if server.official else "chat"


def _key(
    provider: str, server: _Server, settings: Settings, environ: Mapping[str, str]
) -> tuple[str, str]:
    section = _section(provider, settings)
    source = section.api_key_env
    key = _variable(environ, source)
    if not key and section.api_key_command:
        source = f"providers.{provider}.api_key_command"
        key = _run(section.api_key_command, source)
    if not key:
        if server.wants_key:
            raise MissingKeyError(t("providers.no_key", variable=source, provider=provider))
        return _NO_KEY, ""
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ConfigError(t("providers.odd_key", source=source))
    return key, source


@cache
def _run(command: str, setting: str) -> str:
    """Return what the command prints, run once in a process.

    It gets no input; its error output stays visible.
    """
    try:
        done = subprocess.run(
            shlex.split(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=_COMMAND_SECONDS,
            check=True,
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        # The exception's own text would repeat the command, which may hold a secret.
        why = type(error).__name__
        raise ConfigError(t("providers.key_command", setting=setting, reason=why)) from error
    return done.stdout.strip()
