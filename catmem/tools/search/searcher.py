"""Searching files for a regular expression without ripgrep; run as a program of its own.

A child process, because a regular expression that backtracks for ever can be stopped in no other
way. It imports the standard library only, so that it starts fast. Usage: ``searcher.py PATTERN
IGNORE_CASE COLUMNS``, file names on stdin, each ended by NUL; prints ``name NUL number:line`` as
``rg --null --line-number`` does; status 2: the pattern is invalid.
"""

from __future__ import annotations

import codecs
import os
import re
import sys
from collections.abc import Iterator

_SNIFFED = 8192
_LONGEST_LINE = 1 << 20


def main(pattern: str, case: str, columns: str) -> int:
    """Search the files named on stdin; return the exit status."""
    try:
        regex = re.compile(pattern, re.IGNORECASE if case == "ignore" else 0)
    except (re.error, RecursionError, OverflowError) as error:
        sys.stderr.write(f"regex parse error: {error}")
        return 2
    out = sys.stdout.buffer
    for name in sys.stdin.buffer.read().split(b"\0"):
        for number, line in _lines(name):
            if regex.search(line):
                shown = line if len(line) <= int(columns) else line[: int(columns)] + "…"
                out.write(b"%s\0%d:%s\n" % (name, number, shown.encode("utf-8", "replace")))
        out.flush()
    return 0


def _lines(name: bytes) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines of a text file; a binary or unreadable one has none."""
    try:
        with open(os.open(name, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:  # noqa: PTH123 - a descriptor
            start = file.read(_SNIFFED)
            if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                text = (start + file.read(_LONGEST_LINE)).decode("utf-16", "replace")
                yield from enumerate(text.splitlines(), 1)
                return
            if b"\0" in start:
                return
            file.seek(0)
            number = 1
            while line := file.readline(_LONGEST_LINE):
                yield number, line.decode("utf-8", "replace").rstrip("\r\n")
                number += line.endswith(b"\n")
    except OSError:
        return


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
