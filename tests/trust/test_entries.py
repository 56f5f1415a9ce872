"""Which entries of a project store are trusted: real repositories, the stores of a new session."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from catmem.memory.injection import MemoryInjection
from catmem.memory.store.entry import Scope
from catmem.memory.store.operations import IfExists, Result
from catmem.memory.store.stores import open_stores
from catmem.memory.tools import MemoryRead
from catmem.paths import find_paths
from catmem.tools.base import ToolError
from tests.memory_store.asking import add, update
from tests.trust.repository import (
    MEMORY,
    clone,
    commit,
    entry_text,
    git,
    opened,
    put,
    revoke,
    seen,
    shared,
    trust_all,
)


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    return shared(tmp_path / "origin")


@pytest.fixture
def cloned(origin: Path, tmp_path: Path) -> Path:
    return clone(origin, tmp_path / "cloned")


@pytest.mark.anyio
async def test_what_came_with_a_clone_is_known_to_no_model(cloned: Path) -> None:
    stores = opened(cloned)
    assert stores.load_all() == []
    assert stores.get("editor") is None
    assert stores.near("editor") == []
    assert stores.last_count == 0
    assert await MemoryInjection(stores, 30).text() == ""
    read = MemoryRead(stores)
    assert (await read.run({}, lambda _text: None)).text == "No memories are stored."
    with pytest.raises(ToolError, match="There is no memory called editor"):
        await read.run({"name": "editor"}, lambda _text: None)
    assert [entry.name for entry in stores.untrusted()] == ["editor"]


def test_it_is_known_as_soon_as_it_is_trusted_and_as_long_as_it_stays_the_same(
    origin: Path, cloned: Path
) -> None:
    stores = opened(cloned)
    trust_all(cloned)
    assert [entry.name for entry in stores.load_all()] == ["editor"]
    assert seen(cloned) == ["editor"]

    put(origin, "editor", "The editor is helix", "Run the installer first.")
    put(origin, "lint", "Lint with ruff")
    commit(origin)
    git(cloned, "pull", "-q")

    assert seen(cloned) == []
    assert [entry.name for entry in opened(cloned).untrusted()] == ["editor", "lint"]
    assert stores.load_all() == []


def test_what_somebody_writes_by_hand_after_the_first_run_is_trusted(cloned: Path) -> None:
    assert seen(cloned) == []
    path = put(cloned, "by-hand", "Written by hand")
    assert seen(cloned) == ["by-hand"]
    put(cloned, "by-hand", "Written by hand, and changed")
    assert seen(cloned) == ["by-hand"]

    git(cloned, "add", "-f", str(path))

    assert seen(cloned) == []


def test_a_change_by_hand_of_what_git_tracks_is_not(cloned: Path) -> None:
    trust_all(cloned)
    put(cloned, "editor", "The editor is helix", "Changed by hand.")
    assert seen(cloned) == []


def test_what_lay_there_before_the_first_run_is_not_trusted_without_git_either(
    tmp_path: Path,
) -> None:
    place = tmp_path / "unpacked"
    put(place, "editor", "The editor is helix")
    assert open_stores(find_paths(place, os.environ)).load_all() == []
    assert seen(place) == []
    put(place, "later", "Written later")
    assert seen(place) == ["later"]
    put(place, "editor", "The editor is vim, the user says")
    assert seen(place) == ["editor", "later"]


def test_a_store_that_is_made_after_the_first_run_is_the_users(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    assert seen(place) == []
    put(place, "by-hand", "Written by hand")
    assert seen(place) == ["by-hand"]


def test_what_catmem_writes_is_trusted_also_when_it_is_shared(cloned: Path) -> None:
    stores = opened(cloned)
    outcome = add(stores, "ours", type="project", scope=Scope.PROJECT)
    assert outcome.result is Result.ADDED
    commit(cloned)
    assert seen(cloned) == ["ours"]

    assert update(stores, "ours", content="More.").result is Result.UPDATED
    assert seen(cloned) == ["ours"]
    git(cloned, "checkout", "-q", ".")
    assert seen(cloned) == ["ours"]


def test_the_first_write_notes_what_lay_there_before(cloned: Path) -> None:
    add(open_stores(find_paths(cloned, os.environ)), "ours", scope=Scope.PROJECT)
    git(cloned, "rm", "-q", "--cached", "-r", ".")
    put(cloned, "by-hand", "Written after it")
    assert seen(cloned) == ["by-hand", "ours"]


def test_linked_worktrees_share_the_trust_of_their_repository(cloned: Path, tmp_path: Path) -> None:
    side = tmp_path / "side"
    git(cloned, "worktree", "add", "-q", str(side))
    assert seen(side) == []
    trust_all(side)
    assert seen(cloned) == ["editor"] == seen(side)


def test_a_copied_or_moved_clone_is_asked_about_anew(cloned: Path, tmp_path: Path) -> None:
    trust_all(cloned)
    moved = cloned.rename(tmp_path / "moved")
    assert seen(moved) == []
    trust_all(moved)
    shutil.copytree(moved, tmp_path / "copied")
    assert seen(tmp_path / "copied") == []


def test_revoked_trust_leaves_what_was_never_shared(cloned: Path) -> None:
    trust_all(cloned)
    put(cloned, "by-hand", "Written by hand")
    stores = opened(cloned)
    add(stores, "ours", scope=Scope.PROJECT)
    assert seen(cloned) == ["by-hand", "editor", "ours"]

    revoke(cloned)

    assert seen(cloned) == ["by-hand", "ours"]
    assert [entry.name for entry in stores.load_all()] == ["by-hand", "ours"]


def test_while_git_is_at_work_nothing_new_is_trusted(cloned: Path) -> None:
    stores = opened(cloned)
    (cloned / ".git" / "index.lock").touch()
    put(cloned, "arriving", "Written by a pull that has not finished")
    assert stores.load_all() == []
    (cloned / ".git" / "index.lock").unlink()
    assert [entry.name for entry in stores.load_all()] == ["arriving"]


def test_a_file_that_becomes_tracked_is_noticed_though_it_stays_the_same(cloned: Path) -> None:
    stores = opened(cloned)
    path = put(cloned, "by-hand", "Written by hand")
    assert [entry.name for entry in stores.load_all()] == ["by-hand"]
    git(cloned, "add", "-f", str(path))
    assert stores.load_all() == []


def test_where_git_does_not_say_nothing_is_trusted(cloned: Path) -> None:
    assert seen(cloned) == []
    put(cloned, "by-hand", "Written by hand")
    (cloned / ".git" / "index").write_bytes(b"no index")
    assert seen(cloned) == []


def test_without_git_on_the_machine_the_first_run_decides(
    cloned: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert seen(cloned) == []
    put(cloned, "by-hand", "Written by hand")
    assert seen(cloned) == ["by-hand"]


def test_a_store_that_is_a_repository_of_its_own_is_asked_itself(tmp_path: Path) -> None:
    upstream = tmp_path / "upstream"
    upstream.mkdir()
    git(upstream, "init", "-q", "-b", "main")
    (upstream / "editor.md").write_text(entry_text("editor", "The editor is helix"))
    commit(upstream)
    place = tmp_path / "place"
    place.mkdir()
    git(place, "init", "-q")
    assert seen(place) == []
    clone(upstream, place / MEMORY)
    assert seen(place) == []
    put(place, "by-hand", "Written by hand")
    assert seen(place) == ["by-hand"]


def test_links_lead_to_nothing(cloned: Path, tmp_path: Path) -> None:
    assert seen(cloned) == []
    elsewhere = put(tmp_path / "elsewhere", "secret", "Of another project")
    (cloned / MEMORY / "linked.md").symlink_to(elsewhere)
    assert seen(cloned) == []

    shutil.rmtree(cloned / ".catmem")
    (cloned / ".catmem").symlink_to(tmp_path / "elsewhere" / ".catmem")
    assert seen(cloned) == []


@pytest.mark.parametrize("variable", ["GIT_DIR", "GIT_INDEX_FILE"])
def test_variables_of_another_repository_change_nothing(
    cloned: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    assert seen(cloned) == []
    put(cloned, "pulled", "Git knows it")
    commit(cloned)
    git(tmp_path, "init", "-q", "other")
    monkeypatch.setenv(variable, str(tmp_path / "other" / ".git"))
    put(cloned, "by-hand", "Written by hand")
    assert seen(cloned) == ["by-hand"]


def test_what_is_written_never_builds_on_an_entry_that_is_not_trusted(cloned: Path) -> None:
    stores = opened(cloned)
    before = (cloned / MEMORY / "editor.md").read_bytes()
    fact = {"description": "The editor is emacs", "type": "project", "scope": Scope.PROJECT}

    replaced = add(stores, "editor", if_exists=IfExists.REPLACE, **fact)
    updated = update(stores, "editor", content="x")
    renamed = add(stores, "editor", if_exists=IfExists.RENAME, content="Use helix here.", **fact)

    assert (replaced.result, updated.result) == (Result.REFUSED, Result.REFUSED)
    assert replaced.reason == (
        "editor came with the project and is not trusted: `catmem trust`, or another name"
    )
    assert (renamed.result, renamed.name) == (Result.ADDED, "editor-2")
    assert (cloned / MEMORY / "editor.md").read_bytes() == before
    index = (cloned / MEMORY / "MEMORY.md").read_text()
    assert [line for line in index.splitlines() if line.startswith("- ")] == [
        "- [editor](editor.md) — The editor is helix",
        "- [editor-2](editor-2.md) — The editor is emacs",
    ]


def test_in_the_home_nothing_comes_with_the_project(cloned: Path, home: Path) -> None:
    paths = find_paths(cloned, os.environ)
    stores = open_stores(paths, project_dir="home")
    stores.begin()
    assert (stores.load_all(), stores.untrusted()) == ([], [])

    outcome = add(stores, "ours", type="project", scope=Scope.PROJECT)

    assert outcome.entry is not None
    folder = home / ".catmem" / "projects" / paths.project_id / "memory"
    assert outcome.entry.path == folder / "ours.md"
    assert sorted(path.name for path in (cloned / ".catmem").rglob("*")) == ["editor.md", "memory"]
    assert [entry.name for entry in open_stores(paths, project_dir="home").load_all()] == ["ours"]
    assert seen(cloned) == []
