"""``edit NAME``: an entry in the person's own editor.

The editor gets a copy. What was saved is judged first and then stored like every other change; a
text that cannot be stored stays in the copy, and its owner is told where.
"""

from __future__ import annotations

import asyncio
import shlex
import shutil
from dataclasses import replace

from catmem.commands import Console
from catmem.errors import CatmemError, ExitCode, MemoryStoreError
from catmem.memory.commands.changing.drafts import Draft, draft_of
from catmem.memory.commands.printing import scope_word, unknown_name
from catmem.memory.store.operations import Action, Operation, Result
from catmem.memory.store.reading.directory import entry_in
from catmem.memory.store.store import EntryChangedError
from catmem.memory.store.stores import Stores
from catmem.sanitize import clean
from catmem.text import t

EDITS = "edits"
"""The folder of the copies, in the state directory."""


async def edit_entry(stores: Stores, name: str, editor: str, console: Console) -> int:
    """Let the person edit an entry with ``editor``, a command line; return the exit code."""
    command = _split(editor)
    if not command:
        console.write(t("memory.edit.no_editor"))
        return ExitCode.FAILED
    if shutil.which(command[0]) is None:
        console.write(t("memory.edit.no_program", program=clean(command[0])))
        return ExitCode.FAILED
    entry = await asyncio.to_thread(stores.get, name)
    if entry is None:
        console.write(await asyncio.to_thread(unknown_name, stores, name))
        return ExitCode.FAILED
    try:
        draft = await asyncio.to_thread(draft_of, entry, stores.user.places.state / EDITS)
    except CatmemError as error:
        console.write(clean(str(error)))
        return ExitCode.FAILED
    try:
        return await _edit(stores, draft, command, console)
    except (asyncio.CancelledError, KeyboardInterrupt):
        _leave(draft, console)
        raise


async def _edit(stores: Stores, draft: Draft, command: list[str], console: Console) -> int:
    while True:
        status = await console.run_program([*command, str(draft.path)])
        if status is None:
            draft.remove()
            console.write(t("memory.edit.no_terminal", name=draft.entry.name))
            return ExitCode.FAILED
        if status:
            console.write(t("memory.edit.status", status=status))
            _leave(draft, console)
            return ExitCode.FAILED
        if not draft.changed():
            draft.remove()
            console.write(t("memory.command.kept"))
            return ExitCode.DONE
        try:
            console.write(await asyncio.to_thread(_store, stores, draft))
        except EntryChangedError as error:
            console.write(clean(str(error)))
            _leave(draft, console)
            return ExitCode.FAILED
        except CatmemError as error:
            console.write(clean(str(error)))
            if await console.confirm(t("memory.edit.again")):
                continue
            _leave(draft, console)
            return ExitCode.FAILED
        draft.remove()
        return ExitCode.DONE


def _split(editor: str) -> list[str]:
    try:
        return shlex.split(editor)
    except ValueError:  # a quote without its end
        return [editor]


def _leave(draft: Draft, console: Console) -> None:
    """Keep a copy that says something, and tell where it is."""
    if draft.changed():
        console.write(t("memory.edit.text_kept", path=clean(str(draft.path))))
    else:
        draft.remove()


def _store(stores: Stores, draft: Draft) -> str:
    """Store what the copy says; return what was done.

    Raises:
        CatmemError: it was not stored, and why.
    """
    old = draft.entry
    new, file = draft.read()
    before, _ = entry_in(draft.original, old.path or draft.path, old.scope)
    renamed = new.name != before.name  # another file's claim may have given it a third one
    if renamed and (taken := stores.get(new.name)) is not None and taken.path != old.path:
        raise MemoryStoreError(t("memory.store.exists", name=new.name))
    current = stores.get(old.name, old.scope)
    if current is None or current.digest != old.digest:
        raise EntryChangedError(t("memory.edit.changed", name=old.name))
    target = Operation(Action.DELETE, name=old.name, scope=old.scope, digest=old.digest)
    if renamed:
        operations = [Operation(Action.ADD, new, file=file), replace(target, if_previous=True)]
    else:
        entry = replace(new, name=old.name)
        operations = [replace(target, action=Action.UPDATE, entry=entry, file=file)]
    for outcome in stores.apply(operations).outcomes:
        if outcome.result is Result.CHANGED:
            raise EntryChangedError(t("memory.edit.changed", name=old.name))
        if outcome.result not in {Result.ADDED, Result.UPDATED, Result.DELETED}:
            raise MemoryStoreError(outcome.reason)
    if renamed:
        return t("memory.edit.renamed", old=old.name, new=new.name)
    return t("memory.command.updated", name=old.name, scope=scope_word(old.scope))
