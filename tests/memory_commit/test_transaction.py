"""What a transaction leaves on disk and in the journal, and what recovery makes of a half one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from catmem.errors import StorageError
from catmem.memory.pipeline.journal import Journal
from catmem.memory.store.commit.journal import JournalFile
from catmem.memory.store.entry import Scope
from catmem.memory.store.operations import Action, ApplyReport, Operation, Result
from catmem.memory.store.stores import Stores, open_stores
from catmem.paths import Paths
from catmem.storage import lock
from tests.memory_store.asking import add, entry, file_names, names, one, update

EVERYTHING = [
    Operation(Action.ADD, entry("new")),
    Operation(Action.UPDATE, entry("old", content="New text."), name="old"),
    Operation(Action.DELETE, name="ours"),
]
# Does what the argument says with the stores, and dies where the environment says.
WRITER = """
import os, sys
from pathlib import Path
from catmem.memory.store.stores import open_stores
from catmem.paths import find_paths
from tests.memory_commit.test_transaction import EVERYTHING
record = {"session": "s", "seq": 7, "outcome": "saved"}
stores = open_stores(find_paths(Path.cwd(), os.environ))
eval("stores." + sys.argv[1])
"""
ROOT = Path(__file__).parents[2]


@pytest.fixture
def filled(stores: Stores) -> Stores:
    add(stores, "old")
    add(stores, "ours", type="project", scope=Scope.PROJECT)
    return stores


def die_at(step: int, workspace: Path, call: str = "apply(EVERYTHING, lambda _: record)") -> str:
    """Let another process do something and die at a step of it; return the step's name."""
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "CATMEM_TEST_DIE_AT": str(step)}
    run = subprocess.run(
        [sys.executable, "-c", WRITER, call],
        cwd=workspace,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode in {0, -9}, run.stderr
    return run.stderr.strip()


def given(record: dict[str, Any], _report: ApplyReport) -> dict[str, Any]:
    return record


def records(paths: Paths) -> list[dict[str, Any]]:
    return [json.loads(line) for line in paths.journal.read_text("utf-8").splitlines()]


def kinds(paths: Paths) -> list[str]:
    return [record["kind"] for record in records(paths)]


def test_a_transaction_is_announced_and_committed_with_its_record(
    filled: Stores, paths: Paths, workspace: Path
) -> None:
    report = filled.apply(EVERYTHING, lambda report: {"names": report.added, "seq": 3})

    assert (report.added, report.updated, report.deleted) == (("new",), ("old",), ("ours",))
    intent, commit = records(paths)[-2:]
    user, project = paths.user_memory, workspace / ".catmem/memory"
    assert [(item["action"], item["path"], item["state"]) for item in intent["files"]] == [
        ("add", str(user / "new.md"), str(paths.state)),
        ("update", str(user / "old.md"), str(paths.state)),
        ("delete", str(project / "ours.md"), str(workspace / ".catmem/state")),
    ]
    assert [Path(item["archived"] or "").parent.name for item in intent["files"]] == [
        "",
        "old",
        "ours",
    ]
    assert intent["record"] == {"names": ["new"], "seq": 3}
    assert {key: commit[key] for key in commit if key not in {"at", "tx"}} == {
        "v": 1,
        "kind": "commit",
        "names": ["new"],
        "seq": 3,
    }
    assert commit["tx"] == intent["tx"]


def test_what_is_stopped_writes_nothing(filled: Stores, paths: Paths) -> None:
    before = paths.journal.read_bytes(), (paths.user_memory / "old.md").read_bytes()

    assert filled.apply(EVERYTHING, lambda _report: None).added == ("new",)

    assert (paths.journal.read_bytes(), (paths.user_memory / "old.md").read_bytes()) == before
    assert names(filled.load_all()) == ["old", "ours"]
    assert (paths.state / "archive").exists() is False


def test_all_of_it_or_nothing_where_the_disk_fails_half_way(
    filled: Stores, paths: Paths, workspace: Path
) -> None:
    before = (paths.user_memory / "old.md").read_bytes()
    (paths.state / "archive").write_text("in the way")

    report = filled.apply(EVERYTHING)

    assert {outcome.result for outcome in report.outcomes} == {Result.FAILED}
    assert file_names(paths.user_memory) == ["MEMORY.md", "old.md"]
    assert (paths.user_memory / "old.md").read_bytes() == before
    assert file_names(workspace / ".catmem/memory") == ["MEMORY.md", "ours.md"]
    assert kinds(paths)[-2:] == ["intent", "abort"]


def test_an_edit_while_it_is_prepared_is_kept(filled: Stores, paths: Paths) -> None:
    path = paths.user_memory / "old.md"
    edits = ["One.\n", "Two.\n"]

    def edit(_report: object) -> dict[str, Any]:
        if edits:
            path.write_text(path.read_text() + edits.pop(0))
        return {}

    report = filled.apply([Operation(Action.DELETE, name="old")], edit)

    assert report.deleted == ("old",)
    assert kinds(paths).count("abort") == 2
    archived = sorted((paths.state / "archive/old").iterdir())
    assert archived[-1].read_text().endswith("The fact.\nOne.\nTwo.\n")


def test_recovery_reverses_what_is_half_there(
    filled: Stores, paths: Paths, workspace: Path
) -> None:
    before = (paths.user_memory / "old.md").read_bytes()
    assert die_at(13, workspace) == "replaced old.md"
    assert names(filled.load_all()) == ["new", "old", "ours"]

    assert open_stores(paths).recover() == []

    assert kinds(paths)[-2:] == ["intent", "abort"]
    assert file_names(paths.user_memory) == ["MEMORY.md", "old.md"]
    assert (paths.user_memory / "old.md").read_bytes() == before
    assert Journal(paths.journal).watermark("s") == 0


def test_recovery_finishes_what_is_all_there(filled: Stores, paths: Paths, workspace: Path) -> None:
    assert die_at(14, workspace) == "removed ours.md"

    assert open_stores(paths).recover() == []

    assert kinds(paths)[-2:] == ["intent", "commit"]
    assert names(open_stores(paths).load_all()) == ["new", "old"]
    assert Journal(paths.journal).watermark("s") == 7
    assert "- [new]" in (paths.user_memory / "MEMORY.md").read_text()
    assert "ours" not in (workspace / ".catmem/memory/MEMORY.md").read_text()


def test_recovery_keeps_what_a_person_wrote_since(
    filled: Stores, paths: Paths, workspace: Path
) -> None:
    assert die_at(13, workspace) == "replaced old.md"
    path = paths.user_memory / "old.md"
    path.write_text("---\nname: old\n---\nBy hand.\n")

    assert open_stores(paths).recover() == [
        f"{path} was changed after a write had been broken off, and stays as it is now"
    ]

    assert path.read_text() == "---\nname: old\n---\nBy hand.\n"
    assert names(open_stores(paths).load_all()) == ["old", "ours"]
    assert open_stores(paths).recover() == []


def test_recovery_of_a_project_that_is_gone_ends(
    filled: Stores, paths: Paths, workspace: Path
) -> None:
    assert die_at(14, workspace) == "removed ours.md"
    shutil.rmtree(workspace / ".catmem")
    (paths.user_memory / "new.md").unlink()

    stores = open_stores(paths)
    assert len(stores.recover()) == 1

    assert names(stores.load_all()) == ["old"]
    assert "The fact." in (paths.user_memory / "old.md").read_text()
    assert not (workspace / ".catmem").exists()
    assert stores.recover() == []


def test_a_write_recovers_first_and_no_temporary_file_stays(
    filled: Stores, paths: Paths, workspace: Path
) -> None:
    assert die_at(11, workspace) == "written old.md"
    assert any(name.startswith(".catmem-tmp-") for name in file_names(paths.user_memory))

    assert update(open_stores(paths), "old", content="Later.").result is Result.UPDATED

    assert kinds(paths)[-4:] == ["intent", "abort", "intent", "commit"]
    assert file_names(paths.user_memory) == ["MEMORY.md", "old.md"]


@pytest.mark.parametrize("step", [1, 2])
def test_a_recovery_that_is_killed_too_leaves_no_temporary_file(
    stores: Stores, paths: Paths, workspace: Path, step: int
) -> None:
    add(stores, "old")
    first = die_at(2, workspace, "apply(EVERYTHING[:1])")
    die_at(step, workspace, "recover()")
    stores.recover()

    assert (first, stores.journal.open_intents()) == ("begin new.md", [])
    assert file_names(paths.user_memory) == ["MEMORY.md", "old.md"]


def test_a_last_line_that_is_cut_anywhere_is_recovered_from(
    filled: Stores, paths: Paths, workspace: Path
) -> None:
    filled.apply(EVERYTHING, lambda _report: {"session": "s", "seq": 7, "outcome": "saved"})
    whole = paths.journal.read_bytes()
    last = len(whole.splitlines(keepends=True)[-1])
    for cut in range(1, last, 9):
        paths.journal.write_bytes(whole[:-cut])
        stores = open_stores(paths)
        stores.recover()
        assert names(stores.load_all()) == ["new", "old"], cut
        assert Journal(paths.journal).watermark("s") == 7, cut
        assert stores.recover() == []


def test_what_was_put_back_after_its_commit_record_does_not_count(
    stores: Stores, paths: Paths
) -> None:
    # The record was written, but could not be made durable.
    stores.apply([], partial(given, {"session": "s", "seq": 7, "outcome": "saved"}))
    (commit,) = stores.journal.commits()
    with stores.journal.locked():
        stores.journal.append({"kind": "abort", "tx": commit["tx"]})

    assert Journal(paths.journal).watermark("s") == 0
    assert open_stores(paths).undo() is None


def test_a_journal_of_a_newer_catmem_is_left_alone(
    filled: Stores, paths: Paths, workspace: Path
) -> None:
    die_at(13, workspace)
    with paths.journal.open("a") as file:
        file.write('{"v": 2, "kind": "else"}\n')
    before = paths.journal.read_bytes()
    stores = open_stores(paths)

    assert stores.recover() == []
    outcome = add(stores, "more")

    assert (outcome.result, outcome.reason) == (
        Result.FAILED,
        f"{paths.journal} was written by a newer catmem, so nothing is stored; use that one",
    )
    assert paths.journal.read_bytes() == before
    assert names(stores.load_all()) == ["new", "old", "ours"]


def test_the_archive_keeps_the_last_twenty_versions(stores: Stores, paths: Paths) -> None:
    add(stores, "a", content="0")
    for number in range(1, 25):
        update(stores, "a", content=str(number))

    texts = [path.read_text() for path in sorted((paths.state / "archive/a").iterdir())]
    assert [int(text.splitlines()[-1]) for text in texts] == list(range(4, 24))


def test_a_long_journal_is_shortened_and_forgets_no_session(stores: Stores, paths: Paths) -> None:
    journal = JournalFile(paths.journal)
    long = {"evidence": {"a": [{"seq": 1, "quote": "x" * 4_000}]}}
    for number in range(300):
        settled = {
            "session": f"s{number}",
            "seq": 5,
            "outcome": "saved",
            "episode": f"Talk {number}.",
            **long,
        }
        failed = {"session": f"s{number}", "seq": 9, "outcome": "failed", **long}
        for record in (settled, failed):
            stores.apply([], partial(given, record))
    add(stores, "a")

    assert paths.journal.stat().st_size < 1_100_000
    standings = Journal(paths.journal).standings()
    assert len(standings) == 300
    assert {(one.seq, one.failures) for one in standings.values()} == {(5, 1)}
    assert Journal(paths.journal).episodes() == [f"Talk {number}." for number in range(300)]
    assert journal.records()[0]["kind"] == "compacted"
    assert [record["kind"] for record in journal.records()[-2:]] == ["intent", "commit"]
    assert stores.recover() == []


def test_another_instance_sees_what_was_shortened_behind_its_back(
    stores: Stores, paths: Paths
) -> None:
    add(stores, "a")
    other = JournalFile(paths.journal)
    assert len(other.records()) == 2
    stores.journal.rewrite(lambda record: record if record["kind"] == "commit" else None)
    add(stores, "b")

    assert [record["kind"] for record in other.records()] == [
        "compacted",
        "commit",
        "intent",
        "commit",
    ]


def test_who_holds_the_lock_too_long_is_named(stores: Stores, paths: Paths) -> None:
    add(stores)
    code = (
        "import sys\nfrom pathlib import Path\nfrom catmem.storage import lock\n"
        "with lock(Path(sys.argv[1]), 1):\n    print('held', flush=True)\n    sys.stdin.read()\n"
    )
    path = paths.state / "lock"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == b"held\n"
        since = time.time()
        with pytest.raises(StorageError) as caught, lock(path, 0.1):
            pass
        age = time.time() - since
        holder.stdin.close()
    start, _, rest = str(caught.value).partition(" s;")
    words, _, seconds = start.rpartition(" ")
    assert words == f"another catmem (process {holder.pid}) has held {path} for"
    assert 0 <= int(seconds) <= age + 1
    assert rest == " wait for it, or end it"


def test_an_unused_stop_costs_nothing(filled: Stores, paths: Paths, workspace: Path) -> None:
    assert die_at(1_000, workspace) == ""
    assert names(filled.load_all()) == ["new", "old"]
    assert one(filled, Operation(Action.DELETE, name="new")).result is Result.DELETED
    assert kinds(paths)[-2:] == ["intent", "commit"]
