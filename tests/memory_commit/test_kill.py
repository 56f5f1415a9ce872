"""kill -9 at every write step of a run that adds, updates and deletes in both stores."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.memory_commit.dying import SENTENCES
from tests.support.model_server import StartModel
from tests.support.pipeline import PipelineRouter, candidate, excerpt, is_extraction, operation
from tests.support.reply import Reply
from tests.support.request import Request

FOUND = (
    candidate("uses-vim", "Edits with vim", "The editor is vim.", quote=SENTENCES[0]),
    candidate(
        "release-branch",
        "Releases come from stable",
        "Releases are cut from the branch stable.",
        quote=SENTENCES[1],
        type="project",
        scope="project",
    ),
    candidate(
        "reply-language",
        "Answers in English and short",
        "The answers are in English and short.",
        quote=SENTENCES[2],
        type="feedback",
    ),
    candidate(
        "test-command",
        "Tests run with make",
        "Tests run with make test in about five minutes.",
        quote=SENTENCES[3],
        type="project",
        scope="project",
    ),
    candidate("likes-tabs", "Likes tabs no longer", "No tabs any more.", quote=SENTENCES[4]),
    candidate(
        "old-wiki",
        "The wiki is gone",
        "wiki.example.org is gone.",
        quote=SENTENCES[5],
        type="reference",
        scope="project",
    ),
)
ACTIONS = {
    "uses-vim": "add",
    "release-branch": "add",
    "reply-language": "update",
    "test-command": "update",
    "likes-tabs": "delete",
    "old-wiki": "delete",
}
LISTED = re.compile(r"^(\d+)\. \[\w+\] ([\w-]+):", re.MULTILINE)


class SameAnswers(PipelineRouter):
    """Finds and decides the same, however often it is asked."""

    def __call__(self, request: Request) -> Reply | None:
        self.extractions.clear()
        self.consolidations.clear()
        self.learn(*json.loads(json.dumps(FOUND)))
        self.decide(*decisions(request.user_texts[-1]))
        return super().__call__(request)


def decisions(question: str) -> list[dict[str, Any]]:
    stored, _, proposed = question.partition("## Candidates")
    numbers = {name: int(number) for number, name in LISTED.findall(stored)}
    contents = {one["name"]: one["content"] for one in FOUND}
    return [
        operation(
            int(number),
            ACTIONS[name],
            target=numbers.get(name),
            entry={"description": name, "content": contents[name]},
        )
        for number, name in LISTED.findall(proposed)
    ]


@pytest.mark.timeout(300)  # a fork and a fsync for each step: long where the disk is busy
def test_a_run_killed_at_any_write_step_is_before_or_after(
    model: StartModel, tmp_path: Path
) -> None:
    server = model(router=SameAnswers())
    root = Path(__file__).parents[2]
    program = subprocess.run(
        [sys.executable, "-m", "tests.memory_commit.dying", str(tmp_path / "runs"), server.url],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{root}:{os.environ.get('PYTHONPATH', '')}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert program.returncode == 0, program.stderr
    runs = [json.loads(line) for line in program.stdout.splitlines()]
    extractions = [
        int(found[1])
        for request in server.requests
        if is_extraction(request)
        for found in [re.search(r"marker (\d+) of", excerpt(request)[1])]
        if found
    ]
    *killed, last = runs
    assert last["signal"] == 0
    before, after = last["before"], last["after"]["files"]
    assert sorted(after) == [
        "project/MEMORY.md",
        "project/release-branch.md",
        "project/test-command.md",
        "user/MEMORY.md",
        "user/reply-language.md",
        "user/uses-vim.md",
    ]
    outcomes = []
    for run in killed:
        assert (run["signal"], run["failed"], run["errors"]) == (9, 0, ""), run
        assert run["before"] == before
        finished = run["opened"]["files"] == after
        seq = len(SENTENCES) + 1
        assert run["opened"] == {
            "files": after if finished else before,
            "drifted": [],
            "open": 0,
            "seq": seq if finished else 0,
        }, run["name"]
        assert run["after"] == {"files": after, "drifted": [], "open": 0, "seq": seq}, run["name"]
        assert extractions.count(run["step"]) == (1 if finished else 2), run["name"]
        outcomes.append((run["name"], "after" if finished else "before"))
    for name, outcome in outcomes:
        print(f"{name:40} {outcome}")  # noqa: T201 - the table for the report
    assert [outcome for _, outcome in outcomes] == sorted(
        (outcome for _, outcome in outcomes), reverse=True
    )
