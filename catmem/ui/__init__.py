"""The terminal interface: the only place that knows prompt_toolkit and rich.

``open_interface`` chooses between the prompt (``repl``) and plain lines (``plain``); ``headless``
serves ``catmem -p``. Importing this package loads neither library: they come with ``repl`` alone,
so that headless use and ``catmem memory list`` start without them.
"""

from __future__ import annotations

import importlib
import os
import sys

from catmem.ui.ports import Interface, Setup


def open_interface(setup: Setup) -> Interface:
    """Return the interface that this terminal can show."""
    made: Interface
    if can_draw():
        made = importlib.import_module("catmem.ui.repl").Repl(setup)
    else:
        made = importlib.import_module("catmem.ui.plain").PlainRepl(setup)
    return made


def can_draw() -> bool:
    """Tell whether standard input and output are a terminal that can move its cursor and colour."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM", "dumb") in {"", "dumb", "unknown"}:
        return False
    return sys.stdin.isatty() and sys.stdout.isatty()
