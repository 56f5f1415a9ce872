from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from catmem.memory.store.entry import Scope
from catmem.memory.store.operations import Result
from catmem.memory.store.stores import Stores
from tests.memory_store.asking import TODAY, add, names, read, update
from tests.support.model_server import StartModel
from tests.support.program import MakeProgram
from tests.support.reply import Reply


def test_a_file_without_front_matter_is_adopted(stores: Stores, user_dir: Path) -> None:
    path = user_dir / "My Note.md"
    path.write_text("# Deploys\n\nRun on Fridays.\n")

    entry = read(stores, "my-note")
    assert (entry.description, entry.type) == ("Deploys", "user")
    assert entry.content == "# Deploys\n\nRun on Fridays.\n"
    update(stores, "my-note", description="Deploys on Fridays", content=entry.content)
    assert path.read_text() == (
        "---\nname: my-note\ndescription: Deploys on Fridays\nmetadata:\n  type: user\n"
        f"  updatedAt: {TODAY}\n---\n# Deploys\n\nRun on Fridays.\n"
    )


def test_horizontal_rules_are_no_front_matter(stores: Stores, user_dir: Path) -> None:
    text = "---\nJust words.\n---\nMore words.\n"
    (user_dir / "rules.md").write_text(text)

    assert read(stores, "rules").content == text


def test_front_matter_without_its_end_is_shown_and_never_written(
    stores: Stores, user_dir: Path
) -> None:
    path = user_dir / "open.md"
    text = "---\nname: open\ndescription: No end\ntype: feedback\n\nThe body: is here.\n"
    path.write_text(text)

    entry = read(stores, "open")
    assert (entry.description, entry.type) == ("No end", "feedback")
    assert entry.content == "\nThe body: is here.\n"
    assert update(stores, "open", content="New").result is Result.REFUSED
    assert path.read_text() == text
    assert [warning.file.name for warning in stores.new_warnings()] == ["open.md"]


@pytest.mark.parametrize(
    "header",
    [
        "name: x\ndescription: D\n  bad:\n indent: [\n",
        "name: x\ndescription: D\n" + "a: " + "[" * 100 + "]" * 100 + "\n",
        "name: x\ndescription: D\na0: &a0 [x,x,x,x,x,x,x,x,x]\n"
        + "".join(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9)),
    ],
    ids=["indentation", "deep nesting", "billion laughs"],
)
def test_hopeless_yaml_is_shown_and_never_written(
    stores: Stores, user_dir: Path, header: str
) -> None:
    path = user_dir / "x.md"
    path.write_text(f"---\n{header}---\nBody\n")

    started = time.perf_counter()
    entry = read(stores, "x")
    assert time.perf_counter() - started < 1
    assert (entry.description, entry.content) == ("D", "Body\n")
    assert update(stores, "x", content="New").result is Result.REFUSED
    assert path.read_text() == f"---\n{header}---\nBody\n"


def test_a26_bad_files_are_named_once_each_and_stop_nobody(stores: Stores, user_dir: Path) -> None:
    (user_dir / "good.md").write_text("---\nname: good\ndescription: G\ntype: user\n---\nx\n")
    (user_dir / "gbk.md").write_bytes(
        "---\nname: gbk\ndescription: 中文描述\n---\n内容\n".encode("gbk")
    )
    (user_dir / "latin.md").write_bytes(b"---\nname: latin\ndescription: caf\xe9 \n---\nx\n")
    (user_dir / "utf16.md").write_bytes(
        "---\nname: utf16\ndescription: U\n---\nx\n".encode("utf-16")
    )
    (user_dir / "nul.md").write_bytes(b"---\nname: nul\n---\n\0\0\n")
    (user_dir / "esc.md").write_bytes(
        b"---\nname: esc\ndescription: \x1b[31mred\x1b[0m\n---\nx\x1b[2J\n"
    )
    with (user_dir / "huge.md").open("wb") as file:
        file.truncate(200_000_000)
    (user_dir / "folder.md").mkdir()
    os.mkfifo(user_dir / "fifo.md")
    (user_dir / "broken.md").symlink_to(user_dir / "nowhere.md")
    (user_dir / "leak.md").symlink_to("/etc/passwd")
    (user_dir / "index.md").write_text("a site's index\n")
    (user_dir / ".hidden.md").write_text("not ours\n")
    (user_dir / "picture.png").write_bytes(b"\x89PNG")

    started = time.perf_counter()
    entries = {entry.name: entry for entry in stores.load_all()}
    assert time.perf_counter() - started < 1
    assert sorted(entries) == ["esc", "gbk", "good", "latin", "utf16"]
    assert (entries["gbk"].description, entries["gbk"].content) == ("中文描述", "内容\n")
    assert entries["esc"].description == "red"
    assert {name: entry.damaged for name, entry in entries.items()} == {
        "esc": True,
        "gbk": False,
        "good": False,
        "latin": True,
        "utf16": False,
    }
    named = {warning.file.name for warning in stores.new_warnings()}
    assert named == {
        *("gbk.md", "latin.md", "utf16.md", "nul.md", "esc.md", "huge.md"),
        *("folder.md", "fifo.md", "broken.md", "leak.md", "index.md"),
    }
    assert stores.new_warnings() == []


