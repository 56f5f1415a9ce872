"""Every setting with its type, default and limits.

The single source for the loader, the environment names and the example file.
A field's annotation is its type; ``choices`` and ``minimum`` in its metadata narrow it. A section
is a nested dataclass.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


def _setting(default: Any, *, choices: tuple[str, ...] = (), minimum: float | None = None) -> Any:
    return field(default=default, metadata={"choices": choices, "minimum": minimum})


@dataclass(frozen=True, slots=True)
class AnthropicSettings:
    """How to reach the Messages API; ``auth: x-api-key`` suits servers of the older protocol."""

    base_url: str | None = None
    api_key_env: str = "ANTHROPIC_API_KEY"
    api_key_command: str | None = None
    auth: str = _setting("bearer", choices=("bearer", "x-api-key"))


@dataclass(frozen=True, slots=True)
class OpenAISettings:
    """How to reach OpenAI or any compatible server."""

    base_url: str | None = None
    api_key_env: str = "OPENAI_API_KEY"
    api_key_command: str | None = None
    api: str = _setting("auto", choices=("auto", "chat", "responses"))


@dataclass(frozen=True, slots=True)
class LocalSettings:
    """The embedded model; ``model_path`` names any other GGUF file, ``threads`` None: all cores."""

    model_path: str | None = None
    context_tokens: int = _setting(16384, minimum=4096)
    threads: int | None = _setting(None, minimum=1)


@dataclass(frozen=True, slots=True)
class ProvidersSettings:
    """One section per provider."""

    anthropic: AnthropicSettings = field(default_factory=AnthropicSettings)
    openai: OpenAISettings = field(default_factory=OpenAISettings)
    local: LocalSettings = field(default_factory=LocalSettings)


@dataclass(frozen=True, slots=True)
class NetworkSettings:
    """Limits of one request; ``idle_seconds`` counts after the first byte."""

    idle_seconds: float = _setting(120.0, minimum=0.1)
    first_byte_seconds: float = _setting(600.0, minimum=0.1)
    retries: int = _setting(6, minimum=0)


@dataclass(frozen=True, slots=True)
class PermissionsSettings:
    """What may happen without a question."""

    mode: str = _setting("ask", choices=("ask", "accept-edits", "plan", "auto"))


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """The long-term memory; ``provider`` and ``model`` choose a cheaper model for the pipeline."""

    enabled: bool = True
    trigger: str = _setting("exit", choices=("exit", "turn", "manual"))
    min_messages: int = _setting(4, minimum=1)
    max_injected: int = _setting(30, minimum=0)
    extract_max_tokens: int = _setting(2048, minimum=256)
    provider: str | None = _setting(None, choices=("anthropic", "openai", "local"))
    model: str | None = None
    exit_seconds: float | None = _setting(None, minimum=0)
    user_dir: str | None = None
    project_dir: str = _setting("workspace", choices=("workspace", "home"))


@dataclass(frozen=True, slots=True)
class SessionsSettings:
    """What becomes of transcripts; ``keep_days`` None keeps them."""

    keep_days: int | None = _setting(90, minimum=0)


@dataclass(frozen=True, slots=True)
class UiSettings:
    """The interface."""

    language: str = _setting("auto", choices=("auto", "en", "zh"))


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of one run."""

    provider: str = _setting("auto", choices=("auto", "anthropic", "openai", "local"))
    model: str | None = None
    providers: ProvidersSettings = field(default_factory=ProvidersSettings)
    network: NetworkSettings = field(default_factory=NetworkSettings)
    permissions: PermissionsSettings = field(default_factory=PermissionsSettings)
    memory: MemorySettings = field(default_factory=MemorySettings)
    sessions: SessionsSettings = field(default_factory=SessionsSettings)
    ui: UiSettings = field(default_factory=UiSettings)
