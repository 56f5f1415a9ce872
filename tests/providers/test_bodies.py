"""The exact request bodies in each wire form."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from catmem.messages import Message, Origin, ProviderPart, Role, TextPart, ToolCallPart
from tests.providers.asking import (
    GLOB,
    answer_of,
    assistant,
    call,
    parts_of,
    provider,
    request,
    results,
    user,
)
from tests.support.model_server import ModelServer, StartModel
from tests.support.reply import Reply, Wire
from tests.support.validate import assert_append_only

pytestmark = pytest.mark.anyio

CONVERSATION = (
    user("first", "(a note)"),
    assistant("Looking.", call("c1", "*.py"), call("c2", "*.md")),
    results(("c1", "a.py"), ("c2", ""), note="(a hint)"),
    assistant("Found."),
    user("next"),
)
MARK = {"cache_control": {"type": "ephemeral"}}


def text(value: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": value, **more}


async def body_of(server: ModelServer, wire: Wire, *messages: Message, **changes: Any) -> Any:
    async with provider(server, wire) as one:
        await parts_of(one, replace(request(*messages), **changes))
    return server.requests[-1].body


async def test_messages_body(model: StartModel) -> None:
    body = await body_of(model(Reply("ok")), "messages", *CONVERSATION, system=("One.", "", "Two."))
    assert body == {
        "model": "claude-haiku-5-5",
        "max_tokens": 32_000,
        "stream": True,
        "thinking": {"type": "adaptive", "display": "summarized"},
        "system": [text("One."), text("Two.", **MARK)],
        "tools": [
            {
                "name": "glob",
                "description": "Find files.",
                "input_schema": GLOB.parameters,
            }
        ],
        "messages": [
            {"role": "user", "content": [text("first"), text("(a note)")]},
            {
                "role": "assistant",
                "content": [
                    text("Looking."),
                    {"type": "tool_use", "id": "c1", "name": "glob", "input": {"pattern": "*.py"}},
                    {"type": "tool_use", "id": "c2", "name": "glob", "input": {"pattern": "*.md"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": [text("a.py")]},
                    {"type": "tool_result", "tool_use_id": "c2", "content": [text("(no output)")]},
                    text("(a hint)", **MARK),
                ],
            },
            {"role": "assistant", "content": [text("Found.")]},
            {"role": "user", "content": [text("next", **MARK)]},
        ],
    }


async def test_chat_body(model: StartModel) -> None:
    body = await body_of(model(Reply("ok")), "chat", *CONVERSATION, system=("One.", "", "Two."))
    assert body == {
        "model": "qwen3",
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "glob",
                    "description": "Find files.",
                    "parameters": GLOB.parameters,
                },
            }
        ],
        "messages": [
            {"role": "system", "content": "One.\n\nTwo."},
            {"role": "user", "content": "first\n\n(a note)"},
            {
                "role": "assistant",
                "content": "Looking.",
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "glob", "arguments": '{"pattern": "*.py"}'},
                    },
                    {
                        "id": "c2",
                        "type": "function",
                        "function": {"name": "glob", "arguments": '{"pattern": "*.md"}'},
                    },
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "a.py"},
            {"role": "tool", "tool_call_id": "c2", "content": "(no output)\n\n(a hint)"},
            {"role": "assistant", "content": "Found."},
            {"role": "user", "content": "next"},
        ],
    }


async def test_responses_body(model: StartModel) -> None:
    body = await body_of(model(Reply("ok")), "responses", *CONVERSATION, system=("One.", "Two."))
    assert body == {
        "model": "gpt-6-luna",
        "stream": True,
        "store": False,
        "instructions": "One.\n\nTwo.",
        "reasoning": {"summary": "auto"},
        "include": ["reasoning.encrypted_content"],
        "tools": [
            {
                "type": "function",
                "name": "glob",
                "description": "Find files.",
                "parameters": GLOB.parameters,
                "strict": False,
            }
        ],
        "input": [
            {
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "first"},
                    {"type": "input_text", "text": "(a note)"},
                ],
            },
            {"role": "assistant", "content": "Looking."},
            {
                "type": "function_call",
                "call_id": "c1",
                "name": "glob",
                "arguments": '{"pattern": "*.py"}',
            },
            {
                "type": "function_call",
                "call_id": "c2",
                "name": "glob",
                "arguments": '{"pattern": "*.md"}',
            },
            {"type": "function_call_output", "call_id": "c1", "output": "a.py"},
            {"type": "function_call_output", "call_id": "c2", "output": "(no output)"},
            {"role": "user", "content": [{"type": "input_text", "text": "(a hint)"}]},
            {"role": "assistant", "content": "Found."},
            {"role": "user", "content": [{"type": "input_text", "text": "next"}]},
        ],
    }


async def test_words_only_keeps_the_tools(wire: Wire, model: StartModel) -> None:
    body = await body_of(model(Reply("ok")), wire, tool_choice_none=True, max_tokens=50)
    assert body["tools"]
    assert body["tool_choice"] == ({"type": "none"} if wire == "messages" else "none")
    limit = {"messages": "max_tokens", "chat": "max_tokens", "responses": "max_output_tokens"}
    assert body[limit[wire]] == 50


async def test_d05_empty_answers_and_neighbours_of_one_role_leave_a_valid_conversation(
    wire: Wire, model: StartModel
) -> None:
    server = model(Reply("ok"))
    await body_of(
        server,
        wire,
        user("first"),
        assistant(""),
        user("second"),
        user("third"),
        assistant("Half of"),
        assistant(" \n", call("c1")),
        results(("c1", "\n")),
        assistant(ProviderPart("anthropic", "claude-haiku-5-5", {"type": "thinking"})),
        user("fourth"),
    )
    [sent] = server.requests
    assert "\n\n".join(sent.user_texts).split() == ["first", "second", "third", "fourth"]
    assert sent.assistant_texts == ["Half of"]
    assert sent.tool_results == {"c1": "(no output)"}


async def test_d09_names_and_ids_that_no_api_takes_are_made_fit(
    wire: Wire, model: StartModel
) -> None:
    server = model(Reply("ok"))
    odd = [ToolCallPart("call:1", "memory.read", {}), ToolCallPart("call_2", "", {})]
    await body_of(
        server, wire, user("go"), assistant(*odd), results(("call:1", "no"), ("call_2", "no"))
    )
    [sent] = server.requests
    assert sent.tool_results == {"call_1": "no", "call_2": "no"}
    assert '"memory_read"' in sent.text
    assert '"unknown"' in sent.text


async def test_d07_a_call_with_broken_arguments_is_sent_back_as_valid_json(
    wire: Wire, model: StartModel
) -> None:
    server = model(Reply(tool_calls=[("glob", '{"pattern": "a')]), Reply("ok"))
    async with provider(server, wire) as one:
        parts = await parts_of(one)
        answer = answer_of(parts)
        [broken] = answer.calls
        await parts_of(one, request(user("hello"), answer, results((broken.id, "not JSON"))))
    assert_append_only(server.requests)
    assert server.requests[1].tool_results == {broken.id: "not JSON"}


async def test_only_cache_marks_move_and_there_are_at_most_four(model: StartModel) -> None:
    server = model(*[Reply("ok", reasoning="hm")] * 4)
    messages: list[Message] = []
    async with provider(server, "messages") as one:
        for number in range(4):
            messages.append(user(f"question {number}"))
            messages.append(answer_of(await parts_of(one, request(*messages))))
    assert_append_only(server.requests)
    assert [sent.text.count("cache_control") for sent in server.requests] == [2, 3, 3, 3]


async def test_d15_signed_thinking_goes_back_to_the_same_model_only(model: StartModel) -> None:
    server = model(Reply("yes", reasoning="because"), Reply("ok"), Reply("ok"))
    async with provider(server, "messages") as one:
        answer = answer_of(await parts_of(one))
        await parts_of(one, request(user("hello"), answer, user("more")))
    async with provider(server, "messages", model="claude-opus-5-5") as other:
        await parts_of(other, request(user("hello"), answer, user("more")))
    kept, foreign = (sent.entries[1]["content"] for sent in server.requests[1:])
    thinking = {"type": "thinking", "thinking": "because", "signature": "signature-1"}
    assert kept == [thinking, text("yes")]
    assert foreign == [text("yes")]


async def test_d15_reasoning_content_goes_back_with_calls_to_the_server_that_sent_it(
    model: StartModel,
) -> None:
    server, other = model(), model(Reply("ok"))
    server.script.extend(
        [
            Reply(reasoning="look", tool_calls=[("glob", {"pattern": "*"})]),
            Reply("plain", reasoning="no call"),
            Reply("ok"),
        ]
    )
    async with provider(server, "chat") as one:
        first = answer_of(await parts_of(one))
        [made] = first.calls
        history = [user("hello"), first, results((made.id, "a.py"))]
        history.append(answer_of(await parts_of(one, request(*history))))
        history.append(user("more"))
        await parts_of(one, request(*history))
    async with provider(other, "chat") as elsewhere:
        await parts_of(elsewhere, request(*history))
    sent = [e for e in server.requests[2].entries if e["role"] == "assistant"]
    assert [entry.get("reasoning_content") for entry in sent] == ["look", None]
    assert "reasoning_content" not in other.requests[0].text


async def test_d15_empty_reasoning_content_is_sent_back_and_reasoning_is_not(
    model: StartModel,
) -> None:
    async def sent_back(chunk: str) -> dict[str, Any]:
        server = model(
            Reply(
                raw_events=[
                    f'data: {{"choices": [{{"delta": {chunk}}}]}}\n\n',
                    (
                        'data: {"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "c1",'
                        ' "function": {"name": "glob", "arguments": "{\\"pattern\\": \\"*\\"}"}}'
                        ']}, "finish_reason": "tool_calls"}]}\n\n'
                    ),
                    "data: [DONE]\n\n",
                ]
            ),
            Reply("ok"),
        )
        async with provider(server, "chat") as one:
            answer = answer_of(await parts_of(one))
            await parts_of(one, request(user("hello"), answer, results(("c1", "a.py"))))
        entry: dict[str, Any] = server.requests[1].entries[2]
        return entry

    assert (await sent_back('{"reasoning_content": ""}'))["reasoning_content"] == ""
    assert "reasoning_content" not in await sent_back('{"reasoning": "hm"}')


async def test_responses_items_go_back_verbatim(model: StartModel) -> None:
    server = model(
        Reply("Looking.", reasoning="hm", tool_calls=[("glob", {"pattern": "*"})]),
        Reply("ok"),
        Reply("ok"),
    )
    async with provider(server, "responses") as one:
        answer = answer_of(await parts_of(one))
        [made] = answer.calls
        history = request(user("hello"), answer, results((made.id, "a.py")))
        await parts_of(one, history)
    async with provider(server, "responses", model="gpt-6-sol") as other:
        await parts_of(other, history)
    assert server.requests[1].entries[1:4] == [
        {
            "id": "rs_1",
            "type": "reasoning",
            "summary": [{"type": "summary_text", "text": "hm"}],
            "encrypted_content": "sealed-1",
        },
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [
                {"type": "output_text", "text": "Looking.", "annotations": [], "logprobs": []}
            ],
        },
        {
            "id": "fc_1_0",
            "type": "function_call",
            "call_id": "call_1_0",
            "name": "glob",
            "arguments": '{"pattern": "*"}',
            "status": "completed",
        },
    ]
    assert server.requests[2].entries[1:3] == [
        {"role": "assistant", "content": "Looking."},
        {
            "type": "function_call",
            "call_id": "call_1_0",
            "name": "glob",
            "arguments": '{"pattern": "*"}',
        },
    ]


async def test_half_characters_do_not_break_a_request(wire: Wire, model: StartModel) -> None:
    server = model(Reply("ok"))
    broken = Message(Role.USER, (TextPart("a\ud83d b", Origin.TYPED),))
    await body_of(server, wire, broken)
    assert server.requests[0].user_texts == ["a\ufffd b"]


async def test_the_older_messages_protocol_gets_its_headers(model: StartModel) -> None:
    server = model(Reply("ok"))
    async with provider(server, "messages", auth="x-api-key") as one:
        await parts_of(one)
    headers = server.requests[0].headers
    assert (headers["x-api-key"], headers["anthropic-version"]) == ("test", "2023-06-01")
