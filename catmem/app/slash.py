"""The slash commands that concern the session itself; /memory comes from the memory slice."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from catmem import __version__
from catmem.commands import Command, Commands, Console
from catmem.text import t
from catmem.ui.paint import cells

if TYPE_CHECKING:
    from catmem.app.session import LiveSession

_NAME_CELLS = 12


def session_commands(
    live: LiveSession, commands: Commands, leave: Callable[[], None]
) -> list[Command]:
    """Return /help, /model, /clear, /status and /exit.

    Args:
        live: the running session.
        commands: the registry that /help lists.
        leave: ends the session.
    """

    async def show_help(_rest: str, console: Console) -> None:
        console.write(help_text(commands.all()))

    async def model(rest: str, console: Console) -> None:
        if rest:
            live.use_model(rest)
        console.write(t("cli.model.now", model=live.agent.provider.model))

    async def clear(_rest: str, console: Console) -> None:
        await live.clear()
        console.write(t("cli.clear.done"))

    async def status(_rest: str, console: Console) -> None:
        console.write("\n".join(_fact(name, value) for name, value in live.facts()))

    async def leave_session(_rest: str, _console: Console) -> None:
        leave()

    return [
        Command("help", "", "cli.help.help", show_help, while_busy=True),
        Command("model", "[NAME]", "cli.help.model", model),
        Command("clear", "", "cli.help.clear", clear),
        Command("status", "", "cli.help.status", status, while_busy=True),
        Command("exit", "", "cli.help.exit", leave_session, while_busy=True),
    ]


def _fact(name: str, value: str) -> str:
    return name + " " * (_NAME_CELLS - cells(name)) + value


def help_text(commands: Iterable[Command]) -> str:
    """Return the commands and keys, a line each."""
    rows = [
        (f"/{command.name} {usage}".strip(), t(key))
        for command in commands
        for usage, key in ((command.usage, command.help_key), *command.forms())
    ]
    width = max(len(usage) for usage, _ in rows) + 2
    lines = [f"catmem {__version__}", "", *(f"  {usage:<{width}}{text}" for usage, text in rows)]
    return "\n".join([*lines, "", t("cli.help.keys").rstrip()])
