"""The scripted model misbehaves exactly as told, and notes what its clients do."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Any

import httpx2
import pytest

from tests.support.model_server import ModelServer, StartModel
from tests.support.odd_servers import ODD_SERVERS
from tests.support.pipeline import candidate, excerpt, operation, route_pipeline
from tests.support.reply import Reply
from tests.support.wires import stream

BODY = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "hello"}]}
TOOL = {"type": "function", "function": {"name": "glob", "parameters": {"type": "object"}}}
KEY = {"Authorization": "Bearer test"}


def post(server: ModelServer, body: dict[str, Any] | None = None) -> httpx2.Response:
    return httpx2.post(f"{server.url}/v1/chat/completions", json=body or BODY, headers=KEY)


def events_of(response: httpx2.Response) -> list[Any]:
    data = [line.removeprefix("data: ") for line in response.text.splitlines() if line[:1] == "d"]
    return [json.loads(line) if line != "[DONE]" else line for line in data]


def text_of(events: list[Any]) -> str:
    deltas = [c["delta"] for e in events if e != "[DONE]" for c in e["choices"]]
    return "".join(delta.get("content") or "" for delta in deltas)


def test_script_is_used_in_order_and_must_be_used_up(model: StartModel) -> None:
    server = model(Reply("one"), Reply("two"))
    assert text_of(events_of(post(server))) == "one"
    with pytest.raises(AssertionError, match="1 replies were never asked for"):
        server.assert_exhausted()
    assert text_of(events_of(post(server))) == "two"
    server.assert_exhausted()


def test_request_without_a_scripted_reply_is_a_violation(model: StartModel) -> None:
    server = model()
    assert post(server).status_code == 400
    assert server.take_violations() == ["request 1: no reply was scripted for it"]


def test_invalid_request_is_a_violation(model: StartModel) -> None:
    server = model(Reply("fine"))
    post(server, {**BODY, "messages": [{"role": "assistant", "content": "hello"}]})
    assert server.take_violations() == [
        "request 1 (chat): the first message is not the user's",
        "request 1 (chat): the last message is the assistant's",
    ]


def test_broken_and_reset_streams_are_errors_and_a_clean_end_is_none(model: StartModel) -> None:
    server = model(
        *[Reply("hello there", cut_after=3, cut=cut) for cut in ("broken", "reset", "clean")]
    )
    with pytest.raises(httpx2.RemoteProtocolError):
        post(server)
    with pytest.raises(httpx2.ReadError):
        post(server)
    assert text_of(events_of(post(server))) == "hello ther"
    assert [request.outcome for request in server.requests] == ["cut", "cut", "cut"]


def test_stall_lasts_until_release(model: StartModel) -> None:
    server = model(Reply("hello", stall_after=2))
    with httpx2.stream(
        "POST", f"{server.url}/v1/chat/completions", json=BODY, headers=KEY
    ) as response:
        chunks = response.iter_text()
        assert "hello" in next(chunks) + next(chunks)
        assert server.requests[0].outcome == "open"
        server.release()
        assert "[DONE]" in "".join(chunks)
    server.wait_until(lambda s: s.requests[0].outcome == "answered", "the end of the answer")


def test_hang_up_during_a_stall_is_noted(model: StartModel) -> None:
    server = model(Reply("hello", stall_after=2))
    with pytest.raises(httpx2.ReadTimeout):
        httpx2.post(f"{server.url}/chat/completions", json=BODY, headers=KEY, timeout=0.2)
    server.wait_until(lambda s: s.requests[0].outcome == "hung up", "the hang-up")


def test_delays(model: StartModel) -> None:
    server = model(Reply("hello", before=0.1, delay=0.05))
    start = time.monotonic()
    assert len(events_of(post(server))) == 4
    assert 0.24 < time.monotonic() - start < 1


def test_pages_are_404_unless_set(model: StartModel) -> None:
    server = model()
    server.pages["/v1/models"] = (200, {"data": []})
    assert httpx2.get(f"{server.url}/v1/models").json() == {"data": []}
    assert httpx2.get(f"{server.url}/props").status_code == 404
    assert server.lookups == ["GET /v1/models", "GET /props"]


@pytest.mark.parametrize("name", ODD_SERVERS)
def test_odd_servers_deviate_and_still_send_the_whole_answer(model: StartModel, name: str) -> None:
    whole = Reply("hello", reasoning="hm", tool_calls=[("glob", {"pattern": "*"})])
    odd = replace(whole, raw_events=ODD_SERVERS[name])
    server = model(odd)
    events = events_of(post(server, {**BODY, "stream_options": {"include_usage": True}}))
    assert text_of(events) == "hello"
    calls = [
        call["function"]["arguments"]
        for event in events
        if event != "[DONE]"
        for choice in event["choices"]
        for call in choice["delta"].get("tool_calls") or []
    ]
    assert "".join(calls) == '{"pattern": "*"}'
    assert stream(odd, server.requests[0]) != stream(whole, server.requests[0])


def test_literal_events(model: StartModel) -> None:
    server = model(Reply(raw_events=["data: {}\n\n", ": end\n\n"]))
    assert post(server).text == "data: {}\n\n: end\n\n"


def test_pipeline_router_tells_the_requests_apart(model: StartModel) -> None:
    router = route_pipeline(
        chat=[Reply("hi")],
        candidates=[candidate("user-prefers-vim", "edits with vim", quote="用 vim")],
        operations=[operation(1, "skip", reason="known")],
    )
    server = model(router=router)
    shown = "[#1 user]\nhello\n[#3 user]\n以后用 vim 编辑\n[#4 assistant]\n好的"
    post(server, {**BODY, "tools": [TOOL]})
    extracted = post(server, {**BODY, "messages": [{"role": "user", "content": shown}]})
    decide = {"role": "user", "content": 'answer with {"operations": [...]}'}
    decided = post(server, {**BODY, "messages": [decide]})

    assert [len(server.chats), len(server.pipeline)] == [1, 2]
    assert excerpt(server.pipeline[0])[3].strip() == "以后用 vim 编辑"
    assert json.loads(text_of(events_of(extracted))) == {
        "candidates": [
            {
                "evidence": [{"seq": 3, "quote": "用 vim"}],
                "type": "user",
                "scope": "user",
                "name": "user-prefers-vim",
                "description": "edits with vim",
                "content": "edits with vim",
            }
        ],
        "episode": None,
    }
    assert json.loads(text_of(events_of(decided))) == {
        "operations": [
            {"candidate": 1, "action": "skip", "target": None, "entry": None, "reason": "known"}
        ]
    }
