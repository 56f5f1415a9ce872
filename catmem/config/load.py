"""Reading settings: flag > environment > config file > default, with every fault one sentence.

The file is read as a YAML node tree, so that each message can name file and line.
"""

from __future__ import annotations

import difflib
import re
import typing
from collections.abc import Callable, Mapping
from dataclasses import Field, fields, is_dataclass, replace
from pathlib import Path
from types import NoneType, UnionType
from typing import Any

import yaml

from catmem import log
from catmem.config.schema import Settings
from catmem.errors import ConfigError, StorageError
from catmem.paths import Paths
from catmem.storage import read_bytes
from catmem.text import t

_MAX_BYTES = 1_000_000
_OTHER_VARIABLES = {"CATMEM_HOME", "CATMEM_PYTHON"}
_YES, _NO = {"true", "1", "yes", "on"}, {"false", "0", "no", "off"}

Fail = Callable[[str], ConfigError]
"""Builds the error for one value: adds the place (file and line, variable or flag) to a reason."""


def load_settings(
    paths: Paths,
    environ: Mapping[str, str],
    flags: Mapping[str, str | bool],
    file: Path | None = None,
) -> Settings:
    """Return the settings in force.

    Args:
        paths: where the user's config file is.
        environ: environment variables; ``CATMEM_`` + path in capitals, empty ones count as not set.
        flags: dotted setting -> value from the command line.
        file: an explicit config file, which must exist.

    Raises:
        ConfigError: an unknown key, a wrong type or value, an unreadable file.
    """
    settings = Settings()
    path = file or _default_file(paths)
    if path is not None:
        settings = _apply_file(settings, path)
    settings = _apply_environment(settings, environ)
    for key, value in flags.items():
        flag = "--" + key.rpartition(".")[2]
        settings = _set(settings, key.split("."), value, _failure("config.place.flag", name=flag))
    return settings


def _default_file(paths: Paths) -> Path | None:
    for candidate in (paths.config_file, paths.config_file.with_suffix(".yml")):
        if candidate.exists() or candidate.is_symlink():
            return candidate
    return None


def _failure(key: str, **place: object) -> Fail:
    return lambda reason: ConfigError(t(key, reason=reason, **place))


def _apply_file(settings: Settings, path: Path) -> Settings:
    text = ""
    try:
        text = read_bytes(path, _MAX_BYTES).decode("utf-8-sig")
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except StorageError as error:
        raise ConfigError(t("config.unreadable", reason=error)) from error
    except UnicodeDecodeError as error:
        raise ConfigError(t("config.not_utf8", path=path)) from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _at(path, mark)(_yaml_reason(error, text)) from error
    except yaml.YAMLError as error:
        raise ConfigError(t("config.place.path", path=path, reason=t("config.bad_yaml"))) from error
    if node is None:
        return settings
    if not isinstance(node, yaml.MappingNode):
        raise _at(path, node.start_mark)(t("config.no_mapping"))
    changed: Settings = _apply_mapping(settings, node, path, "")
    return changed


def _at(path: Path, mark: yaml.Mark | None) -> Fail:
    return _failure("config.place.file", path=path, line=mark.line + 1 if mark else 1)


def _yaml_reason(error: yaml.MarkedYAMLError, text: str) -> str:
    mark = error.problem_mark
    line = (text.splitlines()[mark.line : mark.line + 1] or [""])[0] if mark else ""
    indentation = line[: len(line) - len(line.lstrip())]
    if "\t" in indentation or "'\\t'" in (error.problem or ""):
        return t("config.tab")
    return t("config.yaml", problem=error.problem or error.context or "")


def _apply_mapping(section: Any, node: yaml.MappingNode, path: Path, prefix: str) -> Any:
    known = {item.name: item for item in fields(section)}
    seen: set[str] = set()
    for key_node, value_node in node.value:
        fail = _at(path, key_node.start_mark)
        key = str(key_node.value) if isinstance(key_node, yaml.ScalarNode) else "?"
        if key not in known:
            raise fail(_unknown(prefix + key, key, prefix))
        if key in seen:
            raise fail(t("config.twice", key=prefix + key))
        seen.add(key)
        current = getattr(section, key)
        if is_dataclass(current):
            if isinstance(value_node, yaml.MappingNode):
                value = _apply_mapping(current, value_node, path, f"{prefix}{key}.")
            elif _plain(value_node) is None:
                continue
            else:
                raise fail(t("config.section", key=prefix + key))
        else:
            value = _checked(section, known[key], prefix + key, _plain(value_node), fail)
        section = replace(section, **{key: value})
    return section


