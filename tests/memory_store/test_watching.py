"""A large store is not looked at file by file each time; what happens to it is seen all the same.

The kernel tells which files were touched, from the second look on; on systems where it does not,
these tests hold too.
"""

from __future__ import annotations

import os
import random
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from catmem.memory.store.stores import Stores, open_stores
from catmem.paths import Paths
from tests.memory_store.asking import add, assert_like_opened_anew, read, update

COUNT = 520
PAST = (1_000_000_000, 1_000_000_000)
LONG_AGO = 0.2  # a file that was changed so many seconds before it is read is not read twice


def text_of(name: str, description: str) -> bytes:
    header = f"---\nname: {name}\ndescription: {description}\nmetadata:\n  type: feedback\n---\n"
    return f"{header}The fact.\n".encode()


@pytest.fixture
def watched(stores: Stores, user_dir: Path) -> Stores:
    for number in range(COUNT):
        path = user_dir / f"fact-{number}.md"
        path.write_bytes(text_of(path.stem, f"Fact {number}"))
        os.utime(path, PAST)
    stores.load_all()
    return stores


def descriptions(stores: Stores) -> dict[str, str]:
    return {entry.name: entry.description for entry in stores.load_all()}


def expected(**changed: str | None) -> dict[str, str]:
    facts: dict[str, str | None] = {f"fact-{n}": f"Fact {n}" for n in range(COUNT)}
    facts |= {name.replace("_", "-"): text for name, text in changed.items()}
    return {name: text for name, text in facts.items() if text is not None}


def index_line(user_dir: Path, name: str) -> list[str]:
    lines = (user_dir / "MEMORY.md").read_text().splitlines()
    return [line for line in lines if line.startswith(f"- [{name}]")]


def test_an_edit_by_another_process_between_two_writes_is_in_the_index(
    watched: Stores, user_dir: Path
) -> None:
    add(watched, "first", "Added first")
    before = index_line(user_dir, "fact-1")
    script = 'printf -- "$1" > fact-1.md'  # in place, as many editors save
    text = text_of("fact-1", "Edited by hand").decode()
    subprocess.run(["sh", "-c", script, "sh", text], cwd=user_dir, check=True)
    add(watched, "second", "Added second")

    assert before == ["- [fact-1](fact-1.md) — Fact 1"]
    assert index_line(user_dir, "fact-1") == ["- [fact-1](fact-1.md) — Edited by hand"]
    assert descriptions(watched) == expected(
        first="Added first", second="Added second", fact_1="Edited by hand"
    )


def test_another_catmem_and_this_one_see_each_other(watched: Stores, paths: Paths) -> None:
    other = open_stores(paths)
    for number in range(4):
        add(other, f"theirs-{number}", "Theirs")
        update(watched, f"theirs-{number}", description="Mine")
        update(other, f"theirs-{number}", description="Both")
        assert read(watched, f"theirs-{number}").description == "Both"

    assert descriptions(watched) == descriptions(other) == descriptions(open_stores(paths))


def test_edits_that_keep_size_and_time_are_seen_within_one_tick(
    watched: Stores, user_dir: Path
) -> None:
    seen = []
    for number in range(100, 160):
        (user_dir / "fact-7.md").write_bytes(text_of("fact-7", f"Fact {number}"))
        os.utime(user_dir / "fact-7.md", PAST)
        seen.append(read(watched, "fact-7").description)

    assert seen == [f"Fact {number}" for number in range(100, 160)]


def test_a_time_set_anew_is_seen(watched: Stores, user_dir: Path) -> None:
    os.utime(user_dir / "fact-4.md", (2, 2))

    assert read(watched, "fact-4").modified_ns == 2_000_000_000


def swap_in(user_dir: Path) -> dict[str, str]:
    (user_dir / "4913").write_bytes(text_of("fact-2", "Saved beside"))
    (user_dir / "4913").replace(user_dir / "fact-2.md")
    return expected(fact_2="Saved beside")


