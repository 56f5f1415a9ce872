"""grep: the lines that match a regular expression."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from catmem.events import Action, ActionKind
from catmem.messages import ToolSpec
from catmem.text import t
from catmem.tools.base import ToolError, ToolOutput
from catmem.tools.search import ripgrep
from catmem.tools.search.pattern import compile_pattern, literal_names
from catmem.tools.search.tree import Listing, Scope, list_files, ripgrep_options, scope
from catmem.tools.workspace import Place, Workspace, missing

MAX_MATCHES = 100
MAX_COLUMNS = 300
MAX_SECONDS = 30.0
NO_MATCHES = "No matches."
_SEARCHER = str(Path(__file__).with_name("searcher.py"))
_PARSE_ERROR = "regex parse error:"
_FORM = (
    "--null",
    "--line-number",
    "--with-filename",
    "--no-heading",
    "--sort=path",
    f"--max-columns={MAX_COLUMNS}",
    "--max-columns-preview",
)


@dataclass(slots=True)
class _Matches:
    """Collects ``path:number:line`` from the child's records.

    ``files`` filters the paths relative to the base, ``prefix`` makes of them what is shown.
    """

    prefix: Callable[[str], str]
    files: re.Pattern[str] | None
    lines: list[str] = field(default_factory=list)

    def wants(self, name: str) -> bool:
        """Whether lines of this file count."""
        return self.files is None or self.files.fullmatch(name) is not None

    def take(self, record: bytes) -> bool:
        """Add one record ``path NUL number:line``; return whether more are wanted."""
        name, separator, rest = record.decode("utf-8", "surrogateescape").partition("\0")
        name = name.removeprefix("./")
        if separator and self.wants(name):
            line = rest.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            self.lines.append(f"{self.prefix(name)}:{line.rstrip()[:MAX_COLUMNS]}")
        return len(self.lines) <= MAX_MATCHES


class Grep:
    """The tool grep."""

    read_only = True
    spec = ToolSpec(
        "grep",
        "Search files for a regular expression, line by line. Gives path:line:text, at most "
        f"{MAX_MATCHES}. Skips the same files as glob.",
        {
            "type": "object",
            "properties": {
                "pattern": {"type": "string"},
                "path": {"type": "string", "description": "file or directory"},
                "glob": {"type": "string", "description": "only these files, e.g. *.py"},
                "ignore_case": {"type": "boolean"},
            },
            "required": ["pattern"],
            "additionalProperties": False,
        },
    )

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def subject(self, arguments: Mapping[str, Any]) -> str:
        pattern, path = arguments.get("pattern", ""), arguments.get("path")
        return f"{pattern} in {path}" if path else str(pattern)

    async def plan(self, arguments: Mapping[str, Any]) -> Action:
        place = self._workspace.locate(arguments.get("path") or ".")
        if not arguments["pattern"] or "\0" in arguments["pattern"]:
            raise ToolError("The pattern is empty or has a NUL character in it.")
        return Action(
            self.spec.name,
            ActionKind.READ,
            self.subject(arguments),
            outside=place.outside,
            session_key=place.session_key(self.spec.name),
        )

    async def run(self, arguments: Mapping[str, Any], emit: Callable[[str], None]) -> ToolOutput:  # noqa: ARG002 - the protocol's signature
        place = self._workspace.locate(arguments.get("path") or ".")
        wanted, single = self._scope(place, arguments.get("glob", ""))
        matches = _Matches(
            lambda name: self._workspace.show(place.path if single else place.path / name),
            _file_filter(arguments.get("glob", "")),
        )
        complete = await _search(wanted, single, arguments, matches)
        found = matches.lines[:MAX_MATCHES]
        display = t("tools.search.matches", count=len(found))
        if len(matches.lines) > MAX_MATCHES:
            found.append(
                f"[only the first {MAX_MATCHES}; narrow the search with path, glob or pattern]"
            )
            display = t("tools.search.more", found=display)
        elif not complete:
            found.append("[the search took too long and ended early; search a smaller directory]")
        return ToolOutput("\n".join(found) or NO_MATCHES, display)

    def _scope(self, place: Place, files: str) -> tuple[Scope, str | None]:
        """Return where to search, and the file's name if it is just one."""
        if place.real.is_dir():
            return scope(place.real, self._workspace.root, literal_names(files)), None
        if not place.real.exists():
            raise missing(self._workspace, place)
        if not place.real.is_file():
            raise ToolError(f"{place.shown} is a pipe, socket or device, not a file or directory.")
        return Scope(place.real.parent, self._workspace.root, frozenset(), True), place.real.name


def _file_filter(files: str) -> re.Pattern[str] | None:
    """A pattern without ``/`` is about names at any depth."""
    if not files:
        return None
    return compile_pattern(files if "/" in files else f"**/{files}")


async def _search(
    wanted: Scope, single: str | None, arguments: Mapping[str, Any], matches: _Matches
) -> bool:
    """Fill ``matches``; return False when it was stopped.

    What ripgrep's regular expressions lack (looking around, back-references) ours may have, and
    what an old ripgrep does not know (an option) ours does not need.
    """
    program = ripgrep.find()
    if program is not None:
        command = [program, *ripgrep_options(wanted), *_FORM]
        command += ["--ignore-case"] if arguments.get("ignore_case") else []
        command += ["-e", arguments["pattern"], "--", f"./{single or ''}"]
        outcome = await ripgrep.run(command, wanted.base, matches.take, MAX_SECONDS)
        if not outcome.errors:
            return outcome.complete
    listing = Listing([single]) if single else await list_files(wanted)
    return await _with_searcher(listing, wanted, arguments, matches)


async def _with_searcher(
    listing: Listing, wanted: Scope, arguments: Mapping[str, Any], matches: _Matches
) -> bool:
    names = [name for name in listing.files if matches.wants(name)]
    case = "ignore" if arguments.get("ignore_case") else "exact"
    outcome = await ripgrep.run(
        [sys.executable, "-I", "-S", _SEARCHER, arguments["pattern"], case, str(MAX_COLUMNS)],
        wanted.base,
        matches.take,
        MAX_SECONDS,
        b"\0".join(name.encode("utf-8", "surrogateescape") for name in names),
    )
    if outcome.errors.startswith(_PARSE_ERROR):
        problem = outcome.errors.removeprefix(_PARSE_ERROR).strip()
        raise ToolError(f"The pattern is not a valid regular expression: {problem}.")
    if outcome.errors:
        raise ToolError(f"The search failed: {outcome.errors.strip()}")
    return outcome.complete and listing.complete
