"""Which files of a directory were touched, as the kernel tells it (inotify).

To ask about each of thousands of files takes longer than everything else that a write does. What
is not told is seen all the same, only later: everything is looked at anew once in a while, because
a file that is mapped into memory, or written by another of its names elsewhere, is not told of. On
other systems, and on file systems that another machine may write to, nothing is told at all.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import struct
import sys
import time
import weakref
from collections.abc import Iterator
from typing import Any

_SECONDS = 30.0
_READ_BYTES = 65_536
_EVENT = struct.Struct("iIII")  # watch, what happened, cookie, length of the name that follows
_OVERFLOW = 0x4000
_ONLY_DIRECTORY = 0x0100_0000
_HAPPENED = (
    0x0002  # modified
    | 0x0004  # its mode, owner, times or links
    | 0x0040  # moved away
    | 0x0080  # moved here
    | 0x0100  # made
    | 0x0200  # deleted
    | 0x0400  # the directory itself deleted
    | 0x0800  # or moved
)
_LOCAL = {
    0xEF53: "ext4",
    0x5846_5342: "xfs",
    0x9123_683E: "btrfs",
    0xF2F5_2010: "f2fs",
    0x0102_1994: "tmpfs",
    0x794C_7630: "overlay",
}


class Watch:
    """Watches one directory from the first call of ``told`` on; not for several threads at once."""

    def __init__(self) -> None:
        self._queue: int | None = None
        self._closing: weakref.finalize[..., Watch] | None = None
        self._place = (0, 0, 0)
        self._looked = 0.0

    def told(self, folder: int) -> set[str] | None:
        """Return the names of files touched in an opened directory since the last call.

        None: that is not known, and the caller has to look at all of them.
        """
        status = os.fstat(folder)
        # A process that was forked off has the same queue: what it reads there its parent misses.
        place = os.getpid(), status.st_dev, status.st_ino
        names = self._read() if place == self._place else None
        now = time.monotonic()
        if names is not None and now - self._looked < _SECONDS:
            return names
        if names is None:
            self._begin(folder)
            self._place = place
        self._looked = now
        return None

    def _read(self) -> set[str] | None:
        names: set[str] = set()
        for happened, name in self._events():
            if happened & _OVERFLOW or not name:  # something about the directory itself
                return None
            names.add(os.fsdecode(name))
        return names if self._queue is not None else None

    def _events(self) -> Iterator[tuple[int, bytes]]:
        with contextlib.suppress(BlockingIOError):  # no more
            while self._queue is not None:
                data = os.read(self._queue, _READ_BYTES)
                start = 0
                while start < len(data):
                    _, happened, _, length = _EVENT.unpack_from(data, start)
                    start += _EVENT.size + length
                    yield happened, data[start - length : start].rstrip(b"\0")

    def _begin(self, folder: int) -> None:
        if self._closing is not None:
            self._closing()
        self._queue = _watch(folder)
        is_open = self._queue is not None
        self._closing = weakref.finalize(self, os.close, self._queue) if is_open else None


def _watch(folder: int) -> int | None:
    """Return a descriptor from which to read what happens in a directory; None where it cannot."""
    if sys.platform != "linux":
        return None
    try:
        ctypes: Any = importlib.import_module("ctypes")  # needed for large stores alone
        system = ctypes.CDLL(None)
    except (ImportError, OSError):  # a Python built without it, or no descriptor to load it with
        return None
    about = ctypes.create_string_buffer(1024)  # struct statfs, which begins with the type
    if system.fstatfs(folder, about) or ctypes.c_ulong.from_buffer(about).value not in _LOCAL:
        return None
    queue = int(system.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
    if queue < 0:  # the limit of the system, for example
        return None
    path = f"/proc/self/fd/{folder}".encode()
    if system.inotify_add_watch(queue, path, _HAPPENED | _ONLY_DIRECTORY) < 0:
        os.close(queue)
        return None
    return queue
