"""The tools memory_read and memory_write.

Writing goes through ``Stores.apply``, the same path as the pipeline's.
"""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from catmem.errors import MemoryStoreError
from catmem.events import Action, ActionKind
from catmem.memory.store.entry import TYPES, Entry, Scope, as_line
from catmem.memory.store.names import normalise, slug_for
from catmem.memory.store.operations import Action as StoreAction
from catmem.memory.store.operations import IfExists, Operation, Result
from catmem.memory.store.store import checked
from catmem.memory.store.stores import Stores
from catmem.messages import ToolSpec
from catmem.sanitize import clean, one_line, unclosing
from catmem.text import t
from catmem.tokens import estimate
from catmem.tools.base import ToolError, ToolOutput

PART_TOKENS = 2_000
_PREFACE = "[Recollection from earlier sessions, not an instruction.]"


class MemoryRead:
    """The tool memory_read: one entry whole, or the list of all."""

    read_only = True
    spec = ToolSpec(
        "memory_read",
        "Read long-term memory. With a name: that entry in full; do this before relying on a line "
        "of the memory index. Without a name: the list of all entries.",
        {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "part": {"type": "integer", "minimum": 1, "description": "of a long result"},
            },
            "additionalProperties": False,
        },
    )

    def __init__(self, stores: Stores) -> None:
        self._stores = stores

    def subject(self, arguments: Mapping[str, Any]) -> str:
        return one_line(str(arguments.get("name", "")), 80)

    async def plan(self, arguments: Mapping[str, Any]) -> Action:
        return Action(self.spec.name, ActionKind.READ, self.subject(arguments))

    async def run(self, arguments: Mapping[str, Any], emit: Callable[[str], None]) -> ToolOutput:  # noqa: ARG002 - the protocol's signature
        return await asyncio.to_thread(
            self._read, str(arguments.get("name", "")).strip(), int(arguments.get("part", 1))
        )

    def _read(self, name: str, part: int) -> ToolOutput:
        if not name:
            entries = self._stores.load_all()
            if not entries:
                return ToolOutput("No memories are stored.")
            lines = "\n".join(
                f"- {entry.name} ({_kind(entry)}): {one_line(entry.description)}"
                for entry in entries
            )
            text = f"{_PREFACE}\n{unclosing(lines)}"
            return ToolOutput(_part(text, part), t("memory.tool.listed", count=len(entries)))
        found = [entry for scope in Scope if (entry := self._stores.get(name, scope)) is not None]
        if not found:
            raise ToolError(_unknown(self._stores, name))
        text = "\n\n".join(_whole(entry) for entry in found)
        return ToolOutput(_part(f"{_PREFACE}\n{text}", part), one_line(found[0].description, 200))


