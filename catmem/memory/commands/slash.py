"""``/memory`` in the session: a table of what may follow it."""

from __future__ import annotations

import asyncio
import difflib
import importlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from catmem.commands import Console
from catmem.memory.commands.clearing import clear_entries, clear_question
from catmem.memory.commands.forgetting import PURGE, Forgetting
from catmem.memory.commands.learning import Learn, learn_now
from catmem.memory.commands.listing import list_entries, show_entry
from catmem.memory.commands.printing import Write, off_the_loop
from catmem.memory.commands.searching import search_entries
from catmem.memory.store.stores import Stores
from catmem.sanitize import one_line
from catmem.text import listed, t


@dataclass(frozen=True, slots=True)
class Subcommand:
    """A word that may follow ``/memory``; the catalogue has its help, ``cli.help.memory.…``.

    Attributes:
        usage: the word with its arguments, for /help (``show NAME``).
        run: does it, given everything after the word.
        complete: completions for the text after the word.
    """

    name: str
    usage: str
    run: Callable[[str, Console], Awaitable[None]]
    complete: Callable[[str], Sequence[str]] = lambda _rest: ()


# How /help lists them: learn, look, the past, add and change, part with, repair, switch.
_ORDER = (
    *("list", "show", "search", "history", "undo"),
    *("add", "edit", "move", "pin", "unpin", "forget", "clear"),
    *("status", "retry", "doctor", "off", "on"),
)


class MemoryCommand:
    """The command; nothing after it means: learn now."""

    def __init__(self, learn: Learn, subcommands: Sequence[Subcommand]) -> None:
        self._learn = learn
        self._subcommands = {
            one.name: one for one in sorted(subcommands, key=lambda one: _ORDER.index(one.name))
        }

    @property
    def forms(self) -> list[tuple[str, str]]:
        """What may follow it, for /help: (usage, catalogue key of the help)."""
        return [(one.usage, f"cli.help.memory.{one.name}") for one in self._subcommands.values()]

    async def run(self, rest: str, console: Console) -> None:
        """Do what follows ``/memory``."""
        word, _, argument = rest.strip().partition(" ")
        if not word:
            await learn_now(self._learn, console)
        elif one := self._subcommands.get(word.lower()):
            await one.run(argument.strip(), console)
        else:
            console.write(_suggestion(word, list(self._subcommands)))

    def complete(self, rest: str) -> Sequence[str]:
        """Return what may follow ``/memory``, whole."""
        word, blank, argument = rest.partition(" ")
        if not blank:
            return list(self._subcommands)
        one = self._subcommands.get(word)
        return [f"{word} {text}" for text in one.complete(argument)] if one else ()


def entry_commands(
    stores: Stores, forgetting: Forgetting, forget_window: Callable[[], None]
) -> list[Subcommand]:
    """Return list, show, search, forget, doctor and clear.

    ``forget_window`` is called after a clear, so that the session's own past does not refill the
    stores at its end.
    """

    async def show_list(_rest: str, console: Console) -> None:
        await off_the_loop(console, lambda say: list_entries(stores, say, say))

    async def show(name: str, console: Console) -> None:
        if not name:
            console.write(t("memory.command.which"))
            return
        await off_the_loop(console, lambda say: show_entry(stores, name, say, say))

    async def search(words: str, console: Console) -> None:
        if not words:
            console.write(t("memory.search.what"))
            return
        await off_the_loop(console, lambda say: search_entries(stores, [words], say, as_json=False))

    async def doctor(_rest: str, console: Console) -> None:
        await off_the_loop(console, lambda say: load_doctor()(stores, say))

    async def clear(_rest: str, console: Console) -> None:
        entries = await asyncio.to_thread(stores.load_all)
        if not entries:
            console.write(t("memory.command.none"))
        elif await console.confirm(clear_question(entries)):
            delete = forgetting.delete
            await off_the_loop(
                console, lambda say: clear_entries(stores, delete, entries, say, say)
            )
            await forgetting.withhold_gone(entries)
            await asyncio.to_thread(forget_window)
        else:
            console.write(t("memory.command.kept"))

    return [
        Subcommand("list", "list", show_list),
        Subcommand("show", "show NAME", show, names(stores)),
        Subcommand("search", "search WORDS", search),
        forget_command(stores, forgetting),
        Subcommand("doctor", "doctor", doctor),
        Subcommand("clear", "clear", clear),
    ]


def forget_command(stores: Stores, forgetting: Forgetting) -> Subcommand:
    """Return forget."""

    async def forget(rest: str, console: Console) -> None:
        words = [word for word in rest.split() if word != PURGE]
        if not words:
            console.write(t("memory.forget.which"))
            return
        write = console.write
        purge = PURGE in rest.split()
        await forgetting.run(" ".join(words), console.confirm, write, write, purge=purge)

    return Subcommand("forget", f"forget NAME|WORDS [{PURGE}]", forget, names(stores))


class Doctor(Protocol):
    """Examines and repairs (``catmem.memory.commands.doctor.examining``)."""

    def __call__(self, stores: Stores, out: Write, *, as_json: bool = False) -> int:
        """Print what was found and done; return the exit code."""
        ...


def load_doctor() -> Doctor:
    """Return the doctor, importing it at the first call: no start needs it."""
    doctor: Doctor = importlib.import_module("catmem.memory.commands.doctor.examining").doctor
    return doctor


def names(stores: Stores) -> Callable[[str], Sequence[str]]:
    """Return a completion with the names of all entries; it reads nothing."""
    return lambda _rest: [entry.name for entry in stores.last_entries()]


def _suggestion(word: str, known: Sequence[str]) -> str:
    typed = one_line(word, 40)
    near = difflib.get_close_matches(word.lower(), known, n=1, cutoff=0.5)
    if near:
        return t("memory.command.unknown", typed=typed, near=near[0])
    choices = listed(f"/memory {name}" for name in known)
    return t("memory.command.choices", typed=typed, choices=choices)
