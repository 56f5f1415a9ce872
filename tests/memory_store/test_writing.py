from __future__ import annotations

import os
from pathlib import Path

import pytest

from catmem.memory.store.entry import Scope
from catmem.memory.store.operations import Action, IfExists, Operation, Result
from catmem.memory.store.stores import Stores, open_stores
from catmem.paths import Paths, find_paths
from tests.memory_store.asking import TODAY, add, delete, entry, file_names, names, one, update


def archived(state: Path, name: str) -> list[str]:
    return [path.read_text() for path in sorted((state / "archive" / name).iterdir())]


def test_a_report_counts_what_happened(stores: Stores) -> None:
    add(stores, "old", "Old")
    add(stores, "gone", "Gone")

    report = stores.apply(
        [
            Operation(Action.ADD, entry("new")),
            Operation(Action.ADD, entry("old")),
            Operation(Action.ADD),
            Operation(Action.UPDATE, entry("old", "Newer"), name="Old"),
            Operation(Action.UPDATE, entry("x"), name="no-such"),
            Operation(Action.UPDATE, entry("x"), name="../x"),
            Operation(Action.SKIP, name="dull", reason="said already"),
            Operation(Action.DELETE, name="gone"),
            Operation(Action.DELETE, name="never-was"),
        ]
    )

    assert [(outcome.result, outcome.name) for outcome in report.outcomes] == [
        (Result.ADDED, "new"),
        (Result.EXISTS, "old"),
        (Result.SKIPPED, ""),
        (Result.UPDATED, "old"),
        (Result.REFUSED, "no-such"),
        (Result.REFUSED, "../x"),
        (Result.SKIPPED, "dull"),
        (Result.DELETED, "gone"),
        (Result.REFUSED, "never-was"),
    ]
    assert (report.added, report.updated, report.deleted) == (("new",), ("old",), ("gone",))
    assert len(report.not_done) == 6
    assert all(outcome.reason for outcome in report.not_done)
    assert names(stores.load_all()) == ["new", "old"]


def test_the_last_count_follows_our_own_writes_and_what_was_read(
    stores: Stores, user_dir: Path
) -> None:
    add(stores, "one")
    add(stores, "two")
    assert stores.last_count == 2

    delete(stores, "one")
    assert stores.last_count == 1

    (user_dir / "two.md").unlink()
    assert stores.load_all() == []
    assert stores.last_count == 0


@pytest.mark.parametrize("target", ["no-such", "", "MEMORY", "../x"])
def test_b06_an_update_of_nothing_makes_no_file(
    stores: Stores, user_dir: Path, target: str
) -> None:
    add(stores, "a")
    before = file_names(user_dir)

    assert update(stores, target).result is Result.REFUSED
    assert file_names(user_dir) == before


def test_b06_an_update_finds_its_target_in_another_case(stores: Stores) -> None:
    add(stores, "a-fact")
    assert update(stores, "A Fact", description="New").name == "a-fact"


@pytest.mark.parametrize(
    "fields",
    [
        {"content": ""},
        {"content": " \n "},
        {"description": ""},
        {"description": "\x1b[0m"},
        {"description": "x" * 1001},
        {"type": "preference"},
        {"type": "User "},
    ],
)
def test_b07_b10_an_empty_or_unfit_entry_is_refused(
    stores: Stores, user_dir: Path, fields: dict[str, str]
) -> None:
    add(stores, "a", "Old", content="Old")
    before = (user_dir / "a.md").read_bytes()

    assert update(stores, "a", **fields).result is Result.REFUSED
    assert add(stores, "b", **fields).result is Result.REFUSED
    assert (user_dir / "a.md").read_bytes() == before
    assert names(stores.load_all()) == ["a"]


def test_b10_an_update_keeps_the_old_version_and_the_date(stores: Stores, paths: Paths) -> None:
    directory = paths.user_memory
    directory.mkdir(parents=True)
    old = "---\nname: a\ndescription: D\ntype: user\ncreatedAt: 2020-01-01\n---\nThirty lines.\n"
    (directory / "a.md").write_text(old)

    outcome = update(stores, "a", description="D", content="One line.")

    assert outcome.entry is not None
    assert (outcome.entry.created_at, outcome.entry.updated_at) == ("2020-01-01", TODAY)
    assert archived(paths.state, "a") == [old]


def test_an_update_that_changes_nothing_writes_nothing(stores: Stores, user_dir: Path) -> None:
    add(stores, "a", "D", content="Same")
    before = (user_dir / "a.md").stat()

    outcome = update(stores, "a", description="D", content="Same\n")

    assert outcome.result is Result.SKIPPED
    assert (user_dir / "a.md").stat().st_ino == before.st_ino


