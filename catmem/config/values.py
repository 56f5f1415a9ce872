"""The value of one setting: is it of the right type and within its limits, and what is it called.

Shared by what reads the file (``file``) and what reads environment and flags (``load``).
"""

from __future__ import annotations

import typing
from collections.abc import Callable
from dataclasses import Field, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any

from catmem.errors import ConfigError
from catmem.text import listed, t

Fail = Callable[[str], ConfigError]
"""Builds the error for one value: adds the place (file and line, variable or flag) to a reason."""


def failure(key: str, **place: object) -> Fail:
    """Return what builds the errors of one place, whose sentence is ``key``."""
    return lambda reason: ConfigError(t(key, reason=reason, **place))


def all_keys(section: Any, prefix: str = "") -> typing.Iterator[str]:
    """Yield the dotted names of everything in a section, the sections in it included."""
    for item in fields(section):
        value = getattr(section, item.name)
        yield prefix + item.name
        if is_dataclass(value):
            yield from all_keys(value, f"{prefix}{item.name}.")


def kinds_of(section: Any, item: Field[Any]) -> tuple[type, ...]:
    """Return the types that a setting may have."""
    hint = typing.get_type_hints(type(section))[item.name]
    return typing.get_args(hint) if isinstance(hint, UnionType) else (hint,)


def checked(section: Any, item: Field[Any], name: str, value: Any, fail: Fail) -> Any:
    """Return ``value`` as the setting's type.

    Raises:
        ConfigError: wrong type, no valid choice, too small.
    """
    kinds = kinds_of(section, item)
    choices: tuple[str, ...] = item.metadata.get("choices", ())
    if value is None and NoneType in kinds:
        return None
    if choices:
        if value not in choices:
            raise fail(_not_a_choice(name, value, choices))
        return value
    if float in kinds and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise fail(t("config.type", key=name, wanted=_wanted(kinds), value=_shown(value)))
    minimum: float | None = item.metadata.get("minimum")
    if minimum is not None and not minimum <= float(str(value)) < float("inf"):
        raise fail(t("config.minimum", key=name, minimum=f"{minimum:g}", value=_shown(value)))
    return value


def _not_a_choice(name: str, value: object, choices: tuple[str, ...]) -> str:
    return t("config.choice", key=name, choices=listed(choices), value=_shown(value))


def _wanted(kinds: tuple[type, ...]) -> str:
    main = next(kind for kind in kinds if kind is not NoneType)
    return t(f"config.type.{main.__name__}")


def _shown(value: object) -> str:
    text = repr(value) if not isinstance(value, str) else value
    return text if len(text) <= 40 else text[:39] + "…"
