"""The tool protocol: what a tool tells the model, what it would do, and how it is run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from catmem.events import Action
from catmem.messages import ToolSpec


class ToolError(Exception):
    """A call that could not do its work; the text is its result and says what to do."""


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What a call produced: ``text`` for the model, ``display`` for the person.

    An empty ``display`` means: show the first lines of ``text``.
    ``added`` and ``updated`` name memory entries that the call wrote.
    """

    text: str
    display: str = ""
    is_error: bool = False
    added: tuple[str, ...] = field(default=())
    updated: tuple[str, ...] = field(default=())


class Tool(Protocol):
    """One tool; instances hold what they need, arguments arrive checked against the schema."""

    spec: ToolSpec
    read_only: bool
    """Read-only calls of one step run in parallel."""

    def subject(self, arguments: Mapping[str, Any]) -> str:
        """Return the main argument in one line (path, command, pattern) for displays."""
        ...

    async def plan(self, arguments: Mapping[str, Any]) -> Action:
        """Say what the call would do, without doing it.

        Raises:
            ToolError: the call cannot work (file not found, text not unique ...); nobody needs to
                be asked.
        """
        ...

    async def run(self, arguments: Mapping[str, Any], emit: Callable[[str], None]) -> ToolOutput:
        """Do it; ``emit`` takes live output. Cancelling leaves no process and nothing half done.

        Raises:
            ToolError: it failed; the text is the result.
        """
        ...
