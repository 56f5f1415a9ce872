"""What a project's settings may say, also after the user has agreed to them.

They come with the project: nothing that leads keys, conversations or memories elsewhere, nothing
that runs, nothing that lets more happen without a question.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from catmem import secrets
from catmem.config.file import apply_bytes
from catmem.config.project import ProjectSettings
from catmem.config.schema import Settings
from catmem.config.values import Fail, failure
from catmem.text import listed, t

# What is not named here is the user's alone, settings that are added later included.
PERMITTED = frozenset(
    {
        "provider",
        "model",
        "providers.openai.api",
        "providers.local.context_tokens",
        "providers.local.threads",
        "network.idle_seconds",
        "network.first_byte_seconds",
        "network.retries",
        "memory.enabled",
        "memory.trigger",
        "memory.min_messages",
        "memory.max_injected",
        "memory.extract_max_tokens",
        "memory.provider",
        "memory.model",
        "memory.exit_seconds",
        "ui.language",
    }
)
_MODE = "permissions.mode"
_CAREFUL = ("plan", "ask")  # the most careful one first


def apply_project(settings: Settings, project: ProjectSettings) -> Settings:
    """Return ``settings`` with the project's, which the user trusts.

    Raises:
        ConfigError: they cannot be used, or say what a project may not.
    """
    for number, line in enumerate(project.text.splitlines(), 1):
        if secrets.find(line):
            fail = failure("config.place.file", path=project.path, line=number)
            raise fail(t("config.project.secret"))
    return apply_bytes(settings, project.path, project.data, _permit(settings))


def _permit(before: Settings) -> Callable[[str, Any, Fail], Any]:
    mode = before.permissions.mode

    def permit(name: str, value: Any, fail: Fail) -> Any:
        if name == _MODE:
            if value not in _CAREFUL:
                raise fail(t("config.project.mode", key=name, value=value, modes=listed(_CAREFUL)))
            return min(mode, value, key=_rank)
        if name not in PERMITTED:
            raise fail(t("config.project.personal", key=name))
        return value

    return permit


def _rank(mode: str) -> int:
    return _CAREFUL.index(mode) if mode in _CAREFUL else len(_CAREFUL)
