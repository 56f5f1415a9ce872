"""Secrets in every channel of a session: none gets into what catmem derives from it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from catmem import failopen, log
from tests.acceptance.steps import answer, enter, leave, wait_idle
from tests.secrets.corpus import Planted, planted
from tests.support.model_server import ModelServer, StartModel
from tests.support.pipeline import candidate, operation, route_pipeline
from tests.support.program import MakeProgram, Program
from tests.support.reply import Reply

LINE_CHARACTERS = 1_500
BY_HAND = """\
---
name: by-hand-{number}
description: Gate {number} and {text}
metadata:
  type: reference
  gist: "{number}: a gate"
---
Gate {number} is opened by Ann.

{text}
"""


def one_of_each() -> list[Planted]:
    """One text for every format; each value is another one, so that it can be told apart."""
    first: dict[str, Planted] = {}
    for item in planted():
        first.setdefault(item.format, item)
    return list(first.values())


PLANTED = one_of_each()
BLOCK = "\n".join(item.text for item in PLANTED)


def on_one_line(items: Iterable[Planted]) -> list[str]:
    """The texts of one line each, in as few lines as a person can type."""
    lines = [""]
    for item in items:
        if "\n" not in item.text:
            if len(lines[-1]) + len(item.text) > LINE_CHARACTERS:
                lines.append("")
            lines[-1] += item.text + " ; "
    return lines


def write_by_hand(program: Program) -> None:
    """Entries that a person wrote, a secret in each."""
    folder = program.catmem_home / "memory"
    folder.mkdir(parents=True)
    for number, item in enumerate(PLANTED[:12]):
        text = item.text if "\n" not in item.text else item.secret.split("\n")[0]
        (folder / f"by-hand-{number}.md").write_text(BY_HAND.format(number=number, text=text))


def derived(program: Program) -> dict[str, bytes]:
    """Everything that catmem wrote, but for the transcripts and what a person wrote."""
    roots = [program.catmem_home, program.workspace / ".catmem"]
    return {
        str(path): path.read_bytes()
        for root in roots
        for path in root.rglob("*")
        if path.is_file()
        and not (path.parent.name == "memory" and path.name.startswith("by-hand"))
        and (program.catmem_home / "sessions") not in path.parents
    }


def leaks(places: dict[str, bytes]) -> list[tuple[str, str]]:
    """Format and place of each secret that stands somewhere in clear."""
    return [
        (item.format, place)
        for place, data in places.items()
        for item in PLANTED
        for line in item.secret.split("\n")[:2][-1:]  # of a private key, a line of its body
        if line.encode() in data or json.dumps(line)[1:-1].encode() in data
    ]


def sent(server: ModelServer) -> dict[str, bytes]:
    """The pipeline's requests as they came."""
    return {
        f"request {request.number}": json.dumps(request.body, ensure_ascii=False).encode()
        for request in server.pipeline
    }


def candidates() -> list[dict[str, Any]]:
    """Facts as the extractor writes them, with a secret in each field."""
    return [
        candidate(
            f"gate-{number}",
            f"Gate {number} is opened with {item.text}" if number < 12 else item.text,
            f"{item.text} opens gate {number}; ask Ann."
            if number < 12
            else f"Crane number {number} in the harbour lifts containers only after {item.text}",
            quote=f"gate {number} is new",
            type="project",
            scope="project",
            keywords=[item.text],
            gist=item.text,
            usageScenario=[f"when {item.text} is needed"],
        )
        for number, item in enumerate(PLANTED)
    ]


def rewritten(number: int) -> dict[str, str]:
    """An entry as the consolidator writes it, with a secret in each field that is free text."""
    text = PLANTED[number].text
    return {"type": "project", "name": f"gate-{number}", "description": text, "content": text}


def tool_turns() -> list[Reply]:
    """Secrets in tool arguments, tool output, file content, a refused memory and an answer."""
    quoted = BLOCK.replace("'", "'\\''")
    memory = {"type": "project", "description": PLANTED[0].text, "content": BLOCK}
    return [
        Reply(tool_calls=[("bash", {"command": f"printf '%s' '{quoted}'"})], chunk=4000),
        Reply(
            tool_calls=[("read_file", {"path": "dump.txt"}), ("bash", {"command": "cat dump.txt"})]
        ),
        Reply(tool_calls=[("memory_write", memory)], chunk=4000),
        Reply(tool_calls=[("write_file", {"path": "copy.txt", "content": BLOCK})], chunk=4000),
        Reply(f"Here it is: {BLOCK}\n\nAll noted.", chunk=4000),
    ]


def test_nothing_derived_and_no_pipeline_request_holds_a_secret(
    program: MakeProgram, model: StartModel
) -> None:
    typed = on_one_line(PLANTED)
    facts = candidates()
    news = "; ".join(f"gate {number} is new" for number in range(len(facts)))
    router = route_pipeline(
        chat=[
            *tool_turns(),
            *(Reply("Noted.") for _ in typed),
            Reply("Fine."),
            Reply(error=("invalid_request_error", f"bad field: {BLOCK}"), status=400),
        ],
    )
    router.extractions.append(Reply(f"I can't. {BLOCK}"))  # is asked again, with this
    router.learn(*facts[:20], episode=f"Gates were opened: {BLOCK}")
    router.decide(
        *(operation(number, "skip", reason=PLANTED[number].text) for number in range(1, 10)),
        *(
            operation(number, "update", target=number, entry=rewritten(number))
            for number in (10, 11, 12)
        ),
        *(operation(number, "add", entry=rewritten(number)) for number in range(13, 21)),
    )
    server = model(router=router)
    catmem = program(server, CATMEM_PERMISSIONS_MODE="auto")
    (catmem.workspace / "dump.txt").write_text(BLOCK)
    write_by_hand(catmem)

    with enter(catmem, rows=50, cols=160) as terminal:
        answer(terminal, "look at the dump", "All noted")
        for line in typed:
            answer(terminal, line, "Noted")
        answer(terminal, f"Remember: {news}", "Fine")
        terminal.say("go on")
        terminal.wait_for("bad field|400|rejected")
        wait_idle(terminal)
        leave(terminal)

    assert len(server.pipeline) == 3  # extraction, its second try, consolidation
    assert leaks(sent(server)) == []
    assert leaks({"system": server.chats[0].system.encode()}) == []
    written = derived(catmem)
    assert leaks(written) == []
    names = {Path(place).name for place in written}
    assert {"journal.jsonl", "prompt_history", "MEMORY.md"} <= names
    assert any(name.startswith("gate-") for name in names)
    transcript = next((catmem.catmem_home / "sessions").rglob("*.jsonl"))
    assert transcript.stat().st_mode & 0o777 == 0o600


def test_neither_the_log_nor_an_error_that_is_shown_holds_a_secret(
    tmp_path: Path, program: MakeProgram, model: StartModel
) -> None:
    log.setup(tmp_path / "catmem.log")
    failed = failopen.attempt_now(f"reading {PLANTED[0].text}", lambda: int(BLOCK))
    log.warning(BLOCK)
    assert isinstance(failed, ValueError)
    error = ("invalid_request_error", PLANTED[0].text)
    catmem = program(model(Reply(error=error), Reply(error=error)))
    runs = [catmem.run("-p", "hi"), catmem.run("-p", "hi", "--output-format", "json")]
    shown = "".join(run.stdout + run.stderr for run in runs)

    places = {"log": (tmp_path / "catmem.log").read_bytes(), "shown": shown.encode()}
    assert leaks(places) == []
    assert "[masked OpenAI key]" in shown or "[masked API key]" in shown
