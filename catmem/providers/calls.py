"""Tool calls as models write them: reading arguments, keeping ids unique, names that APIs take."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterable
from typing import Any

from catmem.messages import Message, ModelRequest, ToolCallPart
from catmem.sanitize import repair

CUT = (
    "The answer was cut at the token limit before this call was complete, so it was not run. "
    "Do it in smaller pieces."
)
NO_OUTPUT = "(no output)"
_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST_NAME = 64


class CallReader:
    """Completes the calls of one answer to ``request``."""

    def __init__(self, request: ModelRequest) -> None:
        self._taken = set(_ids(request.messages))
        self._without_arguments = {
            tool.name for tool in request.tools if not tool.parameters.get("required")
        }

    def complete(self, call_id: str, name: str, raw: str) -> ToolCallPart:
        """Return the call; its ``problem`` says what is wrong with the arguments.

        An id that is missing or was used before in this conversation is replaced.
        """
        if not call_id or call_id in self._taken:
            call_id = f"call_{uuid.uuid4().hex[:16]}"
        self._taken.add(call_id)
        if not raw.strip() and name in self._without_arguments:
            return ToolCallPart(call_id, name, {})
        arguments, problem = read_arguments(raw)
        return ToolCallPart(call_id, name, arguments, problem)


def cut(call: ToolCallPart) -> ToolCallPart:
    """Return ``call`` as one that the token limit cut, even if its arguments happen to parse."""
    return ToolCallPart(call.id, call.name, {}, CUT)


def read_arguments(raw: str) -> tuple[dict[str, Any], str | None]:
    """Return the arguments and None, or an empty object and what is wrong, in words for the model.

    Raw control characters inside strings (a line break, mostly) are accepted.
    """
    if not raw.strip():
        return {}, "The call has no arguments. Send them as one JSON object."
    try:
        value = json.loads(raw, strict=False)
    except ValueError as error:
        return {}, f"The arguments are not valid JSON ({error}). Send one JSON object."
    if not isinstance(value, dict):
        kind = "null" if value is None else type(value).__name__
        return {}, f"The arguments must be one JSON object, not {kind}."
    if "\\ud" in raw.lower():  # half of a character outside the basic plane cannot be sent back
        value = json.loads(repair(json.dumps(value, ensure_ascii=False)))
    return value, None


def wire_name(name: str) -> str:
    """Return a tool's name, also one that a model made up, in the characters that APIs take."""
    return _NOT_IN_NAMES.sub("_", name)[:_LONGEST_NAME] or "unknown"


def wire_id(call_id: str) -> str:
    """Return a call's id, also one that another server made, in the characters that APIs take."""
    return _NOT_IN_NAMES.sub("_", call_id)


def _ids(messages: Iterable[Message]) -> Iterable[str]:
    return (call.id for message in messages for call in message.calls)
