"""Each failure is a typed error with one sentence that says what to do, and no key in it."""

from __future__ import annotations

import json
import socket

import pytest

from catmem.config.schema import NetworkSettings
from catmem.errors import (
    AuthenticationError,
    BadRequestError,
    ContextOverflowError,
    CreditError,
    ModelNotFoundError,
    NetworkError,
    OverloadedError,
    ProviderError,
    RateLimitError,
    RequestTooLargeError,
)
from catmem.providers.base import StopReason
from tests.providers.asking import (
    MODELS,
    end_of,
    parts_of,
    provider,
    provider_of,
    settings_for,
    text_in,
)
from tests.support.model_server import ModelServer, StartModel
from tests.support.reply import Event, Reply, Wire

pytestmark = pytest.mark.anyio

KEYS: dict[Wire, str] = {
    "messages": "ANTHROPIC_API_KEY",
    "chat": "OPENAI_API_KEY",
    "responses": "OPENAI_API_KEY",
}


async def failure(server: ModelServer, wire: Wire, **environ: str) -> ProviderError:
    one = provider_of(settings_for(server.url, wire), **environ)
    with pytest.raises(ProviderError) as raised:
        await parts_of(one)
    await one.aclose()
    return raised.value


def host(server: ModelServer) -> str:
    return server.url.removeprefix("http://")


async def test_d20_a_wrong_key_names_its_variable_and_not_itself(
    wire: Wire, model: StartModel
) -> None:
    key = "sk-ant-api03-F4KE0123456789abcdefghij"
    refused = Reply(status=401, error=("authentication_error", f"invalid key {key}"))
    server = model(refused)
    error = await failure(server, wire, **{KEYS[wire]: key})
    assert type(error) is AuthenticationError
    assert str(error) == (
        f"{host(server)} refused the key from {KEYS[wire]}; check that it is whole and still valid"
    )


@pytest.mark.parametrize(
    ("status", "kind", "said", "error", "sentence"),
    [
        (403, "permission_error", "not for you", AuthenticationError, "not for you"),
        (402, "billing_error", "pay", CreditError, "has no credit or quota left"),
        (429, "insufficient_quota", "You exceeded your current quota", CreditError, "no credit"),
        (400, "x", "Your credit balance is too low", CreditError, "no credit"),
        (404, "not_found_error", "model: x", ModelNotFoundError, "has no model “{model}”"),
        (404, "not_found", "no route", BadRequestError, "no model API at"),
        (413, "request_too_large", "too big", RequestTooLargeError, "larger than the server"),
        (400, "x", "prompt is too long: 214676 tokens > 200000", ContextOverflowError, "/clear"),
        (400, "x", "This model's maximum context length is 262144", ContextOverflowError, "window"),
        (422, "context_length_exceeded", "no", ContextOverflowError, "{model}'s context window"),
        (400, "exceed_context_size_error", "the request exceeds", ContextOverflowError, "window"),
        (400, "invalid_request_error", "bad field", BadRequestError, "(bad field)"),
        (501, "api_error", "no", BadRequestError, "rejected the request"),
        (429, "rate_limit_error", "slow down", RateLimitError, "too many requests"),
        (529, "overloaded_error", "Overloaded", OverloadedError, "is overloaded (HTTP 529)"),
        (503, "x", "busy", OverloadedError, "is overloaded (HTTP 503)"),
        (500, "api_error", "oops", OverloadedError, "internal error (HTTP 500: oops)"),
    ],
)
async def test_d12_d17_d20_statuses(
    status: int,
    kind: str,
    said: str,
    error: type[ProviderError],
    sentence: str,
    wire: Wire,
    model: StartModel,
) -> None:
    server = model(Reply(status=status, error=(kind, said)))
    found = await failure(server, wire)
    assert isinstance(found, error)
    assert sentence.format(model=MODELS[wire]) in str(found)
    assert found.status == status
    assert "\n" not in str(found)
    assert len(str(found)) < 300


async def test_a_page_instead_of_an_api_is_not_repeated_in_full(model: StartModel) -> None:
    page = "<html><body><h1>Not Found</h1>" + "nothing here " * 100 + "</body></html>"
    server = model(Reply(raw_events=[page], headers={"Content-Type": "text/html"}))
    error = await failure(server, "chat")
    assert "makes no sense" in str(error)
    assert len(str(error)) < 400


async def test_f06_a_key_in_the_servers_words_is_masked(wire: Wire, model: StartModel) -> None:
    key = "my-own-key-of-no-known-form"
    said = f"field x is wrong in {key}, and sk-proj-F4KE0123456789abcdefghijABCDEFGHIJ too"
    error = await failure(
        model(Reply(error=("invalid_request_error", said))), wire, **{KEYS[wire]: key}
    )
    assert key not in str(error)
    assert "F4KE0123456789" not in str(error)


