"""The first start: a choice where nothing is configured, no question where something is."""

from __future__ import annotations

from tests.acceptance.steps import NO_PIPELINE, answer, ended, enter, finished, leave
from tests.support.model_server import StartModel
from tests.support.program import MakeProgram
from tests.support.reply import Reply, Wire


def test_nothing_configured_offers_a_choice_and_writes_it(
    model: StartModel, program: MakeProgram
) -> None:
    server = model(Reply("hello"))
    catmem = program(None, **NO_PIPELINE)
    terminal = catmem.terminal()
    terminal.wait_for(r"1[.)]", on_screen=True)
    terminal.wait_for(r"2[.)]", on_screen=True)
    assert "ANTHROPIC_API_KEY" in terminal.text
    assert "OPENAI_API_KEY" in terminal.text
    terminal.press("ctrl-c")
    ended(terminal, 130)
    assert not (catmem.catmem_home / "config.yaml").exists()
    assert server.requests == []


def test_a_key_and_an_address_start_without_a_question(
    wire: Wire, model: StartModel, program: MakeProgram
) -> None:
    server = model(Reply("hello"))
    terminal = enter(program(server, wire, CATMEM_PROVIDER=None, **NO_PIPELINE))
    answer(terminal, "hi", "^hello$")
    leave(terminal)
    assert server.requests[0].wire == wire


def test_with_both_keys_it_is_anthropic(model: StartModel, program: MakeProgram) -> None:
    server = model(Reply("hello"))
    catmem = program(server, "messages", CATMEM_PROVIDER=None, OPENAI_API_KEY="test", **NO_PIPELINE)
    assert finished(catmem.run("-p", "hi")).stdout == "hello\n"
    assert server.requests[0].wire == "messages"
