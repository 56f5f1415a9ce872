"""The memory without a session: what ``catmem memory …`` does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from catmem.commands import Console
from catmem.config.schema import MemorySettings
from catmem.errors import ExitCode
from catmem.memory.commands import adding, clearing, learning, listing, searching
from catmem.memory.commands.adding import Addition
from catmem.memory.commands.changing import editing, moving
from catmem.memory.commands.forgetting import Forgetting
from catmem.memory.commands.past import history, undoing
from catmem.memory.commands.printing import Write
from catmem.memory.commands.slash import load_doctor
from catmem.memory.commands.status import Facts, print_status
from catmem.memory.setup import forgetter_of, lifecycle_of
from catmem.memory.store.stores import Stores, open_stores
from catmem.paths import Paths
from catmem.providers.base import Provider
from catmem.text import t

if TYPE_CHECKING:
    from catmem.memory.lifecycle.occasions import MemoryLifecycle
    from catmem.memory.pipeline.forgetting.forgetter import Forgetter


@dataclass(frozen=True, slots=True)
class MemoryScripts:
    """What ``catmem memory …`` does; each method returns the exit code.

    ``out`` and ``err`` print lines on the two outputs.
    """

    stores: Stores
    settings: MemorySettings
    lifecycle: Callable[[], MemoryLifecycle]
    forgetter: Callable[[], Forgetter]
    out: Write
    err: Write

    def list_entries(self, *, as_json: bool) -> int:
        """Print every entry, one line each."""
        return listing.list_entries(self.stores, self.out, self.err, as_json=as_json)

    def show(self, name: str, *, as_json: bool) -> int:
        """Print one entry in full."""
        return listing.show_entry(self.stores, name, self.out, self.err, as_json=as_json)

    def search(self, queries: Iterable[str], *, as_json: bool) -> int:
        """Print what each query finds."""
        return searching.search_entries(self.stores, queries, self.out, as_json=as_json)

    def history(self, name: str, *, as_json: bool) -> int:
        """Print the versions of an entry, also of one that is gone."""
        return history.show_history(self.stores, name, self.out, self.err, as_json=as_json)

    def undo(self) -> int:
        """Take back the last run that is not undone yet."""
        return undoing.undo_run(self.stores, self.out, self.err)

    def add(self, addition: Addition) -> int:
        """Store a text as an entry, without a model."""
        return adding.add_entry(self.stores, addition, self.out, self.err)

    async def edit(self, name: str, editor: str, console: Console) -> int:
        """Let the person edit an entry."""
        return await editing.edit_entry(self.stores, name, editor, console)

    def move(self, name: str, scope: str) -> int:
        """Move an entry to the other store."""
        return moving.move_entry(self.stores, name, scope, self.out, self.err)

    def pin(self, name: str, *, pinned: bool) -> int:
        """Keep an entry always at hand, or no longer."""
        return moving.pin_entry(self.stores, name, self.out, self.err, pinned=pinned)

    def doctor(self, *, as_json: bool) -> int:
        """Find and repair what is wrong with the files."""
        return load_doctor()(self.stores, self.out, as_json=as_json)

    def clear(self, confirm: Callable[[str], bool]) -> int:
        """Move every entry to the archive, if ``confirm`` says yes to the question."""
        entries = self.stores.load_all()
        if not entries:
            self.out(t("memory.command.none"))
            return ExitCode.DONE
        if not confirm(clearing.clear_question(entries)):
            self.err(t("memory.command.kept"))
            return ExitCode.FAILED
        delete = Forgetting(self.stores, self.forgetter).delete
        return clearing.clear_entries(self.stores, delete, entries, self.out, self.err)

    async def forget(self, words: str, confirm: Callable[[str], bool], *, purge: bool) -> int:
        """Forget what a name or words stand for, if ``confirm`` says yes to each question."""

        async def confirmed(question: str) -> bool:
            return confirm(question)  # nothing else runs meanwhile, and Ctrl+C ends it

        forgetting = Forgetting(self.stores, self.forgetter)
        return await forgetting.run(words, confirmed, self.out, self.err, purge=purge)

    def status(self, *, as_json: bool) -> int:
        """Print how the memory stands."""
        facts = Facts(
            self.stores,
            self.settings.trigger,
            lambda: self.lifecycle().overview(),
            lambda: self.settings.enabled,
        )
        return print_status(facts, self.out, as_json=as_json)

    async def retry(self) -> int:
        """Try the windows that were set aside once more."""
        none = "memory.command.none_aside"
        return await learning.extract(self.lifecycle().retry, self.out, self.err, none=none)

    async def extract(self) -> int:
        """Learn from the sessions of this project that still have an open window."""
        await asyncio.to_thread(self.stores.begin)
        return await learning.extract(self.lifecycle().extract_open, self.out, self.err)


def for_scripts(
    paths: Paths,
    settings: MemorySettings,
    provider: Callable[[], Provider],
    out: Write,
    err: Write,
) -> MemoryScripts:
    """Return the memory without a session."""
    stores = open_stores(paths, settings.user_dir, settings.project_dir)
    lifecycle = lifecycle_of(paths, settings, stores, provider)
    return MemoryScripts(stores, settings, lifecycle, forgetter_of(stores, paths), out, err)
