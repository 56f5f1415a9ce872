"""Taking back runs one after the other, and what the history of an entry says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from catmem.memory.commands.past import history, undoing
from catmem.memory.commands.past.slash import past_commands
from catmem.memory.commands.slash import MemoryCommand
from catmem.memory.pipeline.report import Report
from catmem.memory.store.entry import Scope
from catmem.memory.store.operations import Action, Operation
from catmem.memory.store.stores import Stores, open_stores
from catmem.paths import Paths, find_paths
from catmem.text import set_language
from tests.memory_commit.test_transaction import die_at
from tests.memory_store.asking import add, delete, entry, file_names, update
from tests.memory_store.test_memory_commands import Screen


def contents(paths: Paths) -> dict[str, bytes]:
    """Every file of both stores but the notes for git, with its bytes."""
    assert paths.project_memory is not None
    found = [*paths.user_memory.glob("*"), *paths.project_memory.glob("*")]
    return {f"{path.parent.parent.parent.name}/{path.name}": path.read_bytes() for path in found}


def undo(stores: Stores) -> tuple[int, list[str], list[str]]:
    out, err = Screen(), Screen()
    code = undoing.undo_run(stores, out.write, err.write)
    return code, [re.sub(r"\d{4}-.*", "…", line) for line in out.printed], err.printed


def told(stores: Stores, name: str) -> list[str]:
    screen = Screen()
    history.show_history(stores, name, screen.write, screen.err)
    return [re.sub(r"^\d{4}-\d\d-\d\d \d\d:\d\d", "…", line) for line in screen.text.splitlines()]


@pytest.fixture
def filled(stores: Stores) -> Stores:
    add(stores, "old")
    add(stores, "ours", type="project", scope=Scope.PROJECT)
    return stores


def a_run(stores: Stores) -> None:
    """Add, update and delete in one transaction over both stores."""
    stores.apply(
        [
            Operation(Action.ADD, entry("new")),
            Operation(Action.UPDATE, entry("old", "Newer", content="New text."), name="old"),
            Operation(Action.DELETE, name="ours"),
        ],
        lambda _report: {"run": "r", "session": "s", "seq": 4, "outcome": "saved"},
    )


def test_a_run_over_both_stores_is_taken_back_byte_for_byte(filled: Stores, paths: Paths) -> None:
    before = contents(paths)
    a_run(filled)
    assert contents(paths) != before

    assert undo(filled) == (
        0,
        [
            "taken back: what was done on …",
            "  new (user): was new, is now in the archive",
            "  old (user): the version before is back",
            "  ours (project): was removed, is back",
        ],
        [],
    )

    assert contents(paths) == before
    (version,) = (paths.state / "archive/new").iterdir()
    assert "name: new" in version.read_text()


def test_undo_goes_back_one_run_at_a_time_and_never_forward(filled: Stores, paths: Paths) -> None:
    texts = [(paths.user_memory / "old.md").read_bytes()]
    for number in (1, 2):
        update(filled, "old", content=f"Text {number}.")
        texts.append((paths.user_memory / "old.md").read_bytes())

    for text in (texts[1], texts[0]):
        assert undo(filled)[0] == 0
        assert (paths.user_memory / "old.md").read_bytes() == text
    assert undo(filled)[1][1:] == ["  ours (project): was new, is now in the archive"]
    assert undo(filled)[1][1:] == ["  old (user): was new, is now in the archive"]
    assert undo(filled) == (1, [], ["there is nothing to take back"])
    add(filled, "again")
    assert undo(filled)[1][1:] == ["  again (user): was new, is now in the archive"]


def test_pieces_of_one_run_are_taken_back_together(filled: Stores, paths: Paths) -> None:
    before = contents(paths)
    for number in (1, 2):
        operation = Operation(Action.UPDATE, entry("old", content=f"{number}"), name="old")
        filled.apply([operation], lambda _report: {"run": "long"})
    operations = [Operation(Action.ADD, entry("brief"))]
    filled.apply(operations, lambda _report: {"run": "long"})
    filled.apply([Operation(Action.DELETE, name="brief")], lambda _report: {"run": "long"})

    assert undo(filled)[1][1:] == ["  old (user): the version before is back"]

    assert contents(paths) == before


def test_what_was_edited_since_is_left_alone_and_named(filled: Stores, paths: Paths) -> None:
    a_run(filled)
    path = paths.user_memory / "old.md"
    path.write_text(path.read_text() + "By hand.\n")
    edited = path.read_bytes()
    add(filled, "ours", type="project", scope=Scope.PROJECT, content="Another.")
    assert undo(filled)[0] == 0
    assert paths.project_memory is not None
    (paths.project_memory / "mine.md").write_text("---\nname: ours\n---\nMine.\n")

    assert undo(filled) == (
        1,
        ["taken back: what was done on …", "  new (user): was new, is now in the archive"],
        [
            "  left alone: the memory old was changed since, and that text was kept",
            "  left alone: there is already a memory called ours",
        ],
    )

    assert path.read_bytes() == edited
    assert file_names(paths.project_memory) == ["MEMORY.md", "mine.md"]
    assert undo(filled)[1][1:] == []  # the next one before: the very add of “ours”, gone since


def test_a_version_that_is_no_longer_in_the_archive_cannot_come_back(
    filled: Stores, paths: Paths
) -> None:
    update(filled, "old", content="New.")
    for version in (paths.state / "archive/old").iterdir():
        version.unlink()

    assert undo(filled)[2] == [
        "  left alone: the memory old has its version before no longer in the archive"
    ]
    assert "New." in (paths.user_memory / "old.md").read_text()


def test_runs_of_another_project_are_left_to_it(
    filled: Stores, tmp_path: Path, paths: Paths
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    other = open_stores(find_paths(elsewhere, {"CATMEM_HOME": str(paths.home)}))
    add(other, "theirs", type="project", scope=Scope.PROJECT)

    assert undo(filled)[1][1:] == ["  ours (project): was new, is now in the archive"]
    assert undo(other)[1][1:] == ["  theirs (project): was new, is now in the archive"]


def test_an_undo_killed_half_way_is_all_or_nothing(
    filled: Stores, paths: Paths, workspace: Path
) -> None:
    before = contents(paths)
    a_run(filled)
    after = contents(paths)
    for step in (6, 12, 14, 15, 17):
        name = die_at(step, workspace, "undo()")
        assert name
        open_stores(paths).recover()
        assert contents(paths) in (before, after), (step, name)
        if contents(paths) == before:
            break
    else:
        assert undo(filled)[0] == 0
    assert contents(paths) == before


def test_the_history_of_an_entry_names_session_and_words(filled: Stores, paths: Paths) -> None:
    quote = {"seq": 3, "quote": "run it with just"}
    operation = Operation(Action.UPDATE, entry("old", "Newer", content="New."), name="old")
    record = {"session": "s-1", "seq": 9, "outcome": "saved", "evidence": {"old": [quote]}}
    filled.apply([operation], lambda _report: record)
    (first,) = (paths.state / "archive/old").iterdir()
    current = paths.user_memory / "old.md"

    assert told(filled, "Old") == [
        "… added (user): A fact",
        f"    {first}",
        "… updated (user): Newer",
        "    session s-1, message 3: “run it with just”",
        f"    {current}",
    ]

    undo(filled)
    delete(filled, "old")
    assert [line for line in told(filled, "old") if line.startswith("…")] == [
        "… added (user): A fact",
        "… updated (user): Newer",
        "… taken back (user): A fact",
        "… removed (user)",
    ]


def test_the_history_tells_what_was_written_by_hand(filled: Stores, paths: Paths) -> None:
    path = paths.user_memory / "old.md"
    path.write_text(path.read_text().replace("A fact", "Mine"))
    assert [line for line in told(filled, "old") if line.startswith("…")] == [
        "… added (user)",
        "… as it is now, edited by hand (user): Mine",
    ]


def test_the_history_as_json_and_of_an_unknown_name(filled: Stores, paths: Paths) -> None:
    screen = Screen()
    assert history.show_history(filled, "ours", screen.write, screen.err, as_json=True) == 0
    (version,) = json.loads(screen.text)
    assert paths.project_memory is not None
    assert {key: version[key] for key in version if key != "at"} == {
        "what": "add",
        "scope": "project",
        "session": "",
        "quotes": [],
        "description": "A fact",
        "path": str(paths.project_memory / "ours.md"),
    }
    for name in ("../ours", "our"):
        screen = Screen()
        assert history.show_history(filled, name, screen.write, screen.err) == 1
        assert screen.printed == []
        assert screen.errors[0].startswith(f"there is no memory called {name}")


@pytest.mark.anyio
async def test_in_the_session_and_in_chinese(filled: Stores) -> None:
    async def learn(_show: Any) -> Report:
        return Report()

    command = MemoryCommand(learn, past_commands(filled))
    screen = Screen()
    set_language("zh")
    try:
        for rest in ("history", "history ours", "undo", "undo", "undo"):
            await command.run(rest, screen)
    finally:
        set_language("en")
    lines = [re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "…", line) for line in screen.printed]
    assert lines[1].splitlines()[0] == "… 新增（项目）：A fact"
    assert lines[2:] == [
        "已撤销 … 的改动",
        "  ours（项目）：原为新增，已移到归档",
        "已撤销 … 的改动",
        "  old（用户）：原为新增，已移到归档",
        "没有可以撤销的记录",
    ]


def test_a_clock_that_was_set_back_takes_no_version_from_undo(stores: Stores) -> None:
    add(stores, "old", content="Version 0.")
    for number in range(1, 22):
        update(stores, "old", content=f"Version {number}.")
    kept = stores.user.places.archive / "old"
    for version in sorted(kept.iterdir()):  # written when the clock was fifty years ahead
        version.rename(kept / f"{int(version.name[:4]) + 50}{version.name[4:]}")

    update(stores, "old", content="Version 22.")
    assert len(list(kept.iterdir())) == 20
    assert undo(stores)[0] == 0

    assert [one.content.strip() for one in stores.load_all()] == ["Version 21."]
