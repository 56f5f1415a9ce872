from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Sequence

import pytest

from catmem.events import (
    Event,
    MemoryUpdated,
    MessageCompleted,
    Notice,
    ReasoningDelta,
    RequestRetried,
    StepStarted,
    TextDelta,
    ToolCallFinished,
    ToolCallStarted,
    ToolOutputDelta,
    TurnEnded,
    TurnEndReason,
)
from catmem.messages import (
    Message,
    Origin,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    Usage,
    user_message,
)
from catmem.ui.headless import Headless

pytestmark = pytest.mark.anyio


def said(text: str) -> Message:
    return Message(Role.ASSISTANT, (TextPart(text, Origin.MODEL),))


CALL = ToolCallPart("c1", "bash", {"command": "ls"})
EVENTS: list[Event] = [
    StepStarted(1),
    RequestRetried(2, 1.0, "overloaded"),
    ReasoningDelta("hm"),
    TextDelta("Let me "),
    TextDelta("look."),
    MessageCompleted(said("Let me look."), Usage(100, 10, 5)),
    ToolCallStarted(CALL, "ls"),
    ToolOutputDelta("c1", "a.py\n"),
    ToolCallFinished(ToolResultPart("c1", "bash", "a.py\n", subject="ls")),
    MemoryUpdated(("likes-vim",)),
    StepStarted(2),
    TextDelta("One file: a.py \ud83d\n"),
    MessageCompleted(said("One file: a.py\n"), Usage(120, 8)),
    Notice("the answer was cut", error=True),
    TurnEnded(TurnEndReason.DONE),
]


class Scripted:
    def __init__(self, events: Sequence[Event], then_hang: bool = False) -> None:
        self._events = events
        self._then_hang = then_hang

    async def run_turn(self, message: Message) -> AsyncIterator[Event]:
        for event in self._events:
            yield event
        if self._then_hang:
            try:
                await asyncio.sleep(30)
            except asyncio.CancelledError:
                yield TurnEnded(TurnEndReason.INTERRUPTED)


async def run(output_format: str, events: Sequence[Event] = EVENTS) -> int:
    headless = Headless(output_format)
    code = await headless.run(Scripted(events), user_message("hi"))
    headless.finish("session-1", {"added": ["likes-vim"]})
    return code


async def test_text_is_the_answer_and_progress_is_apart(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert await run("text") == 0
    out, err = capsys.readouterr()
    assert out == "Let me look.\nOne file: a.py \ufffd\n"
    assert err == (
        "retry 2: overloaded; next try in 1 s\n* bash ls\nremembered: likes-vim\n"
        "the answer was cut\n"
    )


async def test_json_is_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert await run("json") == 0
    assert json.loads(capsys.readouterr().out) == {
        "type": "result",
        "result": "One file: a.py\n",
        "reason": "done",
        "error": None,
        "session": "session-1",
        "steps": 2,
        "usage": {"input_tokens": 220, "output_tokens": 18, "cached_tokens": 5},
        "memory": {"added": ["likes-vim"]},
    }


async def test_stream_json_is_a_line_for_each_event(capsys: pytest.CaptureFixture[str]) -> None:
    assert await run("stream-json") == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[:-1] == [
        {"type": "step", "step": 1},
        {"type": "retry", "attempt": 2, "delay": 1.0, "reason": "overloaded"},
        {"type": "reasoning", "text": "hm"},
        {"type": "text", "text": "Let me "},
        {"type": "text", "text": "look."},
        {
            "type": "tool_call",
            "id": "c1",
            "name": "bash",
            "arguments": {"command": "ls"},
            "subject": "ls",
        },
        {"type": "tool_output", "id": "c1", "text": "a.py\n"},
        {"type": "tool_result", "id": "c1", "name": "bash", "status": "ok", "text": "a.py\n"},
        {"type": "memory", "added": ["likes-vim"], "updated": []},
        {"type": "step", "step": 2},
        {"type": "text", "text": "One file: a.py \ufffd\n"},
        {"type": "notice", "text": "the answer was cut", "error": True},
    ]
    assert lines[-1]["type"] == "result"


@pytest.mark.parametrize(
    ("end", "code"),
    [
        (TurnEnded(TurnEndReason.FAILED, "wrong key"), 1),
        (TurnEnded(TurnEndReason.FAILED, "no connection", retryable=True), 75),
        (TurnEnded(TurnEndReason.STEP_LIMIT, "stopped after 50 steps"), 1),
    ],
)
async def test_exit_code_and_reason_of_a_failure(
    end: TurnEnded, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await run("json", [StepStarted(1), end]) == code
    out, err = capsys.readouterr()
    assert err == f"{end.error}\n"
    result = json.loads(out)
    assert (result["reason"], result["error"], result["result"]) == (end.reason, end.error, "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_signal_interrupts_and_keeps_what_came(
    number: signal.Signals, capsys: pytest.CaptureFixture[str]
) -> None:
    asyncio.get_running_loop().call_later(0.05, os.kill, os.getpid(), number)
    headless = Headless("text")
    code = await headless.run(Scripted([TextDelta("part")], then_hang=True), user_message("hi"))

    assert code == 130
    assert capsys.readouterr() == ("part\n", "interrupted\n")
