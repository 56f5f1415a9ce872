"""The memory for people: /memory in the session, and ``catmem memory …`` for scripts.

Everything stored is printed as plain text with its control characters taken out.
"""

from __future__ import annotations

import asyncio
import difflib
import json
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from catmem.commands import Command, Console
from catmem.errors import CatmemError, ExitCode
from catmem.memory.store.entry import Entry, Scope, as_line
from catmem.memory.store.names import slug_for
from catmem.memory.store.operations import Action, IfExists, Operation, Result
from catmem.memory.store.stores import Stores
from catmem.sanitize import clean, one_line
from catmem.text import t

if TYPE_CHECKING:
    from catmem.memory.pipeline.report import Report

Write = Callable[[str], None]
"""Prints one or more lines."""

_SUBCOMMANDS = ("list", "show", "clear")
_DESCRIPTION = 150
# What JSON leaves as it is, and a terminal would obey.
_UNPRINTABLE = re.compile(
    r"[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


@dataclass(frozen=True, slots=True)
class Addition:
    """What ``catmem memory add`` was given.

    Without a type it is a fact about the project where the scope says so, else about the user.
    Without a name it gets one from its text. ``replace`` allows an existing name.
    """

    text: str
    name: str | None = None
    type: str | None = None
    scope: str | None = None
    replace: bool = False


class MemoryCommand:
    """``/memory``.

    Args:
        stores: what it shows and clears.
        learn: runs the pipeline on the session so far; takes where to show its stages.
        forget_window: called after a clear, so that the session's own past does not refill the
            stores at its end.
    """

    def __init__(
        self,
        stores: Stores,
        learn: Callable[[Write], Awaitable[Report]],
        forget_window: Callable[[], None],
    ) -> None:
        self._stores = stores
        self._learn = learn
        self._forget_window = forget_window

    @property
    def command(self) -> Command:
        """The command to register."""
        return Command(
            "memory",
            "[list | show NAME | clear]",
            "memory.command.help",
            self.run,
            self.complete,
        )

    async def run(self, rest: str, console: Console) -> None:
        """Do what follows ``/memory``; nothing means: learn now."""
        word, _, argument = rest.strip().partition(" ")
        match word.lower():
            case "":
                await self._learn_now(console)
            case "list" | "ls":
                await _off_the_loop(console, lambda say: list_entries(self._stores, say, say))
            case "show" if not argument.strip():
                console.write(t("memory.command.which"))
            case "show":
                name = argument.strip()
                await _off_the_loop(console, lambda say: show_entry(self._stores, name, say, say))
            case "clear":
                await self._clear(console)
            case _:
                console.write(_suggestion(word))

    def complete(self, rest: str) -> Sequence[str]:
        """Return what may follow ``/memory``, whole."""
        if rest.startswith("show "):
            return [f"show {entry.name}" for entry in self._stores.load_all()]
        return _SUBCOMMANDS

    async def _learn_now(self, console: Console) -> None:
        try:
            report = await self._learn(console.write)
        except CatmemError as error:
            console.write(str(error))
            return
        console.write("\n".join(_report_lines(report)))

    async def _clear(self, console: Console) -> None:
        entries = await asyncio.to_thread(self._stores.load_all)
        if not entries:
            console.write(t("memory.command.none"))
        elif await console.confirm(clear_question(entries)):
            stores = self._stores
            await _off_the_loop(console, lambda say: clear_entries(stores, entries, say, say))
            self._forget_window()
        else:
            console.write(t("memory.command.kept"))


async def _off_the_loop(console: Console, work: Callable[[Write], int]) -> None:
    """Do ``work`` in a thread, because it reads files and waits for locks; print what it says."""
    lines: list[str] = []
    await asyncio.to_thread(work, lines.append)
    for line in lines:
        console.write(line)


def list_entries(stores: Stores, out: Write, err: Write, *, as_json: bool = False) -> int:
    """Print every entry, one line each; return the exit code."""
    entries = stores.load_all()
    for warning in stores.new_warnings():
        err(clean(warning.text))
    code = ExitCode.FAILED if stores.is_unreadable() else ExitCode.DONE
    if as_json:
        out(_json([_facts(entry) for entry in entries]))
        return code
    if not entries and code is ExitCode.DONE:
        out(t("memory.command.none"))
    for scope in (Scope.PROJECT, Scope.USER):
        lines = [
            f"  {entry.name} ({one_line(entry.type, 20)}): {one_line(entry.description)}"
            for entry in entries
            if entry.scope is scope
        ]
        if lines:
            out("\n".join([t(f"memory.command.{scope}"), *lines]))
    return code


def show_entry(stores: Stores, name: str, out: Write, err: Write, *, as_json: bool = False) -> int:
    """Print all fields and the content of one entry; return the exit code."""
    found = [entry for scope in Scope if (entry := stores.get(name, scope)) is not None]
    if not found:
        near = stores.near(name)
        hint = t("memory.command.near", names=", ".join(near)) if near else ""
        err(t("memory.store.gone", name=one_line(name, 60)) + hint)
        return ExitCode.FAILED
    if as_json:
        out(_json(_everything(found[-1])))
        return ExitCode.DONE
    for entry in found:
        fields = {key: value for key, value in _everything(entry).items() if key != "content"}
        header = "\n".join(f"{key}: {as_line(value)}" for key, value in fields.items())
        out(f"{header}\n\n{clean(entry.content)}".rstrip())
    return ExitCode.DONE


def add_entry(stores: Stores, addition: Addition, out: Write, err: Write) -> int:
    """Store a text as an entry, without a model; return the exit code."""
    kind = addition.type or ("project" if addition.scope == Scope.PROJECT else "user")
    description = one_line(next(iter(addition.text.strip().splitlines()), ""), _DESCRIPTION)
    entry = Entry(
        name=addition.name or slug_for(description),
        description=description,
        type=kind,
        content=addition.text,
        scope=stores.scope_for(kind, addition.scope),
    )
    if_exists = IfExists.REFUSE if addition.name else IfExists.RENAME
    if addition.replace:
        if_exists = IfExists.REPLACE
    outcome = stores.apply([Operation(Action.ADD, entry, if_exists=if_exists)]).outcomes[0]
    if outcome.entry is not None and outcome.result in {Result.ADDED, Result.UPDATED}:
        key = f"memory.command.{outcome.result}"
        out(t(key, name=outcome.name, scope=outcome.entry.scope))
        return ExitCode.DONE
    if addition.replace and outcome.result is Result.SKIPPED:
        out(outcome.reason)
        return ExitCode.DONE
    taken = outcome.result is Result.EXISTS
    err(t("memory.command.taken", reason=outcome.reason) if taken else outcome.reason)
    return ExitCode.FAILED


def clear_question(entries: Sequence[Entry]) -> str:
    """Return the question that a clear asks, with the number of entries in each store."""
    user = sum(entry.scope is Scope.USER for entry in entries)
    project = len(entries) - user
    if not project:
        return t("memory.command.clear_user", user=user)
    return t("memory.command.clear_both", user=user, project=project)


def clear_entries(stores: Stores, entries: Sequence[Entry], out: Write, err: Write) -> int:
    """Move these entries to the archive; return the exit code.

    Only they are touched: what was added or changed since they were listed stays.
    """
    report = stores.apply(
        [
            Operation(Action.DELETE, name=entry.name, scope=entry.scope, digest=entry.digest)
            for entry in entries
        ]
    )
    scopes = {entry.scope for entry in entries}
    archives = [str(store.places.archive) for store in stores.all if store.scope in scopes]
    if report.deleted:
        places = clean(", ".join(archives))
        out(t("memory.command.cleared", count=len(report.deleted), places=places))
    for outcome in report.not_done:
        err(clean(outcome.reason))
    return ExitCode.FAILED if report.not_done else ExitCode.DONE


async def extract(
    learn: Callable[[Write], Awaitable[Sequence[Report]]], out: Write, err: Write
) -> int:
    """Learn from the sessions that still have an open window; return the exit code."""
    reports = await learn(err)
    if not reports:
        out(t("memory.command.no_window"))
    for report in reports:
        out("\n".join(_report_lines(report)))
    failed = [report for report in reports if report.has_failed]
    if not failed:
        return ExitCode.DONE
    return ExitCode.TRY_AGAIN if any(report.retryable for report in failed) else ExitCode.FAILED


def _report_lines(report: Report) -> list[str]:
    return [clean(line) for line in (report.line(), *report.reasons())]


def _suggestion(word: str) -> str:
    typed = one_line(word, 40)
    near = difflib.get_close_matches(word.lower(), _SUBCOMMANDS, n=1, cutoff=0.5)
    if near:
        return t("memory.command.unknown", typed=typed, near=near[0])
    choices = ", ".join(f"/memory {name}" for name in _SUBCOMMANDS)
    return t("memory.command.choices", typed=typed, choices=choices)


def _facts(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "scope": entry.scope,
        "type": entry.type,
        "description": entry.description,
        "createdAt": entry.created_at,
        "updatedAt": entry.updated_at,
    }


def _everything(entry: Entry) -> dict[str, Any]:
    return {
        **_facts(entry),
        **entry.optional,
        "path": str(entry.path),
        "content": entry.content.removesuffix("\n"),
    }


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
