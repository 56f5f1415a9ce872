"""Learning while the session goes on, switched off and on, and finished by the next start."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator

import pytest

from tests.acceptance.steps import (
    NO_PIPELINE,
    answer,
    enter,
    files,
    leave,
    records,
    shown,
    wait_idle,
)
from tests.support.model_server import StartModel
from tests.support.pipeline import PipelineRouter, candidate, is_extraction
from tests.support.program import MakeProgram
from tests.support.reply import Reply
from tests.support.request import Request

VIM = candidate("user-prefers-vim", "The user's editor is vim", quote="I edit with vim")
SHIP = candidate(
    "deploy-with-make-ship",
    "Deploy with make ship",
    quote="we deploy with make ship",
    type="project",
    scope="project",
)
ADDED = r"^Memory: 1 added \(user-prefers-vim\), 0 updated, 0 skipped$"


class Held(PipelineRouter):
    """A router whose extractions wait until ``go_on`` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on = threading.Event()

    def __call__(self, request: Request) -> Reply | None:
        if is_extraction(request):
            self.go_on.wait(60)
        return super().__call__(request)


@pytest.fixture
def held() -> Iterator[Held]:
    router = Held()
    yield router
    router.go_on.set()


def test_after_a_turn_it_learns_while_the_conversation_goes_on(
    model: StartModel, program: MakeProgram, held: Held
) -> None:
    server = model(router=held)
    catmem = program(server, CATMEM_MEMORY_TRIGGER="turn")
    entry = catmem.catmem_home / "memory" / "user-prefers-vim.md"
    held.chat.extend([Reply("One."), Reply("Two."), Reply("Three.")])
    held.learn(VIM)
    terminal = enter(catmem)
    answer(terminal, "I edit with vim", r"^One\.$")
    answer(terminal, "look at module 1", r"^Two\.$")  # four messages are enough
    server.wait_until(lambda server: server.pipeline, "the extraction")
    terminal.say("/help")  # it still waits for its answer, and the session does not
    terminal.wait_for("Ctrl.D")
    wait_idle(terminal)
    assert not entry.exists()
    held.go_on.set()
    terminal.wait_for(ADDED)
    assert entry.exists()

    answer(terminal, "look at module 2", r"^Three\.$")
    held.go_on.clear()
    held.chat.append(Reply("Four."))
    terminal.say("look at module 3")
    server.wait_until(lambda server: len(server.pipeline) == 2, "the second extraction")
    held.chat.append(Reply("Five."))
    answer(terminal, "look at module 4", r"^Five\.$")  # the whole turn while it waits
    held.go_on.set()
    said = leave(terminal)

    assert len(server.pipeline) == 3  # the exit had the last turn left
    assert said.count("user-prefers-vim") == 1
    assert [line for line in said.splitlines() if line][-1].startswith("Memory: nothing worth")


def test_memory_off_and_on_in_a_session(model: StartModel, program: MakeProgram) -> None:
    router = PipelineRouter()
    server = model(router=router)
    catmem = program(server)
    added = catmem.run("memory", "add", "--name", "test-command", "the tests run with make check")
    assert added.code == 0
    router.chat.extend(
        [
            Reply("One."),
            Reply(tool_calls=[("memory_read", {})]),
            Reply("Two."),
            Reply("Three."),
        ]
    )
    terminal = enter(catmem)
    answer(terminal, "I edit with vim", r"^One\.$")
    terminal.say("/memory off")
    terminal.wait_for("^memory is off for this session")
    wait_idle(terminal)
    answer(terminal, "remember that I am looking for a new job", r"^Two\.$")
    terminal.say("/memory on")
    terminal.wait_for("what was said while it was off stays out")
    wait_idle(terminal)
    answer(terminal, "we deploy with make ship", r"^Three\.$")
    router.learn(VIM, SHIP)
    said = leave(terminal)

    systems = ["test-command" in request.system for request in server.chats]
    assert systems == [True, False, False, True]
    [refusal] = server.chats[2].tool_results.values()
    assert "/memory on" in refusal
    [extraction] = server.pipeline
    assert "I edit with vim" in shown(extraction)
    assert "we deploy with make ship" in shown(extraction)
    assert "new job" not in extraction.text
    assert "2 added" in said
    stored = files(catmem.catmem_home / "memory") | files(catmem.workspace / ".catmem")
    assert "new job" not in "".join(stored.values())


def test_two_that_start_together_finish_each_killed_session_once(
    model: StartModel, program: MakeProgram, held: Held
) -> None:
    server = model(router=held)
    catmem = program(server)
    held.chat.extend([Reply("One."), Reply("Two.")])
    for text in ("I edit with vim", "we deploy with make ship"):
        terminal = enter(program(server, **NO_PIPELINE))
        terminal.say(text)
        terminal.wait_for(r"^(One|Two)\.$")
        wait_idle(terminal)
        terminal.signal(signal.SIGKILL)
        terminal.wait_exit()
    assert [record["parts"][0]["text"] for record in records(catmem) if "seq" in record] == [
        *("I edit with vim", "One."),
        *("we deploy with make ship", "Two."),
    ]
    for _ in range(2):  # whichever is asked for first: what is not in a session is dropped
        held.learn(VIM, SHIP)

    assert server.pipeline == []

    both = [enter(catmem), enter(catmem)]
    # One has the first session; the other finds it taken and goes on with the second.
    server.wait_until(lambda server: len(server.pipeline) == 2, "both sessions")
    held.go_on.set()
    for terminal in both:
        terminal.wait_for("^From an earlier session: Memory: 1 added")
        leave(terminal)

    assert sorted(shown(request).splitlines()[1] for request in server.pipeline) == [
        "I edit with vim",
        "we deploy with make ship",
    ]