def test_a26_a_gbk_file_is_written_as_utf_8(stores: Stores, user_dir: Path) -> None:
    path = user_dir / "gbk.md"
    path.write_bytes("---\nname: gbk\ndescription: 旧\ntype: user\n---\n内容\n".encode("gbk"))

    update(stores, "gbk", description="新", content="内容\n")

    assert path.read_text("utf-8") == (
        f"---\nname: gbk\ndescription: 新\ntype: user\nmetadata:\n  updatedAt: {TODAY}\n---\n内容\n"
    )


def test_a09_a_link_is_neither_read_nor_written(
    stores: Stores, user_dir: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("secret plans\n")
    (user_dir / "leak.md").symlink_to(outside)
    (user_dir / "MEMORY.md").symlink_to(outside)

    assert stores.get("leak") is None
    (warning,) = stores.new_warnings()
    assert warning.text.startswith(f"{user_dir}/leak.md was skipped: links ")
    outcome = add(stores, "leak")
    assert (outcome.result, outside.read_text()) == (Result.REFUSED, "secret plans\n")
    assert "leak.md" in outcome.reason
    assert add(stores, "other").result is Result.ADDED
    assert outside.read_text() == "secret plans\n"
    assert (user_dir / "MEMORY.md").is_symlink()


def test_a_store_that_is_itself_reached_through_a_link_works(
    stores: Stores, home: Path, tmp_path: Path
) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (home / ".catmem").mkdir()
    (home / ".catmem" / "memory").symlink_to(real)

    add(stores)

    assert sorted(path.name for path in real.iterdir()) == ["MEMORY.md", "a-fact.md"]


def test_a14_a_name_is_found_in_either_unicode_form(stores: Stores, user_dir: Path) -> None:
    (user_dir / "cafe\u0301.md").write_text("---\ndescription: D\ntype: user\n---\nx\n")

    assert names(stores.load_all()) == ["caf\u00e9"]
    assert read(stores, "caf\u00e9") == read(stores, "cafe\u0301") == read(stores, "CAFÉ")
    assert add(stores, "caf\u00e9").result is Result.EXISTS


def test_files_that_claim_one_name_are_all_listed(stores: Stores, user_dir: Path) -> None:
    (user_dir / "one.md").write_text("---\nname: same\ndescription: first\n---\nx\n")
    (user_dir / "same.md").write_text("---\nname: same\ndescription: owner\n---\nx\n")
    (user_dir / "Same.md").write_text("---\nname: same\ndescription: other case\n---\nx\n")

    assert [(entry.name, entry.description) for entry in stores.load_all()] == [
        ("one", "first"),
        ("same", "owner"),
        ("same-2", "other case"),
    ]
    assert {warning.file.name for warning in stores.new_warnings()} == {"one.md", "Same.md"}


def test_a_changed_file_is_seen_at_the_next_look(stores: Stores, user_dir: Path) -> None:
    path = user_dir / "a.md"
    path.write_text("---\nname: a\ndescription: old\n---\nx\n")
    assert read(stores, "a").description == "old"

    replacement = user_dir / "new"
    replacement.write_text("---\nname: a\ndescription: new\n---\nx\n")
    replacement.replace(path)

    assert read(stores, "a").description == "new"


def test_500_entries_are_read_in_a_tenth_of_a_second(stores: Stores, user_dir: Path) -> None:
    for number in range(500):
        (user_dir / f"entry-{number}.md").write_text(
            f"---\nname: entry-{number}\ndescription: 第 {number} 条事实\nmetadata:\n  type: user\n"
            "  createdAt: 2026-01-01\n  updatedAt: 2026-01-01\n  keywords: [a, b]\n---\nBody.\n"
        )
    started = time.process_time()
    assert len(stores.load_all()) == 500
    first = time.process_time() - started
    started = time.process_time()
    assert len(stores.load_all()) == 500
    again = time.process_time() - started

    assert first < 0.5  # 0.1 on a quiet machine; scripts/bench_turn.py has the figures
    assert again < first / 2


def test_scope_of_an_entry_is_its_store(stores: Stores, project_dir: Path) -> None:
    stores.begin()
    (project_dir / "a.md").write_text("---\nname: a\ndescription: D\n---\nx\n")

    entry = read(stores, "a")
    assert (entry.scope, entry.type) == (Scope.PROJECT, "project")


def test_many_bad_files_are_counted_at_the_start(model: StartModel, program: MakeProgram) -> None:
    catmem = program(model(Reply("Hello")), "chat", CATMEM_MEMORY_TRIGGER="manual")
    memory = catmem.catmem_home / "memory"
    for name in "abcde":
        (memory / f"{name}.md").mkdir(parents=True)
    run = catmem.run("-p", "hi")
    assert (run.code, run.stdout) == (0, "Hello\n")
    assert run.stderr.splitlines() == [
        *(f"{memory}/{name}.md was skipped: it is not a regular file" for name in "abc"),
        "… and 2 more such lines; `catmem memory list` shows them all",
    ]
