"""The official clients parse what the scripted model sends, in each wire form."""

from __future__ import annotations

from typing import Any

import anthropic
import openai
import pytest

from tests.support.model_server import ModelServer, StartModel
from tests.support.reply import Reply, Usage

TOOL_SCHEMA = {"type": "object", "properties": {"pattern": {"type": "string"}}}
FULL = Reply(
    "答案是 forty-two",
    tool_calls=[("glob", {"pattern": "*.py"}), ("glob", {"pattern": "*.md"})],
    reasoning="let me think",
    usage=Usage(input=100, output=20, cached=60, cache_write=10, reasoning=5),
)
pytestmark = pytest.mark.anyio


# The clients are Any: their unions of answer types would need a narrowing in each line.


def claude(server: ModelServer) -> Any:
    return anthropic.AsyncAnthropic(api_key="test", base_url=server.url, max_retries=0)


def gpt(server: ModelServer) -> Any:
    return openai.AsyncOpenAI(api_key="test", base_url=f"{server.url}/v1", max_retries=0)


def messages_request(**changes: Any) -> dict[str, Any]:
    return {
        "model": "claude-haiku-5-5",
        "max_tokens": 100,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hello"}]}],
        "tools": [{"name": "glob", "input_schema": TOOL_SCHEMA}],
    } | changes


def chat_request(**changes: Any) -> dict[str, Any]:
    function = {"name": "glob", "parameters": TOOL_SCHEMA}
    return {
        "model": "gpt-6-luna",
        "messages": [{"role": "user", "content": "hello"}],
        "tools": [{"type": "function", "function": function}],
    } | changes


def responses_request(**changes: Any) -> dict[str, Any]:
    return {
        "model": "gpt-6-luna",
        "store": False,
        "input": [{"role": "user", "content": "hello"}],
        "tools": [{"type": "function", "name": "glob", "parameters": TOOL_SCHEMA}],
    } | changes


@pytest.mark.parametrize("streamed", [True, False])
async def test_messages(model: StartModel, streamed: bool) -> None:
    server = model(FULL)
    async with claude(server) as client:
        if streamed:
            async with client.messages.stream(**messages_request()) as stream:
                answer = await stream.get_final_message()
        else:
            answer = await client.messages.create(**messages_request())
    thinking, text, *calls = answer.content
    assert (thinking.thinking, thinking.signature) == ("let me think", "signature-1")
    assert text.text == "答案是 forty-two"
    assert [(call.id, call.name, call.input) for call in calls] == [
        ("toolu_1_0", "glob", {"pattern": "*.py"}),
        ("toolu_1_1", "glob", {"pattern": "*.md"}),
    ]
    assert answer.stop_reason == "tool_use"
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (30, 20)
    assert answer.usage.cache_read_input_tokens == 60
    assert server.requests[0].tool_names == ["glob"]
    assert server.requests[0].user_texts == ["hello"]


async def test_chat_streamed(model: StartModel) -> None:
    server = model(FULL)
    request = chat_request(stream_options={"include_usage": True})
    async with gpt(server) as client, client.chat.completions.stream(**request) as stream:
        answer = await stream.get_final_completion()
    message = answer.choices[0].message
    assert message.content == "答案是 forty-two"
    assert [(c.id, c.function.name, c.function.arguments) for c in message.tool_calls or []] == [
        ("call_1_0", "glob", '{"pattern": "*.py"}'),
        ("call_1_1", "glob", '{"pattern": "*.md"}'),
    ]
    assert answer.choices[0].finish_reason == "tool_calls"
    assert answer.usage is not None
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens) == (100, 20)


async def test_chat_whole(model: StartModel) -> None:
    async with gpt(model(FULL)) as client:
        answer = await client.chat.completions.create(**chat_request())
    message = answer.choices[0].message
    assert message.content == "答案是 forty-two"
    assert message.model_extra == {"reasoning_content": "let me think"}
    assert len(message.tool_calls or []) == 2


@pytest.mark.parametrize("streamed", [True, False])
async def test_responses(model: StartModel, streamed: bool) -> None:
    async with gpt(model(FULL)) as client:
        if streamed:
            async with client.responses.stream(**responses_request()) as stream:
                answer = await stream.get_final_response()
        else:
            answer = await client.responses.create(**responses_request())
    reasoning, message, *calls = answer.output
    assert reasoning.encrypted_content == "sealed-1"
    assert reasoning.summary[0].text == "let me think"
    assert message.content[0].text == answer.output_text == "答案是 forty-two"
    assert [(c.call_id, c.arguments) for c in calls] == [
        ("call_1_0", '{"pattern": "*.py"}'),
        ("call_1_1", '{"pattern": "*.md"}'),
    ]
    assert (answer.status, answer.usage.input_tokens) == ("completed", 100)


async def test_reply_cut_at_the_token_limit(model: StartModel) -> None:
    server = model(*[Reply("half of", finish="length")] * 3)
    async with claude(server) as client:
        message = await client.messages.create(**messages_request())
    async with gpt(server) as client:
        completion = await client.chat.completions.create(**chat_request())
        response = await client.responses.create(**responses_request())
    assert message.stop_reason == "max_tokens"
    assert completion.choices[0].finish_reason == "length"
    assert response.status == "incomplete"
    assert response.incomplete_details is not None
    assert response.incomplete_details.reason == "max_output_tokens"


async def test_http_errors(model: StartModel) -> None:
    server = model(
        Reply(status=529),
        Reply(status=429, headers={"retry-after": "7"}),
        Reply(error=("context_length_exceeded", "too long")),
    )
    async with claude(server) as client:
        with pytest.raises(anthropic.APIStatusError) as overloaded:
            await client.messages.create(**messages_request(stream=True))
    async with gpt(server) as client:
        with pytest.raises(openai.RateLimitError) as limited:
            await client.chat.completions.create(**chat_request(stream=True))
        with pytest.raises(openai.BadRequestError) as too_long:
            await client.responses.create(**responses_request(stream=True))
    assert (overloaded.value.status_code, overloaded.value.type) == (529, "overloaded_error")
    assert limited.value.response.headers["retry-after"] == "7"
    assert (too_long.value.code, too_long.value.status_code) == ("context_length_exceeded", 400)


async def test_errors_inside_a_stream(model: StartModel) -> None:
    broken = Reply("hello", sse_error=("overloaded_error", "busy"), sse_error_after=2)
    server = model(broken, broken, broken)
    async with claude(server) as client:
        with pytest.raises(anthropic.APIStatusError, match="busy"):
            [e async for e in await client.messages.create(**messages_request(stream=True))]
    async with gpt(server) as client:
        with pytest.raises(openai.APIError, match="busy"):
            [e async for e in await client.chat.completions.create(**chat_request(stream=True))]
        events = [e async for e in await client.responses.create(**responses_request(stream=True))]
    assert [event.type for event in events] == [
        "response.created",
        "response.in_progress",
        "error",
    ]
