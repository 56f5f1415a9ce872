"""Storing a text as an entry, without a model."""

from __future__ import annotations

import re
from dataclasses import dataclass

from catmem.errors import ExitCode, UsageError
from catmem.memory.commands.printing import Write, scope_word
from catmem.memory.store.entry import TYPES, Entry, Scope
from catmem.memory.store.kind import kind_of
from catmem.memory.store.names import slug_for
from catmem.memory.store.operations import Action, IfExists, Operation, Result
from catmem.memory.store.stores import Stores
from catmem.sanitize import one_line
from catmem.text import t

TYPED_IMPORTANCE = 0.9
_DESCRIPTION = 150
_OPTION = r"--(?P<option>replace|[\w-]+(?=[=\s]))(?:(?<!replace)[=\s]\s*(?P<value>\S+))?(?:\s+|$)"
_OPTION_AT_END = r"\s--(?P<option>type|scope)[=\s]\s*(?P<value>\S+)$"


@dataclass(frozen=True, slots=True)
class Addition:
    """A text to store, and what was said about it.

    Without a type its words decide; where they tell nothing it is a fact about the project if the
    scope says so, else about the user. Without a name it gets one from its text. ``replace`` allows
    an existing name. ``typed`` tells that the person typed it in the session: such an entry has an
    importance that nothing else may give.
    """

    text: str
    name: str | None = None
    type: str | None = None
    scope: str | None = None
    replace: bool = False
    typed: bool = False


def parse_addition(line: str) -> Addition:
    """Read what was typed after ``/memory add``: options, then the text.

    ``--type`` and ``--scope`` with a valid value may stand at the end too; any other word with two
    dashes there belongs to the text.

    Raises:
        UsageError: an option that there is not, without a value or with a wrong one, or no text.
    """
    given: dict[str, str] = {}
    replace = False
    rest = line.strip()
    while rest.startswith("--"):
        match = re.match(_OPTION, rest)
        if match is None or not _is_valid(match["option"], match["value"]):
            raise UsageError(t("memory.add.option", option=one_line(rest.split()[0], 40)))
        if match["option"] == "replace":
            replace = True
        else:
            given[match["option"]] = match["value"]
        rest = rest[match.end() :]
    while match := re.search(_OPTION_AT_END, rest):
        if not _is_valid(match["option"], match["value"]):
            break
        given[match["option"]] = match["value"]
        rest = rest[: match.start()]
    if not rest.strip():
        raise UsageError(t("memory.add.what"))
    name, kind, scope = (given.get(option) for option in ("name", "type", "scope"))
    return Addition(rest.strip(), name, kind, scope, replace=replace, typed=True)


def _is_valid(option: str, value: str | None) -> bool:
    if option == "name":
        return bool(value)
    return value in {"type": TYPES, "scope": tuple(Scope), "replace": (None,)}.get(option, ())


def add_entry(stores: Stores, addition: Addition, out: Write, err: Write) -> int:
    """Store a text as an entry, without a model; return the exit code."""
    fallback = "project" if addition.scope == Scope.PROJECT else "user"
    kind = addition.type or kind_of(addition.text) or fallback
    description = one_line(next(iter(addition.text.strip().splitlines()), ""), _DESCRIPTION)
    entry = Entry(
        name=addition.name or slug_for(description),
        description=description,
        type=kind,
        content=addition.text,
        scope=stores.scope_for(kind, addition.scope),
        optional={"importance": TYPED_IMPORTANCE} if addition.typed else {},
    )
    if_exists = IfExists.REFUSE if addition.name else IfExists.RENAME
    if addition.replace:
        if_exists = IfExists.REPLACE
    outcome = stores.apply([Operation(Action.ADD, entry, if_exists=if_exists)]).outcomes[0]
    if outcome.entry is not None and outcome.result in {Result.ADDED, Result.UPDATED}:
        key = f"memory.command.{outcome.result}"
        out(t(key, name=outcome.name, scope=scope_word(outcome.entry.scope)))
        return ExitCode.DONE
    if addition.replace and outcome.result is Result.SKIPPED:
        out(outcome.reason)
        return ExitCode.DONE
    taken = outcome.result is Result.EXISTS
    err(t("memory.command.taken", reason=outcome.reason) if taken else outcome.reason)
    return ExitCode.FAILED