def test_a_deleted_entry_lies_in_the_archive(stores: Stores, paths: Paths) -> None:
    add(stores, "a", content="Precious")
    text = (paths.user_memory / "a.md").read_text()

    delete(stores, "a")

    assert stores.load_all() == []
    assert archived(paths.state, "a") == [text]
    assert add(stores, "a").result is Result.ADDED


def test_a06_an_entry_that_changed_since_the_plan_is_left_alone(
    stores: Stores, user_dir: Path
) -> None:
    add(stores, "a")
    planned = stores.get("a")
    assert planned is not None
    edited = (user_dir / "a.md").read_text().replace("The fact.", "My edit.")
    (user_dir / "a.md").write_text(edited)

    outcome = update(stores, "a", planned.digest, content="From the model")
    assert outcome.result is Result.CHANGED
    assert (
        one(stores, Operation(Action.DELETE, name="a", digest=planned.digest)).result
        is Result.CHANGED
    )
    assert (user_dir / "a.md").read_text() == edited
    (user_dir / "a.md").unlink()
    assert update(stores, "a", planned.digest).result is Result.CHANGED


def test_a05_another_process_and_an_editor_lose_nothing(
    stores: Stores, paths: Paths, user_dir: Path
) -> None:
    other = open_stores(paths)
    assert other.load_all() == []
    add(stores, "a")
    (user_dir / "a.md").write_text((user_dir / "a.md").read_text() + "Edited by hand.\n")

    add(other, "b")

    assert names(stores.load_all()) == ["a", "b"]
    assert "Edited by hand." in (user_dir / "a.md").read_text()
    text = (user_dir / "MEMORY.md").read_text()
    assert "- [a](a.md) — A fact\n- [b](b.md) — A fact\n" in text


def test_an_add_may_take_a_free_name_but_never_doubles_a_fact(stores: Stores) -> None:
    add(stores, "a", content="One")

    renamed = add(stores, "a", content="Two", if_exists=IfExists.RENAME)
    same = add(stores, "a", content="Two\n", if_exists=IfExists.RENAME)
    replaced = add(stores, "a", content="Three", if_exists=IfExists.REPLACE)

    assert (renamed.result, renamed.name) == (Result.ADDED, "a-2")
    assert (same.result, same.name) == (Result.SKIPPED, "a-2")
    assert (replaced.result, replaced.name) == (Result.UPDATED, "a")
    assert [(one.name, one.content) for one in stores.load_all()] == [
        ("a", "Three\n"),
        ("a-2", "Two\n"),
    ]


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"content": "use ghp_abcdefghijklmnopqrstuvwxyz0123456789"}, "GitHub token"),
        ({"description": "the database is postgres://u:pw@h/db"}, "password"),
        ({"optional": {"keywords": ["password=hunter2"]}}, "password"),
        ({"name": "AKIAIOSFODNN7EXAMPLE", "content": "AKIAIOSFODNN7EXAMPLE"}, "AWS key"),
    ],
)
def test_b11_a_secret_is_refused_by_its_kind_and_not_repeated(
    stores: Stores, home: Path, fields: dict[str, object], kind: str
) -> None:
    outcome = add(stores, **fields)  # type: ignore[arg-type]  # any field of an entry

    assert outcome.result is Result.REFUSED
    assert f"({kind})" in outcome.reason
    assert "ghp_" not in outcome.reason
    assert not (home / ".catmem").exists()


def test_a27_a_long_body_is_saved_whole_or_refused_with_the_limit(stores: Stores) -> None:
    for length in (2_100, 300_000):
        body = "字" * length
        outcome = add(stores, f"n{length}", content=body)
        assert outcome.result is Result.ADDED
        assert outcome.entry is not None
        assert outcome.entry.path is not None
        assert outcome.entry.path.read_text("utf-8").endswith(f"---\n{body}\n")

    outcome = add(stores, "too-long", content="x" * 1_000_001)
    assert outcome.result is Result.REFUSED
    assert "1,000,000" in outcome.reason


def test_files_are_private(stores: Stores, paths: Paths) -> None:
    add(stores, "a")
    update(stores, "a", content="New")

    modes = {path: path.stat().st_mode & 0o777 for path in [paths.home, *paths.home.rglob("*")]}
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}
    assert {mode for path, mode in modes.items() if path.is_file()} == {0o600}


