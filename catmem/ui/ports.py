"""What the interface needs from the program, and what it offers it. Imports no terminal library."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from catmem.commands import Commands, Console
from catmem.events import Approver, Event
from catmem.messages import Message


class AgentPort(Protocol):
    """Runs turns; the agent loop behind it is not the interface's business."""

    def run_turn(self, message: Message) -> AsyncIterator[Event]:
        """Answer ``message``; yield the turn's events, ``TurnEnded`` last.

        Cancelling the task that iterates interrupts the turn; what belongs to its end (results of
        cancelled calls, ``TurnEnded``) still comes.
        """
        ...


class ExitReason(StrEnum):
    """Why an interactive session ended."""

    COMMAND = "command"
    END_OF_INPUT = "end_of_input"
    INTERRUPT = "interrupt"
    SIGNAL = "signal"


@dataclass(frozen=True, slots=True)
class Status:
    """What the toolbar shows beside token counts.

    ``busy`` is what the model is being prepared with.
    """

    model: str
    memories: int | None = None
    mode: str = ""
    busy: str = ""


@dataclass(frozen=True, slots=True)
class Setup:
    """What an interactive interface is built from.

    Attributes:
        commands: the slash commands; ``/help`` and ``/exit`` are built by the interface's owner.
        status: called at each redraw, so it must be quick.
        history: file of typed lines (made private when it is first written).
        on_ready: called once the first prompt is drawn: the place to start slow imports.
    """

    commands: Commands
    status: Callable[[], Status]
    history: Path
    on_ready: Callable[[], None] = lambda: None


class Interface(Console, Approver, Protocol):
    """An interactive interface: the full-featured prompt, or plain lines.

    It is itself the ``Console`` of slash commands and the ``Approver`` of the agent. ``write`` may
    be called at any time, also before and after ``run``.
    """

    def exit(self) -> None:
        """End the session as soon as what runs now has been stopped (the /exit command)."""
        ...

    def refresh(self) -> None:
        """Show what ``Setup.status`` says now, where a status is shown at all."""
        ...

    async def decide(self, question: str, details: str) -> bool | None:
        """Show ``details`` and ask a yes-or-no question about them that can be put off (None).

        Unlike ``confirm`` it may also be asked while nothing runs.
        """
        ...

    async def run(self, agent: AgentPort) -> ExitReason:
        """Read and answer until the person leaves; the terminal is as it was afterwards."""
        ...

    async def run_exit(self, work: ExitWork, skip: Callable[[], None]) -> None:
        """Show ``work`` (what happens at the end of a session) until it is done.

        Ctrl+C, Ctrl+D or a signal calls ``skip`` once; ``work`` then has to end soon by itself.
        """
        ...


class ExitView(Protocol):
    """Where the work at the end of a session tells how it goes."""

    def status(self, text: str) -> None:
        """Replace the line that says what is going on; shown with the seconds it takes."""
        ...

    def write(self, text: str) -> None:
        """Print lines that stay."""
        ...


ExitWork = Callable[[ExitView], Awaitable[None]]
