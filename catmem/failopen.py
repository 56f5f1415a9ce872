"""The only place that catches everything: code that may fail without taking the session with it.

Hooks, background tasks and tools of any kind run through here; the failure is logged and handed to
the caller as a value, so that everywhere else errors stay typed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from catmem import log

T = TypeVar("T")


async def attempt(what: str, work: Awaitable[T]) -> T | Exception:
    """Await ``work``; return its value, or the exception it raised, logged under ``what``.

    Cancellation passes through.
    """
    try:
        return await work
    except Exception as error:
        log.exception(what, error)
        return error


def attempt_now(what: str, call: Callable[[], T]) -> T | Exception:
    """Call ``call``; return its value, or the exception it raised, logged under ``what``."""
    try:
        return call()
    except Exception as error:
        log.exception(what, error)
        return error
