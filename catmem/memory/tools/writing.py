"""The tool memory_write: saving an entry, changing one, or forgetting one.

A preference or rule needs the person's own typed words, whatever the permission mode; without them
only a yes to this very question will do. Writing goes through the same path as the pipeline's.
"""

from __future__ import annotations

import asyncio
import difflib
import importlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from catmem.errors import MemoryStoreError, StorageError
from catmem.events import Action, ActionKind
from catmem.memory.store.entry import TYPES, Entry, Scope
from catmem.memory.store.names import slug_for
from catmem.memory.store.operations import Action as StoreAction
from catmem.memory.store.operations import ApplyReport, IfExists, Operation, Result
from catmem.memory.store.store import checked
from catmem.memory.store.stores import Stores
from catmem.memory.tools.reading import kind_of, unknown
from catmem.messages import ToolSpec
from catmem.sanitize import one_line
from catmem.sessions import Session
from catmem.text import t
from catmem.tools.base import ToolError, ToolOutput

if TYPE_CHECKING:
    from catmem.memory.pipeline.forgetting.forgetter import Forgetter

FORGET = "forget"
_FORGOTTEN = (
    "Forgotten: the entry is in the archive and will not be learned again. It is out of the memory "
    "index and of earlier memory results in this conversation; what was said here stays. Do not "
    "bring it up again."
)


