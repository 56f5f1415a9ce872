"""Whole sessions in each of the three wire forms; the server checks that each request is valid."""

from __future__ import annotations

from tests.acceptance.steps import (
    NO_PIPELINE,
    answer,
    asked,
    enter,
    finished,
    leave,
    wait_idle,
)
from tests.support.model_server import StartModel
from tests.support.program import MakeProgram
from tests.support.reply import Reply, Wire
from tests.support.validate import assert_append_only

CALLS_AND_A_DENIAL = (
    Reply("Hello **there**."),
    Reply(
        "Let me look.",
        tool_calls=[
            ("bash", {"command": "sleep 0.2; echo slow"}),
            ("read_file", {"path": "a.txt"}),
            ("glob", {"pattern": "*.txt"}),
        ],
    ),
    Reply("Read all three."),
    Reply(
        tool_calls=[
            ("read_file", {"path": "a.txt"}),
            ("write_file", {"path": "made.txt", "content": "made\n"}),
            ("nonsense", {}),
        ]
    ),
    Reply("Then not."),
    Reply(tool_calls=[("write_file", {"path": "made.txt", "content": "made\n"})]),
    Reply("Elsewhere it is."),
    Reply(tool_calls=[("write_file", {"path": "made.txt", "content": "made\n"})]),
    Reply("Made."),
)
STOPPED = (
    Reply("First line.\n\nSecond line, never finished", stall_after=7),
    Reply("One."),
    Reply(
        tool_calls=[
            ("bash", {"command": "echo begun; sleep 60"}),
            ("read_file", {"path": "a.txt"}),
        ]
    ),
    Reply("Two."),
    Reply(
        tool_calls=[
            ("read_file", {"path": "a.txt"}),
            ("bash", {"command": "touch never"}),
            ("bash", {"command": "touch never2"}),
        ]
    ),
    Reply("Three."),
    Reply("Calling:", tool_calls=[("bash", {"command": "touch never3"})], stall_after=8),
    Reply("Four."),
)


def test_d02_d03_text_parallel_calls_and_a_denial(
    wire: Wire, model: StartModel, program: MakeProgram
) -> None:
    server = model(*CALLS_AND_A_DENIAL)
    catmem = program(server, wire, **NO_PIPELINE)
    for name in ("a", "b"):
        (catmem.workspace / f"{name}.txt").write_text(f"text of {name}\n")
    terminal = enter(catmem)
    answer(terminal, "hello", r"^Hello there\.")

    terminal.say("look at everything")
    asked(terminal, r"sleep 0\.2; echo slow")
    terminal.press("y")
    terminal.wait_for(r"^Read all three\.")
    wait_idle(terminal)
    slow, read, found = server.chats[2].tool_results.values()  # in the order of the calls
    assert "slow" in slow
    assert "text of a" in read
    assert found.splitlines()[:2] == ["a.txt", "b.txt"]

    terminal.say("make a file")
    asked(terminal, "made.txt")
    terminal.press("n")
    terminal.wait_for(r"^Then not\.")
    wait_idle(terminal)
    _, _, _, read, denied, unknown = server.chats[4].tool_results.values()
    assert "text of a" in read
    assert denied.startswith("Not run. The user declined this call.")
    assert unknown.startswith("There is no tool named 'nonsense'. The tools are: read_file, ")
    assert not (catmem.workspace / "made.txt").exists()

    terminal.say("again")
    asked(terminal)
    terminal.say("put it below docs")
    terminal.wait_for(r"^Elsewhere it is\.")
    wait_idle(terminal)
    words = list(server.chats[6].tool_results.values())[-1]
    assert words == "Not run. The user declined this call and says: put it below docs"

    terminal.say("once more")
    asked(terminal)
    terminal.press("y")
    terminal.wait_for(r"^Made\.")
    assert (catmem.workspace / "made.txt").read_text() == "made\n"
    leave(terminal)
    assert_append_only(server.chats)
    server.assert_exhausted()