def delete(user_dir: Path) -> dict[str, str]:
    (user_dir / "fact-2.md").unlink()
    return expected(fact_2=None)


def move_away(user_dir: Path) -> dict[str, str]:
    (user_dir / "fact-2.md").rename(user_dir.parent / "fact-2.md")
    return expected(fact_2=None)


def hide(user_dir: Path) -> dict[str, str]:
    (user_dir / "fact-2.md").rename(user_dir / ".fact-2.md")
    return expected(fact_2=None)


def exchange(user_dir: Path) -> dict[str, str]:
    """Leave another directory in the place of this one, with the one file."""
    user_dir.parent.rename(user_dir.parent.with_name("away"))
    user_dir.mkdir(parents=True)
    (user_dir / "fact-2.md").write_bytes(text_of("fact-2", "Alone"))
    return {"fact-2": "Alone"}


def take_away(user_dir: Path) -> dict[str, str]:
    user_dir.rename(user_dir.parent / "away")
    return {}


def edit_more_than_is_told(user_dir: Path) -> dict[str, str]:
    most = Path("/proc/sys/fs/inotify/max_queued_events")
    count = int(most.read_text()) if most.exists() else 0
    for number in range(count // 2 + 10):
        (user_dir / f"fact-{number % 50 + 100}.md").touch()
        (user_dir / f"fact-{number % 40 + 200}.md").touch()
    (user_dir / "fact-2.md").write_bytes(text_of("fact-2", "The last one"))
    return expected(fact_2="The last one")


@pytest.mark.parametrize(
    "change", [swap_in, delete, move_away, hide, exchange, take_away, edit_more_than_is_told]
)
def test_what_happens_to_files_is_seen(
    watched: Stores, user_dir: Path, change: Callable[[Path], dict[str, str]]
) -> None:
    after = change(user_dir)

    assert descriptions(watched) == after


def test_an_edit_by_another_name_of_the_file_is_seen(watched: Stores, user_dir: Path) -> None:
    elsewhere = user_dir.parent / "elsewhere.md"
    elsewhere.hardlink_to(user_dir / "fact-3.md")
    os.utime(user_dir / "fact-3.md", PAST)
    time.sleep(LONG_AGO)
    watched.load_all()
    elsewhere.write_bytes(text_of("fact-3", "Edited elsewhere"))

    assert read(watched, "fact-3").description == "Edited elsewhere"


def test_a_folder_that_is_filled_later_is_warned_of(watched: Stores, user_dir: Path) -> None:
    (user_dir / "folder").mkdir()
    time.sleep(LONG_AGO)
    watched.load_all()
    before = watched.new_warnings()
    (user_dir / "folder" / "inside.md").write_text("A fact.")

    assert before == []
    assert [warning.file for warning in watched.new_warnings()] == [user_dir / "folder"]


def test_a_directory_that_comes_back_is_read_again(watched: Stores, user_dir: Path) -> None:
    home, away = user_dir.parent, user_dir.parent.with_name("away")
    home.rename(away)
    gone = descriptions(watched)
    away.rename(home)

    assert (gone, descriptions(watched)) == ({}, expected())


def test_after_any_change_a_watched_store_knows_what_a_new_one_reads(
    watched: Stores, user_dir: Path, paths: Paths
) -> None:
    chance = random.Random(5)
    for step in range(40):
        for _ in range(chance.choice((0, 1, 3, 70))):
            path = user_dir / f"fact-{chance.randrange(COUNT + 9)}.md"
            match chance.randrange(5):
                case 0:
                    path.unlink(missing_ok=True)
                case 1:  # often the name of another entry
                    path.write_bytes(text_of(f"fact-{chance.randrange(COUNT)}", f"Step {step}"))
                case 2 if path.exists():
                    path.rename(user_dir / f"fact-{chance.randrange(COUNT + 9)}.md")
                case 3:
                    path.write_text("---\nname: x: y\ndescription: [\n---\nbad\n")
                case _:
                    path.write_bytes(text_of(path.stem, f"Step {step}"))
        assert_like_opened_anew(watched, paths)
