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
    name = "repl.Repl" if can_draw() else "plain.PlainRepl"
    module, _, kind = name.partition(".")
    interface: Interface = getattr(importlib.import_module(f"catmem.ui.{module}"), kind)(setup)
    return interface


def can_draw() -> bool:
    """Tell whether standard input and output are a terminal that can move its cursor."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM", "dumb") in {"dumb", "unknown"}:
        return False
    return sys.stdin.isatty() and sys.stdout.isatty()
