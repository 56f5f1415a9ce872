"""The YAML header of an entry: read with every value as text, changed in place.

A change replaces the characters of one value and nothing else, so that unknown keys, their order,
comments and quoting stay as the user left them. After each change the header is read again and
compared with what it should say; a form that cannot be edited this way is refused, not rewritten.

Values stay text because YAML's own types bite: ``no`` is False, ``2024-06-01`` a date, ``1.10`` the
number 1.1, and an empty value None.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from catmem.errors import MemoryStoreError
from catmem.memory.store.entry import as_text
from catmem.memory.store.reading import plain
from catmem.text import t

Values = dict[str, Any]
"""Top-level keys with text, lists and dicts of text."""

# libyaml's parser, five times faster; a build of PyYAML without it has the slow one.
_Loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_MAX_NODES = 5_000
_MAX_DEPTH = 20
_YAML_TYPES = yaml.resolver.Resolver()
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_NEEDS_QUOTES = re.compile(r":(?:\s|$)|\s#|[\[\]{}\n\r\t]|\s$")
_NEEDS_QUOTES_IN_FLOW = re.compile(r"[,:]")
_ESCAPED = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_KEY_LINE = re.compile(r"(?P<key>\s*(?:- +)?[\w.-]+:)[ \t]+(?P<value>\S.*?)\s*")
# A block scalar's mark, and an alias, which is valid only together with its anchor.
_STANDS = re.compile(r"[|>]|\*[\w-]+$")
_ITEM_LINE = re.compile(r"(?P<key>\s*-)[ \t]+(?P<value>\S.*?)\s*")


class HeaderError(Exception):
    """YAML that cannot be read; ``line`` counts from 0 within the header."""

    def __init__(self, line: int, problem: str, *, mendable: bool = True) -> None:
        super().__init__(problem)
        self.line = line
        self.problem = problem
        self.mendable = mendable


def parse(text: str) -> Values | None:
    """Return the header's values, or None when it is no mapping (so the text is no header).

    Raises:
        HeaderError: it is not valid YAML.
    """
    values = plain.parse(text)
    return parse_yaml(text) if values is None else values


def parse_yaml(text: str) -> Values | None:
    """Do what ``parse`` does, with YAML for every header.

    Raises:
        HeaderError: it is not valid YAML.
    """
    root = _compose(text)
    if root is None:
        return {}
    return _mapping(root, _Budget()) if isinstance(root, yaml.MappingNode) else None


def mend(text: str) -> tuple[str, int]:
    """Return ``text`` with each value quoted that is not valid YAML by itself, and tabs as blanks.

    This is what people mean by ``description: Run the chain: verify, then push``. The number is the
    first line that was changed, counted from 0; -1 for none.
    """
    lines = text.split("\n")
    mended = [_mended_line(line) for line in lines]
    changed = (number for number, line in enumerate(lines) if line != mended[number])
    return "\n".join(mended), next(changed, -1)


def loose(text: str) -> Values:
    """Return what the lines of the form ``key: value`` say, whatever stands between them."""
    found: Values = {}
    for line in text.split("\n"):
        match = _KEY_LINE.fullmatch(line)
        if match and not match["key"].lstrip().startswith("-"):
            found.setdefault(match["key"].strip()[:-1], match["value"].strip("\"'"))
    return found


def change(text: str, changes: Mapping[tuple[str, ...], Any]) -> str:
    """Return the header with values set, by path: ``("description",)``, ``("metadata", "type")``.

    Raises:
        MemoryStoreError: the header has a form that cannot be edited in place.
    """
    try:
        wanted = parse(text) or {}
        for path, value in changes.items():
            _put(wanted, path, as_text(value))
            text = _set(text, path, value)
        if parse(text) == wanted:
            return text
    except HeaderError:
        pass  # a change broke it, by cutting an anchor that something else refers to
    raise MemoryStoreError(t("memory.store.uneditable"))


def format_value(value: Any, *, in_flow: bool = False) -> str:
    """Return ``value`` as YAML on one line, plain where it reads back as the same text anywhere."""
    if isinstance(value, Mapping):
        items = (
            f"{format_value(str(key), in_flow=True)}: {format_value(item, in_flow=True)}"
            for key, item in value.items()
        )
        return "{" + ", ".join(items) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(format_value(item, in_flow=True) for item in value) + "]"
    if not isinstance(value, str):
        return json.dumps(value)
    plain = _is_plain(value) and not (in_flow and _NEEDS_QUOTES_IN_FLOW.search(value))
    return value if plain else _quoted(value)


def _compose(text: str) -> yaml.Node | None:
    try:
        node: yaml.Node | None = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise HeaderError(mark.line if mark else 0, str(error.problem or error)) from None
    except (yaml.YAMLError, UnicodeEncodeError, RecursionError) as error:
        raise HeaderError(0, str(error).partition("\n")[0]) from None
    return node


class _Budget:
    """Counts nodes, because a few aliases can stand for billions."""

    def __init__(self) -> None:
        self.left = _MAX_NODES

    def take(self, depth: int) -> None:
        self.left -= 1
        if self.left < 0 or depth > _MAX_DEPTH:
            raise HeaderError(0, "too many or too deeply nested values", mendable=False)


def _value(node: yaml.Node, budget: _Budget, depth: int) -> Any:
    budget.take(depth)
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, budget, depth)
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, budget, depth + 1) for item in node.value]
    return node.value


def _mapping(node: yaml.MappingNode, budget: _Budget, depth: int = 0) -> Values:
    return {key: _value(item, budget, depth + 1) for key, _, item in _items(node)}


def _items(node: yaml.MappingNode) -> Iterator[tuple[str, yaml.Node, yaml.Node]]:
    for key, item in node.value:
        if isinstance(key, yaml.ScalarNode):  # others cannot be keys of ours; they stay in the text
            yield key.value, key, item


def _put(values: Values, path: tuple[str, ...], value: Any) -> None:
    for part in path[:-1]:
        nested = values.get(part)
        values[part] = values = nested if isinstance(nested, dict) else {}
    values[path[-1]] = value


def _set(text: str, path: tuple[str, ...], value: Any) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    root = _compose(text)
    if not isinstance(root, yaml.MappingNode):
        lines = text if not text or text.endswith("\n") else text + newline
        return lines + _lines(path, value, "", newline) + newline
    node, rest = root, path
    if len(path) > 1:
        nested = _last(root, path[0])
        if nested is None:
            return _insert(text, root, path, value, newline)
        if not isinstance(nested, yaml.MappingNode):
            inner = newline + _lines(path[1:], value, "  ", newline)
            return _replace(text, nested, inner)
        node, rest = nested, path[1:]
    existing = _last(node, rest[0])
    if existing is None:
        return _insert(text, node, rest, value, newline)
    return _replace(text, existing, format_value(value))


def _last(node: yaml.MappingNode, key: str) -> yaml.Node | None:
    found = [item for name, _, item in _items(node) if name == key]
    return found[-1] if found else None  # YAML lets the last of two equal keys win


def _lines(path: tuple[str, ...], value: Any, indent: str, newline: str) -> str:
    if len(path) == 1:
        return f"{indent}{path[0]}: {format_value(value)}"
    return f"{indent}{path[0]}:{newline}" + _lines(path[1:], value, indent + "  ", newline)


def _replace(text: str, node: yaml.Node, new: str) -> str:
    start, end = node.start_mark.index, _end(text, node)
    space = " " if text[start - 1 : start] == ":" and not new.startswith(("\r", "\n")) else ""
    return text[:start] + space + new + text[end:]


def _insert(
    text: str, node: yaml.MappingNode, path: tuple[str, ...], value: Any, newline: str
) -> str:
    end = _end(text, node)
    if node.flow_style:
        comma = ", " if node.value else ""
        new = {path[1]: value} if len(path) > 1 else value
        return f"{text[: end - 1]}{comma}{path[0]}: {format_value(new)}{text[end - 1 :]}"
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    if text[:line_end].endswith("\r"):
        line_end -= 1
    indent = " " * node.start_mark.column
    return text[:line_end] + newline + _lines(path, value, indent, newline) + text[line_end:]


def _end(text: str, node: yaml.Node) -> int:
    """Return where a node's own characters end; libyaml's mark includes blank lines after it."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(text, last[1] if isinstance(last, tuple) else last)
    start, end = int(node.start_mark.index), int(node.end_mark.index)
    return start + len(text[start:end].rstrip())


