"""The first start with nothing configured: what was found, and a numbered choice.

Plain lines before any prompt; whoever called writes the choice to the configuration.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from catmem.sanitize import one_line
from catmem.text import t
from catmem.ui.process import put

_TRIES = 3


def choose(found: Sequence[str], options: Sequence[str]) -> int | None:
    """Print what was ``found`` and the numbered ``options``; return the index of the chosen one.

    None: the person chose nothing (empty line, end of input, three unusable answers).

    Raises:
        KeyboardInterrupt: Ctrl+C.
    """
    lines = [t("ui.first.title"), *(f"  {one_line(line)}" for line in found), ""]
    lines += [f"  {number}. {one_line(option)}" for number, option in enumerate(options, 1)]
    _put("\n".join(lines) + "\n")
    for _ in range(_TRIES):
        _put(t("ui.first.ask", last=len(options)))
        try:
            answer = sys.stdin.readline()
        except KeyboardInterrupt:
            _put("\n")
            raise
        if not answer.strip():
            return None
        word = answer.strip().rstrip(".")
        if word.isascii() and word.isdigit() and 1 <= int(word) <= len(options):
            return int(word) - 1
        _put(t("ui.first.again", answer=one_line(answer, 40), last=len(options)) + "\n")
    return None


def _put(text: str) -> None:
    put(sys.stdout, text)
