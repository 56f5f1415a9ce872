"""What the scripted model says: one `Reply` per request, the same for every wire form."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Wire = Literal["messages", "chat", "responses"]
WIRES: tuple[Wire, ...] = ("messages", "chat", "responses")
ToolCall = tuple[str, dict[str, Any] | str]


@dataclass(frozen=True, slots=True)
class Event:
    """One server-sent event; `data` is sent as JSON, or as it is when it is a string."""

    data: dict[str, Any] | str
    name: str | None = None

    def encode(self) -> str:
        """The event as it goes over the wire."""
        data = self.data if isinstance(self.data, str) else json.dumps(self.data)
        return (f"event: {self.name}\n" if self.name else "") + f"data: {data}\n\n"


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts of one reply; `input` includes what came from or went to the cache."""

    input: int = 3
    output: int = 4
    cached: int = 0
    cache_write: int = 0
    reasoning: int = 0


Rewrite = Callable[[list[Event]], Iterable[Event | str]]


@dataclass(frozen=True, slots=True)
class Reply:
    """One scripted model turn, and how the server misbehaves while sending it.

    Attributes:
        text: the answer's text.
        tool_calls: `(name, arguments)`; a string is sent raw, so it may be broken JSON.
        reasoning: thinking shown before the text.
        finish: why the model stopped; "length" and "refusal" are translated to each wire form,
            anything else is sent as it is. None: what fits the content.
        usage: token counts; None: the server reports none.
        status, error, headers: an HTTP error; `error` is `(type, message)` and implies 400.
        chunk: characters per streamed piece of text, reasoning and arguments.
        before, delay: seconds before the first byte, and between two events.
        cut_after, cut: the connection ends after so many events: "broken" without the end of the
            body, "clean" with a proper end, "reset" with a TCP reset.
        stall_after: silence after so many events, until `ModelServer.release` or a hang-up.
        sse_error, sse_error_after: `(type, message)` as an error inside the stream.
        raw_events: literal SSE strings, or a function that rewrites the regular events.
    """

    text: str = ""
    tool_calls: Sequence[ToolCall] = ()
    reasoning: str = ""
    finish: str | None = None
    usage: Usage | None = field(default_factory=Usage)
    status: int = 200
    error: tuple[str, str] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    chunk: int = 5
    before: float = 0
    delay: float = 0
    cut_after: int | None = None
    cut: Literal["broken", "clean", "reset"] = "broken"
    stall_after: int | None = None
    sse_error: tuple[str, str] | None = None
    sse_error_after: int = 0
    raw_events: Sequence[str] | Rewrite | None = None

    @classmethod
    def of_json(cls, value: object) -> Reply:
        """A reply whose text is `value` as JSON, as a structured request is answered."""
        return cls(text=json.dumps(value, ensure_ascii=False), chunk=40)

    @property
    def http_status(self) -> int:
        """The status line's number."""
        return 400 if self.error and self.status == 200 else self.status


def pieces(text: str, size: int) -> Iterator[str]:
    """`text` in pieces of `size` characters."""
    for start in range(0, len(text), size):
        yield text[start : start + size]


def raw_arguments(arguments: dict[str, Any] | str) -> str:
    """Tool arguments as the model writes them."""
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def error_of(reply: Reply) -> tuple[str, str]:
    """Type and message of an HTTP error reply."""
    if reply.error:
        return reply.error
    kind = ERROR_TYPES.get(reply.http_status, "api_error")
    return kind, reply.text or f"scripted error {reply.http_status}"
