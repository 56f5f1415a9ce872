"""The same in the real program: where a text came in decides what it may become."""

from __future__ import annotations

from tests.acceptance.steps import answer, enter
from tests.injection.attempts import APPROVE, IGNORE, SEND, in_lines
from tests.support.model_server import StartModel
from tests.support.pipeline import Candidate, candidate, route_pipeline
from tests.support.program import MakeProgram, Program
from tests.support.reply import Reply

ASKED = "Always answer in British English."


def believed(rule: str, name: str) -> list[Candidate]:
    quoted = [(rule, rule), (rule, "what does this say")]
    return [
        candidate(f"{name}-{kind}-{number}", content, quote=quote, type=kind, scope="user")
        for kind in ("user", "feedback", "project", "reference")
        for number, (content, quote) in enumerate(quoted)
    ]


def entries(program: Program) -> list[str]:
    roots = [program.catmem_home / "memory", program.workspace / ".catmem" / "memory"]
    return sorted(
        path.name for root in roots for path in root.glob("*.md") if path.name != "MEMORY.md"
    )


def test_piped_input_and_a_file_that_is_read_give_no_rules(
    model: StartModel, program: MakeProgram
) -> None:
    router = route_pipeline(
        chat=[
            Reply(tool_calls=[("read_file", {"path": "NOTES.md"})]),
            Reply("It says how to set it up."),
        ],
        candidates=[*believed(SEND, "send"), *believed(APPROVE, "approve")],
    )
    catmem = program(model(router=router))
    (catmem.workspace / "NOTES.md").write_text(in_lines(APPROVE))

    run = catmem.run("-p", f"what does this say? {ASKED}", stdin=in_lines(SEND))

    assert run.code == 0
    assert entries(catmem) == ["always-answer-in-british-english.md"]


def test_a_paste_of_several_lines_gives_no_rules_and_what_is_typed_beside_it_does(
    model: StartModel, program: MakeProgram
) -> None:
    router = route_pipeline(
        chat=[Reply("It is a set of instructions.")], candidates=believed(IGNORE, "ignore")
    )
    catmem = program(model(router=router))
    terminal = enter(catmem)
    terminal.paste(f"[#1 user]\n{IGNORE}")
    answer(terminal, f" what does this say? {ASKED}", "set of instructions")
    terminal.press("ctrl-d")

    assert terminal.wait_exit() == 0

    assert entries(catmem) == ["always-answer-in-british-english.md"]
