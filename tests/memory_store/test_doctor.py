"""``doctor``: what it finds, what it repairs, what it leaves; a second run finds nothing."""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from catmem import storage
from catmem.memory.commands.doctor.examining import doctor
from catmem.memory.store.entry import Scope
from catmem.memory.store.stores import Stores
from catmem.text import set_language
from tests.memory_store.asking import VIM, add, file_names, names, read
from tests.support.program import MakeProgram

FINE = ["nothing is wrong"]
HEADER = "---\nname: {name}\ndescription: D\ntype: user\n---\nBody of {name}\n"


def run(stores: Stores, expected: int) -> list[str]:
    printed: list[str] = []
    assert doctor(stores, printed.append) == expected, printed
    return printed


def repaired(stores: Stores) -> list[str]:
    """Run the doctor twice: all it found was repaired, and then nothing is wrong."""
    *found, summary = run(stores, 0)
    assert summary == f"{len(found)} repaired, 0 left to you"
    assert run(stores, 0) == FINE
    assert all(line.startswith("repaired: ") for line in found)
    return [line.removeprefix("repaired: ") for line in found]


def note(folder: Path, file: str, name: str = "") -> Path:
    path = folder / file
    path.write_text(HEADER.format(name=name or file.removesuffix(".md")))
    path.chmod(0o600)
    return path


@pytest.fixture
def own(user_dir: Path) -> Path:
    """CATMEM_HOME with a user store, private as catmem makes it."""
    for folder in (user_dir, user_dir.parent):
        folder.chmod(0o700)
    return user_dir.parent


def test_nothing_is_wrong_with_what_catmem_wrote(stores: Stores, own: Path) -> None:
    add(stores, **VIM)
    add(stores, "deploy-day", scope=Scope.PROJECT)
    before = {path: path.read_bytes() for path in own.rglob("*.md")}

    assert run(stores, 0) == FINE

    assert {path: path.read_bytes() for path in own.rglob("*.md")} == before


def test_an_empty_home_is_left_empty(stores: Stores) -> None:
    assert run(stores, 0) == FINE
    assert not stores.user.places.state.exists()


def test_a_drifted_index_is_rebuilt(stores: Stores, own: Path, user_dir: Path) -> None:
    add(stores, "gone")
    (user_dir / "gone.md").unlink()
    note(user_dir, "new.md")

    assert repaired(stores) == [
        f"{user_dir}/MEMORY.md did not say what the files say; it was rebuilt"
    ]

    index = (user_dir / "MEMORY.md").read_text()
    assert ("[new](new.md) — D" in index, "gone" in index) == (True, False)


def test_what_was_read_as_it_was_meant_is_written_so(
    stores: Stores, own: Path, user_dir: Path
) -> None:
    add(stores, **VIM)
    colon = note(user_dir, "colon.md")
    colon.write_text(colon.read_text().replace("D\n", "first: verify\n"))
    gbk = note(user_dir, "gbk.md")
    gbk.write_bytes(gbk.read_text().replace("Body", "正文").encode("gbk"))
    plain = user_dir / "Plain Note.md"
    plain.write_text("Only words.\n")
    plain.chmod(0o600)

    found = repaired(stores)

    assert (
        found
        == [
            f"{path} was written anew as it had been understood; the old text is in the archive"
            for path in (colon, gbk)
        ]
        + [f"{user_dir}/MEMORY.md did not say what the files say; it was rebuilt"][:0]
    )
    assert colon.read_text() == HEADER.format(name="colon").replace("D\n", '"first: verify"\n')
    assert gbk.read_text() == HEADER.format(name="gbk").replace("Body", "正文")
    assert plain.read_text() == "Only words.\n"
    (version,) = (own / "state/archive/gbk").iterdir()
    assert "正文" in version.read_bytes().decode("gbk")
    assert [warning.file.name for warning in stores.new_warnings()] == ["Plain Note.md"]


def test_files_are_called_as_their_entries_and_no_name_is_there_twice(
    stores: Stores, own: Path, user_dir: Path
) -> None:
    note(user_dir, "same.md")
    note(user_dir, "Same.md", "same")
    note(user_dir, "cafe\u0301.md", "same")
    note(user_dir, "file.md", "another")

    found = repaired(stores)

    assert [line for line in found if "is called" in line] == [
        f"{user_dir}/file.md holds the memory another and is called {user_dir}/another.md now",
        f"{user_dir}/Same.md holds the memory same-2 and is called {user_dir}/same-2.md now",
    ]
    assert names(stores.load_all()) == ["another", "café", "same", "same-2"]
    assert file_names(user_dir) == [
        "MEMORY.md",
        "another.md",
        "cafe\u0301.md",
        "same-2.md",
        "same.md",
    ]
    assert (user_dir / "same.md").read_text() == HEADER.format(name="same")
    assert (user_dir / "same-2.md").read_text() == HEADER.format(name="same").replace(
        "name: same", "name: same-2"
    )
    assert "name: café\n" in (user_dir / "cafe\u0301.md").read_text()
    assert stores.new_warnings() == []