def test_d01_c09_stopped_in_text_in_a_tool_and_at_an_approval(
    wire: Wire, model: StartModel, program: MakeProgram
) -> None:
    server = model(*STOPPED)
    catmem = program(server, wire, **NO_PIPELINE)
    (catmem.workspace / "a.txt").write_text("text of a\n")
    terminal = enter(catmem)

    terminal.say("write")
    terminal.wait_for(r"^First line\.")
    terminal.press("ctrl-c")
    server.wait_until(lambda server: server.requests[0].outcome == "hung up", "the hang-up")
    wait_idle(terminal)
    answer(terminal, "next one", r"^One\.")
    assert server.chats[1].user_texts[0] == "write"
    assert server.chats[1].assistant_texts[0].startswith("First line.")
    assert "next one" in server.chats[1].user_texts[-1]

    terminal.say("run")
    asked(terminal)
    terminal.press("y")
    terminal.wait_for(r"^ *begun", on_screen=True)
    terminal.press("esc")
    wait_idle(terminal)
    answer(terminal, "next two", r"^Two\.")
    ran, read = server.chats[3].tool_results.values()
    assert "nterrupted by the user" in ran
    assert "nterrupted by the user" in read

    terminal.say("ask")
    asked(terminal)
    terminal.press("ctrl-c")
    wait_idle(terminal)
    answer(terminal, "next three", r"^Three\.")
    _, _, read, unanswered, later = server.chats[5].tool_results.values()
    assert "text of a" in read
    assert "nterrupted by the user" in unanswered
    assert later == "Not run: interrupted by the user."

    terminal.say("call")
    server.wait_until(lambda server: len(server.chats) == 7, "the call")
    terminal.wait_for("Calling", on_screen=True)
    terminal.press("ctrl-c")
    wait_idle(terminal)
    answer(terminal, "next four", r"^Four\.")
    assert not list(catmem.workspace.glob("never*"))
    leave(terminal)
    server.assert_exhausted()


def test_calls_without_a_person_to_ask_are_refused_not_awaited(
    model: StartModel, program: MakeProgram
) -> None:
    server = model(
        Reply(
            tool_calls=[
                ("write_file", {"path": "made.txt", "content": "made\n"}),
                ("read_file", {"path": "a.txt"}),
            ]
        ),
        Reply("Not made."),
        Reply(tool_calls=[("write_file", {"path": "made.txt", "content": "made\n"})]),
        Reply("Made."),
    )
    catmem = program(server, **NO_PIPELINE)
    (catmem.workspace / "a.txt").write_text("text of a\n")
    assert finished(catmem.run("-p", "make it")).stdout == "Not made.\n"
    denied, read = server.chats[1].tool_results.values()
    assert denied.startswith("Not run.")
    assert "text of a" in read
    run = finished(catmem.run("-p", "make it", "--permission-mode", "accept-edits"))
    assert run.stdout == "Made.\n"
    assert (catmem.workspace / "made.txt").read_text() == "made\n"


def test_e12_the_working_directory_is_kept_as_the_tool_says(
    model: StartModel, program: MakeProgram
) -> None:
    server = model(
        Reply(tool_calls=[("bash", {"command": "cd sub && pwd"})]),
        Reply(tool_calls=[("bash", {"command": "pwd"})]),
        Reply(tool_calls=[("read_file", {"path": "a.txt"})]),
        Reply("done"),
    )
    catmem = program(server, **NO_PIPELINE)
    (catmem.workspace / "sub").mkdir()
    (catmem.workspace / "a.txt").write_text("text of a\n")
    finished(catmem.run("-p", "go", "--permission-mode", "auto"))
    in_sub, after, read = server.chats[3].tool_results.values()
    [description] = [
        tool["function"]["description"]
        for tool in server.chats[0].body["tools"]
        if tool["function"]["name"] == "bash"
    ]
    assert str(catmem.workspace / "sub") in in_sub
    # every command starts where catmem was started, and the description says so
    assert "start" in description
    assert str(catmem.workspace) in after.splitlines()
    assert "text of a" in read
