"""Files that survive a crash: atomic writes, appended lines, locks between processes."""

from __future__ import annotations

import contextlib
import errno
import functools
import importlib
import io
import json
import os
import signal
import stat
import tempfile
import threading
import time
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from catmem.errors import StorageError
from catmem.text import t

_PIECE_BYTES = 65_536
TEMP_PREFIX = ".catmem-tmp-"
_SYNC_FAILURES_TO_IGNORE = {errno.EINVAL, errno.ENOTSUP}
_OWNER = "catmem "
_WAITED_AT_ONCE = 0.2  # seconds
_ended: ContextVar[threading.Event | None] = ContextVar("ended", default=None)
_DEATH = "CATMEM_TEST_DIE_AT"


def reason(error: OSError) -> str:
    """Return the system's words for an error, without its path."""
    return error.strerror or type(error).__name__


def make_dir(path: Path) -> None:
    """Make a private directory (0700) with its parents, durably.

    Raises:
        StorageError: it cannot be made.
    """
    try:
        missing = [one for one in (path, *path.parents) if not one.exists()]
        for one in reversed(missing):
            one.mkdir(exist_ok=True, mode=0o700)  # mkdir(parents=True) would make them 0755
            sync_directory(one.parent)
        path.mkdir(exist_ok=True, mode=0o700)  # which says so where it is a file
    except OSError as error:
        raise StorageError(
            t("config.storage.directory", path=path, reason=reason(error))
        ) from error


def read_bytes(path: Path, limit: int) -> bytes:
    """Return the content of a regular file of at most ``limit`` bytes.

    Opened without blocking, so that a FIFO or device cannot hang the caller.

    Raises:
        StorageError: it is missing, unreadable, no regular file, or larger.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise StorageError(t("config.storage.not_a_file", path=path))
            if status.st_size > limit:
                raise StorageError(t("config.storage.too_large", path=path, limit=limit))
            return _read(descriptor, status.st_size, limit)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise StorageError(t("config.storage.read", path=path, reason=reason(error))) from error


def read_inside(folder: int, name: str, size: int, limit: int) -> bytes:
    """Return the content of a file in an opened directory, at most ``limit`` bytes and one more.

    The caller has just seen that it is a regular file of ``size`` bytes, which is not asked again:
    thousands are read at a start. A link that took its place is not followed.

    Raises:
        OSError: it is gone, or cannot be read.
    """
    descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW, dir_fd=folder)
    try:
        return _read(descriptor, size, limit)
    finally:
        os.close(descriptor)


def _read(descriptor: int, size: int, limit: int) -> bytes:
    """Read to the end, which may be further than ``size`` says; at most ``limit`` and one more."""
    pieces: list[bytes] = []
    left, wanted = limit + 1, size + 1
    while left:
        piece = os.read(descriptor, min(wanted, left))
        pieces.append(piece)
        if len(piece) < min(wanted, left):  # a regular file gives less only at its end
            break
        left, wanted = left - len(piece), _PIECE_BYTES
    return b"".join(pieces)


def write_atomic(path: Path, data: bytes, *, mode: int | None = None, durable: bool = True) -> None:
    """Replace or create ``path`` so that a crash leaves the old content or the new, never a part.

    The mode bits of an existing file stay, unless ``mode`` is given; a new file gets ``mode`` or
    0600. Where ``durable`` is false a crash soon after may leave the old content.

    Raises:
        StorageError: it cannot be written (permissions, full disk); the old content is intact.
    """
    temporary = write_beside(path, data, mode=mode)
    try:
        temporary.replace(path)
        reach(f"replaced {path.name}")
        if durable:
            sync_directory(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise StorageError(t("config.storage.write", path=path, reason=reason(error))) from error


def write_beside(path: Path, data: bytes, *, mode: int | None = None) -> Path:
    """Write what ``path`` is to become into a temporary file beside it, durably; return that file.

    For the mode see ``write_atomic``, which does this first.

    Raises:
        StorageError: it cannot be written; no temporary file is left.
    """
    temporary: str | None = None
    try:
        if mode is None:
            mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o600
        descriptor, temporary = tempfile.mkstemp(prefix=TEMP_PREFIX, dir=path.parent)
        reach(f"begin {path.name}")
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
    except OSError as error:
        if temporary is not None:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
        raise StorageError(t("config.storage.write", path=path, reason=reason(error))) from error
    reach(f"written {path.name}")
    return Path(temporary)


def remove(path: Path) -> None:
    """Remove a file; that it is gone already is no error.

    Raises:
        StorageError: it cannot be removed.
    """
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(t("config.storage.write", path=path, reason=reason(error))) from error
    reach(f"removed {path.name}")


def reach(step: str) -> None:
    """Mark a step of writing, where a test can have this process die as in a power cut.

    For tests only: ``CATMEM_TEST_DIE_AT=N`` kills the process at the N-th step from then on, with
    the step's name as its last word on standard error. Without that variable nothing happens.
    """
    if _DEATH not in os.environ:
        return
    left = int(os.environ[_DEATH]) - 1
    os.environ[_DEATH] = str(left)
    if not left:
        os.write(2, f"{step}\n".encode("utf-8", "replace"))
        os.kill(os.getpid(), signal.SIGKILL)


def sync_directory(path: Path) -> None:
    """Make a rename in ``path`` durable; some file systems cannot, which is no error."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _SYNC_FAILURES_TO_IGNORE:
            raise
    finally:
        os.close(descriptor)


