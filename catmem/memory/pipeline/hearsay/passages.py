"""Passages of a typed message that are nobody's words: code blocks, quoted mail, pasted errors.

A terminal hands a paste over as typed text when it is short or comes with a question, so the form
of its lines has to tell.
"""

from __future__ import annotations

import re

_BLOCK = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_TRACEBACK = re.compile(
    r"^[ \t]*Traceback \(most recent call last\):.*?(?=\n[ \t]*\n|\Z)", re.MULTILINE | re.DOTALL
)
# A line that a program printed: an error with its class, a place in a file, a shell prompt.
_PRINTED = re.compile(
    r"^[ \t]*(?:>.*"
    r"|(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception|Warning|Failure|Fault)(?:\[\w+\])?\s*[:(].*"
    r"|(?:error|fatal|panic|npm err!|thread '\w+' panicked)(?:\[[\w-]+\]|\(\w+\))?\s?:.*"
    r"|\[(?:ERROR|WARN|WARNING|FATAL|INFO|DEBUG|CRITICAL)\].*"
    r"|(?:\S+[\\/])?[\w-]+\.\w{1,4}:\d+(?::\d+)?:.*"
    r"|File \"[^\"\n]+\", line \d+.*|at [\w.$<>]+ ?\([^)\n]*\).*"
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d.*|\[\d{2,4}[-/:]\d\d[^\]\n]*\].*|\$ \S.*)$",
    re.MULTILINE,
)


def own_words(text: str) -> str:
    """Return a typed text without its passages of others; the number of lines stays."""
    for passage in (_BLOCK, _TRACEBACK, _PRINTED):
        text = passage.sub(lambda found: "\n" * found[0].count("\n"), text)
    return text
