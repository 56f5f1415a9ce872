"""From a chat request to constrained actions, and from an action to the tool calls it stands for.

Beside the form itself this holds the guards that a model of this size needs: it may only name files
that exist, reads before it changes, tries once more after an error, and does not go in circles.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from catmem.messages import (
    Message,
    ModelRequest,
    Origin,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from catmem.providers.local.acting import actions, conversation, project
from catmem.providers.local.acting.project import ProjectFiles
from catmem.providers.local.acting.prompt import SYSTEM

_CHANGES = frozenset({"edit", "append", "write"})
_MAX_READ_AHEAD = 6_000
_MAX_FILES_READ_AHEAD = 2
_CJK = re.compile(r"[\u3400-\u9fff]")
_CHINESE_NOTE = "（用中文回答）"
_REPAIR = re.compile(r"\bfix|\bbug|\bfail|repair|修复|修一下|修好|失败|不通过|报错", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Step:
    """An action of this turn and how it ended."""

    action: dict[str, str]
    result: ToolResultPart

    @property
    def failed(self) -> bool:
        """Whether it should be tried differently; a command's exit status is news, no failure."""
        return self.result.status == "error" and self.result.name != "bash"


@dataclass(frozen=True, slots=True)
class Constrained:
    """A request in the constrained form, and the schema of its reply."""

    request: ModelRequest
    schema: dict[str, Any]


class Acting:
    """Translates one session's requests; remembers what it put before each user message."""

    def __init__(self, cwd: Path) -> None:
        self._cwd = cwd
        self._notes: dict[str, str] = {}

    def fixed_part(self, system: Sequence[str]) -> ModelRequest:
        """Return the request whose text every request of the session begins with."""
        return ModelRequest((SYSTEM,), _as_messages(conversation.fixed_turns(system[1:])))

    def constrain(self, request: ModelRequest, *, only_answer: bool = False) -> Constrained:
        """Return ``request`` in the constrained form. ``system`` beyond its first text is kept."""
        files = project.list_project(self._cwd)
        self._add_note(request.messages, files)
        steps = steps_of(request.messages)
        turns = conversation.fixed_turns(request.system[1:])
        turns += conversation.turns_of(request.messages, self._notes)
        schema = actions.schema(
            {tool.name for tool in request.tools},
            answer=not _must_try_again(steps),
            only_answer=only_answer or request.tool_choice_none,
            paths=self._allowed_paths(request.messages, files),
        )
        return Constrained(
            replace(request, system=(SYSTEM,), messages=_as_messages(turns), tools=()), schema
        )

    def read_ahead(self, request: ModelRequest) -> list[ToolCallPart]:
        """Return the reads that a new request obviously begins with: of small files it names.

        The model would do the same, after a second's thought, or forget it.
        """
        if not request.messages or request.messages[-1].role is not Role.USER:
            return []
        if not any(tool.name == "read_file" for tool in request.tools):
            return []
        files = project.list_project(self._cwd)
        typed = conversation.typed_text(request.messages[-1])
        known = _paths_read(request.messages)
        names = [name for name in files.named_in(typed) if name not in known]
        small = [name for name in names if _size(self._cwd / name) <= _MAX_READ_AHEAD]
        return [_call("read_file", {"path": name}) for name in small[:_MAX_FILES_READ_AHEAD]]

    def calls_of(self, request: ModelRequest, action: dict[str, str]) -> list[ToolCallPart] | None:
        """Return the tool calls that ``action`` stands for; None when it goes in circles."""
        steps = steps_of(request.messages)
        if _repeats(action, steps):
            return None
        found = actions.call_of(action)
        if found is None:
            return None
        tool, arguments = found
        path = action.get("path", "")
        unread = (
            action["action"] in {"edit", "write"}
            and (self._cwd / path).is_file()
            and path not in _paths_read(request.messages)
        )
        if action["action"] == "search" and (self._cwd / action["text"]).is_file():
            return [_call("read_file", {"path": action["text"]})]
        if action["action"] == "remember":
            typed = conversation.typed_text(conversation.last_turn(request.messages)[0])
            arguments = actions.memory_arguments(_in_own_words(action["fact"], typed))
        call = _call(tool, arguments)
        if not unread:
            return [call]
        read = _call("read_file", {"path": path})
        # A blind edit may still hit; a blind write would destroy what the model has not seen.
        return [read, call] if action["action"] == "edit" else [read]

    def _add_note(self, messages: Sequence[Message], files: ProjectFiles) -> None:
        """Put the list of files before the newest user message, once and for all."""
        newest = conversation.last_turn(messages)[0] if messages else None
        if newest is None or (key := conversation.note_key(newest)) in self._notes:
            return
        note = files.note()
        if note in self._notes.values():
            note = ""  # it stands further up, unchanged
        if _CJK.search(conversation.typed_text(newest)):
            note = "\n".join(filter(None, (note, _CHINESE_NOTE)))
        self._notes[key] = note

    def _allowed_paths(
        self, messages: Sequence[Message], files: ProjectFiles
    ) -> actions.AllowedPaths:
        """Return the paths the model may name; None where any may be meant."""
        if not files.complete:
            return actions.AllowedPaths(None, None)
        typed = "\n".join(
            conversation.typed_text(message) for message in messages if message.role is Role.USER
        )
        named = [
            word
            for word in re.findall(r"[\w./-]*[\w/-]", typed)
            if word not in files.names and (self._cwd / word).is_file()
        ]
        readable = (*files.names, *dict.fromkeys(named))
        newest = conversation.typed_text(conversation.last_turn(messages)[0]) if messages else ""
        spare_tests = _REPAIR.search(newest) and not any(
            map(project.is_test, files.named_in(newest))
        )
        editable = tuple(n for n in readable if not (spare_tests and project.is_test(n)))
        return actions.AllowedPaths(readable, editable)


