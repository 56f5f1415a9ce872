"""Each rule of the three APIs is noticed when it is broken, and a valid conversation passes."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.reply import WIRES, Wire
from tests.support.request import Request
from tests.support.validate import Validator, assert_append_only

Body = dict[str, Any]
SCHEMA = {"type": "object", "properties": {}}


def text(value: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": value, **more}


def messages_body() -> Body:
    marked = {"cache_control": {"type": "ephemeral"}}
    calls = [
        {"type": "tool_use", "id": name, "name": "glob", "input": {"pattern": "*"}}
        for name in ("a", "b")
    ]
    results = [
        {"type": "tool_result", "tool_use_id": name, "content": "none"} for name in ("a", "b")
    ]
    return {
        "model": "m",
        "max_tokens": 100,
        "stream": True,
        "system": [text("You are catmem.", **marked)],
        "tools": [{"name": "glob", "input_schema": SCHEMA}],
        "messages": [
            {"role": "user", "content": [text("hello")]},
            {"role": "assistant", "content": [text("looking"), *calls]},
            {"role": "user", "content": [*results, text("go on", **marked)]},
        ],
    }


def chat_body() -> Body:
    calls = [
        {"id": name, "type": "function", "function": {"name": "glob", "arguments": "{}"}}
        for name in ("a", "b")
    ]
    return {
        "model": "m",
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": [{"type": "function", "function": {"name": "glob", "parameters": SCHEMA}}],
        "messages": [
            {"role": "system", "content": "You are catmem."},
            {"role": "user", "content": "hello"},
            {"role": "assistant", "content": None, "tool_calls": calls},
            {"role": "tool", "tool_call_id": "a", "content": "none"},
            {"role": "tool", "tool_call_id": "b", "content": ""},
            {"role": "assistant", "content": "nothing there"},
            {"role": "user", "content": "go on"},
        ],
    }


def responses_body() -> Body:
    calls = [
        {"type": "function_call", "call_id": name, "name": "glob", "arguments": "{}"}
        for name in ("a", "b")
    ]
    outputs = [
        {"type": "function_call_output", "call_id": name, "output": "none"} for name in ("a", "b")
    ]
    return {
        "model": "m",
        "store": False,
        "instructions": "You are catmem.",
        "tools": [{"type": "function", "name": "glob", "parameters": SCHEMA}],
        "input": [
            {"role": "user", "content": "hello"},
            {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "sealed"},
            *calls,
            *outputs,
            {"role": "user", "content": [{"type": "input_text", "text": "go on"}]},
        ],
    }


BODIES: dict[Wire, Callable[[], Body]] = {
    "messages": messages_body,
    "chat": chat_body,
    "responses": responses_body,
}


def request_of(wire: Wire, body: Body, number: int = 1) -> Request:
    return Request(number, wire, "/", {"authorization": "Bearer test"}, body, 0.0)


@pytest.mark.parametrize("wire", WIRES)
def test_valid_conversation_breaks_no_rule(wire: Wire) -> None:
    assert list(Validator().check(request_of(wire, BODIES[wire]()))) == []


def called(body: Body) -> dict[str, Any]:
    """The function of the first call in `chat_body`."""
    found: dict[str, Any] = body["messages"][2]["tool_calls"][0]["function"]
    return found


Change = Callable[[Body], Any]
MESSAGES: dict[str, Change] = {
    "temperature is refused": lambda b: b.update(temperature=0),
    "unknown field 'store'": lambda b: b.update(store=False),
    "no model is named": lambda b: b.pop("model"),
    "max_tokens is missing": lambda b: b.pop("max_tokens"),
    "a forced tool choice is refused": lambda b: b.update(tool_choice={"type": "any"}),
    "system is no list of blocks": lambda b: b.update(system="You are catmem."),
    "tool blocks without tools": lambda b: b.pop("tools"),
    "message 1 is no list of blocks": lambda b: b["messages"][0].update(content="hello"),
    "message 1 has an empty text block": lambda b: b["messages"][0]["content"].append(text(" ")),
    "the first message is not the user's": lambda b: b["messages"].pop(0),
    "the last message is not the user's": lambda b: b["messages"].append(
        {"role": "assistant", "content": [text("{")]}
    ),
    "roles do not alternate: ['user', 'user', 'assistant', 'user']": lambda b: b["messages"].insert(
        0, b["messages"][0]
    ),
    "message 1 has the role 'system'": lambda b: b["messages"][0].update(role="system"),
    "tool call 'b' has 0 results": lambda b: b["messages"][2]["content"].pop(1),
    "tool call 'a' has 2 results": lambda b: b["messages"][2]["content"].insert(
        0, b["messages"][2]["content"][0]
    ),
    "tool results ['b', 'a'] are not in the order of the calls ['a', 'b']": lambda b: b["messages"][
        2
    ]["content"].insert(0, b["messages"][2]["content"].pop(1)),
    "message 3: tool results do not come first": lambda b: b["messages"][2]["content"].insert(
        0, text("first")
    ),
    "tool result for 'c', which the turn before did not call": lambda b: b["messages"][2][
        "content"
    ].insert(0, {"type": "tool_result", "tool_use_id": "c", "content": "?"}),
    "message 2: the input of a tool call is not an object": lambda b: b["messages"][1]["content"][
        1
    ].update(input="{}"),
    "6 cache marks, at most 4 are allowed": lambda b: [
        block.update(cache_control={"type": "ephemeral"})
        for message in b["messages"][:2]
        for block in message["content"]
    ],
    "message 2: thinking without a signature": lambda b: b["messages"][1]["content"].insert(
        0, {"type": "thinking", "thinking": "hm", "signature": ""}
    ),
    "message 2 ends in thinking": lambda b: b["messages"][1]["content"].append(
        {"type": "thinking", "thinking": "hm", "signature": "s"}
    ),
}
CHAT: dict[str, Change] = {
    "a system message stands behind the first place": lambda b: b["messages"].insert(
        1, b["messages"][0]
    ),
    "a message has the role 'developer'": lambda b: b["messages"][0].update(role="developer"),
    "the first message is not the user's": lambda b: b["messages"].pop(1),
    "the last message is the assistant's": lambda b: b["messages"].pop(),
    "two user messages follow each other": lambda b: b["messages"].append(b["messages"][-1]),
    "message 6 (assistant) is empty": lambda b: b["messages"][5].update(content=""),
    "message 6 (assistant) has an empty list of calls": lambda b: b["messages"][5].update(
        tool_calls=[]
    ),
    "message 3 (assistant): arguments are no JSON object: '{'": lambda b: called(b).update(
        arguments="{"
    ),
    "message 3 (assistant): arguments are no JSON object: '[]'": lambda b: called(b).update(
        arguments="[]"
    ),
    "message 3 (assistant): a call has no id or no name": lambda b: called(b).update(name=""),
    "tool call 'b' has 0 results": lambda b: b["messages"].pop(4),
    "tool call 'a' has 2 results": lambda b: b["messages"].insert(3, b["messages"][3]),
    "tool results ['b', 'a'] are not in the order of the calls ['a', 'b']": lambda b: b[
        "messages"
    ].insert(3, b["messages"].pop(4)),
    "tool result for 'a', which the turn before did not call": lambda b: b["messages"].append(
        b["messages"][3]
    ),
    "tool calls without tools": lambda b: b.pop("tools"),
    "an empty list of tools": lambda b: b.update(tools=[]),
    "a tool is not nested under `function`": lambda b: b.update(
        tools=[{"type": "function", "name": "glob", "parameters": SCHEMA}]
    ),
    "tool names are not unique: ['glob', 'glob']": lambda b: b["tools"].append(b["tools"][0]),
    "tool name 'a b' is not allowed": lambda b: b["tools"][0]["function"].update(name="a b"),
    "a forced tool choice is not supported everywhere": lambda b: b.update(tool_choice="required"),
    "stream_options without stream": lambda b: b.pop("stream"),
    "both max_tokens and max_completion_tokens": lambda b: b.update(
        max_tokens=1, max_completion_tokens=1
    ),
}
RESPONSES: dict[str, Change] = {
    "store is not false": lambda b: b.pop("store"),
    "previous_response_id needs a history kept by the server": lambda b: b.update(
        previous_response_id="r"
    ),
    "max_tokens belongs to Chat Completions": lambda b: b.update(max_tokens=1),
    "a tool is not a flat function": lambda b: b["tools"][0].update(function={}),
    "instructions are empty": lambda b: b.update(instructions=""),
    "input is no list of items": lambda b: b.update(input="hello"),
    "item 1 (message) is empty": lambda b: b["input"][0].update(content=""),
    "item 1 (image) is not known": lambda b: b["input"][0].update(type="image"),
    "item 2 (reasoning) lacks its encrypted content or its summary": lambda b: b["input"][1].pop(
        "encrypted_content"
    ),
    "item 3 (function_call): arguments are no JSON object: 'x'": lambda b: b["input"][2].update(
        arguments="x"
    ),
    "reasoning is followed by message of 'user'": lambda b: b["input"].insert(5, b["input"].pop(1)),
    "system text stands in more than one place": lambda b: b["input"].insert(
        0, {"role": "developer", "content": "more"}
    ),
    "the last item is neither the user's nor a tool result": lambda b: b["input"].append(
        {"role": "assistant", "content": "so"}
    ),
    "tool call 'b' has 0 results": lambda b: b["input"].pop(5),
    "tool call 'a' has 2 results": lambda b: b["input"].insert(4, b["input"][4]),
    "tool calls without tools": lambda b: b.pop("tools"),
}


@pytest.mark.parametrize(
    ("wire", "complaint"),
    [
        (wire, complaint)
        for wire, changes in (("messages", MESSAGES), ("chat", CHAT), ("responses", RESPONSES))
        for complaint in changes
    ],
)
def test_broken_rule_is_named(wire: Wire, complaint: str) -> None:
    body = copy.deepcopy(BODIES[wire]())
    {"messages": MESSAGES, "chat": CHAT, "responses": RESPONSES}[wire][complaint](body)
    assert complaint in list(Validator().check(request_of(wire, body)))


def test_request_without_a_key() -> None:
    request = request_of("chat", chat_body())
    request.headers = {}
    assert list(Validator().check(request)) == ["no key in the headers"]


def thinking_turns() -> tuple[Request, Request]:
    """A first request, and the second one that sends its signed thinking back."""
    first = messages_body()
    second = copy.deepcopy(first)
    thinking = {"type": "thinking", "thinking": "hm", "signature": "signature-1"}
    second["messages"] += [
        {"role": "assistant", "content": [thinking, text("done")]},
        {"role": "user", "content": [text("thanks")]},
    ]
    del second["messages"][2]["content"][-1]["cache_control"]
    return request_of("messages", first), request_of("messages", second, 2)


def test_thinking_is_bound_to_the_conversation_it_was_signed_for() -> None:
    for change, complaint in (
        (lambda b: None, None),
        (
            lambda b: b["system"].append(text("news")),
            "thinking of request 1 is bound to another 'system'",
        ),
        (
            lambda b: b["tools"].pop() and b["tools"].append({"name": "x", "input_schema": SCHEMA}),
            "thinking of request 1 is bound to another 'tools'",
        ),
        (
            lambda b: b["messages"][0]["content"].append(text("recalled")),
            "thinking of request 1 is bound to other messages",
        ),
        (
            lambda b: b["messages"][3]["content"][0].update(signature="signature-7"),
            "thinking with the signature 'signature-7' was never sent",
        ),
    ):
        first, second = thinking_turns()
        change(second.body)
        validator = Validator()
        assert list(validator.check(first)) == []
        assert list(validator.check(second)) == ([complaint] if complaint else [])


@pytest.mark.parametrize("wire", WIRES)
def test_append_only(wire: Wire) -> None:
    place = "input" if wire == "responses" else "messages"
    before, after = request_of(wire, BODIES[wire]()), request_of(wire, BODIES[wire](), 2)
    after.body[place].append({"role": "user", "content": "more"})
    assert_append_only([before, after])
    for entry in after.body[place]:
        if entry.get("role") == "user":
            entry["content"] = "changed"
            break
    with pytest.raises(AssertionError, match="earlier messages differ between requests 1 and 2"):
        assert_append_only([before, after])
