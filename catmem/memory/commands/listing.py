"""Showing what is stored: the list of entries, and one entry in full.

Everything stored is printed as plain text with its control characters taken out.
"""

from __future__ import annotations

from typing import Any

from catmem.errors import ExitCode
from catmem.memory.commands.printing import Write, to_json, unknown_name
from catmem.memory.store.entry import Entry, Scope, as_line
from catmem.memory.store.names import key_of
from catmem.memory.store.stores import Stores
from catmem.sanitize import clean, one_line
from catmem.text import listed, t


def list_entries(stores: Stores, out: Write, err: Write, *, as_json: bool = False) -> int:
    """Print every entry, one line each; return the exit code."""
    entries = stores.load_all()
    for warning in stores.new_warnings():
        err(clean(warning.text))
    code = ExitCode.FAILED if stores.is_unreadable() else ExitCode.DONE
    if as_json:
        out(to_json([facts(entry) for entry in entries]))
        return code
    hidden = stores.untrusted()
    if not entries and not hidden and code is ExitCode.DONE:
        out(t("memory.command.none"))
    for scope in (Scope.PROJECT, Scope.USER):
        lines = [_line(entry) for entry in entries if entry.scope is scope]
        if lines:
            out("\n".join([t(f"memory.command.{scope}"), *lines]))
    if hidden:
        out("\n".join([t("memory.command.untrusted"), *map(_line, hidden)]))
    return code


def show_entry(stores: Stores, name: str, out: Write, err: Write, *, as_json: bool = False) -> int:
    """Print all fields and the content of one entry; return the exit code."""
    found = [entry for scope in Scope if (entry := stores.get(name, scope)) is not None]
    hidden = [entry for entry in stores.untrusted() if key_of(entry.name) == key_of(name)]
    if hidden and not found and not as_json:
        err(t("memory.command.not_trusted"))
        found = hidden
    if not found:
        err(unknown_name(stores, name))
        return ExitCode.FAILED
    if as_json:
        out(to_json(_everything(found[-1])))
        return ExitCode.DONE
    for entry in found:
        fields = {key: value for key, value in _everything(entry).items() if key != "content"}
        header = "\n".join(f"{key}: {as_line(value)}" for key, value in fields.items())
        out(f"{header}\n\n{clean(entry.content)}".rstrip())
    return ExitCode.DONE


def _kind(entry: Entry) -> str:
    kind = one_line(entry.type, 20)
    if entry.pinned:
        kind = t("memory.command.pinned", type=kind)
    return t("memory.command.deprecated", type=kind) if entry.deprecated else kind


def _line(entry: Entry) -> str:
    return f"  {entry.name} ({_kind(entry)}): {one_line(entry.description)}"


def found_line(entry: Entry) -> str:
    """Return an entry as a line that also says which store it is in."""
    kind = listed([_kind(entry), t(f"memory.place.{entry.scope}")])
    return f"  {entry.name} ({kind}): {one_line(entry.description)}"


def facts(entry: Entry) -> dict[str, Any]:
    """Return what a line of the list tells, by the names that JSON has for it."""
    status = {"status": "deprecated"} if entry.deprecated else {}
    return {
        "name": entry.name,
        "scope": entry.scope,
        "type": entry.type,
        "description": entry.description,
        "createdAt": entry.created_at,
        "updatedAt": entry.updated_at,
        **status,
    }


def _everything(entry: Entry) -> dict[str, Any]:
    return {
        **facts(entry),
        **entry.optional,
        "path": str(entry.path),
        "content": entry.content.removesuffix("\n"),
    }
