"""The loop over all three wire forms; the server validates every request it gets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from catmem import log
from catmem.events import (
    Approval,
    ApprovalAnswer,
    MessageCompleted,
    Notice,
    StepStarted,
    TextDelta,
    ToolCallFinished,
    ToolCallStarted,
    ToolOutputDelta,
    TurnEnded,
    TurnEndReason,
    TurnStarted,
)
from catmem.messages import ModelRequest, Role, user_message
from catmem.permissions import PermissionMode
from catmem.sessions import read_transcript
from catmem.tools.base import ToolError
from tests.agent.conversation import NO, YES, Conversation, results
from tests.support.model_server import ModelServer, StartModel
from tests.support.reply import Reply, Wire

Begin = Callable[..., Conversation]
pytestmark = pytest.mark.anyio


@pytest.fixture
async def begin(wire: Wire, workspace: Path) -> AsyncIterator[Begin]:
    begun: list[Conversation] = []

    def make(server: ModelServer, *answers: Approval, **options: Any) -> Conversation:
        begun.append(Conversation(server, wire, workspace, *answers, **options))
        return begun[-1]

    yield make
    for conversation in begun:
        await conversation.close()


def call(name: str, text: str) -> tuple[str, dict[str, Any]]:
    return (name, {"text": text})


async def test_a_question_comes_after_what_was_said_before_it(
    begin: Begin, model: StartModel
) -> None:
    talk = begin(
        model(Reply("Both.", tool_calls=[call("look", "a"), call("act", "b")]), Reply("Done")), YES
    )
    happened = talk.approver.questions
    async for event in talk.agent.run_turn(user_message("go")):
        await asyncio.sleep(0)  # an interface that takes its time
        happened.append(type(event).__name__)
    assert happened[:9] == [
        "TurnStarted",
        "StepStarted",
        "TextDelta",
        "MessageCompleted",
        "ToolCallStarted",
        "ToolCallStarted",
        "ToolOutputDelta",
        "ToolCallFinished",
        "b",
    ]


async def test_a_turn_of_text_yields_its_events_in_order(begin: Begin, model: StartModel) -> None:
    talk = begin(model(Reply("Hello there", chunk=6)))
    events = await talk.say("hi")
    assert [type(event) for event in events] == [
        TurnStarted,
        StepStarted,
        TextDelta,
        TextDelta,
        MessageCompleted,
        TurnEnded,
    ]
    assert events[-1] == TurnEnded(TurnEndReason.DONE)
    messages = read_transcript(talk.agent.session.path).messages
    assert [(m.seq, m.role, m.text) for m in messages] == [
        (1, Role.USER, "hi"),
        (2, Role.ASSISTANT, "Hello there"),
    ]


async def test_d03_parallel_reads_give_one_message_of_results_in_call_order(
    begin: Begin, model: StartModel
) -> None:
    calls = (call("look", "one"), call("look", "two"), call("look", "three"))
    server = model(Reply("Looking.", tool_calls=calls), Reply("Done."))
    talk = begin(server)
    talk.look.delay = 0.05
    events = await talk.say("look at three things")
    assert talk.log[:3] == ["begin one", "begin two", "begin three"]
    tool_message = talk.agent.session.messages[2]
    assert [part.text for part in tool_message.parts] == ["noted one", "noted two", "noted three"]  # type: ignore[union-attr]  # results only
    assert list(server.requests[1].tool_results.values()) == [
        "noted one",
        "noted two",
        "noted three",
    ]
    started = [event.subject for event in events if isinstance(event, ToolCallStarted)]
    assert started == ["one", "two", "three"]
    assert sum(isinstance(event, ToolOutputDelta) for event in events) == 3


async def test_a_change_waits_for_the_reads_before_it(begin: Begin, model: StartModel) -> None:
    calls = (call("look", "one"), call("act", "two"), call("look", "three"))
    talk = begin(model(Reply(tool_calls=calls), Reply("Done.")), YES)
    talk.look.delay = 0.02
    await talk.say("go")
    assert talk.log == ["begin one", "end one", "begin two", "end two", "begin three", "end three"]


async def test_a_denied_call_is_told_with_the_users_words_and_the_turn_goes_on(
    begin: Begin, model: StartModel
) -> None:
    words = Approval(ApprovalAnswer.DENY, "use make instead")
    server = model(Reply(tool_calls=(call("act", "x"), call("act", "y"))), Reply("Understood."))
    talk = begin(server, NO, words)
    events = await talk.say("go")
    assert [status for status, _ in results(events)] == ["denied", "denied"]
    assert results(events)[1][1] == (
        "Not run. The user declined this call and says: use make instead"
    )
    assert talk.log == []
    assert events[-1] == TurnEnded(TurnEndReason.DONE)


async def test_a_session_answer_is_not_asked_again(begin: Begin, model: StartModel) -> None:
    server = model(
        Reply(tool_calls=(call("act", "x"),)), Reply(tool_calls=(call("act", "y"),)), Reply("ok")
    )
    talk = begin(server, Approval(ApprovalAnswer.SESSION))
    await talk.say("go")
    assert talk.approver.questions == ["x"]
    assert talk.log == ["begin x", "end x", "begin y", "end y"]


async def test_d02_failing_unknown_and_refused_calls_each_get_a_result(
    begin: Begin, model: StartModel
) -> None:
    calls = (call("look", "a"), call("nope", "b"), call("act", "c"), ("look", {"wrong": 1}))
    talk = begin(model(Reply(tool_calls=calls), Reply("ok")), YES)
    talk.act.raises = RuntimeError("")
    events = await talk.say("go")
    message = talk.agent.session.messages[2]
    assert [(part.status, part.text) for part in message.parts] == [  # type: ignore[union-attr]  # results only
        ("ok", "noted a"),
        ("error", "There is no tool named 'nope'. The tools are: look, act."),
        ("error", "It failed: RuntimeError"),
        ("error", "Not run. There is no argument wrong. Known: text."),
    ]
    assert sum(isinstance(event, ToolCallFinished) for event in events) == 4


async def test_only_a_failure_that_the_tool_did_not_mean_is_logged(
    begin: Begin, model: StartModel, tmp_path: Path
) -> None:
    log.setup(tmp_path / "catmem.log")
    calls = (call("look", "a"), call("act", "b"))
    talk = begin(model(Reply(tool_calls=calls), Reply("I see.")), YES)
    talk.look.raises = ToolError("there is no such file")
    talk.act.raises = RuntimeError("a fault of the tool")

    await talk.say("go")

    logged = (tmp_path / "catmem.log").read_text()
    assert "RuntimeError: a fault of the tool" in logged
    assert "there is no such file" not in logged


async def test_d07_arguments_that_are_no_json_object_do_not_run(
    begin: Begin, model: StartModel
) -> None:
    calls: tuple[tuple[str, Any], ...] = (("look", '{"text": "a'), ("look", "null"), ("look", ""))
    talk = begin(model(Reply(tool_calls=calls), Reply("ok"), Reply("still fine")))
    events = await talk.say("go")
    assert [status for status, _ in results(events)] == ["error"] * 3
    assert talk.log == []
    assert (await talk.say("next"))[-1] == TurnEnded(TurnEndReason.DONE)


async def test_d10_a_call_cut_at_the_token_limit_is_never_run(
    begin: Begin, model: StartModel
) -> None:
    cut = Reply(tool_calls=(call("act", "whole by chance"),), finish="length")
    talk = begin(model(cut, Reply("Smaller steps, then.")), YES)
    events = await talk.say("go")
    assert talk.log == []
    assert [status for status, _ in results(events)] == ["error"]
    assert talk.approver.questions == []
    assert events[-1] == TurnEnded(TurnEndReason.DONE)


async def test_d01_interrupted_in_text_keeps_it_and_the_next_request_is_valid(
    begin: Begin, model: StartModel
) -> None:
    server = model(Reply("half of the answer", chunk=5, stall_after=6), Reply("whole"))
    talk = begin(server)
    seen = asyncio.Event()

    async def turn() -> list[Any]:
        events = []
        async for event in talk.agent.run_turn(user_message("go")):
            events.append(event)
            if isinstance(event, TextDelta):
                seen.set()
        return events

    task = asyncio.create_task(turn())
    await seen.wait()
    task.cancel()
    events = await task
    assert events[-1] == TurnEnded(TurnEndReason.INTERRUPTED)
    kept = talk.agent.session.messages[-1]
    assert kept.role is Role.ASSISTANT
    assert kept.incomplete
    assert "half of the answer".startswith(kept.text)
    await talk.say("go on")
    assert "(Your previous answer was cut off before it was complete.)" in server.requests[1].text


async def test_d01_interrupted_in_a_tool_gives_every_call_one_result(
    begin: Begin, model: StartModel
) -> None:
    calls = (call("look", "quick"), call("act", "slow"), call("look", "never"))
    talk = begin(model(Reply("I will.", tool_calls=calls), Reply("fine")), YES)
    talk.act.wait = True
    events = await talk.interrupt_when(talk.act.started, "go")
    assert events[-1] == TurnEnded(TurnEndReason.INTERRUPTED)
    message = talk.agent.session.messages[-1]
    assert [(part.status, part.text) for part in message.parts] == [  # type: ignore[union-attr]  # results only
        ("ok", "noted quick"),
        ("cancelled", "Interrupted by the user; it may have been done in part."),
        ("cancelled", "Not run: interrupted by the user."),
    ]
    assert sum(isinstance(event, ToolCallFinished) for event in events) == 2
    assert (await talk.say("and now?"))[-1] == TurnEnded(TurnEndReason.DONE)


async def test_d01_interrupted_in_an_approval_runs_nothing(begin: Begin, model: StartModel) -> None:
    talk = begin(model(Reply(tool_calls=(call("act", "x"),)), Reply("fine")))
    events = await talk.interrupt_when(talk.approver.asked, "go")
    assert events[-1] == TurnEnded(TurnEndReason.INTERRUPTED)
    assert talk.log == []
    assert (await talk.say("and now?"))[-1] == TurnEnded(TurnEndReason.DONE)


async def test_d09_the_same_call_five_times_in_a_row_is_stopped(
    begin: Begin, model: StartModel
) -> None:
    same = Reply(tool_calls=(call("look", "again"),))
    talk = begin(model(*[same] * 5, Reply("I stop.")))
    events = await talk.say("go")
    assert [status for status, _ in results(events)] == ["ok"] * 4 + ["error"]
    assert results(events)[-1][1].startswith("Stopped: this is the same call")
    assert len(talk.log) == 8


async def test_at_the_step_limit_one_last_request_asks_for_words_only(
    begin: Begin, model: StartModel
) -> None:
    replies = [Reply(tool_calls=(call("look", str(number)),)) for number in range(3)]
    server = model(*replies, Reply("Two done.", tool_calls=(call("look", "more"),)), Reply("ok"))
    talk = begin(server, step_limit=3)
    events = await talk.say("go")
    assert events[-1].reason is TurnEndReason.STEP_LIMIT  # type: ignore[union-attr]  # TurnEnded
    assert len(server.requests) == 4
    assert server.requests[3].tool_names == server.requests[0].tool_names
    assert "step limit" in server.requests[3].text
    assert len(talk.log) == 6
    assert (await talk.say("go on"))[-1] == TurnEnded(TurnEndReason.DONE)


async def test_d05_an_empty_answer_is_said_and_leaves_a_valid_history(
    begin: Begin, model: StartModel
) -> None:
    talk = begin(model(Reply(""), Reply("here")))
    first = await talk.say("go")
    assert first[-1] == TurnEnded(
        TurnEndReason.FAILED, "the model sent an empty answer; send the message again"
    )
    assert (await talk.say("again"))[-1] == TurnEnded(TurnEndReason.DONE)


@pytest.mark.parametrize("cut", ["broken", "clean", "reset"])
async def test_d11_a_dropped_stream_keeps_what_came_and_says_so(
    begin: Begin, model: StartModel, cut: Any
) -> None:
    talk = begin(model(Reply("some text that is long", cut_after=5, cut=cut), Reply("rest")))
    events = await talk.say("go")
    end = events[-1]
    assert isinstance(end, TurnEnded)
    assert (end.reason, end.retryable) == (TurnEndReason.FAILED, True)
    assert end.error
    assert talk.agent.session.messages[-1].incomplete
    assert (await talk.say("go on"))[-1] == TurnEnded(TurnEndReason.DONE)


async def test_d11_silence_in_mid_answer_ends_the_turn(begin: Begin, model: StartModel) -> None:
    talk = begin(model(Reply("some text that is long", stall_after=5)), idle_seconds=0.3)
    end = (await talk.say("go"))[-1]
    assert isinstance(end, TurnEnded)
    assert (end.reason, end.retryable) == (TurnEndReason.FAILED, True)


async def test_plan_mode_refuses_changes_and_says_so_at_the_tail(
    begin: Begin, model: StartModel
) -> None:
    server = model(Reply(tool_calls=(call("look", "a"), call("act", "b"))), Reply("A plan."))
    talk = begin(server, mode=PermissionMode.PLAN)
    events = await talk.say("go")
    assert [status for status, _ in results(events)] == ["ok", "denied"]
    assert "Plan mode is on" in server.requests[0].user_texts[-1]


async def test_a_failing_hook_is_a_notice_and_the_turn_goes_on(
    begin: Begin, model: StartModel
) -> None:
    async def broken(_request: ModelRequest) -> ModelRequest:
        raise ValueError("no such thing")

    talk = begin(model(Reply("fine")))
    talk.hooks.before_request.append(broken)
    events = await talk.say("go")
    assert events[-1] == TurnEnded(TurnEndReason.DONE)
    notices = [event.text for event in events if isinstance(event, Notice)]
    assert notices
    assert all("before_request: ValueError: no such thing" in text for text in notices)


async def test_a_hook_may_refuse_a_call_and_replace_a_result(
    begin: Begin, model: StartModel
) -> None:
    talk = begin(model(Reply(tool_calls=(call("look", "a"), call("look", "b"))), Reply("ok")))

    async def refuse(wanted: Any) -> str | None:
        return "Not b." if wanted.arguments["text"] == "b" else None

    async def rewrite(_call: Any, result: Any) -> Any:
        return replace(result, text=result.text.upper())

    talk.hooks.before_tool.append(refuse)
    talk.hooks.after_tool.append(rewrite)
    await talk.say("go")
    message = talk.agent.session.messages[2]
    assert [part.text for part in message.parts] == ["NOTED A", "Not b."]  # type: ignore[union-attr]  # results only


async def test_the_system_text_is_frozen_with_the_first_turn(
    begin: Begin, model: StartModel
) -> None:
    server = model(Reply("one"), Reply("two"))
    talk = begin(server)
    added = ["# Memory v1", "# Memory v2", "# Memory v3", "# Memory v4"]

    async def inject(request: ModelRequest) -> ModelRequest:
        return replace(request, system=(*request.system, added.pop(0)))

    talk.hooks.before_request.append(inject)
    await talk.say("a")
    await talk.say("b")
    assert talk.agent.session.system == ("You are a test.", "# Memory v1")
    assert server.requests[0].system == server.requests[1].system
    assert "# Memory v1" in server.requests[0].system
    header = read_transcript(talk.agent.session.path).header
    assert header.system == talk.agent.session.system
