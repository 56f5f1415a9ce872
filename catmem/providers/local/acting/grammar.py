"""The grammar of one reply: everything that the model may write, and nothing else.

In the notation of llama.cpp (GBNF). More than a JSON schema could say: an ``edit`` may only name a
file that was read, and its ``old`` text is lines of that file, so it cannot miss.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from catmem.providers.local.acting.actions import ANSWER, FORMS, ActionForm

_STRING = r"""
string ::= "\"" char* "\""
chinese ::= "\"" [\u4e00-\u9fff] char* "\""
char ::= [^"\\\x00-\x1f] | "\\" (["\\/bfnrt] | "u" hex hex hex hex)
hex ::= [0-9a-fA-F]
"""


@dataclass(frozen=True, slots=True)
class Choices:
    """What one reply may be.

    Attributes:
        actions: names of the actions offered; with none of them the model can only answer.
        answer: whether it may speak to the user.
        paths: the existing files it may name; None: any path.
        read: files read already, which need not be read again.
        editable: file -> its lines, for the files an edit may change.
        chinese: whether what it says and remembers begins in Chinese.
    """

    actions: frozenset[str]
    answer: bool = True
    paths: tuple[str, ...] | None = None
    read: frozenset[str] = frozenset()
    editable: Mapping[str, Sequence[str]] = field(default_factory=dict)
    chinese: bool = False


def grammar(choices: Choices) -> str:
    """Return the grammar; its rules write actions exactly as ``prompt.say`` does."""
    rules: list[str] = []
    members: list[str] = []
    for form in FORMS:
        if form.name not in choices.actions:
            continue
        names = list(_rules_of(form, choices, rules))
        members += names
    if choices.answer or not members:
        said = "chinese" if choices.chinese else "string"
        rules.append(f"{ANSWER} ::= {_open(ANSWER)} {_field('text', said)} {_literal('}')}")
        members.append(ANSWER)
    return "\n".join([f"root ::= {' | '.join(members)}", *rules]) + _STRING


def _rules_of(form: ActionForm, choices: Choices, rules: list[str]) -> Iterator[str]:
    if form.name == "edit":
        for number, (path, lines) in enumerate(choices.editable.items()):
            yield from _edit_rules(number, path, lines, rules)
        return
    values = dict.fromkeys(form.fields, "string")
    if form.name in {"read", "append"} and choices.paths is not None:
        known = choices.read if form.name == "read" else frozenset()
        paths = [_literal(_quoted(path)) for path in choices.paths if path not in known]
        if not paths:
            return
        values["path"] = f"({' | '.join(paths)})"
    if form.name == "remember" and choices.chinese:
        values["fact"] = "chinese"
    body = " ".join(_field(name, value) for name, value in values.items())
    rules.append(f"{form.name} ::= {_open(form.name)} {body} {_literal('}')}")
    yield form.name


def _edit_rules(number: int, path: str, lines: Sequence[str], rules: list[str]) -> Iterator[str]:
    """Add the rules of edits to one file: old is one line of it, or several that follow."""
    starts = [index for index, line in enumerate(lines) if line.strip()]
    if not starts:
        return
    last = len(lines) - 1
    for index, line in enumerate(lines):
        more = f' ("\\\\n" line-{number}-{index + 1})?' if index < last else ""
        inside = _literal(_quoted(line)[1:-1]) if line else '""'
        rules.append(f"line-{number}-{index} ::= {inside}{more}")
    old = " | ".join(f"line-{number}-{index}" for index in starts)
    rules.append(f"old-{number} ::= {old}")
    head = _open("edit") + " " + _field("path", _literal(_quoted(path)))
    quote = _literal('"')
    rules.append(
        f"edit-{number} ::= {head} {_field('old', f'{quote} old-{number} {quote}')} "
        f"{_field('new', 'string')} {_literal('}')}"
    )
    yield f"edit-{number}"


def _open(action: str) -> str:
    return _literal(f'{{"action": {_quoted(action)}')


def _field(name: str, value: str) -> str:
    return f"{_literal(f', {_quoted(name)}: ')} {value}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