async def test_a_server_that_is_not_there(wire: Wire) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    one = provider_of(settings_for(url, wire))
    with pytest.raises(NetworkError) as raised:
        await parts_of(one)
    await one.aclose()
    address = url if wire == "messages" else f"{url}/v1"
    assert str(raised.value) == (
        f"no connection to {address} (is the server running?); "
        "gave up (tries: 1), send the message again later"
    )


async def test_a_server_elsewhere_has_a_limit_for_its_first_byte(
    wire: Wire, model: StartModel
) -> None:
    server = model(Reply("late", before=20), Reply("late", stall_after=0))
    url = server.url.replace("127.0.0.1", "127.1")  # not seen to be this machine
    network = NetworkSettings(first_byte_seconds=0.3, retries=0)
    one = provider_of(settings_for(url, wire, network=network))
    for _ in range(2):
        with pytest.raises(NetworkError, match=r"was silent for 0\.3 s"):
            await parts_of(one)
    await one.aclose()


async def test_a_server_on_this_machine_may_take_its_time(wire: Wire, model: StartModel) -> None:
    server = model(Reply("late", before=0.6))
    network = NetworkSettings(first_byte_seconds=0.1, idle_seconds=0.1, retries=0)
    one = provider_of(settings_for(server.url, wire, network=network))
    assert text_in(await parts_of(one)) == "late"
    await one.aclose()


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("overloaded_error", OverloadedError),
        ("rate_limit_exceeded", RateLimitError),
        ("invalid_request_error", BadRequestError),
        ("server_error", OverloadedError),
    ],
)
async def test_d11_an_error_inside_a_stream_before_the_first_part(
    kind: str, error: type[ProviderError], wire: Wire, model: StartModel
) -> None:
    found = await failure(model(Reply("x", sse_error=(kind, "said so"))), wire)
    assert isinstance(found, error)


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "broken", "code": 500}},
        {"error": "broken"},
        {"object": "error", "message": "broken", "code": 500},
    ],
    ids=json.dumps,
)
async def test_d13_error_objects_inside_a_chat_stream(body: object, model: StartModel) -> None:
    reply = Reply(raw_events=[f"data: {json.dumps(body)}\n\n"])
    assert "broken" in str(await failure(model(reply), "chat"))


async def test_a_failed_response_is_a_failure(model: StartModel) -> None:
    def fail(events: list[Event]) -> list[Event]:
        last = events[-1].data
        assert isinstance(last, dict)
        error = {"code": "server_error", "message": "something broke"}
        response = {**last["response"], "status": "failed", "error": error}
        return [
            *events[:2],
            Event({**last, "type": "response.failed", "response": response}, "response.failed"),
        ]

    error = await failure(model(Reply("x", raw_events=fail)), "responses")
    assert isinstance(error, OverloadedError)
    assert "something broke" in str(error)


@pytest.mark.parametrize("cut", ["broken", "clean", "reset"])
async def test_d11_a_stream_that_breaks_keeps_what_came(
    cut: str, wire: Wire, model: StartModel
) -> None:
    after = {"messages": 5, "chat": 3, "responses": 6}[wire]
    reply = Reply("Some words of an answer", cut_after=after, cut=cut)  # type: ignore[arg-type]  # pytest gives str
    async with provider(model(reply), wire) as one:
        parts = await parts_of(one)
    assert text_in(parts) == "Some words"
    assert end_of(parts).reason is StopReason.DROPPED
    assert "was lost in mid-answer; what arrived is kept" in end_of(parts).detail


async def test_d11_silence_in_mid_answer_keeps_what_came(wire: Wire, model: StartModel) -> None:
    after = {"messages": 5, "chat": 3, "responses": 6}[wire]
    server = model(Reply("Some words of an answer", stall_after=after))
    async with provider(server, wire, idle=0.3) as one:
        parts = await parts_of(one)
    assert text_in(parts) == "Some words"
    assert end_of(parts).reason is StopReason.DROPPED
    assert end_of(parts).detail.startswith(f"{host(server)} was silent for 0.3 s; what arrived")
    server.wait_until(lambda s: s.requests[0].outcome == "hung up", "the end of the request")


async def test_pings_are_signs_of_life(model: StartModel) -> None:
    def with_pings(events: list[Event]) -> list[Event | str]:
        return [*events[:3], *["event: ping\ndata: {}\n\n", ": still here\n\n"] * 4, *events[3:]]

    server = model(Reply("done", raw_events=with_pings, delay=0.1))
    async with provider(server, "messages", idle=0.5) as one:
        assert text_in(await parts_of(one)) == "done"


async def test_what_fails_after_the_end_does_not_matter(wire: Wire, model: StartModel) -> None:
    ends = {"messages": 7, "chat": 3, "responses": 9}
    server = model(Reply("done", stall_after=ends[wire]))
    async with provider(server, wire, idle=0.3) as one:
        parts = await parts_of(one)
    assert (text_in(parts), end_of(parts).reason) == ("done", StopReason.END)
