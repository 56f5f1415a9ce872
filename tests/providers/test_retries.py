"""What is sent again, how often, and how it is stopped."""

from __future__ import annotations

import asyncio
import time
from email.utils import formatdate

import pytest

from catmem.errors import OverloadedError, ProviderError, RateLimitError
from catmem.providers.base import Retrying, StopReason, TextChunk
from tests.providers.asking import (
    end_of,
    parts_of,
    provider,
    request,
    structured_request,
    text_in,
)
from tests.support.model_server import StartModel
from tests.support.reply import Reply, Wire

pytestmark = pytest.mark.anyio

NOW = {"retry-after": "0"}


async def test_d12_overload_is_retried_until_it_works(wire: Wire, model: StartModel) -> None:
    server = model(
        Reply(status=529, headers=NOW),
        Reply(status=429, headers=NOW),
        Reply(status=503, headers=NOW),
        Reply("got through"),
    )
    async with provider(server, wire, retries=3) as one:
        parts = await parts_of(one)
    waits = [part for part in parts if isinstance(part, Retrying)]
    assert [(wait.attempt, wait.delay) for wait in waits] == [(1, 0), (2, 0), (3, 0)]
    assert [wait.reason.partition(" (")[0].split()[-1] for wait in waits] == [
        "overloaded",
        server.url.removeprefix("http://"),
        "overloaded",
    ]
    assert text_in(parts) == "got through"
    assert end_of(parts).reason is StopReason.END


async def test_d12_it_gives_up_and_says_so(wire: Wire, model: StartModel) -> None:
    server = model(*[Reply(status=529, headers=NOW)] * 3)
    async with provider(server, wire, retries=2) as one:
        with pytest.raises(OverloadedError, match=r"gave up \(tries: 3\)") as raised:
            await parts_of(one)
    assert raised.value.status == 529
    server.assert_exhausted()


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 413, 422, 501])
async def test_what_will_fail_again_is_not_retried(
    status: int, wire: Wire, model: StartModel
) -> None:
    server = model(Reply(status=status))
    async with provider(server, wire, retries=3) as one:
        with pytest.raises(ProviderError):
            await parts_of(one)
    assert len(server.requests) == 1


async def test_d11_a_stream_that_breaks_before_its_first_part_is_retried(
    wire: Wire, model: StartModel
) -> None:
    server = model(Reply("x", cut_after=1), Reply("whole"))
    async with provider(server, wire, retries=1) as one:
        parts = await parts_of(one)
    [wait] = [part for part in parts if isinstance(part, Retrying)]
    assert 0.3 < wait.delay < 0.7
    assert text_in(parts) == "whole"


async def test_d12_an_overload_inside_the_stream_is_retried(wire: Wire, model: StartModel) -> None:
    server = model(Reply("x", sse_error=("overloaded_error", "busy")), Reply("whole"))
    async with provider(server, wire, retries=1) as one:
        assert text_in(await parts_of(one)) == "whole"


async def test_d12_a_day_is_not_waited_for(wire: Wire, model: StartModel) -> None:
    server = model(Reply(status=429, headers={"retry-after": "86400"}))
    async with provider(server, wire, retries=6) as one:
        with pytest.raises(RateLimitError, match="asks to wait 24 h") as raised:
            await parts_of(one)
    assert raised.value.retry_after == 86_400


async def test_retry_after_may_be_a_date(model: StartModel) -> None:
    date = formatdate(time.time() + 7200, usegmt=True)
    async with provider(
        model(Reply(status=503, headers={"retry-after": date})), "chat", retries=6
    ) as one:
        with pytest.raises(OverloadedError, match=r"asks to wait (1 h 59 min|2 h)"):
            await parts_of(one)


async def test_d12_a_wait_ends_at_once_when_cancelled(wire: Wire, model: StartModel) -> None:
    server = model(Reply(status=429, headers={"retry-after": "40"}))
    async with provider(server, wire, retries=1) as one:
        waiting = asyncio.Event()

        async def turn() -> None:
            async for part in one.stream(request()):
                if isinstance(part, Retrying):
                    assert part.delay == 40
                    waiting.set()

        task = asyncio.create_task(turn())
        await asyncio.wait_for(waiting.wait(), 20)
        begun = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert time.monotonic() - begun < 0.5


async def test_cancelling_and_closing_end_the_request(wire: Wire, model: StartModel) -> None:
    endless = Reply("a b c d e f g h i j", delay=0.2)
    server = model(endless, endless)
    async with provider(server, wire) as one:
        stream = one.stream(request())
        async for part in stream:
            if isinstance(part, TextChunk):
                break
        await stream.aclose()
        server.wait_until(lambda s: s.requests[0].outcome == "hung up", "the first hang-up")
        task = asyncio.create_task(parts_of(one))
        await asyncio.to_thread(server.wait_for_requests, 2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        server.wait_until(lambda s: s.requests[1].outcome == "hung up", "the second hang-up")


async def test_a_structured_request_is_retried_from_its_beginning(
    wire: Wire, model: StartModel
) -> None:
    half = Reply('{"a": 1}', cut_after={"messages": 4, "chat": 2, "responses": 6}[wire])
    server = model(Reply(status=529, headers=NOW), half, Reply('{"a": 2}'))
    async with provider(server, wire, retries=2) as one:
        reply = await one.structured(structured_request())
    assert (reply.text, reply.truncated) == ('{"a": 2}', False)
