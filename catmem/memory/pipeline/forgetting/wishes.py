"""Whether words a person typed ask to forget something."""

from __future__ import annotations

import re

_WISH = re.compile(
    r"\b(?:forget|erase|delete|remove|drop|unlearn|discard|(?:do not|don'?t|stop) remember\w*"
    r"|no longer remember|clear (?:that|this|the|my) memor\w+|take .{1,40} out of memory)\b"
    r"|忘掉|忘了|忘记|忘却|遗忘|删掉|删了|删除|去掉|清掉|清除|抹掉|移除|(?:别|不要|不用|不必)再?记(?!得?了?吗)",
    re.IGNORECASE,
)
_THE_CONTRARY = re.compile(
    r"\b(?:don'?t|do not|never|not) forget\b|(?:别|不要|不能|不许|千万别|没|没有)(?:忘|删)",
    re.IGNORECASE,
)


def asks_to_forget(text: str) -> bool:
    """Whether a text asks to forget or delete; "don't forget …" does not."""
    return _WISH.search(_THE_CONTRARY.sub(" ", text)) is not None
