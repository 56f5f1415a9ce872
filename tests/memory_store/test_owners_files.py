"""Files that their owner wrote: replaced and moved as they are, never by halves."""

from __future__ import annotations

from pathlib import Path

import pytest

from catmem.memory.store.entry import Scope
from catmem.memory.store.kind import kind_of
from catmem.memory.store.operations import Action, Operation, Result
from catmem.memory.store.reading.directory import entry_in
from catmem.memory.store.stores import Stores
from tests.memory_store.asking import add, file_names, one, read

OWN = b"---\r\nmine: 1 # kept\r\nname: a-fact\r\ndescription: Mine\r\ntype: user\r\n---\r\n  x\r\n"


def test_an_owners_file_replaces_one_that_was_not_understood(
    stores: Stores, user_dir: Path
) -> None:
    path = user_dir / "a-fact.md"
    path.write_text("---\nname: a-fact\n  bad: [\n---\nold\n")
    old = read(stores, "a-fact")
    new, notes = entry_in(OWN, path, Scope.USER)
    operation = Operation(Action.UPDATE, new, name="a-fact", digest=old.digest, file=OWN)

    assert (old.damaged, notes, one(stores, operation).result) == (True, [], Result.UPDATED)

    assert path.read_bytes() == OWN
    assert read(stores, "a-fact").description == "Mine"
    (version,) = (user_dir.parent / "state/archive/a-fact").iterdir()
    assert version.read_text() == "---\nname: a-fact\n  bad: [\n---\nold\n"
    assert one(stores, operation).result is Result.CHANGED  # its digest is the old file's


def test_a_file_moves_byte_for_byte_and_a_refused_move_leaves_it(
    stores: Stores, user_dir: Path, project_dir: Path
) -> None:
    (user_dir / "a-fact.md").write_bytes(OWN)
    entry = read(stores, "a-fact")
    moved, _ = entry_in(OWN, user_dir / "a-fact.md", Scope.PROJECT)
    operations = [
        Operation(Action.ADD, moved, file=OWN),
        Operation(
            Action.DELETE, name="a-fact", scope=Scope.USER, digest=entry.digest, if_previous=True
        ),
    ]
    (project_dir / "a-fact.md").mkdir()

    refused = stores.apply(operations).outcomes
    assert [outcome.result for outcome in refused] == [Result.REFUSED, Result.SKIPPED]
    assert refused[1].reason == refused[0].reason
    assert (user_dir / "a-fact.md").read_bytes() == OWN

    (project_dir / "a-fact.md").rmdir()
    assert [outcome.result for outcome in stores.apply(operations).outcomes] == [
        Result.ADDED,
        Result.DELETED,
    ]
    assert (project_dir / "a-fact.md").read_bytes() == OWN
    assert file_names(user_dir) == []


def test_a_store_refuses_a_file_whose_name_is_taken_there(stores: Stores, user_dir: Path) -> None:
    add(stores)
    new, _ = entry_in(OWN, user_dir / "a-fact.md", Scope.USER)
    assert one(stores, Operation(Action.ADD, new, file=OWN)).result is Result.EXISTS


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The staging server is at https://staging.example.org", "reference"),
        ("测试机是 10.0.0.7", "reference"),
        ("this project uses pnpm", "project"),
        ("我们只在周五发布", "project"),
        ("本项目用 make 构建", "project"),
        ("always run the linter before you commit", "feedback"),
        ("Don't ask me before you run tests", "feedback"),
        ("不要写多余的注释", "feedback"),
        ("请先跑测试再提交", "feedback"),
        ("I work from Berlin", "user"),
        ("我喜欢简短的回答", "user"),
        ("Deploys run on Fridays", None),
        ("部署在周五", None),
        ("用户服务器部署在腾讯云", None),
        ("用中文回答", "feedback"),
    ],
)
def test_the_kind_of_a_fact_is_told_by_its_words(text: str, kind: str | None) -> None:
    assert kind_of(text) == kind
