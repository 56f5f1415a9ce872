"""Servers and models that misbehave: one clear line each, and a session that goes on."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise

import pytest

from tests.acceptance.steps import (
    NO_PIPELINE,
    answer,
    enter,
    finished,
    leave,
    wait_idle,
)
from tests.support.model_server import StartModel
from tests.support.odd_servers import ODD_SERVERS
from tests.support.program import MakeProgram
from tests.support.reply import Event, Reply, Wire
from tests.support.request import Request

QUICK = {**NO_PIPELINE, "CATMEM_NETWORK_IDLE_SECONDS": "0.4", "CATMEM_NETWORK_RETRIES": "1"}
READ = ("read_file", {"path": "a.txt"})


@dataclass(frozen=True, slots=True)
class Fault:
    """What the server does, what the person reads (a pattern) and what of the answer is kept."""

    replies: list[Reply]
    line: str
    kept: str | None = None
    code: int = 1
    settings: dict[str, str] = field(default_factory=dict)


FAULTS = {
    "wrong key": Fault([Reply(status=401)], "key"),
    "unknown model": Fault([Reply(status=404, error=("not_found_error", "model: x"))], "model"),
    "no credit": Fault([Reply(status=402)], "credit"),
    "overloaded for ever": Fault([Reply(status=529)] * 2, "overloaded", code=75),
    "too many requests for ever": Fault(
        [Reply(status=429, headers={"retry-after": "0"})] * 2, "rate limit|too many", code=75
    ),
    "asked to wait a day": Fault(
        [Reply(status=429, headers={"retry-after": "86400"})], "rate limit|too many", code=75
    ),
    "server error": Fault([Reply(status=500)] * 2, "500|error", code=75),
    "cut in the text": Fault(
        [Reply("Some words of an answer", cut_after=6)], "lost", kept="Some", code=75
    ),
    "cut before the first word": Fault([Reply("x", cut_after=0)] * 2, "lost|connection", code=75),
    "silence in the text": Fault(
        [Reply("Some words of an answer", stall_after=6)], "silent|lost|nothing", "Some", code=75
    ),
    "error inside the stream": Fault(
        [
            Reply(
                "Some words of an answer",
                sse_error=("overloaded_error", "Overloaded"),
                sse_error_after=6,
            )
        ],
        "overloaded|lost",
        kept="Some",
        code=75,
    ),
    "refusal": Fault([Reply(finish="refusal")], "declined"),
    "empty answer": Fault([Reply()], "empty answer"),
}


@pytest.mark.parametrize(
    "name",
    [
        "wrong key",
        "overloaded for ever",
        "asked to wait a day",
        "cut in the text",
        "refusal",
        "empty answer",
    ],
)
def test_d05_d11_d12_d20_a_fault_is_one_line_and_an_exit_code(
    name: str, model: StartModel, program: MakeProgram
) -> None:
    fault = FAULTS[name]
    server = model(*fault.replies)
    run = finished(program(server, **QUICK).run("-p", "hello"), fault.code)
    last = run.stderr.splitlines()[-1]
    assert re.search(fault.line, last, re.IGNORECASE), run.stderr
    assert len(last) < 300
    assert run.stdout.startswith(fault.kept or "")
    assert bool(run.stdout) == bool(fault.kept)
    server.assert_exhausted()


def test_d05_d11_d12_d20_a_session_survives_every_fault(
    wire: Wire, model: StartModel, program: MakeProgram
) -> None:
    server = model()
    terminal = enter(program(server, wire, **QUICK), rows=60)
    for number, (name, fault) in enumerate(FAULTS.items()):
        server.script.extend([*fault.replies, Reply(f"Fine {number}.")])
        terminal.say(f"try {name}")
        server.wait_until(lambda server: len(server.script) == 1, name)
        wait_idle(terminal)
        answer(terminal, f"again {number}", rf"^Fine {number}\.")
    said = leave(terminal)
    for number, (name, fault) in enumerate(FAULTS.items()):
        told = said.partition(f"try {name}")[2].partition(f"again {number}")[0].splitlines()
        lines = [line for line in told if line.strip() and line.strip() != fault.kept]
        assert len([line for line in lines if re.search(fault.line, line, re.IGNORECASE)]) == 1, (
            told
        )
        assert sum(fault.kept in line for line in told if fault.kept) == bool(fault.kept)


def test_d07_d09_d10_calls_that_cannot_run_are_explained_to_the_model(
    wire: Wire, model: StartModel, program: MakeProgram
) -> None:
    server = model(
        Reply(tool_calls=[("read_file", '{"path": "a'), ("readfile", {"path": "a.txt"}), READ]),
        Reply(tool_calls=[("read_file", {"file": "a.txt"}), ("read_file", "null")]),
        Reply(
            tool_calls=[("write_file", {"path": "half.txt", "content": "half"})], finish="length"
        ),
        *[Reply(tool_calls=[READ])] * 5,
        Reply("That is all."),
    )
    catmem = program(server, wire, **NO_PIPELINE)
    (catmem.workspace / "a.txt").write_text("text of a\n")
    run = finished(catmem.run("-p", "go", "--permission-mode", "auto"))
    assert run.stdout.endswith("That is all.\n")
    results = list(server.chats[-1].tool_results.values())
    broken, unknown, fine, missing, null, half, *repeats = results
    assert "JSON" in broken
    assert unknown.startswith("There is no tool named 'readfile'. The tools are: read_file, ")
    assert "text of a" in fine
    assert "path" in missing
    assert "text of a" not in null
    assert "cut" in half
    assert not (catmem.workspace / "half.txt").exists()
    assert all("text of a" in result for result in repeats[:4])
    assert "same call with the same arguments" in repeats[4]


def test_d07_raw_line_breaks_in_arguments_are_accepted(
    model: StartModel, program: MakeProgram
) -> None:
    raw = '{"path": "two.txt", "content": "one\ntwo\n"}'
    server = model(Reply(tool_calls=[("write_file", raw)]), Reply("Done."))
    catmem = program(server, **NO_PIPELINE)
    finished(catmem.run("-p", "go", "--permission-mode", "accept-edits"))
    assert (catmem.workspace / "two.txt").read_text() == "one\ntwo\n"


def test_d10_calls_cut_again_and_again_end_the_turn(
    model: StartModel, program: MakeProgram
) -> None:
    cut = Reply(tool_calls=[("write_file", {"path": "x", "content": "y"})], finish="length")
    server = model(cut, cut, cut)
    catmem = program(server, **NO_PIPELINE)
    run = finished(catmem.run("-p", "go", "--permission-mode", "auto"), 1)
    assert "three times" in run.stderr
    assert not (catmem.workspace / "x").exists()


@pytest.mark.parametrize("name", ["no index", "no id", "content null"])
def test_d13_odd_servers_work(name: str, model: StartModel, program: MakeProgram) -> None:
    rewrite = ODD_SERVERS[name]
    calls = [READ, ("glob", {"pattern": "*.txt"})]
    server = model(
        Reply("Looking.", tool_calls=calls, raw_events=rewrite), Reply("Done.", raw_events=rewrite)
    )
    catmem = program(server, **NO_PIPELINE)
    (catmem.workspace / "a.txt").write_text("text of a\n")
    run = finished(catmem.run("-p", "go"))
    assert run.stdout.endswith("Done.\n")
    read, found = server.chats[1].tool_results.values()
    assert "text of a" in read
    assert "a.txt" in found


def test_d11_a_call_in_a_dropped_stream_never_runs(
    wire: Wire, model: StartModel, program: MakeProgram
) -> None:
    call = ("write_file", {"path": "half.txt", "content": "a b c d e f g h i j k l m n o p"})
    server = model(Reply("Now.", tool_calls=[call], chunk=8, cut_after=9), Reply("Fine."))
    catmem = program(server, wire, **{**QUICK, "CATMEM_PERMISSIONS_MODE": "auto"})
    terminal = enter(catmem)
    answer(terminal, "go", "lost")
    answer(terminal, "again", r"^Fine\.")
    assert not list(catmem.workspace.iterdir())
    assert leave(terminal).count("Now.") == 1


def test_d12_a_retry_is_counted_down_and_stopped_at_once(
    wire: Wire, model: StartModel, program: MakeProgram
) -> None:
    waiting = Reply(status=429, headers={"retry-after": "40"})
    server = model(Reply(status=529), Reply("Got through."), waiting, Reply("Later."))
    terminal = enter(program(server, wire, **NO_PIPELINE))
    answer(terminal, "hello", r"^Got through\.")
    terminal.say("more")
    terminal.wait_for(r"[34]\d s", on_screen=True)
    terminal.press("esc")
    wait_idle(terminal)
    answer(terminal, "now?", r"^Later\.")
    assert server.chats[3].user_texts[-1].endswith("now?")
    assert "more" in "".join(server.chats[3].user_texts)  # kept for the next request
    leave(terminal)


def strict_template(request: Request) -> Reply | None:
    """What a server with a strict chat template answers: 400 unless roles are just so."""
    roles = [entry["role"] for entry in request.entries]
    systems = [index for index, role in enumerate(roles) if role in {"system", "developer"}]
    turns = [role for role in roles if role in {"user", "assistant"}]
    alternate = all(one != other for one, other in pairwise(turns))
    if systems not in ([], [0]) or not alternate:
        return Reply(error=("invalid_request_error", f"roles must alternate: {roles}"))
    return None


def test_d14_one_system_message_at_the_front_and_alternating_roles(
    model: StartModel, program: MakeProgram
) -> None:
    server = model(router=strict_template)
    catmem = program(server)
    finished(catmem.run("memory", "add", "--scope", "user", "prefers short answers"))
    server.script.extend(
        [
            Reply("One."),
            Reply("Never finished", stall_after=4),
            Reply("Three."),
            Reply('{"candidates": [], "episode": null}'),
        ]
    )
    terminal = enter(catmem, "--permission-mode", "plan")
    answer(terminal, "one", r"^One\.")
    terminal.say("two")
    terminal.wait_for("Never", on_screen=True)
    terminal.press("ctrl-c")
    wait_idle(terminal)
    answer(terminal, "three", r"^Three\.")
    leave(terminal)
    server.assert_exhausted()


def test_d15_reasoning_goes_back_where_it_must(model: StartModel, program: MakeProgram) -> None:
    server = model(
        Reply(reasoning="I should look.", tool_calls=[READ]),
        Reply("Done.", reasoning="Now I know."),
    )
    catmem = program(server, "messages", **NO_PIPELINE)
    (catmem.workspace / "a.txt").write_text("text of a\n")
    run = finished(catmem.run("-p", "go"))
    assert run.stdout == "Done.\n"
    [turn] = [entry for entry in server.chats[1].entries if entry["role"] == "assistant"]
    assert [block["type"] for block in turn["content"]] == ["thinking", "tool_use"]
    assert turn["content"][0]["thinking"] == "I should look."


def test_d15_reasoning_content_is_given_to_servers_that_sent_it_and_to_no_extractor(
    model: StartModel, program: MakeProgram
) -> None:
    server = model(
        Reply(reasoning="The user loves tabs.", tool_calls=[READ]),
        Reply("Done."),
        Reply('{"candidates": [], "episode": null}'),
    )
    catmem = program(server, "chat")
    (catmem.workspace / "a.txt").write_text("text of a\n")
    run = finished(catmem.run("-p", "please reformat this file for me"))
    assert run.stdout == "Done.\n"
    [turn] = [entry for entry in server.chats[1].entries if entry["role"] == "assistant"]
    assert turn["reasoning_content"] == "The user loves tabs."
    assert "loves tabs" not in server.pipeline[0].text


def test_content_null_with_a_call_and_without_one(model: StartModel, program: MakeProgram) -> None:
    def null(events: list[Event]) -> list[Event]:
        for event in events:
            if isinstance(event.data, dict):
                for choice in event.data["choices"]:
                    choice["delta"].setdefault("content", None)
        return events

    server = model(
        Reply(tool_calls=[READ], raw_events=null), Reply(raw_events=null), Reply("Fine.")
    )
    catmem = program(server, **NO_PIPELINE)
    (catmem.workspace / "a.txt").write_text("text of a\n")
    terminal = enter(catmem)
    answer(terminal, "go", "empty answer")
    answer(terminal, "again", r"^Fine\.")
    leave(terminal)
