"""Tool calls that a model writes as text, and text that only looks like one."""

from __future__ import annotations

import json

import pytest

from catmem.providers.base import StopReason, TextChunk
from tests.providers.asking import (
    calls_in,
    end_of,
    parts_of,
    provider,
    request,
    text_in,
)
from tests.support.model_server import StartModel
from tests.support.reply import Reply

pytestmark = pytest.mark.anyio

OBJECT = '{"name": "glob", "arguments": {"pattern": "{a,b}\\n"}}'
WRITTEN = {
    "bare": OBJECT,
    "after prose": f"I will look.\n\n{OBJECT}",
    "fence": f"Look:\n```json\n{OBJECT}\n```",
    "fence without a language": f"```\n{OBJECT}\n```\n",
    "tags": f"<tool_call>\n{OBJECT}\n</tool_call>",
    "parameters": OBJECT.replace("arguments", "parameters"),
    "arguments as text": json.dumps({"name": "glob", "arguments": '{"pattern": "{a,b}\\n"}'}),
    "function": json.dumps({"type": "function", "function": json.loads(OBJECT)}),
    "over several lines": json.dumps(json.loads(OBJECT), indent=2),
    "after thinking": f"<think>hm</think>\n{OBJECT}",
}
NO_CALLS = {
    "unknown tool": '{"name": "launch", "arguments": {"pattern": "x"}}',
    "other keys": '{"scripts": {"test": "pytest"}}',
    "no arguments": '```json\n{"name": "glob", "version": "1.0"}\n```\nThat is the manifest.',
    "inside a line": f"Use {OBJECT} for that.",
    "code": "```python\nd = {}\n```\nDone.",
    "broken": '{"name": "glob", "arguments": {"pattern": "x"',
    "a fence that never ends": '```json\n{"name": "glob", ',
    "an empty object": "{}\n",
    "blank lines": "a\n\n\n  b\n",
}


@pytest.mark.parametrize("size", [1, 1000])
@pytest.mark.parametrize("form", WRITTEN)
async def test_a_written_call_is_a_call(form: str, size: int, model: StartModel) -> None:
    async with provider(model(Reply(WRITTEN[form], chunk=size)), "chat") as one:
        parts = await parts_of(one)
    [made] = calls_in(parts)
    assert (made.name, made.arguments, made.problem) == ("glob", {"pattern": "{a,b}\n"}, None)
    assert made.id
    assert "glob" not in text_in(parts)
    assert "`" not in text_in(parts)
    assert end_of(parts).reason is StopReason.TOOL_CALLS


@pytest.mark.parametrize("size", [1, 1000])
@pytest.mark.parametrize("form", NO_CALLS)
async def test_other_text_stays_as_it_is(form: str, size: int, model: StartModel) -> None:
    async with provider(model(Reply(NO_CALLS[form], chunk=size)), "chat") as one:
        parts = await parts_of(one)
    assert text_in(parts) == NO_CALLS[form]
    assert (calls_in(parts), end_of(parts).reason) == ([], StopReason.END)


async def test_two_written_calls_with_text_around(model: StartModel) -> None:
    tagged = f"<tool_call>{OBJECT}</tool_call>"
    said = f"First.\n{tagged}\n{tagged.replace('{a,b}', 'c')}\nDone."
    async with provider(model(Reply(said, chunk=3)), "chat") as one:
        parts = await parts_of(one)
    first, second = calls_in(parts)
    assert (first.arguments["pattern"], second.arguments["pattern"]) == ("{a,b}\n", "c\n")
    assert first.id != second.id
    assert text_in(parts) == "First.\nDone."


async def test_text_that_cannot_be_a_call_is_not_held_back(model: StartModel) -> None:
    said = "Here:\n```python\nfor x in y:\n    pass\n"
    server = model(Reply(said, chunk=8, stall_after=4))
    async with provider(server, "chat", idle=0.3) as one:
        seen = [part.text for part in await parts_of(one) if isinstance(part, TextChunk)]
    assert "".join(seen) == said[:24]


async def test_a_server_with_real_calls_may_write_json(model: StartModel) -> None:
    server = model(Reply(tool_calls=[("glob", {"pattern": "*"})]), Reply(OBJECT))
    async with provider(server, "chat") as one:
        await parts_of(one)
        parts = await parts_of(one)
    assert (text_in(parts), calls_in(parts)) == (OBJECT, [])


async def test_without_tools_nothing_is_a_call(model: StartModel) -> None:
    async with provider(model(Reply(OBJECT)), "chat") as one:
        parts = await parts_of(one, request(tools=()))
    assert (text_in(parts), calls_in(parts)) == (OBJECT, [])