def test_user_and_feedback_are_the_users_the_rest_the_projects(
    stores: Stores, workspace: Path, paths: Paths
) -> None:
    scopes = {kind: stores.scope_for(kind) for kind in ("user", "feedback", "project", "reference")}
    assert scopes == {
        "user": Scope.USER,
        "feedback": Scope.USER,
        "project": Scope.PROJECT,
        "reference": Scope.PROJECT,
    }
    assert stores.scope_for("user", "project") is Scope.PROJECT
    assert stores.scope_for("project", "nonsense") is Scope.PROJECT

    add(stores, "mine", scope=Scope.USER)
    assert not (workspace / ".catmem").exists()
    add(stores, "ours", scope=Scope.PROJECT)
    assert (workspace / ".catmem" / ".gitignore").read_text() == "*\n"
    assert file_names(workspace / ".catmem" / "memory") == ["MEMORY.md", "ours.md"]
    assert file_names(paths.user_memory) == ["MEMORY.md", "mine.md"]


def test_a_shared_store_keeps_the_ignore_file_its_users_chose(
    stores: Stores, project_dir: Path
) -> None:
    add(stores, "ours", scope=Scope.PROJECT)
    assert not (project_dir.parent / ".gitignore").exists()


def test_one_name_is_one_entry_across_both_stores(stores: Stores) -> None:
    add(stores, "a", scope=Scope.USER)
    assert add(stores, "a", scope=Scope.PROJECT).result is Result.EXISTS
    replaced = add(stores, "a", "New", scope=Scope.PROJECT, if_exists=IfExists.REPLACE)
    assert replaced.result is Result.UPDATED
    assert [(entry.name, entry.scope) for entry in stores.load_all()] == [("a", Scope.USER)]


def test_a28_subdirectory_and_worktree_share_a_store_two_folders_of_one_name_do_not(
    tmp_path: Path, home: Path
) -> None:
    repository = tmp_path / "one" / "app"
    (repository / ".git" / "worktrees" / "side").mkdir(parents=True)
    (repository / "sub").mkdir()
    (repository / ".git" / "worktrees" / "side" / "commondir").write_text("../..\n")
    worktree = tmp_path / "side"
    worktree.mkdir()
    (worktree / ".git").write_text(f"gitdir: {repository}/.git/worktrees/side\n")
    stranger = tmp_path / "two" / "app"
    stranger.mkdir(parents=True)

    add(open_stores(find_paths(repository / "sub", os.environ)), "ours", scope=Scope.PROJECT)

    def seen(place: Path) -> list[str]:
        return names(open_stores(find_paths(place, os.environ)).load_all())

    assert seen(repository) == seen(repository / "sub") == seen(worktree) == ["ours"]
    assert seen(stranger) == []
    assert not (home / ".catmem" / "memory").exists()


def test_in_the_home_directory_everything_is_the_users(home: Path) -> None:
    stores = open_stores(find_paths(home, os.environ))

    assert stores.scope_for("project", "project") is Scope.USER
    outcome = add(stores, "a", type="project", scope=Scope.PROJECT)
    assert outcome.entry is not None
    assert outcome.entry.path == home / ".catmem" / "memory" / "a.md"
    assert not (home / ".catmem" / ".gitignore").exists()


@pytest.mark.parametrize("linked", [".catmem", ".catmem/memory", ".catmem/state"])
def test_a_project_that_links_to_the_users_store_has_none_of_its_own(
    workspace: Path, paths: Paths, linked: str
) -> None:
    add(open_stores(paths), "first")
    link = workspace / linked
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(
        {".catmem": paths.home, "memory": paths.user_memory}.get(link.name, paths.state)
    )

    stores = open_stores(find_paths(workspace, os.environ))

    assert stores.project is None
    assert add(stores, "second", type="project", scope=Scope.PROJECT).result is Result.ADDED
    assert [(one.name, one.scope) for one in stores.load_all()] == [
        ("first", Scope.USER),
        ("second", Scope.USER),
    ]


def test_the_user_store_can_be_moved(paths: Paths, tmp_path: Path, home: Path) -> None:
    add(open_stores(paths, str(tmp_path / "notes")), "a")
    assert (tmp_path / "notes" / "a.md").exists()
    add(open_stores(paths, "~/vault"), "b")
    assert (home / "vault" / "b.md").exists()


def test_near_names_are_those_a_person_may_have_meant(stores: Stores) -> None:
    for name in ("user-prefers-vim", "deploy-target", "用户偏好"):
        add(stores, name)
    assert stores.near("user-prefer-vim") == ["user-prefers-vim"]
    assert stores.near("Deploy") == ["deploy-target"]
    assert stores.near("用户") == ["用户偏好"]
    assert stores.near("zzz") == []
