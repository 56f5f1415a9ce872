from __future__ import annotations

import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from catmem.config.trust import RootTrust, TrustFile
from catmem.errors import StorageError
from tests.support.descriptors import descriptors_left

WRITER = """
import sys
from pathlib import Path
from catmem.config.trust import TrustFile
file = TrustFile(Path(sys.argv[1]), Path(sys.argv[2]))
for number in range(25):
    file.change(lambda known: known.trusting([f"{sys.argv[3]}-{number}"]))
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "state" / "trust.json"


def test_it_is_private_and_keeps_each_root_apart(path: Path) -> None:
    one, two = TrustFile(path, Path("/one")), TrustFile(path, Path("/two"))
    one.change(lambda known: known.trusting(["e"], ["s"]).declining(["d"]))
    two.change(lambda known: known.declining(["s"]))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert json.loads(path.read_text()) == {
        "version": 1,
        "roots": {
            "/one": {
                "firstRun": "",
                "found": [],
                "entries": ["e"],
                "settings": ["s"],
                "declined": ["d"],
            },
            "/two": {
                "firstRun": "",
                "found": [],
                "entries": [],
                "settings": [],
                "declined": ["s"],
            },
        },
    }
    assert one.read() == RootTrust(entries=("e",), settings=("s",), declined=("d",))


def test_a_yes_takes_a_no_back(path: Path) -> None:
    file = TrustFile(path, Path("/one"))
    file.change(lambda known: known.declining(["a", "b"]))
    assert file.change(lambda known: known.trusting(["a"])) == RootTrust(
        entries=("a",), declined=("b",)
    )


def test_two_processes_lose_nothing_of_each_other(path: Path) -> None:
    argv = [sys.executable, "-c", WRITER, str(path), "/root"]
    writers = [subprocess.Popen([*argv, name]) for name in ("one", "two")]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    expected = {f"{name}-{number}" for name in ("one", "two") for number in range(25)}
    assert set(TrustFile(path, Path("/root")).read().entries) == expected


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"version": 1}', '{"roots": 5}', '{"version": 1, "roots": {"/r": 3}}']
)
def test_a_damaged_file_trusts_nothing_and_is_replaced(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(text)
    file = TrustFile(path, Path("/r"))
    assert file.read() == RootTrust()
    file.change(lambda known: known.trusting(["a"]))
    assert TrustFile(path, Path("/r")).read() == RootTrust(entries=("a",))


def test_a_newer_file_trusts_nothing_and_is_left_alone(path: Path) -> None:
    path.parent.mkdir(parents=True)
    newer = '{"version": 2, "roots": {"/r": {"entries": ["a"]}}}'
    path.write_text(newer)
    file = TrustFile(path, Path("/r"))
    assert file.read() == RootTrust()
    with pytest.raises(StorageError, match="written by a newer catmem"):
        file.change(lambda known: known.trusting(["b"]))
    assert path.read_text() == newer


def test_what_cannot_be_read_for_a_moment_is_neither_forgotten_nor_overwritten(path: Path) -> None:
    TrustFile(path, Path("/one")).change(lambda known: known.trusting(["a"]))
    file = TrustFile(path, Path("/one"))
    with descriptors_left(0):
        assert file.read() == RootTrust()
    assert file.change(lambda known: known.trusting(["b"])) == RootTrust(entries=("a", "b"))

    other = TrustFile(path, Path("/two"))
    with descriptors_left(0):
        assert other.read() == RootTrust()
    assert file.read() == RootTrust(entries=("a", "b"))


def test_a_file_that_is_no_longer_readable_is_not_replaced(path: Path) -> None:
    path.mkdir(parents=True)
    file = TrustFile(path, Path("/one"))

    assert file.read() == RootTrust()
    with pytest.raises(StorageError, match="not a regular file"):
        file.change(lambda known: known.trusting(["a"]))
