"""The three wire forms by name and by path, and the bytes of an answer in each."""

from __future__ import annotations

import json
from collections.abc import Iterable
from types import ModuleType

from tests.support import wire_chat, wire_messages, wire_responses
from tests.support.reply import Event, Reply, Wire
from tests.support.request import Request

WIRE_MODULES: dict[Wire, ModuleType] = {
    "messages": wire_messages,
    "chat": wire_chat,
    "responses": wire_responses,
}
WIRE_PATHS: dict[str, Wire] = {
    "/messages": "messages",
    "/chat/completions": "chat",
    "/responses": "responses",
}


def wire_of(path: str) -> Wire | None:
    """The wire form that is spoken at `path`."""
    return next((wire for end, wire in WIRE_PATHS.items() if path.endswith(end)), None)


def stream(reply: Reply, request: Request) -> Iterable[str]:
    """The encoded events of a streamed answer."""
    module = WIRE_MODULES[request.wire]
    regular: list[Event] = list(module.events(reply, request.number, request.body))
    if reply.sse_error:
        regular[reply.sse_error_after :] = [module.error_event(*reply.sse_error)]
    if reply.raw_events is None:
        told: Iterable[Event | str] = regular
    elif callable(reply.raw_events):
        told = reply.raw_events(regular)
    else:
        told = reply.raw_events
    return [event if isinstance(event, str) else event.encode() for event in told]


def answer(reply: Reply, request: Request) -> bytes:
    """The JSON body of an answer that is an error or not streamed."""
    module = WIRE_MODULES[request.wire]
    if reply.http_status != 200:
        return json.dumps(module.error_body(reply)).encode()
    return json.dumps(module.whole(reply, request.number, request.body)).encode()
