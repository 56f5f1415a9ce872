"""The catalogue of interface strings, in English and Chinese.

One module per area (``agent``, ``cli``, ``config`` ...) holds ``STRINGS: dict[str, tuple[str,
str]]``: key -> (English, Chinese). Everything a person reads comes from here through ``t()``; text
for the model does not.
"""

from __future__ import annotations

import os
from typing import Literal

from catmem.text import agent, cli, config, local, memory, pipeline, providers, tools, ui

Language = Literal["en", "zh"]

CATALOGUE: dict[str, tuple[str, str]] = {
    **agent.STRINGS,
    **cli.STRINGS,
    **config.STRINGS,
    **local.STRINGS,
    **memory.STRINGS,
    **pipeline.STRINGS,
    **providers.STRINGS,
    **tools.STRINGS,
    **ui.STRINGS,
}


def language_from_locale() -> Language:
    """Return the interface language that the environment's locale asks for."""
    for variable in ("LC_ALL", "LC_MESSAGES", "LANGUAGE", "LANG"):
        value = os.environ.get(variable, "")
        if value:
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


class _Current:
    """The language in force; process-wide, because one process has one interface."""

    language: Language = language_from_locale()


def set_language(language: Literal["auto", "en", "zh"]) -> None:
    """Choose the interface language; ``auto`` takes the locale's."""
    _Current.language = language_from_locale() if language == "auto" else language


def current_language() -> Language:
    """Return the language in force."""
    return _Current.language


def t(key: str, /, **values: object) -> str:
    """Return the string for ``key`` in the current language with ``{name}`` fields filled in.

    Raises:
        KeyError: the catalogue has no such key.
    """
    english, chinese = CATALOGUE[key]
    template = chinese if _Current.language == "zh" else english
    return template.format(**values) if values else template
