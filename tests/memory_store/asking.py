"""Short forms for what the tests of the store ask for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from catmem.memory.commands.forgetting import Forgetting
from catmem.memory.pipeline.forgetting.forgetter import Forgetter
from catmem.memory.pipeline.forgetting.withholding import withholder
from catmem.memory.store.entry import Entry, Scope
from catmem.memory.store.operations import Action, IfExists, Operation, Outcome
from catmem.memory.store.stores import Stores, open_stores
from catmem.memory.tools import MemoryWrite
from catmem.messages import user_message
from catmem.paths import Paths, find_paths
from catmem.sessions import Session

TODAY = datetime.now().astimezone().date().isoformat()
VIM = {
    "name": "user-prefers-vim",
    "description": "The user's editor is vim",
    "type": "user",
    "content": "The user edits with vim; the configuration is in ~/.vimrc.",
}


def entry(name: str = "a-fact", description: str = "A fact", **fields: Any) -> Entry:
    return Entry(
        name=name,
        description=description,
        type=fields.pop("type", "user"),
        content=fields.pop("content", "The fact."),
        scope=fields.pop("scope", Scope.USER),
        **fields,
    )


def add(
    stores: Stores, name: str = "a-fact", description: str = "A fact", **fields: Any
) -> Outcome:
    if_exists = fields.pop("if_exists", IfExists.REFUSE)
    operation = Operation(Action.ADD, entry(name, description, **fields), if_exists=if_exists)
    return one(stores, operation)


def update(stores: Stores, name: str, digest: str = "", **fields: Any) -> Outcome:
    operation = Operation(Action.UPDATE, entry(name, **fields), name=name, digest=digest)
    return one(stores, operation)


def delete(stores: Stores, name: str) -> Outcome:
    return one(stores, Operation(Action.DELETE, name=name))


def one(stores: Stores, operation: Operation) -> Outcome:
    (outcome,) = stores.apply([operation]).outcomes
    return outcome


def names(entries: Sequence[Entry]) -> list[str]:
    return [entry.name for entry in entries]


def file_names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def file_of(stores: Stores, name: str) -> Path:
    entry = stores.get(name)
    assert entry is not None
    assert entry.path is not None
    return entry.path


def read(stores: Stores, name: str) -> Entry:
    entry = stores.get(name)
    assert entry is not None
    return entry


def assert_like_opened_anew(stores: Stores, paths: Paths) -> None:
    """What is known of the user's store, and its index, are what a fresh look finds."""
    fresh = open_stores(paths)
    assert stores.load_all() == fresh.load_all()
    assert stores.user.snapshot().warnings == fresh.user.snapshot().warnings
    assert stores.user.known() == fresh.user.known()
    stores.refresh_indexes()
    assert not fresh.user.index_drifted()


def writer(stores: Stores, *typed: str) -> MemoryWrite:
    """The tool memory_write in a session in which this was typed."""
    session = Session(stores.user.places.state.parent / "sessions" / "a-project", Path.cwd())
    for text in typed:
        session.append(user_message(text))
    session.close()

    async def withhold(entries: Sequence[Entry]) -> None:
        session.withhold(withholder(entries), session.system)

    return MemoryWrite(
        stores, session, lambda: Forgetter(stores, find_paths(Path.cwd(), os.environ)), withhold
    )


def forgetting(stores: Stores) -> Forgetting:
    """What the commands forget with, outside a session."""
    return Forgetting(stores, lambda: Forgetter(stores, find_paths(Path.cwd(), os.environ)))
