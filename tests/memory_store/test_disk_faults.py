from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from catmem.memory.store.entry import Scope
from catmem.memory.store.operations import Action, Operation, Result
from catmem.memory.store.stores import Stores, open_stores
from catmem.paths import Paths
from catmem.storage import lock
from tests.memory_store.asking import add, entry, file_names, names, update

WRITER = """
import os, sys
from pathlib import Path
from catmem.memory.store.entry import Entry
from catmem.memory.store.operations import Action, IfExists, Operation
from catmem.memory.store.stores import open_stores
from catmem.paths import find_paths
stores = open_stores(find_paths(Path.cwd(), os.environ))
print("ready", flush=True)
for number in range(int(sys.argv[2])):
    entry = Entry(f"{sys.argv[1]}-{number}", "D", "user", "x" * int(sys.argv[3]))
    operation = Operation(Action.ADD, entry, if_exists=IfExists.REPLACE)
    print(stores.apply([operation]).outcomes[0].result, flush=True)
"""


def writer(workspace: Path, name: str, count: int, size: int = 10) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, name, str(count), str(size)],
        cwd=workspace,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_a05_two_processes_writing_at_once_lose_nothing(
    stores: Stores, workspace: Path, user_dir: Path
) -> None:
    writers = [writer(workspace, name, 15) for name in ("a", "b")]
    for process in writers:
        output, _ = process.communicate(timeout=30)
        assert output.split() == ["ready", *["added"] * 15]

    expected = sorted(f"{name}-{number}" for name in "ab" for number in range(15))
    assert names(stores.load_all()) == expected
    index = (user_dir / "MEMORY.md").read_text()
    assert [
        line.split("]")[0][3:] for line in index.splitlines() if line.startswith("- [")
    ] == expected


def test_a16_killed_in_mid_write_the_store_is_whole(
    stores: Stores, workspace: Path, user_dir: Path
) -> None:
    process = writer(workspace, "big", 10_000, 400_000)
    assert process.stdout is not None
    assert [process.stdout.readline() for _ in range(2)] == ["ready\n", "added\n"]
    time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    (user_dir / ".catmem-tmp-left").write_text("half a fa")

    entries = stores.load_all()
    assert entries
    assert all(entry.content == "x" * 400_000 + "\n" for entry in entries)
    assert stores.new_warnings() == []
    assert add(stores, "next").result is Result.ADDED  # the dead owner's lock is free


def test_a16_a_full_disk_keeps_the_old_text_and_says_so(stores: Stores, user_dir: Path) -> None:
    add(stores, "a", content="Old")
    before = (user_dir / "a.md").read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        outcome = update(stores, "a", content="new " * 5000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)

    assert outcome.result is Result.FAILED
    assert "a.md" in outcome.reason
    assert (user_dir / "a.md").read_bytes() == before
    assert file_names(user_dir) == ["MEMORY.md", "a.md"]
    assert update(stores, "a", content="new " * 5000).result is Result.UPDATED


def test_a18_where_a_file_stands_for_the_directory_everything_but_saving_works(
    stores: Stores, paths: Paths, home: Path
) -> None:
    (home / ".catmem").mkdir()
    paths.user_memory.write_text("I am a file")

    assert stores.load_all() == []
    assert stores.problems() == [
        f"memories cannot be saved: {paths.user_memory} is not a directory"
    ]
    stores.refresh_indexes()
    report = stores.apply(
        [
            Operation(Action.ADD, entry("mine")),
            Operation(Action.ADD, entry("ours", scope=Scope.PROJECT)),
        ]
    )
    assert [outcome.result for outcome in report.outcomes] == [Result.FAILED, Result.ADDED]
    assert report.outcomes[0].name == "mine"
    assert str(paths.user_memory) in report.outcomes[0].reason
    assert paths.user_memory.read_text() == "I am a file"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a18_a_read_only_directory_is_reported(stores: Stores, user_dir: Path) -> None:
    user_dir.chmod(0o500)
    try:
        assert stores.problems() == [f"memories cannot be saved: {user_dir} is not writable"]
        assert add(stores).result is Result.FAILED
    finally:
        user_dir.chmod(0o700)


def test_a_store_held_by_another_process_is_waited_for(
    stores: Stores, paths: Paths, workspace: Path
) -> None:
    with lock(paths.state / "lock", 1):
        process = writer(workspace, "a", 1)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        assert process.poll() is None
        assert stores.load_all() == []
    output, _ = process.communicate(timeout=20)
    assert output == "added\n"


def test_an_index_that_cannot_be_written_does_not_undo_the_entry(
    stores: Stores, user_dir: Path, paths: Paths
) -> None:
    (user_dir / "MEMORY.md").mkdir()

    assert add(stores, "a").result is Result.ADDED
    assert names(open_stores(paths).load_all()) == ["a"]
