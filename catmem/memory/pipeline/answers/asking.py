"""Asking a model for JSON, with the one second try that may help."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol, TypeVar

from catmem.messages import StructuredReply, StructuredRequest
from catmem.providers.base import Provider
from catmem.secrets import mask

_MORE_ROOM = 2
_SHOWN_OF_BAD_ANSWER = 2_000


class Answer(Protocol):
    """What was read out of a reply."""

    @property
    def cut(self) -> bool:
        """Whether the reply broke off, so that something may be missing."""
        ...


A = TypeVar("A", bound=Answer)


async def ask_twice(
    provider: Provider,
    request: StructuredRequest,
    read: Callable[[StructuredReply], A | None],
    repair: str,
) -> A | None:
    """Ask, and return the better of at most two answers, None when neither can be read.

    An answer that broke off is asked for again with twice the room, one that cannot be read with
    ``repair`` as the next question.

    Secrets are masked in whatever is sent, its own bad answer too.

    Raises:
        ProviderError: a request failed.
    """
    request = replace(request, turns=tuple((role, mask(text)) for role, text in request.turns))
    reply = await provider.structured(request)
    first = read(reply)
    if first is not None and not first.cut:
        return first
    if first is not None or reply.truncated:
        again = replace(request, max_tokens=request.max_tokens * _MORE_ROOM)
    else:
        bad = mask(reply.text)[:_SHOWN_OF_BAD_ANSWER].strip() or "(empty)"
        again = replace(request, turns=(*request.turns, ("assistant", bad), ("user", repair)))
    second = read(await provider.structured(again))
    if second is not None and not second.cut:
        return second
    return first or second
