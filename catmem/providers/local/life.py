"""Binding a child process to the life of the catmem that started it.

The parent holds the write end of the child's standard input and never closes it before the end, so
end of file means that the parent is gone, however it went. Linux also kills the child itself, which
works while native code holds the interpreter.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading

_PR_SET_PDEATHSIG = 1


def bind_to_parent(stdin: int = 0) -> None:
    """End this process as soon as its parent has ended. Everything meant for us has been read."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    threading.Thread(target=_exit_at_end, args=(stdin,), name="parent", daemon=True).start()


def _exit_at_end(stdin: int) -> None:
    while os.read(stdin, 4096):
        pass
    os._exit(0)
