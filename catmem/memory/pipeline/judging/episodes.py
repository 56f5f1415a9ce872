"""The episode of a window: a tale of what was done, in which data gives no orders.

It is shown in later sessions, so what a file or a page planted must not get into it.
"""

from __future__ import annotations

from catmem.memory.pipeline.judging.orders import is_rule, sentences, tells_of_order
from catmem.memory.pipeline.judging.support import Support
from catmem.secrets import mask


def told(episode: str | None, support: Support) -> str | None:
    """Return an episode without sentences that give, or pass on, orders nobody typed."""
    if not episode:
        return None
    kept = [one for one in sentences(mask(episode)) if not _is_planted(one, support)]
    return " ".join(kept) or None


def _is_planted(sentence: str, support: Support) -> bool:
    if is_rule(sentence) and not support.is_said(sentence):
        return True
    return tells_of_order(sentence) and support.is_planted(sentence)
