"""Slash commands: what one is, how a line is recognised as one, and what a mistyped one is told."""

from __future__ import annotations

import difflib
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from catmem.text import listed, t


class Console(Protocol):
    """Where a command writes and asks; the interface implements it."""

    def write(self, text: str) -> None:
        """Print lines of plain text, literally."""
        ...

    async def confirm(self, question: str) -> bool:
        """Ask a yes-or-no question; anything but a yes, or nobody to ask, is no."""
        ...

    async def run_program(self, command: Sequence[str]) -> int | None:
        """Give the person's terminal to a program until it ends; return its exit status.

        None: there is no terminal to give. Cancelled, it is ended first.
        """
        ...


@dataclass(frozen=True, slots=True)
class Command:
    """A slash command.

    Attributes:
        name: without the slash.
        usage: its arguments, for /help (``[NAME]``).
        help_key: catalogue key of its one-line help.
        run: does it, given everything after the name.
        complete: completions for the text after the name.
        while_busy: whether it may run during a turn.
        forms: gives what may follow it, a line each in /help: (usage, catalogue key of the help).
    """

    name: str
    usage: str
    help_key: str
    run: Callable[[str, Console], Awaitable[None]]
    complete: Callable[[str], Sequence[str]] = lambda _rest: ()
    while_busy: bool = False
    forms: Callable[[], Sequence[tuple[str, str]]] = tuple


@dataclass(frozen=True, slots=True)
class Invocation:
    """A line that is a known command with its argument text."""

    command: Command
    rest: str


@dataclass(frozen=True, slots=True)
class Mistyped:
    """A line that looks like a command but is none; ``message`` says so and suggests."""

    message: str


_COMMAND_LINE = re.compile(r"/ ?([A-Za-z][\w-]*)(?=\s|$)\s*(.*)", re.DOTALL)


class Commands:
    """The registered commands."""

    def __init__(self) -> None:
        self._commands: dict[str, Command] = {}

    def add(self, *commands: Command) -> None:
        """Register commands by name."""
        for command in commands:
            self._commands[command.name] = command

    def all(self) -> list[Command]:
        """Return the commands in order of registration."""
        return list(self._commands.values())

    def parse(self, line: str) -> Invocation | Mistyped | None:
        """Tell whether ``line`` is a command; None means it is a message.

        Case and one blank after the slash do not matter. A line that merely begins with a path is a
        message: a second slash or a dot in its first word makes it one.
        """
        line = line.strip()
        if line == "/":
            return Mistyped(t("cli.command.bare", names=self._names()))
        match = _COMMAND_LINE.fullmatch(line)
        if match is None:
            return None
        word = match[1].lower()
        command = self._commands.get(word)
        if command is not None:
            return Invocation(command, match[2].strip())
        near = difflib.get_close_matches(word, self._commands, n=1, cutoff=0.5)
        if near:
            return Mistyped(t("cli.command.near", typed=word, name=near[0]))
        return Mistyped(t("cli.command.unknown", typed=word, names=self._names()))

    def _names(self) -> str:
        return listed(f"/{name}" for name in self._commands)
