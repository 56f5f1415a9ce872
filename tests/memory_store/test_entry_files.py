from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from catmem.memory.store.operations import Result
from catmem.memory.store.stores import Stores
from tests.memory_store.asking import TODAY, VIM, add, file_of, read, update


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


@pytest.mark.parametrize(
    "header",
    [
        "name: a\ndescription: &d A\nalias: *d\ntype: user\n",
        "name: a\ndescription: A\nbase: &base {type: user}\nmetadata: *base\n",
    ],
)
def test_a_header_that_cannot_be_edited_in_place_is_refused_and_kept(
    stores: Stores, user_dir: Path, header: str
) -> None:
    path = user_dir / "a.md"
    text = f"---\n{header}---\nBody\n"
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
