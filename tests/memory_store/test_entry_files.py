from __future__ import annotations

import os
import time
from datetime import datetime
from pathlib import Path

import pytest
import yaml

from catmem.memory.store.entry import Entry, Scope
from catmem.memory.store.operations import Result
from catmem.memory.store.stores import Stores
from tests.memory_store.asking import VIM, add, names, update

TODAY = datetime.now().astimezone().date().isoformat()


def file_of(stores: Stores, name: str) -> Path:
    entry = stores.get(name)
    assert entry is not None
    assert entry.path is not None
    return entry.path


def read(stores: Stores, name: str) -> Entry:
    entry = stores.get(name)
    assert entry is not None
    return entry


def test_a_new_entry_is_the_file_of_the_design(stores: Stores) -> None:
    add(stores, **VIM)

    assert file_of(stores, "user-prefers-vim").read_text() == (
        f"""\
---
name: user-prefers-vim
description: The user's editor is vim
metadata:
  type: user
  createdAt: {TODAY}
  updatedAt: {TODAY}
---
The user edits with vim; the configuration is in ~/.vimrc.
"""
    )


@pytest.mark.parametrize(
    "description",
    [
        "Run the chain: verify, then push",
        "@starts with an at sign",
        "* star, [bracket], {brace}, 100%",
        '"quoted" word first',
        "ends with a colon:",
        "has # a hash",
        "no",
        "2024-06-01",
        "1_000",
        "~",
        "null",
        "- dash",
        "? what",
        "日志：用 structlog，不用 print",
        "emoji 😀 and $HOME {name} %s {{",
        "back\\slash and 'single' quotes",
        "y",
    ],
)
def test_a01_f08_any_description_reads_back_and_is_plain_yaml(
    stores: Stores, description: str
) -> None:
    add(stores, "x", description, content="{body} $HOME %s")

    text = file_of(stores, "x").read_text()
    header = yaml.safe_load(text.split("---\n")[1])
    assert str(header["description"]) == description
    assert read(stores, "x").description == description
    assert read(stores, "x").content == "{body} $HOME %s\n"
    assert stores.new_warnings() == []


@pytest.mark.parametrize(
    ("line", "description"),
    [
        ("description: Run the chain: verify, then push", "Run the chain: verify, then push"),
        ("description: @home first", "@home first"),
        ("description: 100% sure: yes", "100% sure: yes"),
        ("description: [WIP] not yet", "[WIP] not yet"),
        ('description: "half quoted', '"half quoted'),
        ("description: `make` builds: all", "`make` builds: all"),
    ],
)
def test_a01_a_hand_made_line_that_is_no_yaml_is_read_as_it_was_meant(
    stores: Stores, user_dir: Path, line: str, description: str
) -> None:
    (user_dir / "chain.md").write_text(
        f"---\nname: chain\n{line}\nmetadata:\n  type: feedback\n---\nBody.\n"
    )

    entry = read(stores, "chain")
    assert (entry.description, entry.type, entry.content) == (description, "feedback", "Body.\n")
    (warning,) = stores.new_warnings()
    assert warning.file == user_dir / "chain.md"
    assert warning.line == 3
    assert warning.text.startswith(f"{user_dir}/chain.md, line 3: ")
    assert stores.new_warnings() == []  # said once


def test_a01_the_next_update_repairs_such_a_line_and_touches_no_other(
    stores: Stores, user_dir: Path
) -> None:
    path = user_dir / "chain.md"
    path.write_text(
        "---\nname: chain\ndescription: a: b\ncolour: red # mine\ntype: feedback\n---\nOld.\n"
    )

    update(stores, "chain", description="a: b", type="feedback", content="New.")

    assert path.read_text() == (
        '---\nname: chain\ndescription: "a: b"\ncolour: red # mine\ntype: feedback\n'
        f"metadata:\n  updatedAt: {TODAY}\n---\nNew.\n"
    )


def test_a02_a_byte_order_mark_is_no_obstacle_and_stays(stores: Stores, user_dir: Path) -> None:
    path = user_dir / "a.md"
    path.write_bytes(
        b"\xef\xbb\xbf---\r\nname: a\r\ndescription: With BOM\r\ntype: project\r\n---\r\nBody\r\n"
    )

    entry = read(stores, "a")
    assert (entry.description, entry.type, entry.content) == ("With BOM", "project", "Body\n")

    update(stores, "a", description="Still with BOM", type="project", content=entry.content)
    assert (
        path.read_bytes()
        == (
            "\ufeff---\r\nname: a\r\ndescription: Still with BOM\r\ntype: project\r\n"
            f"metadata:\r\n  updatedAt: {TODAY}\r\n---\r\nBody\r\n"
        ).encode()
    )