def steps_of(messages: Sequence[Message]) -> list[Step]:
    """Return the actions of the newest turn with their results, in order."""
    calls: dict[str, ToolCallPart] = {}
    steps = []
    for message in conversation.last_turn(messages):
        calls |= {call.id: call for call in message.calls}
        for part in message.parts:
            if isinstance(part, ToolResultPart):
                call = calls.get(part.call_id)
                steps.append(
                    Step(actions.action_of(part.name, call.arguments if call else {}), part)
                )
    return steps


def _must_try_again(steps: Sequence[Step]) -> bool:
    """After an error the model would rather apologise; once it must try something else."""
    return bool(steps) and steps[-1].failed and not (len(steps) > 1 and steps[-2].failed)


def _repeats(action: dict[str, str], steps: Sequence[Step]) -> bool:
    """Whether the same action was done since the last change, so that it would bring nothing new."""
    for at, step in enumerate(reversed(steps)):
        if step.action == action:
            return at == 0 or not steps[-1].failed
        if step.action["action"] in _CHANGES and step.result.status == "ok":
            return False
    return False


def _paths_read(messages: Sequence[Message]) -> set[str]:
    """Return the paths whose content the conversation shows."""
    return {
        result.subject
        for message in messages
        for result in message.parts
        if isinstance(result, ToolResultPart)
        and result.status == "ok"
        and result.name in {"read_file", "write_file"}
    }


def _in_own_words(fact: str, typed: str) -> str:
    """Keep a Chinese request's own words where the model translated them into English."""
    if not _CJK.search(typed) or _CJK.search(fact):
        return fact
    return re.sub(r"^(请|帮我)?(记住|记一下|记下来?|记得)[，,：:\s]*", "", typed.strip())


def _call(tool: str, arguments: dict[str, Any]) -> ToolCallPart:
    return ToolCallPart(f"local-{uuid.uuid4().hex[:12]}", tool, arguments)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return _MAX_READ_AHEAD + 1


def _as_messages(turns: Sequence[conversation.Turn]) -> tuple[Message, ...]:
    origins = {Role.USER: Origin.CATMEM, Role.ASSISTANT: Origin.MODEL}
    return tuple(Message(role, (TextPart(text, origins[role]),)) for role, text in turns)
