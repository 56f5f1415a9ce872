"""Names and titles: short enough to scan in an index, and telling enough to be found."""

from __future__ import annotations

import re

from catmem.errors import MemoryStoreError
from catmem.memory.pipeline.extraction import DESCRIPTION_CHARACTERS
from catmem.memory.store.names import normalise, slug_for
from catmem.sanitize import one_line
from catmem.secrets import mask

_LONG_TITLE = 80
_FEWEST_CHARACTERS = 16
_CLAUSE_ENDS = re.compile(r"[,，;；:：。]\s*(?!//)|\.\s|\s[-–—(（]")
# Names that tell nothing apart.
_GENERAL = re.compile(
    r"(?:the-|new-|my-)?(?:memory|memories|candidate|entry|item|untitled|unnamed|misc|information"
    r"|(?:user-|project-|coding-)?preferences?|记忆|笔记|规则|偏好|事实)"
)


def name_of(proposed: str, description: str) -> str:
    """Return a valid name; where the proposed one says nothing, one made of the description."""
    name = mask(proposed)
    try:
        name = normalise(name)
    except MemoryStoreError:
        name = slug_for(name)
    return slug_for(mask(description)) if _GENERAL.fullmatch(name) and description else name


def title_of(fact: str) -> str:
    """Return the title of a fact that has none: itself, a long one cut between its clauses."""
    line = one_line(fact, DESCRIPTION_CHARACTERS)
    if len(line) <= _LONG_TITLE:
        return line
    ends = [end.start() for end in _CLAUSE_ENDS.finditer(line, _FEWEST_CHARACTERS, _LONG_TITLE)]
    return line[: ends[-1]].rstrip() if ends else one_line(line, _LONG_TITLE)
