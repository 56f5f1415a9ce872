"""The conversation: messages, their parts and origins, and the request that goes to a model.

A ``Message`` is what a session stores and what the memory pipeline reads; adapters in ``providers``
turn a ``ModelRequest`` into one API's form. Nothing here knows an API, a file or a terminal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Role(StrEnum):
    """Who a message is from."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Origin(StrEnum):
    """Where a text came from; only ``TYPED`` counts as the user's own words.

    ``TYPED`` is keystrokes in the prompt, a pasted single line, or the PROMPT argument. Everything
    else is data, even inside a user message.
    """

    TYPED = "typed"
    PASTED = "pasted"
    STDIN = "stdin"
    FILE = "file"
    MODEL = "model"
    TOOL = "tool"
    CATMEM = "catmem"


@dataclass(frozen=True, slots=True)
class TextPart:
    """A stretch of text with its origin."""

    text: str
    origin: Origin


@dataclass(frozen=True, slots=True)
class ToolCallPart:
    """A model's wish to run a tool.

    Attributes:
        id: the call's id, unique within the conversation (made up where the server sent none).
        arguments: the parsed object; empty when ``problem`` is set.
        problem: why the call must not run (arguments were not a JSON object, answer was cut), else
            None.
    """

    id: str
    name: str
    arguments: Mapping[str, Any]
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class ToolResultPart:
    """The one result of one tool call, in the words the model gets.

    ``subject`` is the call's main argument (path, command ...) for one-line displays and the memory
    excerpt; ``status`` is one of ``ok``, ``error``, ``denied``, ``cancelled``.
    """

    call_id: str
    name: str
    text: str
    status: str = "ok"
    subject: str = ""


@dataclass(frozen=True, slots=True)
class ProviderPart:
    """A block that one provider wants back verbatim (signed thinking, encrypted reasoning).

    ``provider`` and ``model`` name who made it; adapters drop blocks of others. ``data`` is JSON.
    A ``sealed`` one is valid only behind the very conversation that it was made in.
    """

    provider: str
    model: str
    data: Mapping[str, Any]
    sealed: bool = True


Part = TextPart | ToolCallPart | ToolResultPart | ProviderPart


@dataclass(frozen=True, slots=True)
class Message:
    """An entry of the conversation.

    Attributes:
        seq: its number in the session, counted from 1; 0 until the session appended it.
        parts: what the person, model or tool wrote, in order.
        attachments: what catmem attached to it (notes at the tail); left out of the memory excerpt
            by code.
        at: local time with offset, ISO 8601; empty until appended.
        incomplete: the answer was cut (cancelled, dropped stream, token limit).
        off_record: said while memory was off; the memory pipeline never reads it.
    """

    role: Role
    parts: tuple[Part, ...]
    seq: int = 0
    attachments: tuple[str, ...] = ()
    at: str = ""
    incomplete: bool = False
    off_record: bool = False

    @property
    def text(self) -> str:
        """The message's own text, without attachments, calls and provider blocks."""
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))

    @property
    def calls(self) -> tuple[ToolCallPart, ...]:
        """The tool calls in it, in order."""
        return tuple(part for part in self.parts if isinstance(part, ToolCallPart))


def user_message(text: str, origin: Origin = Origin.TYPED) -> Message:
    """Return a user message of one text."""
    return Message(Role.USER, (TextPart(text, origin),))


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """What a model is told about a tool: name, description and the JSON schema of its arguments."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One chat request, before any API's form.

    ``system`` holds the system texts in order (base prompt, memory index ...); adapters put them at
    the very front. ``tools`` is the same in every request of a session. ``tool_choice_none`` asks
    for words only.
    """

    system: tuple[str, ...]
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    tool_choice_none: bool = False
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts of one answer; None where the server did not say.

    ``input_tokens`` is everything the model read, cached parts included.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class StructuredRequest:
    """A request for one JSON object, as the memory pipeline makes; never carries tools.

    ``turns`` are (role, text) pairs with role ``user`` or ``assistant`` (worked examples, then the
    question). ``name`` is the schema's name; the schema uses only what every server accepts (object
    root, all properties required, enums, no $ref, no length limits).
    """

    system: str
    turns: tuple[tuple[str, str], ...]
    name: str
    schema: Mapping[str, Any]
    max_tokens: int


@dataclass(frozen=True, slots=True)
class StructuredReply:
    """The raw text of a structured answer; parsing it tolerantly is the caller's work."""

    text: str
    truncated: bool = False
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class LabelRequest:
    """A request to put one label on one text, read from the first token of the answer.

    ``examples`` are (text, label) pairs, always the same ones for one ``system``, so that a
    server's prompt cache holds them. ``labels`` are the possible answers; no two begin alike.
    """

    system: str
    examples: tuple[tuple[str, str], ...]
    text: str
    labels: tuple[str, ...]
