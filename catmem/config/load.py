"""Reading settings: flag > environment > project > user > default, each fault one sentence."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from dataclasses import Field, fields, is_dataclass, replace
from pathlib import Path
from types import NoneType
from typing import Any

from catmem import log
from catmem.config.project import trusted_project
from catmem.config.schema import Settings
from catmem.config.values import Fail, all_keys, checked, failure, kinds_of
from catmem.paths import Paths
from catmem.text import t

_PERMITTED = "catmem.config.permitted"
_OTHER_VARIABLES = {"CATMEM_HOME", "CATMEM_PYTHON", "CATMEM_TEST_DIE_AT"}
_A_SLIP = 0.85  # of a name's letters, as difflib counts them
_YES, _NO = {"true", "1", "yes", "on"}, {"false", "0", "no", "off"}


def load_settings(
    paths: Paths,
    environ: Mapping[str, str],
    flags: Mapping[str, str | bool],
    file: Path | None = None,
    *,
    with_project: bool = True,
) -> Settings:
    """Return the settings in force.

    Args:
        paths: where the user's config file is.
        environ: environment variables; ``CATMEM_`` + path in capitals, empty ones count as not set.
        flags: dotted setting -> value from the command line.
        file: an explicit config file, which must exist.
        with_project: whether the project's settings count, where they are trusted.

    Raises:
        ConfigError: an unknown key, a wrong type or value, an unreadable file.
    """
    settings = Settings()
    path = file or _default_file(paths)
    if path is not None:
        settings = importlib.import_module("catmem.config.file").apply_file(settings, path)
    project = trusted_project(paths) if with_project else None
    if project is not None:
        settings = importlib.import_module(_PERMITTED).apply_project(settings, project)
    settings = _apply_environment(settings, environ)
    for key, value in flags.items():
        flag = "--" + key.rpartition(".")[2]
        settings = _set(settings, key.split("."), value, failure("config.place.flag", name=flag))
    return settings


def _default_file(paths: Paths) -> Path | None:
    for candidate in (paths.config_file, paths.config_file.with_suffix(".yml")):
        if candidate.exists() or candidate.is_symlink():
            return candidate
    return None


def _apply_environment(settings: Settings, environ: Mapping[str, str]) -> Settings:
    variables = {"CATMEM_" + name.upper().replace(".", "_"): name for name in setting_names()}
    for variable, text in environ.items():
        if not variable.startswith("CATMEM_") or variable in _OTHER_VARIABLES or not text.strip():
            continue
        fail = failure("config.place.variable", name=variable)
        name = variables.get(variable)
        if name is None:
            matches = importlib.import_module("difflib").get_close_matches
            near = matches(variable, variables, 1, _A_SLIP)
            if near:  # a slip of the keyboard; any other name may be another program's
                raise fail(t("config.unknown_near", key=variable, near=near[0]))
            log.warning(f"unknown variable {variable}")
            continue
        settings = _set(settings, name.split("."), text.strip(), fail)
    return settings


def _set(section: Any, path: list[str], value: str | bool, fail: Fail) -> Any:
    name, *rest = path
    if rest:
        return replace(section, **{name: _set(getattr(section, name), rest, value, fail)})
    item = next(item for item in fields(section) if item.name == name)
    return replace(
        section, **{name: checked(section, item, name, _from_text(section, item, value), fail)}
    )


def _from_text(section: Any, item: Field[Any], value: str | bool) -> Any:
    """Turn an environment's or flag's text into the setting's type where it reads like one."""
    kinds = kinds_of(section, item)
    if not isinstance(value, str):
        return value
    if value.lower() in ("null", "none") and NoneType in kinds:
        return None
    if bool in kinds and value.lower() in _YES | _NO:
        return value.lower() in _YES
    if int in kinds and re.fullmatch(r"[+-]?\d+", value):
        return int(value)
    if float in kinds and re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)", value):
        return float(value)
    return value


def setting_names() -> list[str]:
    """Return the dotted names of all settings, sections left out, in order."""
    defaults = Settings()
    return [name for name in all_keys(defaults, "") if not is_dataclass(get(defaults, name))]


def get(settings: Settings, name: str) -> Any:
    """Return the value of a dotted setting."""
    value: Any = settings
    for part in name.split("."):
        value = getattr(value, part)
    return value
