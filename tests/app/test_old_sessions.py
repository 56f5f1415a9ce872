"""Transcripts that were kept long enough go, with all that belongs to them."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from catmem.errors import StorageError
from catmem.messages import user_message
from catmem.sessions import Session, delete_transcript, lock_path, transcripts_before
from tests.acceptance.steps import enter, finished, leave
from tests.support.model_server import StartModel
from tests.support.pipeline import route_pipeline
from tests.support.program import MakeProgram
from tests.support.reply import Reply

DAY = 86_400


def made_old(path: Path, days: float) -> Path:
    moment = time.time() - days * DAY
    os.utime(path, (moment, moment))
    return path


def written(directory: Path, days: float) -> Path:
    """A transcript of a session that ended long ago, with an open window."""
    session = Session(directory, directory)
    session.append(user_message("I always deploy with make ship"))
    session.close()
    return made_old(session.path, days)


def wait_until_gone(path: Path) -> None:
    end = time.monotonic() + 30
    while path.exists():
        assert time.monotonic() < end, f"{path} is still there"
        time.sleep(0.01)


def everything_below(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*")}


def test_at_a_start_old_sessions_go_that_were_learned_from(
    program: MakeProgram, model: StartModel
) -> None:
    server = model(router=route_pipeline(chat=[Reply("Hello.")]))
    catmem = program(server)
    finished(catmem.run("-p", "I always deploy with make ship"))  # is learned from
    root = catmem.catmem_home / "sessions"
    (learned,) = root.rglob("*.jsonl")
    (other,) = (root / name for name in ("other-project",))
    other.mkdir()
    old = made_old(learned.rename(other / learned.name), 91)
    (other / f"{old.stem}.results").mkdir()
    (other / f"{old.stem}.results" / "1.txt").write_text("long output")
    (other / f"{old.stem}.before").write_text("a file before its edit")
    unlearned = written(root / "third-project", 200)
    with enter(catmem) as terminal:
        wait_until_gone(other)
        leave(terminal)

    assert everything_below(root) == {
        learned.parent.name,
        "third-project",
        f"third-project/{unlearned.name}",
    }


def test_where_memory_is_off_age_decides(program: MakeProgram, model: StartModel) -> None:
    catmem = program(model(), CATMEM_MEMORY_ENABLED="false", CATMEM_SESSIONS_KEEP_DAYS="10")
    root = catmem.catmem_home / "sessions"
    old, young = written(root / "one", 11), written(root / "two", 9)
    with enter(catmem) as terminal:
        wait_until_gone(old.parent)
        leave(terminal)

    assert everything_below(root) == {"two", f"two/{young.name}"}


def test_old_transcripts_of_all_projects_are_found(tmp_path: Path) -> None:
    old = [written(tmp_path / "a", 3), written(tmp_path / "b", 2.5)]
    written(tmp_path / "b", 1)
    (tmp_path / "link").symlink_to(tmp_path / "a")

    assert transcripts_before(tmp_path, time.time() - 2 * DAY) == old
    assert transcripts_before(tmp_path / "none", time.time()) == []


def test_a_session_that_lives_keeps_everything(tmp_path: Path) -> None:
    directory = tmp_path / "project"
    session = Session(directory, tmp_path)
    session.append(user_message("hello"))
    with pytest.raises(StorageError, match=r"another catmem \(process \d+\) has held"):
        delete_transcript(session.path)
    assert session.path.exists()
    assert lock_path(session.path).exists()
    session.close()
    neighbour = directory / f"{session.id}0.jsonl"
    neighbour.write_text("{}")

    delete_transcript(session.path)
    assert list(directory.iterdir()) == [neighbour]
