"""A conversation in the form the embedded model was shown: requests, actions and their results.

Everything before the newest message must stay byte for byte what it was, or the server reads it
all again (50 tokens a second); so what is added to a message is kept with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from catmem.messages import (
    Message,
    Origin,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from catmem.providers.local.acting.actions import ANSWER, action_of, subject_of
from catmem.providers.local.acting.prompt import EXCHANGES, say

Turn = tuple[Role, str]

MAX_RESULT = 3000
"""Characters of a result that the model reads; about 20 s on two cores."""
_LINE_NUMBERS = re.compile(r"^ *\d+\t", re.MULTILINE)
_DEFINES = re.compile(
    r":\d+:\s*(export |public |static |async |pub )*"
    r"(def|class|function|func|fn|struct|interface|enum)\b"
)
_MEMORY = "From earlier sessions I know:"
_MEMORY_LINE = re.compile(r"^- [^\s:]+ \([^)]*\): (.+)$", re.MULTILINE)


def fixed_turns(extra: Sequence[str]) -> list[Turn]:
    """Return what stands before every conversation: the examples, then the session's memory.

    Of the memory index only the facts are kept: names would be taken for facts, and there is no
    action to read more.
    """
    turns: list[Turn] = []
    for request, action in EXCHANGES:
        turns += [(Role.USER, request), (Role.ASSISTANT, action)]
    facts = [fact for text in extra for fact in _MEMORY_LINE.findall(text)]
    if facts:
        memory = "\n".join([_MEMORY, *(f"- {fact}" for fact in facts)])
        turns += [(Role.USER, memory), (Role.ASSISTANT, say(action=ANSWER, text="OK."))]
    return turns


def turns_of(messages: Iterable[Message], notes: dict[str, str]) -> list[Turn]:
    """Return the conversation as user and assistant turns that alternate.

    ``notes`` holds what stands before a user message's own text, by ``note_key``.
    """
    turns: list[Turn] = []
    pending: dict[str, ToolCallPart] = {}
    for message in messages:
        if message.role is Role.USER:
            _add(turns, Role.USER, _request(message, notes.get(note_key(message), "")))
        elif message.role is Role.ASSISTANT:
            pending = {call.id: call for call in message.calls}
            if message.text.strip() and not pending:
                _add(turns, Role.ASSISTANT, say(action=ANSWER, text=message.text))
        else:
            for result in _results(message):
                for role, text in _exchange(pending.get(result.call_id), result):
                    _add(turns, role, text)
    return turns


def note_key(message: Message) -> str:
    """Return what tells a stored message from every other one of any session."""
    return f"{message.seq} {message.at} {message.text[:200]}"


def _add(turns: list[Turn], role: Role, text: str) -> None:
    if turns and turns[-1][0] is role:
        turns[-1] = (role, f"{turns[-1][1]}\n\n{text}")
    else:
        turns.append((role, text))


def _request(message: Message, note: str) -> str:
    typed = "\n\n".join(part.text for part in message.parts if isinstance(part, TextPart))
    return "\n".join(filter(None, (note, *message.attachments, typed)))


def _results(message: Message) -> Iterator[ToolResultPart]:
    for part in message.parts:
        if isinstance(part, ToolResultPart):
            yield part


def _exchange(call: ToolCallPart | None, result: ToolResultPart) -> Iterator[Turn]:
    action = action_of(result.name, call.arguments if call else {})
    yield Role.ASSISTANT, say(**action)
    subject = subject_of(action)
    head = f"Result of {action['action']}{' ' if subject else ''}{subject}:"
    if result.name == "read_file" and result.status == "ok":
        head = f"{head[:-1]} ({result.text.count(chr(10)) + 1} lines):"
    yield Role.USER, f"{head}\n{result_text(result)}"


def result_text(result: ToolResultPart) -> str:
    """Return a result in the words the examples use, bounded."""
    text = result.text
    if result.status == "ok":
        match result.name:
            case "read_file":
                text = _LINE_NUMBERS.sub("", text)
            case "grep":
                text = _definitions_first(text)
            case "edit_file" | "write_file":
                return "ok"
            case "memory_write":
                return "stored"
    elif result.name != "bash":
        text = f"error: {text}"
    return _bounded(text, from_end=result.name == "bash")


def _definitions_first(found: str) -> str:
    """Put the lines that define something before those that use it: the model takes the first."""
    lines = found.split("\n")
    return "\n".join(sorted(lines, key=lambda line: not _DEFINES.search(line)))


def _bounded(text: str, *, from_end: bool) -> str:
    if len(text) <= MAX_RESULT:
        return text
    left = len(text) - MAX_RESULT
    if from_end:
        return f"[{left} characters left out]\n{text[-MAX_RESULT:]}"
    return f"{text[:MAX_RESULT]}\n[{left} more characters left out]"


def last_turn(messages: Sequence[Message]) -> Sequence[Message]:
    """Return the messages from the newest user message on."""
    for at in range(len(messages) - 1, -1, -1):
        if messages[at].role is Role.USER:
            return messages[at:]
    return messages


def typed_text(message: Message) -> str:
    """Return what the person typed in it."""
    parts = (p for p in message.parts if isinstance(p, TextPart) and p.origin is Origin.TYPED)
    return "\n".join(part.text for part in parts)
