"""What may follow ``/memory`` to add and change single entries, and ``/remember``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from catmem.commands import Console
from catmem.errors import UsageError
from catmem.memory.commands.adding import add_entry, parse_addition
from catmem.memory.commands.changing.editing import edit_entry
from catmem.memory.commands.changing.moving import move_entry, pin_entry
from catmem.memory.commands.printing import off_the_loop
from catmem.memory.commands.slash import Subcommand, names
from catmem.memory.store.entry import Scope
from catmem.memory.store.stores import Stores
from catmem.text import t


def changing_commands(stores: Stores, editor: str, is_off: Callable[[], bool]) -> list[Subcommand]:
    """Return add, edit, move, pin and unpin.

    ``editor`` is the person's, a command line; ``is_off`` tells whether memory is switched off.
    """

    async def add(rest: str, console: Console) -> None:
        await remember(stores, is_off, rest, console)

    async def edit(name: str, console: Console) -> None:
        if name:
            await edit_entry(stores, name, editor, console)
        else:
            console.write(t("memory.command.which_one", usage="/memory edit NAME"))

    async def move(rest: str, console: Console) -> None:
        name, _, scope = rest.rpartition(" ")
        if name:
            await off_the_loop(
                console, lambda say: move_entry(stores, name.strip(), scope.lower(), say, say)
            )
        else:
            usage = "/memory move NAME user|project"
            console.write(t("memory.command.which_one", usage=usage))

    return [
        Subcommand("add", "add TEXT", add),
        Subcommand("edit", "edit NAME", edit, names(stores)),
        Subcommand("move", "move NAME user|project", move, lambda rest: _moves(stores, rest)),
        Subcommand("pin", "pin NAME", _pinning(stores, pinned=True), names(stores)),
        Subcommand("unpin", "unpin NAME", _pinning(stores, pinned=False), _pinned(stores)),
    ]


async def remember(stores: Stores, is_off: Callable[[], bool], rest: str, console: Console) -> None:
    """Store a text as the person typed it; ``/remember``."""
    if is_off():  # “writes nothing” holds for one's own words too
        console.write(t("memory.command.is_off"))
        return
    try:
        addition = parse_addition(rest)
    except UsageError as error:
        console.write(str(error))
        return
    await off_the_loop(console, lambda say: add_entry(stores, addition, say, say))


def _pinning(stores: Stores, *, pinned: bool) -> Callable[[str, Console], Awaitable[None]]:
    async def run(name: str, console: Console) -> None:
        if name:
            await off_the_loop(
                console, lambda say: pin_entry(stores, name, say, say, pinned=pinned)
            )
        else:
            usage = f"/memory {'pin' if pinned else 'unpin'} NAME"
            console.write(t("memory.command.which_one", usage=usage))

    return run


def _pinned(stores: Stores) -> Callable[[str], Sequence[str]]:
    return lambda _rest: [entry.name for entry in stores.last_entries() if entry.pinned]


def _moves(stores: Stores, rest: str) -> Sequence[str]:
    """Return each entry with the store that it is not in; only names while one is being typed."""
    entries = stores.last_entries()
    if " " not in rest:
        return [entry.name for entry in entries]
    return [
        f"{entry.name} {Scope.USER if entry.scope is Scope.PROJECT else Scope.PROJECT}"
        for entry in entries
    ]
