"""Asking for JSON: the bodies, the ladder of forms, and what is remembered of refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from catmem.errors import BadRequestError, RefusalError
from catmem.messages import StructuredReply, StructuredRequest, Usage
from tests.providers.asking import (
    SCHEMA,
    answer_of,
    parts_of,
    provider,
    request,
    structured_request,
    text_in,
    user,
)
from tests.support.model_server import StartModel
from tests.support.reply import Reply, Wire

pytestmark = pytest.mark.anyio

IN_WORDS = "Answer with one JSON object and nothing else. It must follow this JSON schema:\n"
WITH_EXAMPLE = StructuredRequest(
    "Extract.", (("user", "one"), ("assistant", "{}"), ("user", "two")), "facts", SCHEMA, 100
)


def refusal(words: str, status: int = 400) -> Reply:
    return Reply(status=status, error=("invalid_request_error", words))


async def test_messages_body(model: StartModel) -> None:
    server = model(Reply('{"a": 1}'))
    async with provider(server, "messages") as one:
        await one.structured(WITH_EXAMPLE)
    assert server.requests[0].body == {
        "model": "claude-haiku-5-5",
        "max_tokens": 100 + 8192,
        "stream": True,
        "system": [{"type": "text", "text": "Extract."}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "one"}]},
            {"role": "assistant", "content": [{"type": "text", "text": "{}"}]},
            {"role": "user", "content": [{"type": "text", "text": "two"}]},
        ],
        "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": SCHEMA}},
    }


async def test_chat_body(model: StartModel) -> None:
    server = model(Reply('{"a": 1}'))
    async with provider(server, "chat") as one:
        await one.structured(WITH_EXAMPLE)
    assert server.requests[0].body == {
        "model": "qwen3",
        "max_tokens": 100,
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": [
            {"role": "system", "content": "Extract."},
            {"role": "user", "content": "one"},
            {"role": "assistant", "content": "{}"},
            {"role": "user", "content": "two"},
        ],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "facts", "strict": True, "schema": SCHEMA},
        },
    }


async def test_responses_body(model: StartModel) -> None:
    server = model(Reply('{"a": 1}'))
    async with provider(server, "responses") as one:
        await one.structured(WITH_EXAMPLE)
    assert server.requests[0].body == {
        "model": "gpt-6-luna",
        "max_output_tokens": 100 + 8192,
        "stream": True,
        "store": False,
        "instructions": "Extract.",
        "input": [
            {"role": "user", "content": "one"},
            {"role": "assistant", "content": "{}"},
            {"role": "user", "content": "two"},
        ],
        "reasoning": {"effort": "low"},
        "text": {
            "format": {"type": "json_schema", "name": "facts", "strict": True, "schema": SCHEMA}
        },
    }


async def test_the_reply(wire: Wire, model: StartModel) -> None:
    async with provider(model(Reply('{"a": 1}', reasoning="hm")), wire) as one:
        reply = await one.structured(structured_request())
    assert reply == StructuredReply('{"a": 1}', False, Usage(3, 4, 0))


async def test_b03_a_cut_reply_says_so(wire: Wire, model: StartModel) -> None:
    server = model(Reply('{"a": ', finish="length"), Reply("", reasoning="hm", finish="length"))
    async with provider(server, wire) as one:
        cut = await one.structured(structured_request())
        empty = await one.structured(structured_request())
    assert (cut.text, cut.truncated) == ('{"a": ', True)
    assert (empty.text, empty.truncated) == ("", True)


async def test_a_refused_reply_is_an_error(wire: Wire, model: StartModel) -> None:
    async with provider(model(Reply("I will not", finish="refusal")), wire) as one:
        with pytest.raises(RefusalError, match="declined"):
            await one.structured(structured_request())


def form_of(body: dict[str, Any]) -> Any:
    given = body.get("response_format") or (body.get("text") or {}).get("format")
    given = given or (body.get("output_config") or {}).get("format")
    return given["type"] if given else "plain"


REFUSALS: dict[Wire, list[Reply]] = {
    "messages": [refusal("output_config: Extra inputs are not permitted")],
    "chat": [
        refusal("'response_format.type' must be 'json_object'"),
        refusal("This response_format is unavailable now", 422),
    ],
    "responses": [
        refusal("Invalid parameter: 'text.format' of type 'json_schema'"),
        refusal("not implemented", 501),
    ],
}
FORMS: dict[Wire, list[str]] = {
    "messages": ["json_schema", "plain"],
    "chat": ["json_schema", "json_object", "plain"],
    "responses": ["json_schema", "json_object", "plain"],
}


async def test_refused_forms_are_stepped_down_and_remembered(
    wire: Wire, model: StartModel, home: Path
) -> None:
    server = model(*REFUSALS[wire], *[Reply('{"a": 1}')] * 3)
    async with provider(server, wire) as one:
        assert (await one.structured(structured_request())).text == '{"a": 1}'
        await one.structured(structured_request())
    async with provider(server, wire) as another:  # as in the next process
        await another.structured(structured_request())
    bodies = [sent.body for sent in server.requests]
    assert [form_of(body) for body in bodies] == [*FORMS[wire], "plain", "plain"]
    told = [IN_WORDS in sent.system for sent in server.requests]
    assert told == [False, *[True] * (len(told) - 1)]
    state = home / ".catmem" / "state" / "servers.json"
    assert state.stat().st_mode & 0o777 == 0o600
    assert "test" not in state.read_text().replace(server.url, "")


async def test_another_model_of_the_server_is_asked_for_itself(model: StartModel) -> None:
    server = model(*REFUSALS["chat"], *[Reply('{"a": 1}')] * 2)
    async with provider(server, "chat") as one:
        await one.structured(structured_request())
    async with provider(server, "chat", model="other") as one:
        await one.structured(structured_request())
    assert form_of(server.requests[-1].body) == "json_schema"


async def test_a_refusal_of_something_else_changes_nothing(wire: Wire, model: StartModel) -> None:
    server = model(refusal("messages: too few"), Reply('{"a": 1}'))
    async with provider(server, wire) as one:
        with pytest.raises(BadRequestError, match="too few"):
            await one.structured(structured_request())
        await one.structured(structured_request())
    assert form_of(server.requests[1].body) == "json_schema"


async def test_a_broken_memory_of_refusals_is_as_good_as_none(
    model: StartModel, home: Path
) -> None:
    state = home / ".catmem" / "state" / "servers.json"
    state.parent.mkdir(parents=True)
    state.write_text("{broken")
    server = model(*REFUSALS["chat"], *[Reply('{"a": 1}')] * 2)
    async with provider(server, "chat") as one:
        await one.structured(structured_request())
        await one.structured(structured_request())
    assert [form_of(sent.body) for sent in server.requests][-1] == "plain"


async def test_a_model_that_was_seen_thinking_gets_more_room(model: StartModel) -> None:
    server = model(Reply('{"a', reasoning="hm", finish="length"), Reply('{"a": 1}'))
    async with provider(server, "chat") as one:
        await one.structured(structured_request(max_tokens=100))
        await one.structured(structured_request(max_tokens=200))
    assert [sent.body["max_tokens"] for sent in server.requests] == [100, 200 + 8192]


async def test_a_refused_field_is_left_out_from_then_on(model: StartModel) -> None:
    server = model(refusal("Unknown field: stream_options"), *[Reply("ok")] * 2, Reply("{}"))
    async with provider(server, "chat") as one:
        assert text_in(await parts_of(one)) == "ok"
        await parts_of(one)
        await one.structured(structured_request())
    asked = ["stream_options" in sent.body for sent in server.requests]
    assert asked == [True, False, False, False]


async def test_refused_thinking_is_left_out(model: StartModel) -> None:
    server = model(
        refusal("adaptive thinking is not supported on this model"),
        Reply("ok"),
        refusal("reasoning.summary needs a verified organization"),
        Reply("ok"),
    )
    async with provider(server, "messages") as one:
        assert text_in(await parts_of(one)) == "ok"
    async with provider(server, "responses") as one:
        assert text_in(await parts_of(one)) == "ok"
    assert ["thinking" in sent.body for sent in server.requests[:2]] == [True, False]
    assert ["reasoning" in sent.body for sent in server.requests[2:]] == [True, False]


async def test_thinking_signed_for_another_conversation_is_left_out(model: StartModel) -> None:
    server = model(
        Reply("yes", reasoning="because"),
        refusal("Invalid `signature` in `thinking` block. The block is bound to a different one"),
        Reply("ok"),
    )
    async with provider(server, "messages") as one:
        answer = answer_of(await parts_of(one))
        await parts_of(one, request(user("hello"), answer, user("more")))
    kinds = [
        [block["type"] for block in sent.entries[1]["content"]] for sent in server.requests[1:]
    ]
    assert kinds == [["thinking", "text"], ["text"]]
    assert all("thinking" in sent.body for sent in server.requests)
