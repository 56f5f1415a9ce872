"""What may follow ``/memory`` to look back: ``history NAME`` and ``undo``."""

from __future__ import annotations

from catmem.commands import Console
from catmem.memory.commands.past.history import show_history
from catmem.memory.commands.past.undoing import undo_run
from catmem.memory.commands.printing import off_the_loop
from catmem.memory.commands.slash import Subcommand, names
from catmem.memory.store.stores import Stores
from catmem.text import t


def past_commands(stores: Stores) -> list[Subcommand]:
    """Return history and undo."""

    async def history(name: str, console: Console) -> None:
        if not name:
            console.write(t("memory.command.which_one", usage="/memory history NAME"))
            return
        await off_the_loop(console, lambda say: show_history(stores, name, say, say))

    async def undo(_rest: str, console: Console) -> None:
        await off_the_loop(console, lambda say: undo_run(stores, say, say))

    return [
        Subcommand("history", "history NAME", history, names(stores)),
        Subcommand("undo", "undo", undo),
    ]
