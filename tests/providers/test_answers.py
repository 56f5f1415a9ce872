"""What a stream becomes, in each wire form and from servers that leave things out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from catmem.messages import ToolCallPart, Usage
from catmem.providers.base import StopReason
from catmem.providers.calls import CUT
from tests.providers.asking import (
    GLOB,
    STATUS,
    answer_of,
    assistant,
    blocks_in,
    call,
    calls_in,
    end_of,
    parts_of,
    provider,
    reasoning_in,
    request,
    results,
    text_in,
    user,
)
from tests.support import reply as scripted
from tests.support.model_server import StartModel
from tests.support.odd_servers import ODD_SERVERS, without
from tests.support.reply import Event, Reply, Wire

pytestmark = pytest.mark.anyio

TWO = [("glob", {"pattern": "*.py"}), ("glob", {"pattern": "*.md"})]
FULL = Reply(
    "答案是 forty-two",
    tool_calls=TWO,
    reasoning="let me think",
    usage=scripted.Usage(input=100, output=20, cached=60, cache_write=10, reasoning=5),
)


def patterns(calls: list[ToolCallPart]) -> list[Any]:
    return [one.arguments.get("pattern") for one in calls]


async def test_text_reasoning_calls_and_usage(wire: Wire, model: StartModel) -> None:
    async with provider(model(FULL), wire) as one:
        parts = await parts_of(one)
    assert text_in(parts) == "答案是 forty-two"
    assert reasoning_in(parts) == "let me think"
    assert patterns(calls_in(parts)) == ["*.py", "*.md"]
    assert len({made.id for made in calls_in(parts)}) == 2
    assert end_of(parts).reason is StopReason.TOOL_CALLS
    assert end_of(parts).usage == Usage(input_tokens=100, output_tokens=20, cached_tokens=60)


async def test_an_answer_without_calls_ends(wire: Wire, model: StartModel) -> None:
    async with provider(model(Reply("done")), wire) as one:
        parts = await parts_of(one)
    assert (text_in(parts), end_of(parts).reason) == ("done", StopReason.END)


async def test_missing_usage_is_unknown(model: StartModel) -> None:
    async with provider(model(Reply("done", usage=None)), "chat") as one:
        assert end_of(await parts_of(one)).usage == Usage()


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        ('{"path": "a', "not valid JSON"),
        ("null", "not null"),
        ("[1]", "not list"),
        ('{"a": 1}{"b": 2}', "not valid JSON"),
        ("", "no arguments"),
    ],
)
async def test_d07_arguments_that_are_no_object_are_a_problem(
    raw: str, problem: str, wire: Wire, model: StartModel
) -> None:
    async with provider(model(Reply(tool_calls=[("glob", raw)])), wire) as one:
        [made] = calls_in(await parts_of(one))
    assert (made.name, made.arguments) == ("glob", {})
    assert problem in (made.problem or "")


async def test_d07_no_arguments_and_raw_line_breaks_are_fine(wire: Wire, model: StartModel) -> None:
    raw = '{"pattern": "a\nb"}'
    server = model(Reply(tool_calls=[("status", ""), ("glob", raw)]))
    async with provider(server, wire) as one:
        first, second = calls_in(await parts_of(one, request(tools=(GLOB, STATUS))))
    assert (first.arguments, first.problem) == ({}, None)
    assert (second.arguments, second.problem) == ({"pattern": "a\nb"}, None)


async def test_d10_the_last_call_of_a_cut_answer_does_not_count(
    wire: Wire, model: StartModel
) -> None:
    async with provider(model(Reply("Now", tool_calls=TWO, finish="length")), wire) as one:
        parts = await parts_of(one)
    whole, broken = calls_in(parts)
    assert (whole.arguments, whole.problem) == ({"pattern": "*.py"}, None)
    assert (broken.arguments, broken.problem) == ({}, CUT)
    assert end_of(parts).reason is StopReason.LENGTH


async def test_a_refusal_is_one(wire: Wire, model: StartModel) -> None:
    async with provider(model(Reply("I", finish="refusal")), wire) as one:
        parts = await parts_of(one)
    assert (text_in(parts), end_of(parts).reason) == ("I", StopReason.REFUSAL)


@pytest.mark.parametrize("reason", ["model_context_window_exceeded", "pause_turn"])
async def test_a_full_window_and_a_pause_are_cuts(reason: str, model: StartModel) -> None:
    async with provider(model(Reply("half", finish=reason)), "messages") as one:
        assert end_of(await parts_of(one)).reason is StopReason.LENGTH


@pytest.mark.parametrize("name", ODD_SERVERS)
async def test_d13_odd_servers_give_the_whole_answer(name: str, model: StartModel) -> None:
    rewrite = ODD_SERVERS[name]
    server = model(
        Reply("Looking.", reasoning="hm", tool_calls=TWO, raw_events=rewrite),
        Reply("Done.", raw_events=rewrite),
    )
    async with provider(server, "chat") as one:
        parts = await parts_of(one)
        answer = answer_of(parts)
        found = results(*((made.id, "x") for made in answer.calls))
        more = await parts_of(one, request(user("hello"), answer, found))
    assert (text_in(parts), reasoning_in(parts)) == ("Looking.", "hm")
    assert patterns(calls_in(parts)) == ["*.py", "*.md"]
    assert end_of(parts).reason is StopReason.TOOL_CALLS
    assert (text_in(more), end_of(more).reason) == ("Done.", StopReason.END)


async def test_d13_without_index_and_id_calls_are_told_apart(model: StartModel) -> None:
    server = model(Reply(tool_calls=TWO, raw_events=without("index", "id")))
    async with provider(server, "chat") as one:
        calls = calls_in(await parts_of(one))
    assert patterns(calls) == ["*.py", "*.md"]
    assert len({made.id for made in calls}) == 2


def chunks(*choices: dict[str, Any], done: bool = True) -> Reply:
    lines = [Event({"choices": [choice]}).encode() for choice in choices]
    return Reply(raw_events=[*lines, *(["data: [DONE]\n\n"] if done else [])])


def piece(name: str, arguments: Any, **more: Any) -> dict[str, Any]:
    return {**more, "function": {"name": name, "arguments": arguments}}


async def test_d13_one_index_for_all_calls_and_arguments_as_an_object(model: StartModel) -> None:
    one_by_one: list[dict[str, Any]] = [
        {"delta": {"tool_calls": [piece("glob", '{"pattern": "a"}', index=0, id="x")]}},
        {"delta": {"tool_calls": [piece("glob", {"pattern": "b"}, index=0, id="y")]}},
        {"delta": None, "finish_reason": "stop"},
    ]
    async with provider(model(chunks(*one_by_one)), "chat") as one:
        parts = await parts_of(one)
    assert [(made.id, made.arguments) for made in calls_in(parts)] == [
        ("x", {"pattern": "a"}),
        ("y", {"pattern": "b"}),
    ]
    assert end_of(parts).reason is StopReason.TOOL_CALLS


async def test_ids_used_before_in_the_conversation_are_replaced(
    wire: Wire, model: StartModel
) -> None:
    server = model(Reply(tool_calls=TWO))
    taken = {"messages": "toolu_1_0", "chat": "call_1_0", "responses": "call_1_0"}[wire]
    history = request(user("hello"), assistant(call(taken)), results((taken, "x")))
    async with provider(server, wire) as one:
        first, second = calls_in(await parts_of(one, history))
    assert first.id not in {taken, "", second.id}
    assert second.id == taken.replace("_0", "_1")


async def test_a_server_that_ignores_stream_is_understood(model: StartModel) -> None:
    whole = {
        "choices": [
            {
                "message": {
                    "role": "assistant",
                    "content": "Looking.",
                    "tool_calls": [piece("glob", '{"pattern": "*"}', id="c", type="function")],
                },
                "finish_reason": "tool_calls",
            }
        ],
        "usage": {"prompt_tokens": 5, "completion_tokens": 6},
    }
    server = model(
        Reply(raw_events=[json.dumps(whole)], headers={"Content-Type": "application/json"})
    )
    async with provider(server, "chat") as one:
        parts = await parts_of(one)
    assert text_in(parts) == "Looking."
    assert [(made.id, made.arguments) for made in calls_in(parts)] == [("c", {"pattern": "*"})]
    assert end_of(parts).usage == Usage(5, 6, None)


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
async def test_think_tags_at_the_start_are_reasoning(size: int, model: StartModel) -> None:
    said = "\n<think>why <b>?</think>\n\nThe tag is <think>."
    async with provider(model(Reply(said, chunk=size)), "chat") as one:
        parts = await parts_of(one)
    assert reasoning_in(parts) == "why <b>?"
    assert text_in(parts).strip() == "The tag is <think>."
    assert blocks_in(parts) == []


async def test_thinking_that_never_ends_is_no_answer(model: StartModel) -> None:
    async with provider(model(Reply("<think>on and on </thi")), "chat") as one:
        parts = await parts_of(one)
    assert (reasoning_in(parts), text_in(parts)) == ("on and on </thi", "")


async def test_content_in_blocks_and_line_separators(model: StartModel) -> None:
    content = [{"type": "text", "text": "a\u2028b"}, {"type": "image_url"}]
    line = json.dumps({"choices": [{"delta": {"content": content}}]}, ensure_ascii=False)
    reply = Reply(raw_events=[f"data:{line}\r\n\r\n", "data: [DONE]\n\n"])
    async with provider(model(reply), "chat") as one:
        assert text_in(await parts_of(one)) == "a\u2028b"


async def test_unsigned_thinking_is_shown_and_not_kept(model: StartModel) -> None:
    def unsigned(events: list[Event]) -> list[Event]:
        return [event for event in events if "signature_delta" not in event.encode()]

    server = model(Reply("yes", reasoning="because", raw_events=unsigned))
    async with provider(server, "messages") as one:
        parts = await parts_of(one)
    assert (reasoning_in(parts), text_in(parts), blocks_in(parts)) == ("because", "yes", [])


async def test_redacted_thinking_is_kept(model: StartModel) -> None:
    def redacted(events: list[Event]) -> list[Event]:
        block = {"type": "redacted_thinking", "data": "sealed"}
        start = {"type": "content_block_start", "index": 9, "content_block": block}
        stop = {"type": "content_block_stop", "index": 9}
        extra = [Event(start, "content_block_start"), Event(stop, "content_block_stop")]
        return [*events[:2], *extra, *events[2:]]

    async with provider(model(Reply("yes", raw_events=redacted)), "messages") as one:
        [block] = blocks_in(await parts_of(one))
    assert block.data == {"type": "redacted_thinking", "data": "sealed"}
