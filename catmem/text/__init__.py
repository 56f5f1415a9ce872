"""The catalogue of interface strings, in English and Chinese.

One module per area (``agent``, ``cli``, ``config`` ...) holds ``STRINGS: dict[str, tuple[str,
str]]``: key -> (English, Chinese). Everything a person reads comes from here through ``t()``; text
for the model does not.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from catmem.text import (
    agent,
    cli,
    config,
    doctor,
    local,
    memory,
    pipeline,
    providers,
    tools,
    ui,
)

CATALOGUE: dict[str, tuple[str, str]] = {
    **agent.STRINGS,
    **cli.STRINGS,
    **config.STRINGS,
    **doctor.STRINGS,
    **local.STRINGS,
    **memory.STRINGS,
    **pipeline.STRINGS,
    **providers.STRINGS,
    **tools.STRINGS,
    **ui.STRINGS,
}


def environment_is_chinese() -> bool:
    """Whether the environment asks for Chinese: catmem's own variable, then the locale.

    The setting itself is known only when the configuration has been read; help and the faults of a
    configuration are said before that.
    """
    for variable in ("CATMEM_UI_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANGUAGE", "LANG"):
        value = os.environ.get(variable, "")
        if value not in {"", "auto"}:
            return value.lower().startswith("zh")
    return False


class _Current:
    """The language in force; process-wide, because one process has one interface."""

    chinese = environment_is_chinese()


def set_language(setting: str) -> None:
    """Choose the interface language: ``en``, ``zh``, or ``auto`` for the environment's."""
    _Current.chinese = setting == "zh" or (setting == "auto" and environment_is_chinese())


def listed(items: Iterable[str]) -> str:
    """Return items as they are listed in a sentence of the current language."""
    return ("、" if _Current.chinese else ", ").join(items)


def t(key: str, /, **values: object) -> str:
    """Return the string for ``key`` in the current language with ``{name}`` fields filled in.

    Raises:
        KeyError: the catalogue has no such key.
    """
    english, chinese = CATALOGUE[key]
    template = chinese if _Current.chinese else english
    return template.format(**values) if values else template
