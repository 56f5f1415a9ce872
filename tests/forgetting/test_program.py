"""Forgetting in the real program, on a terminal."""

from __future__ import annotations

import json

from tests.acceptance.steps import NO_PIPELINE, answer, asked, enter, finished, leave, wait_idle
from tests.support.model_server import StartModel
from tests.support.program import MakeProgram
from tests.support.reply import Reply


def test_forgetting_by_command_and_in_conversation(model: StartModel, program: MakeProgram) -> None:
    server = model()
    catmem = program(server, **NO_PIPELINE)
    for name, text in (("pet", "My cat is called Mimsy"), ("shell", "My shell is fish")):
        finished(catmem.run("memory", "add", "--name", name, text))
    terminal = enter(catmem)
    terminal.say("/memory forget pet")
    asked(terminal, r"Forget pet for good\?")
    terminal.press("y")
    terminal.wait_for("said in this conversation stays in it")
    wait_idle(terminal)
    forget = {"action": "forget", "name": "shell", "quote": "forget my shell"}
    server.script.extend([Reply(tool_calls=[("memory_write", forget)]), Reply("It is gone.")])
    terminal.say("forget my shell, please")
    asked(terminal, r"Forget the memory shell\?")
    terminal.wait_for("My shell is fish")
    terminal.press("y")
    terminal.wait_for("It is gone.")
    wait_idle(terminal)
    server.script.append(Reply("Nothing."))
    answer(terminal, "what do you know?", "Nothing.")
    leave(terminal)

    sent = json.dumps(server.chats[-1].body)
    assert "Mimsy" not in sent
    assert "fish" not in sent
    assert "Persistent Memory" not in sent
    assert finished(catmem.run("memory", "list", "--json")).stdout == "[]\n"


def test_a_shell_shows_the_question_and_ctrl_c_leaves_it(program: MakeProgram) -> None:
    catmem = program(None)
    finished(catmem.run("memory", "add", "--name", "pet", "My cat is called Mimsy"))
    terminal = catmem.terminal("memory", "forget", "pet")
    terminal.wait_for(r"^Forget pet for good\? \[y/N\]")
    terminal.press("ctrl-c")
    assert terminal.wait_exit() == 130
    refused = catmem.run("memory", "forget", "pet")
    assert (refused.code, refused.stderr) == (
        2,
        "catmem: `catmem memory forget` asks first and there is nobody to ask; add --yes\n",
    )

    terminal = catmem.terminal("memory", "forget", "pet", "--purge", cols=120)
    terminal.wait_for(r"This cannot be undone\. \[y/N\]")
    terminal.say("y")
    assert terminal.wait_exit() == 0
    assert "forgotten: pet; not learned again unless you say it anew" in terminal.text
    assert finished(catmem.run("memory", "list", "--json")).stdout == "[]\n"
