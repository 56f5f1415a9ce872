"""kill -9 at random moments of a whole session in the real program, and the next start after it."""

from __future__ import annotations

import json
import os
import random
import signal
import threading
import time
from pathlib import Path

import pytest

from catmem.memory.pipeline.journal import Journal
from catmem.memory.store.stores import open_stores
from catmem.paths import find_paths
from catmem.sessions import last_seq, list_transcripts
from tests.acceptance.steps import EMPTY, answer
from tests.memory_commit.dying import SENTENCES
from tests.memory_commit.test_kill import FOUND, SameAnswers
from tests.support.model_server import ModelServer, StartModel
from tests.support.pipeline import excerpt, is_extraction
from tests.support.program import Program
from tests.support.reply import Reply
from tests.support.request import Request

MOMENTS = 50
NOTE = "the-staging-host-is-stage-7"
SAID = (0, 1, 3)  # which of the sentences are said


class Talking(SameAnswers):
    """Answers chat too."""

    def __call__(self, request: Request) -> Reply | None:
        return Reply("Noted.") if request.is_chat else super().__call__(request)


def session(program: Program, number: int, after: float | None) -> tuple[float, bool]:
    """Talk, remember, leave; killed after some seconds. Return how long it took, what was seen."""
    begin = time.monotonic()
    terminal = program.terminal(cols=100)
    death = threading.Timer(after or 0, os.kill, (terminal.pid, signal.SIGKILL))
    if after is not None:
        death.start()
    try:
        terminal.wait_for(EMPTY, on_screen=True)
        for place, sentence in enumerate(SAID):
            text = f"session {number}, part {place}: {SENTENCES[sentence]}"
            answer(terminal, text, rf"part {place}[\s\S]*Noted")
            if not place:
                answer(terminal, "/remember the staging host is stage-7", "added ")
        terminal.press("ctrl-d")
    except (AssertionError, OSError):
        if after is None:
            raise
    code = terminal.wait_exit()
    death.cancel()
    assert after is not None or code == 0, terminal.transcript
    return time.monotonic() - begin, "added the-staging" in terminal.transcript


def extractions(server: ModelServer, number: int) -> int:
    return sum(
        is_extraction(request) and f"session {number}, part" in json.dumps(excerpt(request))
        for request in server.requests
    )


def make(base: Path, number: int, server: ModelServer) -> Program:
    home, workspace = base / str(number) / "home", base / str(number) / "workspace"
    home.mkdir(parents=True)
    workspace.mkdir()
    return Program(home, workspace, base / "guard", server)


@pytest.mark.slow
@pytest.mark.timeout(1_200)
def test_a_session_killed_at_random_moments_loses_and_doubles_nothing(
    model: StartModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server = model(router=Talking())
    chance = random.Random(5)
    program = make(tmp_path, 0, server)
    whole, _ = session(program, 0, None)
    program.close()
    rows = ["moment  said  noted  entries after the kill → after the next start  extractions"]
    for number in range(1, MOMENTS + 1):
        program = make(tmp_path, number, server)
        moment = chance.uniform(0.2, whole)
        _, noted = session(program, number, moment)
        paths = find_paths(program.workspace, {"CATMEM_HOME": str(program.catmem_home)})
        stores = open_stores(paths)
        stores.recover()
        stores.refresh_indexes()
        opened = {entry.name for entry in stores.load_all()}
        transcripts = list_transcripts(paths.sessions)
        text = "".join(path.read_text("utf-8") for path in transcripts)
        said = [
            place for place, one in enumerate(SAID) if f"part {place}: {SENTENCES[one]}" in text
        ]
        facts = {FOUND[SAID[place]]["name"] for place in said}
        assert opened - {NOTE} in (set(), facts), (number, moment)
        assert NOTE in opened or not noted, (number, moment)

        run = program.run("memory", "extract")
        again = program.run("memory", "extract")
        program.close()

        assert (run.code, again.code) == (0, 0), (number, run, again)
        stores = open_stores(paths)
        names = [entry.name for entry in stores.load_all()]
        assert sorted(names) == sorted(facts | (opened & {NOTE})), (number, moment)
        assert [store.scope for store in stores.all if store.index_drifted()] == []
        assert stores.journal.open_intents() == []
        for path in transcripts:
            assert Journal(paths.journal).watermark(path.stem) == last_seq(path)
        asked = extractions(server, number)
        assert asked <= (1 if opened & facts else 2), (number, moment)
        rows.append(
            f"{moment:5.2f}s  {len(said)}     {'yes' if noted else 'no ':3}"
            f"    {len(opened)} → {len(names)}    {asked}"
        )
    with capsys.disabled():
        print("\n" + "\n".join(rows))  # noqa: T201 - the table for the report
