"""The entry: ``python -m catmem`` and the installed command.

Ctrl+C while the program is loaded, or when it is over and Python cleans up, ends it without a word;
in between it means what ``cli`` and the interface make of it.
"""

from __future__ import annotations

import gc
import importlib
import os
import signal
import sys
from collections.abc import Callable
from types import FrameType

INTERRUPTED = 130


def main() -> int:
    """Load the program, run it and return the exit code."""
    code: int = INTERRUPTED

    def leave(_number: int, _frame: FrameType | None) -> None:
        os._exit(code)

    def on_interrupt(react: Callable[..., object]) -> None:
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as for a job of a script
            signal.signal(signal.SIGINT, react)

    on_interrupt(leave)
    gc.disable()  # nothing of what is loaded becomes garbage, and looking for it takes time
    cli = importlib.import_module("catmem.cli")
    gc.freeze()
    gc.enable()
    on_interrupt(signal.default_int_handler)
    code = cli.main()
    on_interrupt(leave)
    return code


if __name__ == "__main__":
    sys.exit(main())
