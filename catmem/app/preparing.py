"""A model that takes a while to get ready: doing that while the person types, and showing it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from catmem.app.session import LiveSession
from catmem.errors import ProviderError
from catmem.providers.base import Preparing, Provider

_LINE_SECONDS = 5.0
_CLEAR_LINE = "\r\x1b[K"


class Busy:
    """What the model is being prepared with, for a status line; empty when it is ready."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self.text = ""
        self._changed = changed

    def __call__(self, text: str) -> None:
        """Take the news."""
        self.text = text
        self._changed()


class ErrorLines:
    """The same on standard error: one line that changes on a terminal, else a line now and then."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._said_at = -_LINE_SECONDS

    def __call__(self, text: str) -> None:
        """Take the news."""
        if self._terminal:
            sys.stderr.write(_CLEAR_LINE + text)
        elif text and time.monotonic() - self._said_at >= _LINE_SECONDS:
            self._said_at = time.monotonic()
            sys.stderr.write(text + "\n")
        sys.stderr.flush()


def report_to(provider: Provider, show: Callable[[str], None]) -> None:
    """Let ``show`` know what the provider is busy with, if it ever is."""
    if isinstance(provider, Preparing):
        provider.on_status = show


async def prepare(live: LiveSession) -> str:
    """Get the model ready, ahead of the first message; return what went wrong, or nothing."""
    provider = live.agent.provider
    if not isinstance(provider, Preparing):
        await provider.warm_up()
        return ""
    try:
        await provider.prefill(await live.agent.opening())
    except ProviderError as error:
        return str(error)
    return ""
