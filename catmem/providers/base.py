"""The provider protocol: a stream of parts for a chat request, one JSON object for the pipeline.

Adapters live beside this module and are chosen by ``catmem.providers.create``; nobody else imports
them.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, runtime_checkable

from catmem.messages import (
    LabelRequest,
    ModelRequest,
    ProviderPart,
    StructuredReply,
    StructuredRequest,
    ToolCallPart,
    Usage,
)


class StopReason(StrEnum):
    """Why the model stopped.

    ``LENGTH`` means the token limit, ``DROPPED`` that the stream ended, fell silent or failed after
    its first part: what came is kept and the message is incomplete.
    """

    END = "end"
    TOOL_CALLS = "tool_calls"
    LENGTH = "length"
    REFUSAL = "refusal"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningChunk:
    """A piece of visible reasoning."""

    text: str


@dataclass(frozen=True, slots=True)
class Retrying:
    """The request failed before its first part and will be sent again in ``delay`` seconds."""

    attempt: int
    delay: float
    reason: str


@dataclass(frozen=True, slots=True)
class CallCompleted:
    """A tool call, whole (or its ``problem`` says why it is not)."""

    call: ToolCallPart


@dataclass(frozen=True, slots=True)
class BlockCompleted:
    """A provider block to be stored and sent back verbatim, at this place among text and calls."""

    block: ProviderPart


@dataclass(frozen=True, slots=True)
class Finished:
    """The last part of every stream that did not raise; ``detail`` explains a bad end."""

    reason: StopReason
    usage: Usage = field(default_factory=Usage)
    detail: str = ""


StreamPart = TextChunk | ReasoningChunk | Retrying | CallCompleted | BlockCompleted | Finished


class Provider(Protocol):
    """One API, one model. Closing or cancelling the iterator ends the request at once."""

    name: str
    """``anthropic``, ``openai`` or ``local``."""
    model: str
    """The name sent to the server."""
    server: str
    """Where requests go, for people: a base URL, or words for the embedded model."""
    key_source: str
    """The variable or command that the key came from; empty where there is none."""
    loopback: bool
    """Whether the server is on this machine (no first-byte limit, longer exit limit)."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[StreamPart, None]:
        """Send a chat request; yield parts in order, ``Finished`` last.

        A call whose arguments are invalid, or that a token limit cut, comes as ``CallCompleted``
        with ``problem`` set.

        Raises:
            ProviderError: nothing (more) can come: no key, refused, unreachable after the retries.
        """
        ...

    async def structured(self, request: StructuredRequest) -> StructuredReply:
        """Ask for one JSON object; retries as ``stream`` does.

        Raises:
            ProviderError: the request failed, or the model refused.
        """
        ...

    async def warm_up(self) -> None:
        """Import the SDK and build the client, off the event loop; called once the prompt is up."""
        ...

    async def aclose(self) -> None:
        """Free connections and child processes."""
        ...


@runtime_checkable
class Preparing(Protocol):
    """A provider that takes a while to get ready: it fetches, loads and reads ahead."""

    on_status: Callable[[str], None]
    """Gets what it is busy with, in one line, and an empty text when it is ready."""

    async def prefill(self, request: ModelRequest) -> None:
        """Get ready and read what every request of the session begins with.

        Raises:
            ProviderError: it cannot get ready; the sentence says why.
        """
        ...


@runtime_checkable
class LabelModel(Protocol):
    """A provider that can also judge one sentence: it reports first-token probabilities."""

    async def choose(self, request: LabelRequest) -> Mapping[str, float]:
        """Return the probability of each of ``request.labels``; they need not add up to 1.

        Raises:
            ProviderError: the request failed, or the server reports no probabilities.
        """
        ...
