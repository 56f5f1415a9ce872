"""What the agent loop tells the interface, and the one thing it asks of it.

Events are one-way news from one async generator (``Agent.run_turn``); an approval is a two-way port
beside them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from catmem.messages import Message, ToolCallPart, ToolResultPart, Usage


class TurnEndReason(StrEnum):
    """Why a turn ended."""

    DONE = "done"
    INTERRUPTED = "interrupted"
    STEP_LIMIT = "step_limit"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """The user's message is in the transcript and the turn begins."""

    message: Message


@dataclass(frozen=True, slots=True)
class StepStarted:
    """A model request goes out; ``step`` counts from 1 in each turn."""

    step: int


@dataclass(frozen=True, slots=True)
class RequestRetried:
    """The request failed before its first part and is sent again after ``delay`` seconds."""

    attempt: int
    delay: float
    reason: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """A piece of the model's visible reasoning; never part of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class MessageCompleted:
    """An assistant message is in the transcript; ``usage`` as far as the server told."""

    message: Message
    usage: Usage


@dataclass(frozen=True, slots=True)
class ToolCallStarted:
    """A tool call is about to be decided and run; ``subject`` is its main argument for display."""

    call: ToolCallPart
    subject: str


@dataclass(frozen=True, slots=True)
class ToolOutputDelta:
    """Live output of a running tool."""

    call_id: str
    text: str


@dataclass(frozen=True, slots=True)
class ToolCallFinished:
    """A started call has its result: exactly one per call, also when denied or cancelled.

    ``display`` is a few lines for the person (a diff, a summary); empty means: show the result's
    first lines.
    """

    result: ToolResultPart
    display: str = ""


@dataclass(frozen=True, slots=True)
class MemoryUpdated:
    """Entries were written while the turn ran."""

    added: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Notice:
    """One line for the person: a warning or an explanation; ``error`` colours it."""

    text: str
    error: bool = False


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """Always the last event of a turn, exactly once; ``error`` is the sentence for a failed one.

    ``retryable`` says that the same turn may succeed later (network, overload): exit code 75 in
    headless use.
    """

    reason: TurnEndReason
    error: str | None = None
    retryable: bool = False


Event = (
    TurnStarted
    | StepStarted
    | RequestRetried
    | ReasoningDelta
    | TextDelta
    | MessageCompleted
    | ToolCallStarted
    | ToolOutputDelta
    | ToolCallFinished
    | MemoryUpdated
    | Notice
    | TurnEnded
)


class ActionKind(StrEnum):
    """What a tool call would do, as far as permission is concerned."""

    READ = "read"
    WRITE = "write"
    EXECUTE = "execute"
    MEMORY = "memory"
    FORGET = "forget"


@dataclass(frozen=True, slots=True)
class Action:
    """What one tool call would do: input of the permission decision and of the question.

    Attributes:
        tool: the tool's name.
        kind: read, write, execute, or save or forget a memory.
        subject: exact command, path or entry name.
        preview: what will change or run, in full (a unified diff, the whole command, the entry's
            text).
        outside: real paths outside the workspace that it touches; empty when contained.
        session_key: what an answer "for this session" covers, e.g. ``write_file`` or the exact
            command.
        needs_person: why only a person's yes to this very question allows it, in words for the
            model where nobody is asked; empty when the rules of the mode decide.
    """

    tool: str
    kind: ActionKind
    subject: str
    preview: str = ""
    outside: tuple[str, ...] = ()
    session_key: str = ""
    needs_person: str = ""


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """One question to the person; ``call`` names the call it is about."""

    call: ToolCallPart
    action: Action


class ApprovalAnswer(StrEnum):
    """How the person answered."""

    ONCE = "once"
    SESSION = "session"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class Approval:
    """The answer to one question; ``words`` are for the agent, when the person wrote some."""

    answer: ApprovalAnswer
    words: str = ""


class Approver(Protocol):
    """Asks the person; the interface implements it."""

    async def ask(self, request: ApprovalRequest) -> Approval:
        """Return the person's answer; cancellation of the caller withdraws the question."""
        ...


class DenyAll:
    """The approver where nobody can be asked (headless, piped): always no, with the reason."""

    def __init__(self, words: str) -> None:
        self._words = words

    async def ask(self, request: ApprovalRequest) -> Approval:  # noqa: ARG002 - a port
        """Deny."""
        return Approval(ApprovalAnswer.DENY, self._words)
