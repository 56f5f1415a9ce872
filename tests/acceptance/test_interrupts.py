"""Ctrl+C, Ctrl+D and signals at bad moments: no traceback, a sane terminal, the right exit code."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys

import pytest

from tests.acceptance.steps import (
    EMPTY,
    NO_PIPELINE,
    answer,
    asked,
    ended,
    enter,
    files,
    leave,
    wait_idle,
)
from tests.support.guard import sitecustomize
from tests.support.model_server import ModelServer, StartModel
from tests.support.pipeline import PipelineRouter, candidate
from tests.support.processes import gone_soon, group_alive
from tests.support.program import MakeProgram, Program
from tests.support.reply import Reply, Wire
from tests.support.terminal import Terminal

SHOW_IMPORTS = {"PYTHONPROFILEIMPORTTIME": "1"}  # Python then prints each import as it is done


@pytest.mark.parametrize("module", ["catmem.errors", "asyncio", "catmem.messages"])
def test_during_start(module: str, model: StartModel, program: MakeProgram) -> None:
    terminal = program(model(), **{sitecustomize.PAUSE_AT: module}).terminal()
    terminal.wait_for(f"^importing {module}$")
    terminal.press("ctrl-c")
    ended(terminal, 130)


@pytest.mark.parametrize("module", [r"prompt_toolkit\.keys", r"prompt_toolkit\.shortcuts"])
def test_while_the_prompt_is_made_ready(
    module: str, model: StartModel, program: MakeProgram
) -> None:
    terminal = program(model(), **SHOW_IMPORTS).terminal(cols=120)
    terminal.wait_for(rf"\| +{module}$")
    # the first may come just in time for the prompt, which hints and waits for the second
    terminal.press("ctrl-c", "ctrl-c")
    assert terminal.wait_exit() in {0, 130}
    terminal.assert_sane()
    assert "Traceback" not in terminal.transcript


@pytest.mark.parametrize("form", ["messages", "responses"])
def test_while_the_sdk_is_imported(form: Wire, model: StartModel, program: MakeProgram) -> None:
    server = model(Reply("Fine."))
    terminal = program(server, form, **NO_PIPELINE, **SHOW_IMPORTS).terminal(cols=120)
    terminal.wait_for("❯")
    terminal.say("hello")
    terminal.wait_for(r"\| +(httpx2|pydantic|anthropic|openai)")
    terminal.press("ctrl-c")
    terminal.wait_for("interrupted|Fine", 30)
    if not server.requests:  # it came before the request went out
        terminal.say("again")
        terminal.wait_for("Fine", 30)
    terminal.press("ctrl-d")
    ended(terminal)


def test_c08_keys_on_an_empty_line_on_a_draft_and_in_a_question(
    model: StartModel, program: MakeProgram
) -> None:
    server = model(Reply("First."), Reply("Second."))
    terminal = enter(program(server, **NO_PIPELINE))
    terminal.type("a draft")
    terminal.wait_for("^❯ a draft$", on_screen=True)
    terminal.press("home", "ctrl-d")  # deletes a character
    terminal.wait_for("^❯  draft$", on_screen=True)
    terminal.press("ctrl-c")  # clears the line
    wait_idle(terminal)
    terminal.press("up")  # which is in the history
    terminal.wait_for("^❯  draft$", on_screen=True)
    terminal.press("ctrl-c")
    wait_idle(terminal)
    terminal.press("ctrl-c")  # hints
    terminal.wait_for("press Ctrl.C again", on_screen=True)
    answer(terminal, "hello", r"^First\.")  # and does nothing else

    terminal.say("/memory clear")
    terminal.wait_for("no memories are stored yet", on_screen=True)
    wait_idle(terminal)
    answer(terminal, "hello", r"^Second\.")
    leave(terminal)
    assert len(server.requests) == 2


def test_twice_on_an_empty_line_leaves(model: StartModel, program: MakeProgram) -> None:
    terminal = enter(program(model()))
    terminal.press("ctrl-c")
    terminal.wait_for("press Ctrl.C again", on_screen=True)
    terminal.press("ctrl-c")
    ended(terminal, 0)


def test_twice_while_streaming_stops_once_and_stays(
    model: StartModel, program: MakeProgram
) -> None:
    server = model(Reply("Some words of an answer", stall_after=6), Reply("Fine."))
    terminal = enter(program(server, **NO_PIPELINE))
    terminal.say("hello")
    terminal.wait_for("Some", on_screen=True)
    terminal.press("ctrl-c", "ctrl-c")
    terminal.wait_for("^interrupted")
    wait_idle(terminal)
    answer(terminal, "again", r"^Fine\.")
    leave(terminal)


def test_c07_in_a_paste_it_is_text(model: StartModel, program: MakeProgram) -> None:
    server = model(Reply("Fine."))
    terminal = enter(program(server, **NO_PIPELINE))
    terminal.paste("one\n\x03two\x04\nthree")
    terminal.wait_for("three", on_screen=True)
    terminal.press("ctrl-c")  # clears the line, pasted or not
    wait_idle(terminal)
    terminal.paste("one\n\x03two\x04\nthree")
    terminal.wait_for("three", on_screen=True)
    answer(terminal, "", r"^Fine\.")
    assert server.chats[0].user_texts == ["one\ntwo\nthree"]
    leave(terminal)


def test_ctrl_d_in_a_turn_stops_it_and_leaves(model: StartModel, program: MakeProgram) -> None:
    server = model(Reply("Some words of an answer", stall_after=6))
    terminal = enter(program(server, **NO_PIPELINE))
    terminal.say("hello")
    terminal.wait_for("Some", on_screen=True)
    terminal.press("ctrl-d")
    ended(terminal)
    assert server.requests[0].outcome == "hung up"


def test_in_a_running_command_the_whole_group_ends(model: StartModel, program: MakeProgram) -> None:
    command = "trap '' TERM; (sleep 61 & wait) & echo $$ > pid; echo begun; wait; sleep 62"
    server = model(Reply(tool_calls=[("bash", {"command": command})]), Reply("Fine."))
    catmem = program(server, **NO_PIPELINE)
    terminal = enter(catmem, "--permission-mode", "auto")
    terminal.say("run it")
    terminal.wait_for("begun", on_screen=True)
    group = int((catmem.workspace / "pid").read_text())
    terminal.press("ctrl-c")
    terminal.wait_for("^interrupted")
    wait_idle(terminal)
    assert gone_soon(group_alive, group)
    answer(terminal, "again", r"^Fine\.")
    leave(terminal)


def learning(server: ModelServer, router: PipelineRouter, catmem: Program) -> Terminal:
    """A session that has something to learn and waits at its end for a server that is silent."""
    router.chat.append(Reply("ok"))
    router.extractions.append(Reply("{", stall_after=1))
    terminal = enter(catmem)
    answer(terminal, "I write my notes in org-mode", "^ok$")
    terminal.press("ctrl-d")
    server.wait_until(lambda server: server.pipeline, "the extraction")
    terminal.wait_for("Ctrl.C skips")
    return terminal


@pytest.mark.parametrize("keys", [["ctrl-c"], ["ctrl-d"], ["ctrl-c", "ctrl-c"]])
def test_b18_b19_the_end_can_be_skipped(
    keys: list[str], model: StartModel, program: MakeProgram
) -> None:
    router = PipelineRouter()
    server = model(router=router)
    catmem = program(server)
    terminal = learning(server, router, catmem)
    terminal.press(*keys)
    said = ended(terminal).replace("^C", "")  # the terminal's echo of a press after the end
    assert [line for line in said.splitlines() if line.strip()][-1].startswith("Memory: ")
    assert not (catmem.catmem_home / "memory").exists()


@pytest.mark.parametrize(
    "reply",
    {
        "silent": Reply("{", stall_after=1),
        "never answers": Reply(before=600),
        "asks to wait": Reply(status=429, headers={"retry-after": "600"}),
    }.items(),
    ids=lambda item: item[0],
)
def test_b18_the_end_has_a_limit(
    reply: tuple[str, Reply], model: StartModel, program: MakeProgram
) -> None:
    router = PipelineRouter()
    server = model(router=router)
    router.chat.append(Reply("ok"))
    router.extractions.append(reply[1])
    run = program(server, CATMEM_MEMORY_EXIT_SECONDS="0.5").run("-p", "I write in org-mode")
    assert (run.code, run.stdout) == (0, "ok\n")
    assert run.stderr.splitlines()[-1].startswith("Memory: ")


def test_b18_the_end_can_be_turned_off(model: StartModel, program: MakeProgram) -> None:
    server = model(Reply("ok"), Reply("ok"))
    run = program(server, **NO_PIPELINE).run("-p", "I write my notes in org-mode")
    assert (run.code, run.stdout) == (0, "ok\n")
    run = program(server).run("-p", "I write my notes in org-mode", "--no-memory")
    assert (run.code, run.stdout) == (0, "ok\n")
    assert len(server.requests) == 2


def interrupted(process: subprocess.Popen[bytes], number: signal.Signals) -> tuple[int, str, str]:
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert b"Traceback" not in err
    return process.returncode, out.decode(), err.decode()


def test_in_one_turn_on_the_command_line(model: StartModel, program: MakeProgram) -> None:
    router = PipelineRouter()
    server = model(router=router)
    catmem = program(server)
    router.chat.append(Reply("Some words of an answer", stall_after=6))
    process = catmem.start("-p", "I write my notes in org-mode")
    server.wait_for_requests(1)
    code, _, err = interrupted(process, signal.SIGINT)
    assert code == 130
    assert "interrupted" in err

    router.chat.append(Reply(tool_calls=[("bash", {"command": "touch begun; sleep 61"})]))
    process = catmem.start("-p", "run it", "--permission-mode", "auto")
    while not (catmem.workspace / "begun").exists():
        assert process.poll() is None
    assert interrupted(process, signal.SIGINT)[0] == 130

    router.chat.append(Reply("ok"))
    seen = len(server.pipeline)
    router.extractions.append(Reply("{", stall_after=1))
    process = catmem.start("-p", "I write my notes in org-mode")
    server.wait_until(lambda server: len(server.pipeline) > seen, "the extraction")
    code, out, _ = interrupted(process, signal.SIGINT)
    assert (code, out) == (0, "ok\n")  # the turn was done; only learning was skipped


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_b18_c09_a_signal_ends_the_session_in_order_and_it_learns(
    number: signal.Signals, model: StartModel, program: MakeProgram
) -> None:
    router = PipelineRouter()
    server = model(router=router)
    catmem = program(server)
    router.chat.append(Reply("ok"))
    router.chat.append(Reply("Some words of an answer", stall_after=6))
    router.learn(candidate("notes-in-org", "Notes are in org-mode", quote="I write my notes"))
    terminal = enter(catmem)
    answer(terminal, "I write my notes in org-mode", "^ok$")
    terminal.say("go on")
    terminal.wait_for("Some", on_screen=True)
    terminal.signal(number)
    terminal.wait_exit()
    terminal.assert_sane()
    assert "Traceback" not in terminal.transcript
    assert set(files(catmem.catmem_home / "memory")) == {"MEMORY.md", "notes-in-org.md"}


def test_c09_suspended_and_resumed(model: StartModel, program: MakeProgram) -> None:
    server = model(Reply("Fine."))
    catmem = program(server, PS1="shell$ ", **NO_PIPELINE)
    argv = [shutil.which("bash") or "bash", "--norc", "--noprofile", "-i"]
    with Terminal(argv, cwd=catmem.workspace, env=catmem.env) as shell:
        shell.wait_for(r"^shell\$")
        shell.say(f"{sys.executable} -P -m catmem")
        shell.wait_for(EMPTY, on_screen=True)
        shell.type("a draft")
        shell.wait_for("^❯ a draft$", on_screen=True)
        shell.press("ctrl-z")
        shell.wait_for("Stopped")
        shell.say("stty -a")  # the shell has its echo and line mode back
        shell.wait_for(r" icanon .* echo ")
        shell.say("fg")
        shell.wait_for("^❯ a draft$", on_screen=True)
        answer(shell, "", r"^Fine\.")
        shell.press("ctrl-d")
        shell.wait_for(r"^shell\$$", on_screen=True)
        shell.say("clear; stty -a")
        shell.wait_for(r" icanon .* echo ", on_screen=True)


def test_c08_esc_and_ctrl_d_in_a_question_mean_no(model: StartModel, program: MakeProgram) -> None:
    call = ("bash", {"command": "touch never"})
    script = [Reply(tool_calls=[call]), Reply("Not run."), Reply(tool_calls=[call]), Reply("No.")]
    catmem = program(model(*script), **NO_PIPELINE)
    terminal = enter(catmem)
    for key, said in (("esc", "Not run"), ("ctrl-d", "No")):
        terminal.say("run it")
        asked(terminal, "touch never")
        terminal.press(key)
        terminal.wait_for(rf"^{said}\.")
        wait_idle(terminal)
    leave(terminal)
    assert not (catmem.workspace / "never").exists()
