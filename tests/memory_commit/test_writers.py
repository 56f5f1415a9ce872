"""Several writers at once: processes, shells, and a person with an editor."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from catmem.memory.store.entry import Entry, Scope
from catmem.memory.store.operations import Action, Operation
from catmem.memory.store.stores import Stores
from catmem.text import t
from tests.memory_commit.test_kill import LISTED
from tests.memory_pipeline.conftest import Learner, learner
from tests.memory_pipeline.talk import answered, said
from tests.memory_store.asking import names
from tests.memory_store.test_disk_faults import writer
from tests.support.pipeline import candidate, operation
from tests.support.program import MakeProgram
from tests.support.reply import Reply

__all__ = ["learner"]


def indexed(directory: Path) -> list[str]:
    text = (directory / "MEMORY.md").read_text("utf-8")
    return sorted(re.findall(r"^- \[([\w-]+)\]", text, re.MULTILINE))


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_two_processes_with_two_hundred_writes_each_lose_none(
    stores: Stores, workspace: Path, user_dir: Path
) -> None:
    writers = [writer(workspace, name, 200) for name in ("a", "b")]
    for process in writers:
        output, _ = process.communicate(timeout=200)
        assert output.split() == ["ready", *["added"] * 200]

    expected = sorted(f"{name}-{number}" for name in "ab" for number in range(200))
    assert names(stores.load_all()) == expected
    assert len(indexed(user_dir)) == 195  # as many as an index of 200 lines may have
    assert not stores.user.index_drifted()
    records = stores.journal.records()
    assert len([record for record in records if record["kind"] == "commit"]) == 400
    assert stores.journal.open_intents() == []


def test_add_in_ten_shells_at_once(program: MakeProgram, stores: Stores, user_dir: Path) -> None:
    catmem = program()
    shells = [catmem.start("memory", "add", f"fact number {number}") for number in range(10)]

    for number, shell in enumerate(shells):
        out, err = shell.communicate(timeout=50)
        assert (shell.returncode, out, err) == (
            0,
            f"added fact-number-{number} (user)\n".encode(),
            b"",
        )
    expected = [f"fact-number-{number}" for number in range(10)]
    assert names(stores.load_all()) == expected
    assert indexed(user_dir) == expected


STORED = {
    "one": ("Answers in English", "The answers are in English."),
    "two": ("Tests run with make", "Tests run with make test."),
    "three": ("Deploys go to Fly", "Deploys go to Fly."),
}
MORE = {
    "one": "The answers are in English and short.",
    "two": "Tests run with make test in about five minutes.",
}


class Editor:
    """Decides slowly that everything asked about is updated, while a person edits the files."""

    def __init__(self, folder: Path) -> None:
        self.rounds = 0
        self._folder = folder

    def __call__(self, question: str) -> Reply:
        self.rounds += 1
        stored, _, proposed = question.partition("## Candidates")
        numbers = {name: int(number) for number, name in LISTED.findall(stored)}
        operations: list[dict[str, Any]] = [
            operation(
                int(number),
                "update",
                target=numbers[name],
                entry={"description": STORED[name][0], "content": MORE[name]},
            )
            for number, name in LISTED.findall(proposed)
        ]
        self._edit("one", f"By hand, round {self.rounds}.\n")
        if self.rounds == 1:
            self._edit("three", "By hand too.\n")
            (self._folder / "four.md").write_text("---\nname: four\n---\nMine.\n")
        return replace(Reply.of_json({"operations": operations}), before=0.5)

    def _edit(self, name: str, line: str) -> None:
        path = self._folder / f"{name}.md"
        path.write_text(path.read_text("utf-8") + line)


@pytest.mark.anyio
async def test_every_edit_during_a_slow_consolidation_is_kept(learner: Learner) -> None:
    entries = [
        Entry(name, about, "project", text, Scope.PROJECT) for name, (about, text) in STORED.items()
    ]
    learner.stores.apply([Operation(Action.ADD, entry) for entry in entries])
    folder = learner.paths.project_memory
    assert folder is not None
    editor = Editor(folder)
    learner.router.learn(
        *(
            candidate(name, STORED[name][0], text, quote=text, type="project", scope="project")
            for name, text in MORE.items()
        )
    )
    learner.server.router = lambda request: (
        editor(request.user_texts[-1])
        if not request.is_chat and "## Candidates" in request.user_texts[-1]
        else learner.router(request)
    )
    session = learner.session(
        *(message for text in MORE.values() for message in (said(text), answered("Noted.")))
    )

    report = await learner.lifecycle().on_demand(session, learner.shown.append)

    texts = {path.stem: path.read_text("utf-8") for path in folder.glob("*.md")}
    assert (editor.rounds, report.updated) == (2, ("two",))
    assert [(item.name, item.reason) for item in report.skipped] == [
        ("one", t("pipeline.changed_on_disk"))
    ]
    assert texts["one"].endswith(f"{STORED['one'][1]}\nBy hand, round 1.\nBy hand, round 2.\n")
    assert texts["two"].endswith("in about five minutes.\n")
    assert texts["three"].endswith("By hand too.\n")
    assert texts["four"] == "---\nname: four\n---\nMine.\n"
    assert learner.journal.watermark(session.id) == 4
    await asyncio.to_thread(learner.stores.refresh_indexes)
    assert indexed(folder) == ["four", "one", "three", "two"]
    session.close()


@pytest.mark.anyio
async def test_a_run_that_cannot_recover_first_has_failed_and_says_why(learner: Learner) -> None:
    learner.stores.apply([Operation(Action.ADD, Entry("one", "One", "user", "One."))])
    intent, _ = learner.paths.journal.read_text("utf-8").splitlines()
    learner.paths.journal.write_text(f"{intent}\n", "utf-8")
    lock = learner.paths.state / "lock"
    lock.unlink()
    lock.mkdir()
    session = learner.session(said("I edit with vim"), answered("Noted."))

    report = await learner.lifecycle().on_demand(session, learner.shown.append)

    assert (report.has_failed, report.detail) == (True, f"cannot write {lock}: Is a directory")
    assert learner.server.requests == []
    session.close()
