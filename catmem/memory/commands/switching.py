"""/memory off and /memory on: the switch of the running session."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Protocol

from catmem.commands import Console
from catmem.memory.commands.slash import Subcommand
from catmem.text import t


class Switch(Protocol):
    """What is switched; see ``lifecycle.beside``."""

    is_off: bool

    def switch_off(self) -> Awaitable[None]:
        """Write and inject nothing from now on."""
        ...

    def switch_on(self) -> None:
        """Go on; what was said in between stays out."""
        ...


def switch_commands(switch: Switch) -> list[Subcommand]:
    """Return off and on."""

    async def off(_rest: str, console: Console) -> None:
        if not switch.is_off:
            await switch.switch_off()
        console.write(t("memory.command.off"))

    async def on(_rest: str, console: Console) -> None:
        was_off = switch.is_off
        if was_off:
            switch.switch_on()
        console.write(t("memory.command.on_again" if was_off else "memory.command.on"))

    return [Subcommand("off", "off", off), Subcommand("on", "on", on)]