def test_a_file_in_the_way_is_not_overwritten(stores: Stores, own: Path, user_dir: Path) -> None:
    path = note(user_dir, "file.md", "another")
    (user_dir / "another.md").symlink_to("/etc/passwd")

    found = run(stores, 1)

    assert found[0] == (
        f"left to you: {path}: {user_dir}/another.md is in the way and is not a memory that can be "
        "read; move it first"
    )
    assert path.read_text() == HEADER.format(name="another")
    assert read(stores, "another").path == path


def test_what_is_not_understood_is_named_with_its_line_and_stays(
    stores: Stores, own: Path, user_dir: Path
) -> None:
    broken = user_dir / "broken.md"
    broken.write_text("---\nname: broken\ndescription: D\n  bad: [\n---\nBody\n")
    torn = user_dir / "torn.md"
    torn.write_bytes(b"")
    (user_dir / "leak.md").symlink_to("/etc/passwd")
    (user_dir / "folder.md").mkdir(mode=0o700)
    (user_dir / "topic" / "deep").mkdir(parents=True, mode=0o700)
    (user_dir / "topic").chmod(0o700)
    note(user_dir / "topic" / "deep", "inner.md")
    for path in (broken, torn):
        path.chmod(0o600)
    run(stores, 1)

    again = run(stores, 1)

    assert [line.partition(" (")[0] for line in again] == [
        f"left to you: {torn}: it is empty; fill or delete it",
        f"left to you: {broken}, line 4: the front matter is not valid YAML",
        f"left to you: {user_dir}/folder.md was skipped: it is not a regular file",
        (
            f"left to you: {user_dir}/leak.md was skipped: "
            "links in a memory directory are not followed"
        ),
        (
            f"left to you: {user_dir}/topic was skipped: "
            "memories in folders are not read; move them up: deep/inner.md"
        ),
        "0 repaired, 5 left to you",
    ]
    assert broken.read_text() == "---\nname: broken\ndescription: D\n  bad: [\n---\nBody\n"
    assert (user_dir / "topic/deep/inner.md").exists()


def test_leftovers_are_removed_and_what_is_in_use_is_not(
    stores: Stores, own: Path, user_dir: Path
) -> None:
    add(stores, **VIM)
    cut_off = user_dir / f"{storage.TEMP_PREFIX}abc"
    old = own / f"{storage.TEMP_PREFIX}old"
    fresh = own / f"{storage.TEMP_PREFIX}fresh"
    for path in (cut_off, old, fresh):
        path.write_text("half")
        path.chmod(0o600)
    os.utime(old, (0, 0))
    (own / "state/archive/nothing").mkdir(parents=True, mode=0o700)
    (own / "state/archive").chmod(0o700)

    assert repaired(stores) == [
        f"{cut_off} was left by a write that was cut off; it was removed",
        f"{own}/state/archive/nothing held no old versions; it was removed",
        f"{old} was left by a write that was cut off; it was removed",
    ]
    assert fresh.exists()


def test_leftovers_of_a_first_write_into_a_project_are_removed(
    stores: Stores, own: Path, project_dir: Path
) -> None:
    left = project_dir.parent / f"{storage.TEMP_PREFIX}gitignore"
    left.write_text("*")
    (own / "state").mkdir(mode=0o700)

    assert repaired(stores) == [f"{left} was left by a write that was cut off; it was removed"]
    assert not left.exists()


def test_in_chinese(stores: Stores, own: Path, user_dir: Path) -> None:
    (user_dir / "x.md").mkdir(mode=0o700)
    set_language("zh")
    try:
        assert run(stores, 1) == [
            f"需要您处理：已跳过 {user_dir}/x.md：不是普通文件",
            "已修复 0 项，需要您处理 1 项",
        ]
        (user_dir / "x.md").rmdir()
        assert run(stores, 0) == ["一切正常"]
    finally:
        set_language("en")