def test_a03_dates_numbers_booleans_and_nothing_are_text(stores: Stores, user_dir: Path) -> None:
    (user_dir / "a.md").write_text("---\nname: 2024-06-01\ndescription: no\ntype: 1\n---\nx\n")
    (user_dir / "b.md").write_text("---\nname: 12\ndescription:\ntype: user\n---\nfirst line\n")
    (user_dir / "c.md").write_text("---\nname: c\ndescription: 1.10\ntype: user\n---\nx\n")

    assert [(entry.name, entry.description, entry.type) for entry in stores.load_all()] == [
        ("12", "", "user"),
        ("2024-06-01", "no", "1"),
        ("c", "1.10", "user"),
    ]


def test_a04_keys_that_crash_other_loaders_are_kept(stores: Stores, user_dir: Path) -> None:
    path = user_dir / "a.md"
    header = (
        "name: a\ndescription: A\ncontent: old\nhandler: x\nself: y\non: push\n1: one\n? [k]\n: v\n"
    )
    path.write_text(f"---\n{header}metadata:\n  type: user\n---\nBody\n")

    assert read(stores, "a").content == "Body\n"
    update(stores, "a", description="B", content="Body\n")
    assert path.read_text() == (
        f"---\n{header.replace('description: A', 'description: B')}"
        f"metadata:\n  type: user\n  updatedAt: {TODAY}\n---\nBody\n"
    )


def test_a25_an_update_changes_its_lines_and_nothing_else(stores: Stores, user_dir: Path) -> None:
    path = user_dir / "style.md"
    before = (
        "---\n# my own comment\nzeta: 1.10\ndescription:   'Old'   # why\nname: style\nmetadata:\n"
        "    node: {a: 1, b: [x, 'y']}\n    type: feedback\n    createdAt: 2025-01-02\n"
        "    updatedAt: 2025-01-02\n\nalpha: |\n  text\n   more\n---\n"
        "\n    code first\n\nend  \n\n\n"
    )
    path.write_text(before)
    entry = read(stores, "style")

    outcome = update(stores, "style", description="New", type="feedback", content=entry.content)

    assert outcome.result is Result.UPDATED
    assert path.read_text() == before.replace("'Old'", "New").replace(
        "updatedAt: 2025-01-02", f"updatedAt: {TODAY}"
    )
    assert read(stores, "style").created_at == "2025-01-02"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("metadata: {type: user}", f"metadata: {{type: user, gist: hi, updatedAt: {TODAY}}}"),
        ("metadata:", f"metadata:\n  gist: hi\n  updatedAt: {TODAY}"),
        ("gist: 'x' # c", f"gist: hi # c\nmetadata:\n  updatedAt: {TODAY}"),
        (
            "metadata:\n  keywords:\n    - a\n    - b\n\n# end",
            f"metadata:\n  keywords:\n    - a\n    - b\n  gist: hi\n  updatedAt: {TODAY}\n\n# end",
        ),
        (
            "metadata:\n  gist: >\n    long\n    text\n",
            f"metadata:\n  gist: hi\n  updatedAt: {TODAY}\n",
        ),
    ],
)
def test_a_field_finds_its_place_in_any_header(
    stores: Stores, user_dir: Path, before: str, after: str
) -> None:
    path = user_dir / "a.md"
    path.write_text(f"---\nname: a\ndescription: A\ntype: user\n{before}\n---\nBody\n")

    outcome = update(stores, "a", description="A", content="Body", optional={"gist": "hi"})

    assert outcome.result is Result.UPDATED
    assert path.read_text() == f"---\nname: a\ndescription: A\ntype: user\n{after}\n---\nBody\n"


def test_a_header_that_cannot_be_edited_in_place_is_refused_and_kept(
    stores: Stores, user_dir: Path
) -> None:
    path = user_dir / "a.md"
    text = "---\nname: &n a\ndescription: &d A\nalias: *d\ntype: user\n---\nBody\n"
    path.write_text(text)

    assert update(stores, "a", description="B").result is Result.REFUSED
    assert path.read_text() == text


def test_optional_fields_are_understood_in_both_places_and_written_in_metadata(
    stores: Stores, user_dir: Path
) -> None:
    (user_dir / "top.md").write_text(
        "---\nname: top\ndescription: T\ntype: user\nimportance: 0.9\npinned: true\n"
        "keywords: [a, b]\n---\nx\n"
    )
    add(stores, "nested", "N", optional={"keywords": ["a: b", "c"], "importance": 0.7, "gist": ""})

    top = read(stores, "top")
    assert (top.importance, top.pinned, top.optional["keywords"]) == (0.9, True, ["a", "b"])
    assert read(stores, "nested").optional == {"keywords": ["a: b", "c"], "importance": "0.7"}
    header = yaml.safe_load(file_of(stores, "nested").read_text().split("---\n")[1])
    assert header["metadata"]["keywords"] == ["a: b", "c"]
    assert header["metadata"]["importance"] == 0.7


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
    (project_dir / "a.md").write_text("---\nname: a\ndescription: D\n---\nx\n")

    entry = read(stores, "a")
    assert (entry.scope, entry.type) == (Scope.PROJECT, "project")
