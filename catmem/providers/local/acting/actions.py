"""The actions of the embedded model, and what they are in catmem's own terms: tool calls.

The model writes one JSON object a request, and ``grammar`` allows nothing else. Here an action
becomes a tool call, and a call of the transcript an action again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

ANSWER = "answer"
RENAME = "rename"
_REGEX_SIGNS = re.compile(r"([\\.^$*+?{}\[\]|()])")
_ABOUT_THE_USER = re.compile(r"\b(i|i'm|me|my|mine|user|user's)\b|我", re.IGNORECASE)
_ESCAPED_SIGN = re.compile(r"\\([\\.^$*+?{}\[\]|()])")

Fields = Mapping[str, str]
Arguments = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ActionForm:
    """One action: its fields in the order the model writes them, and its tool.

    ``to_call`` makes the tool's arguments of the fields; ``from_call`` is its inverse and returns
    None for arguments that the action cannot express.
    """

    name: str
    fields: tuple[str, ...]
    tool: str
    to_call: Callable[[Fields], dict[str, Any]]
    from_call: Callable[[Arguments], dict[str, str] | None]


def _edit_fields(arguments: Arguments) -> dict[str, str] | None:
    """Several edits show as their first: that they were made is what matters."""
    first = (arguments.get("edits") or [{}])[0]
    if "old_text" not in first:
        return None
    return {
        "path": str(arguments.get("path", "")),
        "old": str(first["old_text"]),
        "new": str(first.get("new_text", "")),
    }


def _write_fields(arguments: Arguments) -> dict[str, str] | None:
    if arguments.get("append"):
        return None
    return {"path": str(arguments.get("path", "")), "content": str(arguments.get("content", ""))}


def _append_fields(arguments: Arguments) -> dict[str, str] | None:
    if not arguments.get("append"):
        return None
    return {"path": str(arguments.get("path", "")), "text": str(arguments.get("content", ""))}


def memory_arguments(fact: str) -> dict[str, Any]:
    """Return the arguments of memory_write for a fact; its type is made by rule."""
    fact = fact.strip()
    kind = "user" if _ABOUT_THE_USER.search(fact) else "project"
    return {"type": kind, "description": fact, "content": fact}


FORMS: tuple[ActionForm, ...] = (
    ActionForm(
        "read",
        ("path",),
        "read_file",
        lambda fields: {"path": fields["path"]},
        lambda arguments: {"path": str(arguments.get("path", ""))},
    ),
    ActionForm(
        "search",
        ("text",),
        "grep",
        lambda fields: {"pattern": _REGEX_SIGNS.sub(r"\\\1", fields["text"])},
        lambda arguments: {"text": _ESCAPED_SIGN.sub(r"\1", str(arguments.get("pattern", "")))},
    ),
    ActionForm(
        "edit",
        ("path", "old", "new"),
        "edit_file",
        lambda fields: {
            "path": fields["path"],
            "edits": [{"old_text": fields["old"], "new_text": fields["new"]}],
        },
        _edit_fields,
    ),
    ActionForm(
        RENAME,
        ("old", "new"),
        "edit_file",
        lambda _: {},  # how many calls it is depends on the project: see ``form``
        lambda _: None,
    ),
    ActionForm(
        "append",
        ("path", "text"),
        "write_file",
        lambda fields: {"path": fields["path"], "content": fields["text"], "append": True},
        _append_fields,
    ),
    ActionForm(
        "write",
        ("path", "content"),
        "write_file",
        lambda fields: {"path": fields["path"], "content": fields["content"]},
        _write_fields,
    ),
    ActionForm(
        "run",
        ("command",),
        "bash",
        lambda fields: {"command": fields["command"]},
        lambda arguments: {"command": str(arguments.get("command", ""))},
    ),
    ActionForm(
        "remember",
        ("fact",),
        "memory_write",
        lambda fields: memory_arguments(fields["fact"]),
        lambda arguments: {
            "fact": str(arguments.get("content") or arguments.get("description") or "")
        },
    ),
)
_BY_NAME = {form.name: form for form in FORMS}


def call_of(action: Fields) -> tuple[str, dict[str, Any]] | None:
    """Return the tool and the arguments that an action stands for; None if it is none."""
    form = _BY_NAME.get(action.get("action", ""))
    if form is None or not all(isinstance(action.get(field), str) for field in form.fields):
        return None
    return form.tool, form.to_call(action)


def action_of(tool: str, arguments: Arguments) -> dict[str, str]:
    """Return the action that shows a tool call to the model, its ``action`` first.

    A call that no action can express (of another model, in a resumed session) keeps its own form.
    """
    for form in FORMS:
        if form.tool == tool and (fields := form.from_call(arguments)) is not None:
            return {"action": form.name, **fields}
    return {"action": tool, "arguments": json.dumps(dict(arguments), ensure_ascii=False)}


def subject_of(action: Fields) -> str:
    """Return what a result line names beside the action: path, command or text searched."""
    match action.get("action"):
        case "remember":
            return ""
        case "search":
            return action.get("text", "")
        case _:
            return action.get("path") or action.get("command") or ""
