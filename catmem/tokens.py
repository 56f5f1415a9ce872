"""A token estimate that needs no tokenizer: good to about 20 % for English, code and Chinese.

The providers' own counts are used where they exist; this one is for budgets that must hold before a
request is sent.
"""

from __future__ import annotations

import re

_WIDE = r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
_CHARACTERS_PER_TOKEN = 4.0
_TOKENS_PER_WIDE_CHARACTER = 0.8


def estimate(text: str) -> int:
    """Return about how many tokens ``text`` has; 0 only for the empty text."""
    # Compiled at the first text that may have one: a set so large takes long.
    wide = 0 if text.isascii() else len(re.findall(_WIDE, text))
    return round(
        wide * _TOKENS_PER_WIDE_CHARACTER + (len(text) - wide) / _CHARACTERS_PER_TOKEN + 0.49
    )