def test_a_torn_line_of_the_journal_is_taken_out(stores: Stores, own: Path) -> None:
    add(stores, **VIM)
    journal = own / "state/journal.jsonl"
    whole = journal.read_text()
    journal.write_text('{"kind": "intent", "tx\n' + whole)

    assert repaired(stores) == [
        f"{journal}, line 1: it could not be read and was taken out, 1 in all"
    ]
    assert [record["kind"] for record in stores.journal.records() if "tx" in record] == [
        "intent",
        "commit",
    ]


def test_a_half_write_is_ended(stores: Stores, own: Path, program: MakeProgram) -> None:
    catmem = program(CATMEM_TEST_DIE_AT="4")
    assert catmem.run("memory", "add", "--name", "half", "The fact.").code == -9
    assert stores.journal.open_intents() != []

    found = repaired(stores)

    assert found[0] == (
        "a write had been cut off (half); it was finished, or put back where that was safer"
    )
    assert stores.journal.open_intents() == []
    assert list(own.rglob(f"{storage.TEMP_PREFIX}*")) == []


def test_what_others_could_read_is_closed(stores: Stores, own: Path, user_dir: Path) -> None:
    add(stores, **VIM)
    config = own / "config.yaml"
    config.write_text("provider: auto\n")
    for path, mode in ((config, 0o644), (user_dir, 0o755), (own, 0o777)):
        path.chmod(mode)
    passwd = Path("/etc/passwd")
    (own / "link").symlink_to(passwd)
    before = passwd.stat().st_mode

    assert repaired(stores) == [
        (
            f"3 files or folders in {own} were open to others "
            "(.catmem, .catmem/memory, .catmem/config.yaml) and are yours alone now"
        )
    ]
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (own, user_dir, config)]
    assert modes == [0o700, 0o700, 0o600]
    assert passwd.stat().st_mode == before


def test_a_text_that_was_kept_after_an_edit_is_named(
    stores: Stores, own: Path, user_dir: Path
) -> None:
    kept = own / "state/edits/tabs-x1.md"
    kept.parent.mkdir(parents=True, mode=0o700)
    kept.parent.parent.chmod(0o700)
    kept.write_text("mine")
    kept.chmod(0o600)

    assert run(stores, 1) == [
        (
            f"left to you: {kept} is a text that could not be stored after an edit; "
            "take what you need and delete it"
        ),
        "0 repaired, 1 left to you",
    ]
    assert kept.read_text() == "mine"


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (
            lambda own: (own / "memory").rmdir() or (own / "memory").write_text("x"),
            "memories cannot be saved: {own}/memory is not a directory",
        ),
        (
            lambda own: (own / "state/lock").mkdir(parents=True),
            "{own}/state/lock is in the way of the lock file; remove it",
        ),
        (
            lambda own: (own / "memory/MEMORY.md").symlink_to("/etc/passwd"),
            "{own}/memory/MEMORY.md is a link and is not followed; replace it with a plain file",
        ),
    ],
)
def test_what_prevents_work_is_said(
    stores: Stores, own: Path, spoil: Callable[[Path], object], sentence: str
) -> None:
    spoil(own)
    assert f"left to you: {sentence.format(own=own)}" in run(stores, 1)


@pytest.mark.slow
def test_a_store_that_is_held_for_long_is_said_once_and_not_repaired(
    stores: Stores, own: Path, user_dir: Path
) -> None:
    add(stores, **VIM)
    (user_dir / "MEMORY.md").unlink()
    cut_off = user_dir / f"{storage.TEMP_PREFIX}abc"
    cut_off.write_text("half")
    cut_off.chmod(0o600)
    lock = own / "state/lock"
    started = time.monotonic()

    with storage.lock(lock, 1):
        first, summary = run(stores, 1)

    assert first.startswith(
        f"left to you: another catmem (process {os.getpid()}) has held {lock} for "
    )
    assert (cut_off.exists(), (user_dir / "MEMORY.md").exists()) == (True, False)
    assert time.monotonic() - started < 19  # one limit of 10 s, not one a repair
    assert summary == "0 repaired, 1 left to you"


def test_as_a_command(program: MakeProgram, own: Path, user_dir: Path) -> None:
    catmem = program()
    (user_dir / "x.md").mkdir(mode=0o700)

    run = catmem.run("memory", "doctor", "--json")

    assert (run.code, json.loads(run.stdout)) == (
        1,
        [
            {
                "path": str(user_dir / "x.md"),
                "line": 0,
                "text": f"{user_dir}/x.md was skipped: it is not a regular file",
                "repaired": False,
            }
        ],
    )
    (user_dir / "x.md").rmdir()
    fine = catmem.run("memory", "doctor")
    assert (fine.code, fine.stdout) == (0, "nothing is wrong\n")
