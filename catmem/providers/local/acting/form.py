"""From a chat request to constrained actions, and from an action to the tool calls it stands for.

Beside the form itself this holds the guards that a model of this size needs: it may only name files
that exist, reads before it changes, tries once more after an error, and does not go in circles.
"""

from __future__ import annotations

import re
import shlex
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
from catmem.providers.local.acting.grammar import Choices, grammar
from catmem.providers.local.acting.project import ProjectFiles
from catmem.providers.local.acting.prompt import SYSTEM
from catmem.providers.local.acting.wording import HAN, in_own_words

_NO_MATCHES = "No matches."  # what the tool grep says then
_CUT_ACTION = "The action was cut at the token limit and was not run. Do it in smaller pieces."
_SHOWS = frozenset({"read_file", "write_file", "edit_file"})
_MAX_FILES_EDITABLE = 3
_MAX_EDITABLE = 12_000
_MAX_STEPS_OF_A_REPAIR = 12
_FEW_FILES = 15
_CHANGES = frozenset({"edit", "append", "write"})
_MAX_READ_AHEAD = 6_000
_MAX_FILES_READ_AHEAD = 2
_FIX = re.compile(r"\b(fix|repair|debug)\b|修复|修一下|修好|修正|修掉|改好", re.IGNORECASE)
_CONTENT_IS_NOT_ASKED = re.compile(
    r"\b(delete|remove (the )?file|rm|rename|move|copy|run|execute|start)\b"
    r"|删除|删掉|移动|复制|重命名|改名|运行|执行|跑",
    re.IGNORECASE,
)
_HOW_TO = re.compile(
    r"^\W*(how (do|can|could|would|should|to)\b|what('s| is) the (best |right )?(way|command) )"
    r"|^(请问)?(怎么|怎样|如何)",
    re.IGNORECASE,
)
_ABOUT_THE_PROJECT = re.compile(
    r"\b(here|this|the (project|repo|code|tests?)|our|we)\b|\w\.\w|这个|本项目|这里|我们|项目",
    re.IGNORECASE,
)
_WHICH_FILES = re.compile(
    r"\b(?:list|show|name|what are) (?:me )?(?:all )?(?:of )?(?:the |my |our )?(?:project )?files\b"
    r"(?! (?:that|which|with|containing|using))|\b(?:what|which) files (?:are|do we|does)\b"
    r"|(?:列出|看看|显示)[^，。含用]{0,8}文件(?!里|中|内)|有(?:哪些|什么)文件",
    re.IGNORECASE,
)
_RENAME = re.compile(r"\brenam|重命名|改名|改成|改为", re.IGNORECASE)
_REPAIR = re.compile(r"\bfix|\bbug|\bfail|repair|修复|修一下|修好|失败|不通过|报错", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Step:
    """An action of this turn and how it ended."""

    action: dict[str, str]
    result: ToolResultPart

    @property
    def failed(self) -> bool:
        """Whether it should be tried differently; a command's exit status is news, no failure."""
        return self.found_nothing or (self.result.status == "error" and self.result.name != "bash")

    @property
    def found_nothing(self) -> bool:
        """Whether it was a search without a match: mostly for words that nobody would write."""
        return self.result.name == "grep" and self.result.text == _NO_MATCHES

    @property
    def command_failed(self) -> bool:
        """Whether it was a command that ended with an error."""
        return self.result.status == "error" and self.result.name == "bash"


@dataclass(frozen=True, slots=True)
class Constrained:
    """A request in the constrained form, and the grammar of its reply."""

    request: ModelRequest
    grammar: str


class Acting:
    """Translates one session's requests; remembers what it put before each user message."""

    def __init__(self, cwd: Path) -> None:
        self._cwd = cwd
        self._notes: dict[str, str] = {}

    def fixed_part(self, system: Sequence[str]) -> ModelRequest:
        """Return the request whose text every request of the session begins with."""
        return ModelRequest((SYSTEM,), _as_messages(conversation.fixed_turns(system[1:])))

    def constrain(
        self, request: ModelRequest, *, without: frozenset[str] = frozenset()
    ) -> Constrained:
        """Return ``request`` in the constrained form.

        The system texts beyond the first, the base prompt, stay. ``without`` names actions that
        are not offered this time.
        """
        files = project.list_project(self._cwd)
        self._add_note(request.messages, files)
        turns = conversation.fixed_turns(request.system[1:])
        turns += conversation.turns_of(request.messages, self._notes)
        return Constrained(
            replace(request, system=(SYSTEM,), messages=_as_messages(turns), tools=()),
            grammar(self._choices(request, files, without)),
        )

    def _choices(
        self, request: ModelRequest, files: ProjectFiles, without: frozenset[str]
    ) -> Choices:
        tools = {tool.name for tool in request.tools}
        steps = steps_of(request.messages)
        typed = _newest_typed(request.messages)
        offered = {form.name for form in actions.FORMS if form.tool in tools} - without
        if request.tool_choice_none:
            offered = set()
        if _HOW_TO.search(typed):  # wants to be told, not to have it done
            offered &= {"read", "search"} if _ABOUT_THE_PROJECT.search(typed) else set()
        if _WHICH_FILES.search(typed) and files.complete:  # they stand before the request
            offered &= {"run"}
        if not _RENAME.search(typed):
            offered -= {actions.RENAME}
        try_again = bool(offered) and (_must_try_again(steps) or _fix_is_open(typed, steps))
        if try_again:
            offered -= {"remember"}
        searched_in_vain = bool(steps) and steps[-1].found_nothing
        is_small = files.complete and len(files.names) <= _FEW_FILES
        if is_small and (searched_in_vain or _REPAIR.search(typed)):
            offered -= {"search"}  # it would go on searching where reading a file tells more
        return Choices(
            frozenset(offered),
            answer=not try_again,
            paths=self._paths(request.messages, files),
            read=frozenset(s.action["path"] for s in _since_change(steps) if "path" in s.action),
            editable=self._editable(request.messages, typed),
            chinese=HAN.search(typed) is not None,
        )

    def _paths(self, messages: Sequence[Message], files: ProjectFiles) -> tuple[str, ...] | None:
        """Return the files the model may name; None where any may be meant."""
        if not files.complete:
            return None
        typed = "\n".join(
            conversation.typed_text(message) for message in messages if message.role is Role.USER
        )
        words = re.findall(r"[\w./-]*[\w/-]", typed)
        named = [w for w in words if w not in files.names and (self._cwd / w).is_file()]
        return (*files.names, *dict.fromkeys(named))

    def _editable(self, messages: Sequence[Message], typed: str) -> dict[str, list[str]]:
        """Return the lines of the files read most recently; tests are spared in a repair."""
        read = [path for path in reversed(_paths_read(messages)) if _size(self._cwd / path) > 0]
        if _REPAIR.search(typed):
            read = [path for path in read if not project.is_test(path)]
        found = {}
        for path in read[:_MAX_FILES_EDITABLE]:
            lines = _lines_of(self._cwd / path)
            if lines:
                found[path] = lines
        return found

    def obvious(self, request: ModelRequest) -> list[ToolCallPart]:
        """Return the calls that come next beyond doubt, without asking the model.

        A new request that names small files begins with reading them. In a repair the command that
        failed is run again after a change. The model would do the same, or forget it.
        """
        if not request.messages or not request.tools or request.tool_choice_none:
            return []
        typed = _newest_typed(request.messages)
        if request.messages[-1].role is not Role.USER:
            command = _to_run_again(typed, steps_of(request.messages))
            return [_call("bash", {"command": command})] if command else []
        if _CONTENT_IS_NOT_ASKED.search(typed):
            return []
        files = project.list_project(self._cwd)
        known = _paths_read(request.messages)
        names = [name for name in files.named_in(typed) if name not in known]
        if _REPAIR.search(typed):  # begins with running the test, not with reading it
            names = [name for name in names if not project.is_test(name)]
        small = [name for name in names if _size(self._cwd / name) <= _MAX_READ_AHEAD]
        return [_call("read_file", {"path": name}) for name in small[:_MAX_FILES_READ_AHEAD]]

    def calls_of(self, request: ModelRequest, action: dict[str, str]) -> list[ToolCallPart] | None:
        """Return the tool calls that ``action`` stands for; None when it goes in circles."""
        steps = steps_of(request.messages)
        if _repeats(action, steps) or ("old" in action and action["old"] == action.get("new")):
            return None
        found = actions.call_of(action)
        if found is None:
            return None
        tool, arguments = found
        match action["action"]:
            case actions.RENAME:
                named = project.list_project(self._cwd).named_in(_newest_typed(request.messages))
                return self._rename(action["old"], action["new"], named) or None
            case "write" if self._exists(action["path"], unread_by=request.messages):
                # A blind write would destroy what the model has not seen.
                return [_call("read_file", {"path": action["path"]})]
            case "search" if self._exists(action["text"]):
                return [_call("read_file", {"path": action["text"]})]
            case "remember":
                typed = _newest_typed(request.messages)
                arguments = actions.memory_arguments(in_own_words(action["fact"], typed))
        return [_call(tool, arguments)]

    def _exists(self, path: str, unread_by: Sequence[Message] = ()) -> bool:
        return (self._cwd / path).is_file() and path not in _paths_read(unread_by)

    def _rename(self, old: str, new: str, named: Sequence[str]) -> list[ToolCallPart]:
        """Return the calls that change a name, as a whole word.

        In the files that the request names, else in every file of the project.
        """
        if self._exists(old):
            return [_call("bash", {"command": f"mv {shlex.quote(old)} {shlex.quote(new)}"})]
        word = re.compile(rf"(?<!\w){re.escape(old)}(?!\w)")
        calls = []
        for path in named or project.list_project(self._cwd).names:
            lines = [
                line for line in dict.fromkeys(_lines_of(self._cwd / path)) if word.search(line)
            ]
            edits = [
                {"old_text": line, "new_text": word.sub(lambda _: new, line), "replace_all": True}
                for line in lines
            ]
            if edits:
                calls += [_call("read_file", {"path": path})]
                calls += [_call("edit_file", {"path": path, "edits": edits})]
        return calls

    def _add_note(self, messages: Sequence[Message], files: ProjectFiles) -> None:
        """Put the list of files before the newest user message, once and for all."""
        newest = conversation.last_turn(messages)[0] if messages else None
        if newest is None or (key := conversation.note_key(newest)) in self._notes:
            return
        note = files.note()
        if note in self._notes.values():
            note = ""  # it stands further up, unchanged
        self._notes[key] = note


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


def _fix_is_open(typed: str, steps: Sequence[Step]) -> bool:
    """Whether a repair has begun but changed nothing, or its command still fails.

    Explaining the fault is not enough, and saying that it is repaired neither.
    """
    if not _FIX.search(typed) or not 0 < len(steps) < _MAX_STEPS_OF_A_REPAIR:
        return False
    return steps[-1].command_failed or not any(_is_change(step) for step in steps)


def _to_run_again(typed: str, steps: Sequence[Step]) -> str:
    """Return the command that failed before the change that was just made; empty for none."""
    if not _FIX.search(typed) or not steps or not _is_change(steps[-1]):
        return ""
    failed = [step.action["command"] for step in steps if step.command_failed]
    return failed[-1] if failed and len(steps) < _MAX_STEPS_OF_A_REPAIR else ""


def _is_change(step: Step) -> bool:
    return step.action["action"] in _CHANGES and step.result.status == "ok"


def _since_change(steps: Sequence[Step]) -> list[Step]:
    """Return the successful steps since the last change."""
    found: list[Step] = []
    for step in steps:
        found = [] if _is_change(step) else [*found, step]
    return [step for step in found if step.result.status == "ok"]


def _repeats(action: dict[str, str], steps: Sequence[Step]) -> bool:
    """Whether the same action was done since the last change: it would bring nothing new."""
    for at, step in enumerate(reversed(steps)):
        if step.action == action:
            return at == 0 or not steps[-1].failed
        if _is_change(step):
            return False
    return False


def _paths_read(messages: Sequence[Message]) -> list[str]:
    """Return the paths whose content the conversation shows, the most recent last."""
    found: dict[str, None] = {}
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolResultPart) and part.status == "ok" and part.name in _SHOWS:
                found.pop(part.subject, None)
                found[part.subject] = None
    return list(found)


def _lines_of(path: Path) -> list[str]:
    """Return a small text file's lines; none of one that is large or no text."""
    if _size(path) > _MAX_EDITABLE:
        return []
    try:
        return path.read_text("utf-8").rstrip("\n").split("\n")
    except (OSError, ValueError):
        return []


def _newest_typed(messages: Sequence[Message]) -> str:
    turn = conversation.last_turn(messages)
    return conversation.typed_text(turn[0]) if turn else ""


def _call(tool: str, arguments: dict[str, Any]) -> ToolCallPart:
    return ToolCallPart(_call_id(), tool, arguments)


def cut_call() -> ToolCallPart:
    """Return the call that stands for an action cut at the token limit; it is not run."""
    return ToolCallPart(_call_id(), "action", {}, _CUT_ACTION)


def _call_id() -> str:
    return f"local-{uuid.uuid4().hex[:12]}"


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return _MAX_READ_AHEAD + 1


def _as_messages(turns: Sequence[conversation.Turn]) -> tuple[Message, ...]:
    origins = {Role.USER: Origin.CATMEM, Role.ASSISTANT: Origin.MODEL}
    return tuple(Message(role, (TextPart(text, origins[role]),)) for role, text in turns)
