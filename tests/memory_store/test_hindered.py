"""A store that cannot be looked at for a while, or is looked at from several sides at once."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from catmem.errors import StorageError
from catmem.memory.commands.doctor.examining import examine
from catmem.memory.store.entry import Scope
from catmem.memory.store.operations import Result
from catmem.memory.store.stores import Stores, open_stores
from catmem.paths import Paths
from tests.memory_store.asking import add, names, read
from tests.support.descriptors import descriptors_left

COUNT = 520  # so many are watched
PAST = (1_000_000_000, 1_000_000_000)
PATIENCE = 20.0


def write(user_dir: Path, name: str, description: str) -> Path:
    path = user_dir / f"{name}.md"
    path.write_text(f"---\nname: {name}\ndescription: {description}\n---\nThe fact.\n")
    return path


@pytest.fixture
def watched(stores: Stores, user_dir: Path) -> Stores:
    for number in range(COUNT):
        os.utime(write(user_dir, f"fact-{number}", f"Fact {number}"), PAST)
    stores.load_all()
    return stores


def until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # that other tests left threads
def test_what_a_forked_process_is_told_its_parent_is_told_too(
    watched: Stores, user_dir: Path
) -> None:
    write(user_dir, "fact-1", "Edited")
    child = os.fork()
    if not child:
        code = 1
        with contextlib.suppress(BaseException):
            code = int(read(watched, "fact-1").description != "Edited")
        os._exit(code)
    _, status = os.waitpid(child, 0)

    assert (status, read(watched, "fact-1").description) == (0, "Edited")


def test_an_index_that_several_threads_look_at_is_that_of_the_files(
    watched: Stores, user_dir: Path, paths: Paths
) -> None:
    is_over = threading.Event()

    def look() -> None:
        while not is_over.is_set():
            watched.user.index_drifted()

    threads = [threading.Thread(target=look) for _ in range(3)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    for thread in threads:
        thread.start()
    for number in range(40):
        write(user_dir, f"fact-{number % 20}", f"Edit {number}")
        (user_dir / f"fact-{number % 20 + 20}.md").unlink(missing_ok=True)
        time.sleep(0.01)
    is_over.set()
    for thread in threads:
        thread.join()
    sys.setswitchinterval(interval)
    watched.refresh_indexes()

    assert not open_stores(paths).user.index_drifted()


def test_what_another_home_wrote_while_this_one_waited_is_in_the_index(
    stores: Stores, paths: Paths, tmp_path: Path
) -> None:
    add(stores, "before", scope=Scope.PROJECT)
    other = open_stores(replace(paths, home=tmp_path / "other-home"))
    project = stores.project
    assert project is not None
    assert other.project is not None
    adding = threading.Thread(target=add, args=(other, "theirs"), kwargs={"scope": Scope.PROJECT})
    with project.locked():
        adding.start()
        until(other.journal.lock.exists)
        time.sleep(0.2)  # it has read the store and waits for its lock
        write(project.places.directory, "mine", "Written while the other waited")
        project.refresh_index()
    adding.join()

    index = (project.places.directory / "MEMORY.md").read_text()
    lines = [line for line in index.splitlines() if line.startswith("- ")]
    assert [line.split("]")[0] for line in lines] == ["- [before", "- [mine", "- [theirs"]


@pytest.mark.parametrize("left", [0, 1])
def test_a_store_for_which_no_descriptor_is_left_is_unreadable_for_so_long(
    watched: Stores, paths: Paths, left: int
) -> None:
    watched.refresh_indexes()
    index = watched.user.places.directory / "MEMORY.md"
    before = index.read_bytes()
    again = open_stores(paths)
    with descriptors_left(left):
        assert again.load_all() == []
        assert again.is_unreadable()
        again.user.refresh_index()

    assert index.read_bytes() == before
    assert again.load_all() == watched.load_all()
    assert not again.is_unreadable()


def test_a_directory_that_is_gone_is_no_longer_unreadable(stores: Stores, user_dir: Path) -> None:
    with descriptors_left(0):
        assert stores.is_unreadable()
    user_dir.rmdir()

    assert not stores.is_unreadable()
    assert stores.user.snapshot().warnings == ()


@pytest.fixture(params=[0o000, 0o100, 0o300, 0o400])
def closed(stores: Stores, user_dir: Path, request: pytest.FixtureRequest) -> Iterator[Stores]:
    """A store with one entry, of which the directory may not be looked into any more."""
    add(stores, "first")
    user_dir.chmod(request.param)
    if os.access(user_dir, os.R_OK | os.X_OK):
        pytest.skip("root may look anywhere")
    yield stores
    user_dir.chmod(0o700)


def test_a_closed_directory_stops_no_other_store_and_loses_nothing(
    closed: Stores, user_dir: Path
) -> None:
    mode = user_dir.stat().st_mode
    add(closed, "second")
    closed.refresh_indexes()
    elsewhere = add(closed, "elsewhere", scope=Scope.PROJECT)
    with contextlib.suppress(StorageError):
        closed.undo()
    user_dir.chmod(0o700)
    index = (user_dir / "MEMORY.md").read_text()
    user_dir.chmod(mode)
    examine(closed)
    user_dir.chmod(0o700)

    assert elsewhere.result is Result.ADDED
    assert "- [first](first.md)" in index
    assert "first" in names(closed.load_all())
    assert add(closed, "third").result is Result.ADDED
    assert closed.journal.open_intents() == []
