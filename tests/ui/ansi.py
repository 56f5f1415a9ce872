from __future__ import annotations

import re

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


def plain(text: str) -> str:
    """`text` without colours."""
    return ESCAPES.sub("", text)