def append_line(path: Path, line: str, *, sync: bool = False) -> None:
    """Append one line to a private file in a single write, making file and directory when missing.

    A last line that a crash left without its newline is closed first, so that the new line stays
    whole. A line that the disk has no room for is taken back.

    Raises:
        StorageError: it cannot be written.
    """
    make_dir(path.parent)
    data = line.encode("utf-8", "replace") + b"\n"
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "r+b", buffering=0) as file:
            if _ends_inside_a_line(file.fileno()):
                data = b"\n" + data
            _write_whole(file, data)
            reach(f"appended {path.name}")
            if sync:
                os.fsync(file.fileno())
                if os.fstat(file.fileno()).st_size == len(data):  # a new file
                    sync_directory(path.parent)
    except OSError as error:
        raise StorageError(t("config.storage.write", path=path, reason=reason(error))) from error


def _write_whole(file: io.FileIO, data: bytes) -> None:
    """Append all of ``data``, or nothing; a full disk takes a part of it without an error first."""
    written = 0
    try:
        while written < len(data):
            written += file.write(data[written:])
    except OSError:
        size = os.fstat(file.fileno()).st_size
        if written and os.pread(file.fileno(), written, size - written) == data[:written]:
            os.ftruncate(file.fileno(), size - written)
        raise


def _ends_inside_a_line(descriptor: int) -> bool:
    size = os.fstat(descriptor).st_size
    return size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"


def parse_json(data: bytes | str) -> Any:
    """Return the value of a JSON text.

    Raises:
        ValueError: it is none, or nested too deeply.
    """
    try:
        return json.loads(data)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


@contextlib.contextmanager
def given_up_at_the_end() -> Iterator[None]:
    """Give up waiting for locks when the block ends, in threads that were started in it.

    Nobody wants the work of those that outlive it, and a program that ends would wait for them.
    """
    ended = threading.Event()
    token = _ended.set(ended)
    try:
        yield
    finally:
        ended.set()
        _ended.reset(token)


def is_given_up() -> bool:
    """Whether this runs in a thread whose block has ended, see ``given_up_at_the_end``."""
    ended = _ended.get()
    return ended is not None and ended.is_set()


@functools.cache
def load_locks() -> Any:
    """Return filelock, imported at the first call: nothing is locked before the first prompt."""
    return importlib.import_module("filelock")


@contextlib.contextmanager
def lock(path: Path, timeout: float) -> Iterator[None]:
    """Hold the lock file ``path``; the system frees it when its holder dies.

    filelock is used because it has the per-platform calls right (flock, msvcrt) and is kept well.
    It is imported at the first lock, since nothing is locked before the first prompt.

    Its holder's process id and since when it holds it stand in the file, for those who wait.

    Raises:
        StorageError: another process holds it longer than ``timeout`` seconds, or until waiting
            was given up (``given_up_at_the_end``), or it cannot be made.
    """
    make_dir(path.parent)
    handle = load_locks().FileLock(path, mode=0o600)
    try:
        is_held = _acquired(handle, timeout)
    except OSError as error:
        raise StorageError(t("config.storage.write", path=path, reason=reason(error))) from error
    if not is_held:
        raise StorageError(_held(path, timeout))
    try:
        _sign(path)
        yield
    finally:
        handle.release()


def _acquired(handle: Any, timeout: float) -> bool:
    """Wait for a lock in short pieces, in between which it may be given up."""
    end = time.monotonic() + timeout
    while True:
        left = 0.0 if is_given_up() else max(0.0, end - time.monotonic())
        with contextlib.suppress(load_locks().Timeout):
            handle.acquire(timeout=min(left, _WAITED_AT_ONCE))
            return True
        if not left:
            return False


def _sign(path: Path) -> None:
    """Write into a lock file who holds it; where filelock keeps notes of its own, they stay."""
    with contextlib.suppress(OSError), path.open("r+", encoding="utf-8", errors="replace") as file:
        if file.read(len(_OWNER)) in {"", _OWNER}:
            file.seek(0)
            file.write(f"{_OWNER}{os.getpid()} {time.time():.0f}")
            file.truncate()


def _held(path: Path, timeout: float) -> str:
    """Return the sentence for a lock that was not to be had: who holds it, and how long already."""
    try:
        word, pid, since = path.read_text("utf-8").split()
        age = max(0, round(time.time() - float(since)))
        os.kill(int(pid), 0)
    except (OSError, ValueError):  # not written yet, or written by an earlier holder
        return t("config.storage.locked", path=path, seconds=f"{timeout:g}")
    if f"{word} " != _OWNER:
        return t("config.storage.locked", path=path, seconds=f"{timeout:g}")
    return t("config.storage.locked_by", path=path, pid=pid, age=age)