def _is_plain(value: str) -> bool:
    if _ISO_DATE.fullmatch(value):
        return True  # a date reads as a date elsewhere, which is what createdAt is
    if not value[:1].isalnum() or _NEEDS_QUOTES.search(value) or _ESCAPED.search(value):
        return False
    tag = _YAML_TYPES.resolve(yaml.ScalarNode, value, (True, False))  # type: ignore[no-untyped-call]  # the stub has no types
    return bool(tag == "tag:yaml.org,2002:str") and value.lower() not in {"y", "n"}


def _quoted(value: str) -> str:
    """Return a double-quoted scalar: JSON's form, with what YAML would not take escaped too."""
    return _ESCAPED.sub(
        lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False)
    )


def _mended_line(line: str) -> str:
    stripped = line.removesuffix("\r")
    ending = line[len(stripped) :]
    indent = re.match(r"[ \t]*", stripped)
    if indent and "\t" in indent[0]:
        stripped = indent[0].replace("\t", "  ") + stripped[indent.end() :]
    match = _KEY_LINE.fullmatch(stripped) or _ITEM_LINE.fullmatch(stripped)
    if match is None or _STANDS.match(match["value"]) or _is_valid(stripped):
        return stripped + ending
    return f"{match['key']} {_quoted(match['value'])}{ending}"


def _is_valid(line: str) -> bool:
    try:
        _compose(line.strip())
    except HeaderError:
        return False
    return True