def _plain(node: yaml.Node) -> Any:
    """Return a node's value as YAML reads it."""
    return yaml.SafeLoader("").construct_object(node, deep=True)


def _unknown(path: str, key: str, prefix: str) -> str:
    """Say that a key is unknown; the nearest valid one may stand in another section."""
    valid = list(_all_keys(Settings(), ""))
    here = [name for name in valid if name.rpartition(".")[0] == prefix.rstrip(".")]
    elsewhere = [name for name in valid if name.rpartition(".")[2] == key]
    by_last_word = {name.rpartition(".")[2]: name for name in (*valid, *here)}
    near = difflib.get_close_matches(key, [name.rpartition(".")[2] for name in here], 1, 0.5)
    near = near or difflib.get_close_matches(key, by_last_word, 1, 0.6)
    if elsewhere:
        return t("config.unknown_near", key=path, near=elsewhere[0])
    if near:
        name = f"{prefix}{near[0]}" if f"{prefix}{near[0]}" in valid else by_last_word[near[0]]
        return t("config.unknown_near", key=path, near=name)
    return t("config.unknown", key=path, keys=", ".join(name.rpartition(".")[2] for name in here))


def _all_keys(section: Any, prefix: str) -> typing.Iterator[str]:
    for item in fields(section):
        value = getattr(section, item.name)
        yield prefix + item.name
        if is_dataclass(value):
            yield from _all_keys(value, f"{prefix}{item.name}.")


def setting_names() -> list[str]:
    """Return the dotted names of all settings, sections left out, in order."""
    defaults = Settings()
    return [name for name in _all_keys(defaults, "") if not is_dataclass(get(defaults, name))]


def get(settings: Settings, name: str) -> Any:
    """Return the value of a dotted setting."""
    value: Any = settings
    for part in name.split("."):
        value = getattr(value, part)
    return value


def _apply_environment(settings: Settings, environ: Mapping[str, str]) -> Settings:
    variables = {"CATMEM_" + name.upper().replace(".", "_"): name for name in setting_names()}
    for variable, text in environ.items():
        if not variable.startswith("CATMEM_") or variable in _OTHER_VARIABLES or not text.strip():
            continue
        name = variables.get(variable)
        if name is None:
            log.warning(f"unknown variable {variable}")
            continue
        fail = _failure("config.place.variable", name=variable)
        settings = _set(settings, name.split("."), text.strip(), fail)
    return settings


def _set(section: Any, path: list[str], value: str | bool, fail: Fail) -> Any:
    name, *rest = path
    if rest:
        return replace(section, **{name: _set(getattr(section, name), rest, value, fail)})
    item = next(item for item in fields(section) if item.name == name)
    return replace(
        section, **{name: _checked(section, item, name, _from_text(section, item, value), fail)}
    )


def _from_text(section: Any, item: Field[Any], value: str | bool) -> Any:
    """Turn an environment's or flag's text into the setting's type where it reads like one."""
    kinds = _kinds(section, item)
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


def _kinds(section: Any, item: Field[Any]) -> tuple[type, ...]:
    hint = typing.get_type_hints(type(section))[item.name]
    return typing.get_args(hint) if isinstance(hint, UnionType) else (hint,)


def _checked(section: Any, item: Field[Any], name: str, value: Any, fail: Fail) -> Any:
    kinds = _kinds(section, item)
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
    return t("config.choice", key=name, choices=", ".join(choices), value=_shown(value))


def _wanted(kinds: tuple[type, ...]) -> str:
    main = next(kind for kind in kinds if kind is not NoneType)
    return t(f"config.type.{main.__name__}")


def _shown(value: object) -> str:
    text = repr(value) if not isinstance(value, str) else value
    return text if len(text) <= 40 else text[:39] + "…"
