"""Names for facts that no model named: the words that carry them."""

from __future__ import annotations

import re

from catmem.memory.store.names import slug_for

_MOST_WORDS = 5
_FEWEST_HAN = 4
_WORD = re.compile(r"[A-Za-z0-9][\w.+#/'-]*")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_EMPTY_TEXT = """
    it's that's there's i've i'd we're you're isn't won't can't aren't
    a an the this that these those it its is are was were be been being am do does did don't
    doesn't to of in on at for with from by as and or but so if then than there here when
    while because we us our i i'm me my you your they them he she please just only also
    always never not no every all any some will would can could should must have has had may
    might up out very really lets let's want need use using used keep make get remember note
    sure everywhere general anyway instead now which who what where how says said"""
_EMPTY = frozenset(_EMPTY_TEXT.split())
_LEADING_HAN = re.compile(
    r"(?:以后|今后|我们|咱们|这个|那个|记住|请|的话|就是|需要|因为|所以|而且|但是|还是|是|我|你|把|要|都|也|就|在)+"
)
_CLAUSE = re.compile(r"[，,。；;！!？?：:（(]\s*")


def name_for(text: str) -> str:
    """Return a short valid name for a fact, from its own words."""
    if len(_HAN.findall(text)) >= _FEWEST_HAN:
        clauses = [_LEADING_HAN.sub("", clause, count=1) for clause in _CLAUSE.split(text)]
        telling = [clause for clause in clauses if len(clause) >= _FEWEST_HAN]
        return slug_for(telling[0] if telling else text)
    words = [word.strip("./-'") for word in _WORD.findall(text)]
    chosen = [word for word in words if word.lower() not in _EMPTY]
    return slug_for(" ".join(chosen[:_MOST_WORDS]) or text)
