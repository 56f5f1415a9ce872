from __future__ import annotations

import subprocess
from pathlib import Path

from catmem.paths import find_paths


def git(cwd: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *identity, *arguments], cwd=cwd, check=True, capture_output=True)


def repository(path: Path) -> Path:
    path.mkdir(parents=True)
    git(path, "init")
    git(path, "commit", "--allow-empty", "-m", "start")
    return path


def test_without_git_the_start_directory_is_workspace_and_memory_root(tmp_path: Path) -> None:
    start = tmp_path / "plain"
    start.mkdir()
    paths = find_paths(start, {"HOME": str(tmp_path)})
    assert (paths.cwd, paths.workspace, paths.memory_root) == (start, start, start)
    assert paths.home == tmp_path / ".catmem"
    assert paths.project_memory == start / ".catmem" / "memory"


def test_a28_root_subdirectory_and_linked_worktree_share_the_project_store(tmp_path: Path) -> None:
    root = repository(tmp_path / "app")
    sub = root / "src" / "deep"
    sub.mkdir(parents=True)
    git(root, "worktree", "add", str(tmp_path / "linked"))
    environ = {"HOME": str(tmp_path)}
    from_root = find_paths(root, environ)
    from_sub = find_paths(sub, environ)
    linked = find_paths(tmp_path / "linked", environ)
    assert from_root.workspace == from_sub.workspace == root
    assert from_sub.cwd == sub
    assert linked.workspace == tmp_path / "linked"
    assert from_root.memory_root == from_sub.memory_root == linked.memory_root == root
    assert from_root.sessions == from_sub.sessions == linked.sessions


def test_a28_two_directories_of_one_name_never_mix(tmp_path: Path) -> None:
    one, two = tmp_path / "a" / "app", tmp_path / "b" / "app"
    one.mkdir(parents=True)
    two.mkdir(parents=True)
    environ = {"HOME": str(tmp_path)}
    assert find_paths(one, environ).sessions != find_paths(two, environ).sessions


def test_a_submodule_is_its_own_memory_root(tmp_path: Path) -> None:
    outer = repository(tmp_path / "outer")
    inner = repository(tmp_path / "inner")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", str(inner), "lib")
    paths = find_paths(outer / "lib", {"HOME": str(tmp_path)})
    assert paths.memory_root == outer / "lib"


def test_the_home_directory_has_no_project_store(tmp_path: Path) -> None:
    paths = find_paths(tmp_path, {"HOME": str(tmp_path)})
    assert paths.memory_root is None
    assert paths.project_memory is None


def test_catmem_home_moves_everything_and_is_never_a_project_store(tmp_path: Path) -> None:
    start = tmp_path / "work"
    start.mkdir()
    environ = {"HOME": str(tmp_path / "h"), "CATMEM_HOME": str(start / ".catmem")}
    paths = find_paths(start, environ)
    assert paths.home == start / ".catmem"
    assert paths.memory_root is None
    assert paths.config_file == start / ".catmem" / "config.yaml"


def test_a_workspace_reached_through_a_symlink_is_the_real_one(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    assert find_paths(tmp_path / "link", {"HOME": str(tmp_path)}).workspace == real


def test_f07_an_unset_home_is_no_error(tmp_path: Path) -> None:
    assert find_paths(tmp_path, {}).workspace == tmp_path