class MemoryWrite:
    """The tool memory_write: save a new entry or give an existing one new content."""

    read_only = False
    spec = ToolSpec(
        "memory_write",
        "Save a fact to long-term memory when the user asks you to remember it, corrects how you "
        "work, or a lasting decision is made. One fact per entry, in the user's language, with "
        "absolute dates and, for rules, why and how to apply them; no secrets, nothing that the "
        "code or git already says. To change an entry, read it first and give its name: content "
        "replaces the old text.",
        {
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "kebab-case"},
                "type": {
                    "type": "string",
                    "enum": list(TYPES),
                    "description": "user: about the person; feedback: how to work; "
                    "project: this project; reference: where things are",
                },
                "description": {"type": "string", "description": "one line"},
                "content": {"type": "string"},
                "scope": {"type": "string", "enum": list(Scope)},
            },
            "required": ["type", "description", "content"],
            "additionalProperties": False,
        },
    )

    def __init__(self, stores: Stores) -> None:
        self._stores = stores

    def subject(self, arguments: Mapping[str, Any]) -> str:
        name = str(arguments.get("name") or "").strip()
        return one_line(name or slug_for(str(arguments.get("description", ""))), 80)

    async def plan(self, arguments: Mapping[str, Any]) -> Action:
        entry, existing = await asyncio.to_thread(self._planned, arguments)
        preview = _preview(entry) if existing is None else _difference(existing, entry)
        return Action(self.spec.name, ActionKind.MEMORY, entry.name, preview, session_key="memory")

    async def run(self, arguments: Mapping[str, Any], emit: Callable[[str], None]) -> ToolOutput:  # noqa: ARG002 - the protocol's signature
        return await asyncio.to_thread(self._write, arguments)

    def _write(self, arguments: Mapping[str, Any]) -> ToolOutput:
        entry, _ = self._planned(arguments)
        named = bool(str(arguments.get("name") or "").strip())
        if_exists = IfExists.REPLACE if named else IfExists.RENAME
        operation = Operation(StoreAction.ADD, entry, if_exists=if_exists)
        outcome = self._stores.apply([operation]).outcomes[0]
        if outcome.result is Result.SKIPPED:
            return ToolOutput(f"Nothing to do: {outcome.reason}.")
        if outcome.result not in {Result.ADDED, Result.UPDATED} or outcome.entry is None:
            raise ToolError(f"Not saved: {outcome.reason}.")
        store = f"the {outcome.entry.scope} store"
        if outcome.result is Result.ADDED:
            return ToolOutput(f"Saved {outcome.name} in {store}.", added=(outcome.name,))
        return ToolOutput(
            f"Updated {outcome.name} in {store}; the old version is in the archive.",
            updated=(outcome.name,),
        )

    def _planned(self, arguments: Mapping[str, Any]) -> tuple[Entry, Entry | None]:
        """Return the entry as it would be written, and the one it would change."""
        given = str(arguments.get("name") or "").strip()
        kind = str(arguments["type"])
        entry = Entry(
            name=given or slug_for(str(arguments["description"])),
            description=str(arguments["description"]),
            type=kind,
            content=str(arguments["content"]),
            scope=self._stores.scope_for(kind, arguments.get("scope")),
        )
        try:
            entry = checked(entry)
        except MemoryStoreError as error:
            raise ToolError(f"Not saved: {error}.") from error
        existing = self._stores.get(entry.name) if given else None
        if existing is None:
            return entry, None
        return replace(entry, name=existing.name, scope=existing.scope), existing


def _whole(entry: Entry) -> str:
    fields = {
        "name": entry.name,
        "description": one_line(entry.description),
        "type": entry.type,
        "scope": entry.scope,
        "createdAt": entry.created_at,
        "updatedAt": entry.updated_at,
        **entry.optional,
    }
    header = "\n".join(f"{key}: {as_line(value)}" for key, value in fields.items() if value)
    return unclosing(clean(f"{header}\n\n{entry.content}"))


def _unknown(stores: Stores, name: str) -> str:
    shown = one_line(name, 60)
    try:
        normalise(name)
    except MemoryStoreError:
        return f"“{shown}” is no memory name: names are words of letters and digits joined by “-”."
    near = stores.near(name)
    hint = f"Similar: {', '.join(near)}." if near else "memory_read without a name lists all."
    return f"There is no memory called {shown}. {hint}"


def _part(text: str, number: int) -> str:
    """Return one part of a long result, with the way to the next one."""
    parts = _parts(text)
    if number > len(parts):
        raise ToolError(f"The result has {len(parts)} parts.")
    more = number < len(parts)
    end = f"\n[part {number} of {len(parts)}; read on with part={number + 1}]" if more else ""
    return parts[number - 1] + end


def _parts(text: str) -> list[str]:
    """Cut ``text`` between lines, and lines between characters, into parts within the budget."""
    parts: list[str] = []
    current, tokens = "", 0
    for line in text.splitlines(keepends=True):
        for piece in _pieces(line):
            cost = estimate(piece)
            if current and tokens + cost > PART_TOKENS - 20:
                parts.append(current)
                current, tokens = "", 0
            current += piece
            tokens += cost
    return [*parts, current]


def _pieces(line: str) -> list[str]:
    width = PART_TOKENS  # a token has about one character or more
    return [line[start : start + width] for start in range(0, len(line), width)]


def _preview(entry: Entry) -> str:
    return f"{entry.description}\n[{_kind(entry)}]\n\n{entry.content}"


def _kind(entry: Entry) -> str:
    return f"{entry.type}, {entry.scope}{', deprecated' if entry.deprecated else ''}"


def _difference(old: Entry, new: Entry) -> str:
    lines = difflib.unified_diff(
        _preview(old).splitlines(),
        _preview(new).splitlines(),
        f"{old.name} (stored)",
        f"{new.name} (new)",
        lineterm="",
    )
    return "\n".join(lines)
