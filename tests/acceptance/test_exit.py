"""The end of a session where learning is not possible now: one line, and the next start learns."""

from __future__ import annotations

import json
import time

import pytest

from catmem.storage import lock
from tests.acceptance.steps import answer, enter, files, leave
from tests.support.model_server import StartModel
from tests.support.pipeline import PipelineRouter, candidate
from tests.support.program import MakeProgram
from tests.support.reply import Reply

ORG = candidate("notes-in-org", "Notes are in org-mode", quote="I write my notes")
LIMITS = {"CATMEM_MEMORY_EXIT_SECONDS": "1", "CATMEM_NETWORK_RETRIES": "0"}
AGAIN = "Memory: not finished, the next start tries again: "


@pytest.mark.parametrize(
    ("fault", "line"),
    [
        (Reply("I can't help with that.", finish="refusal"), AGAIN),
        (Reply("{", cut_after=1), AGAIN),
        (Reply(before=60), "Memory: not finished in 1 s; left for the next start"),
    ],
    ids=["refused", "broken off", "late"],
)
def test_what_the_exit_could_not_learn_the_next_start_does(
    fault: Reply, line: str, model: StartModel, program: MakeProgram
) -> None:
    router = PipelineRouter()
    server = model(router=router)
    router.chat.append(Reply("ok"))
    router.extractions.append(fault)
    catmem = program(server, **LIMITS)

    run = catmem.run("-p", "I write my notes in org-mode")

    assert (run.code, run.stdout) == (0, "ok\n")
    [last] = [one for one in run.stderr.splitlines() if one.startswith("Memory: not finished")]
    assert last == run.stderr.splitlines()[-1]
    assert last.startswith(line)
    assert not (catmem.catmem_home / "memory").exists()

    server.release()
    router.learn(ORG)
    terminal = enter(program(server))
    terminal.wait_for(r"^From an earlier session: Memory: 1 added \(notes-in-org\)")
    leave(terminal)
    assert set(files(catmem.catmem_home / "memory")) == {"MEMORY.md", "notes-in-org.md"}


def test_offline_at_the_end(model: StartModel, program: MakeProgram) -> None:
    server = model(Reply("ok"))
    catmem = program(server, **LIMITS)
    terminal = enter(catmem, cols=240)
    answer(terminal, "I write my notes in org-mode", "^ok$")
    server.__exit__(None, None, None)

    said = leave(terminal)

    assert [line for line in said.splitlines() if line][-1].startswith(AGAIN)
    told = json.loads(catmem.run("memory", "status", "--json").stdout)
    assert [(one["messages"], told["setAside"]) for one in told["waiting"]] == [(2, [])]


def test_ctrl_c_does_not_wait_for_a_store_that_another_program_is_writing(
    model: StartModel, program: MakeProgram
) -> None:
    router = PipelineRouter()
    router.chat.append(Reply("ok"))
    router.learn(ORG)
    catmem = program(model(router=router))
    terminal = enter(catmem)
    answer(terminal, "I write my notes in org-mode", "^ok$")
    with lock(catmem.catmem_home / "state" / "lock", 5):
        terminal.press("ctrl-d")
        terminal.wait_for("saving")
        stopped = time.monotonic()
        terminal.press("ctrl-c")
        terminal.wait_exit()
        waited = time.monotonic() - stopped

    assert "Memory: skipped; left for the next start" in terminal.transcript
    assert waited < 5  # as long as the store would be waited for: 10 s
    assert not (catmem.catmem_home / "memory").exists()