class MemoryWrite:
    """The tool memory_write.

    ``forgetter`` is loaded when it is first needed; ``withhold`` takes entries out of what this
    session sends.
    """

    read_only = False
    spec = ToolSpec(
        "memory_write",
        "Save a fact to long-term memory when the user asks you to remember it, corrects how you "
        "work, or a lasting decision is made. One fact per entry, in the user's language, with "
        "absolute dates and, for rules, why and how to apply them; no secrets, nothing that the "
        "code or git already says. To change an entry, read it first and give its name: content "
        "replaces the old text. When the user wants something forgotten, use action forget with "
        "the entry's name.",
        {
            "type": "object",
            "properties": {
                "action": {"type": "string", "enum": ["save", FORGET]},
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
                "quote": {
                    "type": "string",
                    "description": "the user's typed words that ask for it, verbatim",
                },
            },
            "additionalProperties": False,
        },
    )

    def __init__(
        self,
        stores: Stores,
        session: Session,
        forgetter: Callable[[], Forgetter],
        withhold: Callable[[Sequence[Entry]], Awaitable[None]],
    ) -> None:
        self._stores = stores
        self._session = session
        self._forgetter = forgetter
        self._withhold = withhold

    def subject(self, arguments: Mapping[str, Any]) -> str:
        name = str(arguments.get("name") or "").strip()
        return one_line(name or slug_for(str(arguments.get("description", ""))), 80)

    async def plan(self, arguments: Mapping[str, Any]) -> Action:
        if arguments.get("action") == FORGET:
            return await asyncio.to_thread(self._plan_to_forget, arguments)
        return await asyncio.to_thread(self._plan_to_save, arguments)

    async def run(self, arguments: Mapping[str, Any], emit: Callable[[str], None]) -> ToolOutput:  # noqa: ARG002 - the protocol's signature
        if arguments.get("action") == FORGET:
            return await self._forget(arguments)
        return await asyncio.to_thread(self._save, arguments)

    def _plan_to_save(self, arguments: Mapping[str, Any]) -> Action:
        entry, existing = self._planned(arguments)
        preview = _preview(entry) if existing is None else _difference(existing, entry)
        objection = _proof().objection_to_save(
            self._session.messages, entry, existing, _quote(arguments)
        )
        return Action(
            self.spec.name,
            ActionKind.MEMORY,
            entry.name,
            preview,
            session_key="memory",
            needs_person=objection,
        )

    def _plan_to_forget(self, arguments: Mapping[str, Any]) -> Action:
        found = self._meant(arguments)
        said, quote = self._session.messages, _quote(arguments)
        objections = [_proof().objection_to_forget(said, entry, quote) for entry in found]
        return Action(
            self.spec.name,
            ActionKind.FORGET,
            found[0].name,
            "\n\n".join(map(_preview, found)),
            needs_person=next(filter(None, objections), ""),
        )

    async def _forget(self, arguments: Mapping[str, Any]) -> ToolOutput:
        found = await asyncio.to_thread(self._meant, arguments)
        operations = [
            Operation(StoreAction.DELETE, name=entry.name, scope=entry.scope, digest=entry.digest)
            for entry in found
        ]
        try:
            report = await asyncio.to_thread(self._forgetter().delete, operations, self._session.id)
        except StorageError as error:
            raise ToolError(f"Not forgotten: {error}.") from error
        gone = [outcome.entry for outcome in report.outcomes if outcome.result is Result.DELETED]
        await self._withhold([entry for entry in gone if entry is not None])
        if report.not_done:
            raise ToolError(f"Not forgotten: {report.not_done[0].reason}.")
        return ToolOutput(_FORGOTTEN, t("memory.tool.forgotten", name=found[0].name))

    def _save(self, arguments: Mapping[str, Any]) -> ToolOutput:
        entry, _ = self._planned(arguments)
        named = bool(str(arguments.get("name") or "").strip())
        if_exists = IfExists.REPLACE if named else IfExists.RENAME
        operation = Operation(StoreAction.ADD, entry, if_exists=if_exists)
        session = self._session.id
        evidence = _proof().evidence_for(self._session.messages, entry, _quote(arguments))

        def committing(report: ApplyReport) -> Mapping[str, Any] | None:
            record: Mapping[str, Any] | None = _proof().record(session, report, evidence)
            return record

        try:
            outcome = self._stores.apply([operation], committing).outcomes[0]
        except StorageError as error:
            raise ToolError(f"Not saved: {error}.") from error
        if outcome.result is Result.SKIPPED:
            return ToolOutput(f"Nothing to do: {outcome.reason}.")
        if outcome.result not in {Result.ADDED, Result.UPDATED} or outcome.entry is None:
            raise ToolError(f"Not saved: {outcome.reason}.")
        self._forgetter().allow(outcome.entry)
        store = f"the {outcome.entry.scope} store"
        if outcome.result is Result.ADDED:
            return ToolOutput(f"Saved {outcome.name} in {store}.", added=(outcome.name,))
        return ToolOutput(
            f"Updated {outcome.name} in {store}; the old version is in the archive.",
            updated=(outcome.name,),
        )

    def _planned(self, arguments: Mapping[str, Any]) -> tuple[Entry, Entry | None]:
        """Return the entry as it would be written, and the one it would change."""
        missing = [key for key in ("type", "description", "content") if not arguments.get(key)]
        if missing:
            raise ToolError(f"Not saved: {', '.join(missing)} missing.")
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

    def _meant(self, arguments: Mapping[str, Any]) -> list[Entry]:
        """Return the entries that shall be forgotten: one, or one in each store."""
        name = str(arguments.get("name") or "").strip()
        if not name:
            raise ToolError("Not forgotten: give the entry's name; memory_read lists them all.")
        scopes = [Scope(arguments["scope"])] if arguments.get("scope") else list(Scope)
        found = [entry for scope in scopes if (entry := self._stores.get(name, scope)) is not None]
        if not found:
            raise ToolError(unknown(self._stores, name))
        return found


def _proof() -> Any:
    """Return the module that judges whose words there are; it takes a while to load."""
    return importlib.import_module("catmem.memory.tools.proof")


def _quote(arguments: Mapping[str, Any]) -> str:
    return str(arguments.get("quote") or "").strip()


def _preview(entry: Entry) -> str:
    return f"{entry.description}\n[{kind_of(entry)}]\n\n{entry.content}"


def _difference(old: Entry, new: Entry) -> str:
    lines = difflib.unified_diff(
        _preview(old).splitlines(),
        _preview(new).splitlines(),
        f"{old.name} (stored)",
        f"{new.name} (new)",
        lineterm="",
    )
    return "\n".join(lines)
