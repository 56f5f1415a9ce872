"""What counts as a trace of a forgotten entry, and what a text is without it."""

from __future__ import annotations

import pytest

from catmem.memory.pipeline.forgetting.traces import MARKER, Traces
from catmem.memory.store.entry import Entry

PET = Entry("pet", "The user's cat is called Mimsy", "user", "Mimsy is a grey cat, born in 2019.")
HOST = Entry(
    "deploy-host",
    "部署主机是 ship-7.internal",
    "reference",
    "- 部署主机：ship-7.internal\n- 用 deploy-bot 登录，端口 2222",
)
LONG = " ".join(f"word{number} cat call" for number in range(60))


@pytest.fixture
def traces() -> Traces:
    quotes = ["my cat answers to Mimsy"]
    return Traces([PET, HOST], quotes, ordinary={"make-check"})


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("The  user's cat\nis called Mimsy", MARKER),
        (
            "First this. MIMSY IS A GREY CAT, born in 2019! Then that.",
            f"First this. {MARKER}! Then that.",
        ),
        ("is Mimsy there", f"is {MARKER} there"),
        ("我的猫叫 Mimsy，测试通过了", f"我的猫叫 {MARKER}，测试通过了"),
        ("my cat answers to Mimsy and likes fish", f"{MARKER} and likes fish"),
        ("ping ship-7.internal", MARKER),
        ("部署主机是哪台？测试用 make check。", f"{MARKER}测试用 make check。"),
        ("see [pet](pet.md)", f"see [{MARKER}]({MARKER}.md)"),
        ("- deploy-host (reference)", f"- {MARKER} (reference)"),
        ("pet", MARKER),
    ],
)
def test_a_trace_is_replaced_and_the_rest_stays(traces: Traces, text: str, without: str) -> None:
    assert traces.without(text) == without
    assert traces.held_by(text)


@pytest.mark.parametrize(
    "text",
    [
        "the cat command prints a file",
        "a pet project",
        "carpet.md is (carpet)",
        "grey text on a grey screen",
        "born in Berlin",
        "run make-check before each commit",
        "部署之后看日志",
        "deploy-hosts and my-deploy-host",
        LONG,
        "",
    ],
)
def test_what_only_resembles_it_stays(traces: Traces, text: str) -> None:
    assert traces.without(text) == text
    assert not traces.held_by(text)


def test_the_frame_of_a_record_is_never_touched(traces: Traces) -> None:
    record = {
        "v": 1,
        "kind": "commit",
        "session": "pet",
        "seq": 3,
        "outcome": "saved",
        "added": ["pet", "shell"],
        "evidence": {"pet": [{"seq": 1, "quote": "x"}], "shell": [{"seq": 2, "quote": "fish"}]},
        "files": [{"name": "pet", "archived": None}, {"name": "shell", "archived": None}],
        "skipped": [["pet", "similar to pet"]],
        "episode": "Talked about Mimsy. Tests pass.",
    }
    assert traces.without_all(record) == {
        "v": 1,
        "kind": "commit",
        "session": "pet",
        "seq": 3,
        "outcome": "saved",
        "added": ["shell"],
        "evidence": {"shell": [{"seq": 2, "quote": "fish"}]},
        "files": [{"name": "shell", "archived": None}],
        "skipped": [["similar to pet"]],
        "episode": f"Talked about {MARKER}. Tests pass.",
    }


def test_a_message_keeps_its_form_and_loses_blocks_that_tell_it(traces: Traces) -> None:
    message = {
        "seq": 2,
        "role": "assistant",
        "parts": [
            {"kind": "block", "provider": "p", "model": "m", "data": {"thinking": "Mimsy, so"}},
            {"kind": "block", "provider": "p", "model": "m", "data": {"thinking": "the tests"}},
            {"kind": "call", "id": "c1", "name": "memory_read", "arguments": {"name": "pet"}},
        ],
    }
    assert traces.without_all(message) == {
        "seq": 2,
        "role": "assistant",
        "parts": [
            {"kind": "block", "provider": "p", "model": "m", "data": {"thinking": "the tests"}},
            {"kind": "call", "id": "c1", "name": "memory_read", "arguments": {"name": MARKER}},
        ],
    }
