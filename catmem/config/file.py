"""Reading the configuration file, as a YAML node tree, so that each message names file and line.

Loaded only where there is a file, because YAML takes a while to import.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from catmem.config.schema import Settings
from catmem.config.values import Fail, all_keys, checked, failure
from catmem.errors import ConfigError, StorageError
from catmem.storage import read_bytes
from catmem.text import listed, t

_MAX_BYTES = 1_000_000


Permit = Callable[[str, Any, Fail], Any]
"""Looks at one setting of a file (dotted name, value, its errors) and returns what it may be."""


def apply_file(settings: Settings, path: Path) -> Settings:
    """Return ``settings`` with what the file says.

    Raises:
        ConfigError: unreadable, not YAML, an unknown key, a wrong type or value.
    """
    try:
        data = read_bytes(path, _MAX_BYTES)
    except StorageError as error:
        raise ConfigError(t("config.unreadable", reason=error)) from error
    return apply_bytes(settings, path, data)


def apply_bytes(
    settings: Settings, path: Path, data: bytes, permit: Permit = lambda _name, value, _fail: value
) -> Settings:
    """Return ``settings`` with what ``data``, read from ``path``, says and ``permit`` lets pass.

    Raises:
        ConfigError: not YAML, an unknown key, a wrong type or value, or not permitted.
    """
    text = ""
    try:
        text = data.decode("utf-8-sig")
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except UnicodeDecodeError as error:
        raise ConfigError(t("config.not_utf8", path=path)) from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _at(path, mark)(_yaml_reason(error, text)) from error
    except (yaml.YAMLError, RecursionError) as error:
        raise ConfigError(t("config.place.path", path=path, reason=t("config.bad_yaml"))) from error
    if node is None:
        return settings
    if not isinstance(node, yaml.MappingNode):
        raise _at(path, node.start_mark)(t("config.no_mapping"))
    changed: Settings = _Applying(path, permit).mapping(settings, node, "")
    return changed


def _at(path: Path, mark: yaml.Mark | None) -> Fail:
    return failure("config.place.file", path=path, line=mark.line + 1 if mark else 1)


def _yaml_reason(error: yaml.MarkedYAMLError, text: str) -> str:
    mark = error.problem_mark
    line = (text.splitlines()[mark.line : mark.line + 1] or [""])[0] if mark else ""
    indentation = line[: len(line) - len(line.lstrip())]
    if "\t" in indentation or "'\\t'" in (error.problem or ""):
        return t("config.tab")
    return t("config.yaml", problem=error.problem or error.context or "")


@dataclass(frozen=True, slots=True)
class _Applying:
    """Puts a file's nodes into settings."""

    path: Path
    permit: Permit

    def mapping(self, section: Any, node: yaml.MappingNode, prefix: str) -> Any:
        """Return a section with what a node says."""
        known = {item.name: item for item in fields(section)}
        seen: set[str] = set()
        for key_node, value_node in node.value:
            fail = _at(self.path, key_node.start_mark)
            key = str(key_node.value) if isinstance(key_node, yaml.ScalarNode) else "?"
            if key not in known:
                raise fail(_unknown(prefix + key, key, prefix))
            if key in seen:
                raise fail(t("config.twice", key=prefix + key))
            seen.add(key)
            current = getattr(section, key)
            if is_dataclass(current):
                if isinstance(value_node, yaml.MappingNode):
                    value = self.mapping(current, value_node, f"{prefix}{key}.")
                elif _plain(value_node) is None:
                    continue
                else:
                    raise fail(t("config.section", key=prefix + key))
            else:
                value = checked(section, known[key], prefix + key, _plain(value_node), fail)
                value = self.permit(prefix + key, value, fail)
            section = replace(section, **{key: value})
        return section


def _plain(node: yaml.Node) -> Any:
    """Return a node's value as YAML reads it."""
    return yaml.SafeLoader("").construct_object(node, deep=True)


def _unknown(path: str, key: str, prefix: str) -> str:
    """Say that a key is unknown; the nearest valid one may stand in another section."""
    valid = list(all_keys(Settings(), ""))
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
    return t("config.unknown", key=path, keys=listed(name.rpartition(".")[2] for name in here))
