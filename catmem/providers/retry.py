"""Sending a request again after a passing failure, with back-off, jitter and ``retry-after``.

The SDKs' own retries are off: they wait silently and, for anthropic, without a limit. Here each
wait is a ``Retrying`` part that the interface counts down, and cancelling ends it at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from itertools import count
from typing import TypeVar

from catmem.errors import ProviderError
from catmem.providers.base import Finished, Retrying, StopReason, StreamPart
from catmem.text import t

T = TypeVar("T")

LONGEST_WAIT = 60.0
"""Seconds; a server that asks for more gets no silent wait, the person decides."""
_FIRST_DELAY = 0.5
_LONGEST_BACKOFF = 8.0


async def stream(
    attempt: Callable[[], AsyncGenerator[StreamPart, None]], retries: int
) -> AsyncGenerator[StreamPart, None]:
    """Yield the parts of ``attempt()``, which is called again while nothing of it was seen.

    A failure after the first part ends the stream with ``DROPPED``: what came is kept.

    Raises:
        ProviderError: it cannot be retried, or ``retries`` are used up.
    """
    for number in count(1):
        begun = False
        try:
            async with contextlib.aclosing(attempt()) as parts:
                async for part in parts:
                    begun = True
                    yield part
        except ProviderError as error:
            if begun:
                detail = t("providers.dropped", reason=str(error))
                yield Finished(StopReason.DROPPED, detail=detail)
                return
            delay = _delay(error, number, retries)
            reason = str(error)
        else:
            return
        yield Retrying(number, delay, reason)
        await asyncio.sleep(delay)


async def call(attempt: Callable[[], Awaitable[T]], retries: int) -> T:
    """Return what ``attempt()`` returns, called again after passing failures.

    Raises:
        ProviderError: it cannot be retried, or ``retries`` are used up.
    """
    for number in count(1):
        try:
            return await attempt()
        except ProviderError as error:
            delay = _delay(error, number, retries)
        await asyncio.sleep(delay)
    raise AssertionError  # the loop has no other end


def _delay(error: ProviderError, number: int, retries: int) -> float:
    """Return the seconds to wait before try ``number`` + 1.

    Raises:
        ProviderError: there will be none.
    """
    if not error.retryable:
        raise error
    wait = error.retry_after
    if wait is not None and wait > LONGEST_WAIT:
        text = t("providers.long_wait", reason=str(error), wait=_duration(wait))
        raise _same_kind(error, text) from error
    if number > retries:
        text = t("providers.gave_up", reason=str(error), tries=number)
        raise _same_kind(error, text) from error
    if wait is not None:
        return wait
    backoff = min(_FIRST_DELAY * 2.0 ** (number - 1), _LONGEST_BACKOFF)
    return backoff * random.uniform(0.75, 1.25)  # noqa: S311 - spreads clients, guards nothing


def _same_kind(error: ProviderError, text: str) -> ProviderError:
    return type(error)(text, retry_after=error.retry_after, status=error.status)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    parts = ((hours, "h"), (minutes, "min"), (rest, "s"))
    return " ".join(f"{number} {unit}" for number, unit in parts if number)
