"""glob: the files whose paths match a pattern."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Any

from catmem.events import Action, ActionKind
from catmem.messages import ToolSpec
from catmem.text import t
from catmem.tools.base import ToolError, ToolOutput
from catmem.tools.search.pattern import (
    compile_pattern,
    has_wildcard,
    literal_names,
    split_fixed,
)
from catmem.tools.search.tree import list_files, scope
from catmem.tools.workspace import Place, Workspace

MAX_SHOWN = 200


class Glob:
    """The tool glob."""

    read_only = True
    spec = ToolSpec(
        "glob",
        "Find files by pattern: ** any directories, * within a name, {a,b}. '*' lists a directory. "
        f"At most {MAX_SHOWN}, sorted. Skipped unless named: what git ignores, .git, node_modules.",
        {
            "type": "object",
            "properties": {
                "pattern": {"type": "string", "description": "e.g. src/**/*.py"},
                "path": {"type": "string", "description": "directory; default: start directory"},
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
        base, _ = self._split(arguments)
        return Action(
            self.spec.name,
            ActionKind.READ,
            self.subject(arguments),
            outside=base.outside,
            session_key=base.session_key(self.spec.name),
        )

    async def run(self, arguments: Mapping[str, Any], emit: Callable[[str], None]) -> ToolOutput:  # noqa: ARG002 - the protocol's signature
        base, pattern = self._split(arguments)
        if not has_wildcard(pattern) and _exists(base, pattern):
            return ToolOutput(self._workspace.show(base.path / pattern))
        if not base.real.is_dir():
            raise ToolError(f"{base.shown} is not a directory.")
        wanted = scope(base.real, self._workspace.root, literal_names(pattern))
        listing = await list_files(wanted)
        names = await asyncio.to_thread(_matching, listing.files, pattern)
        shown = [
            self._workspace.show(base.path / name) + ("/" if name.endswith("/") else "")
            for name in names[:MAX_SHOWN]
        ]
        notes = []
        if len(names) > MAX_SHOWN:
            notes.append(f"[the first {MAX_SHOWN} of {len(names):,}; use a narrower pattern]")
        if not listing.complete:
            notes.append("[the search ended early: too many files; search a smaller directory]")
        if not names:
            notes.append(_nothing(pattern))
        return ToolOutput("\n".join([*shown, *notes]), t("tools.search.files", count=len(names)))

    def _split(self, arguments: Mapping[str, Any]) -> tuple[Place, str]:
        """Return the directory to search and the pattern relative to it."""
        pattern: str = arguments["pattern"].strip()
        if not pattern:
            raise ToolError("The pattern is empty; '*' lists a directory.")
        fixed, rest = split_fixed(pattern)
        path: str = arguments.get("path") or "."
        if fixed:
            path = fixed if fixed.startswith(("/", "~")) else f"{path.strip()}/{fixed}"
        return self._workspace.locate(path), rest or "*"


def _exists(base: Place, name: str) -> bool:
    return os.path.lexists(base.real / name)


def _matching(files: list[str], pattern: str) -> list[str]:
    """Return the matching files and directories (with ``/``); ``**/*`` means files only."""
    regex = compile_pattern(pattern)
    found = [name for name in files if regex.fullmatch(name)]
    if pattern.endswith(("**", "**/*")):
        return found
    directories = {str(parent) for name in files for parent in PurePosixPath(name).parents[:-1]}
    found += [f"{name}/" for name in directories if regex.fullmatch(name)]
    return sorted(found)


def _nothing(pattern: str) -> str:
    deeper = "" if "**" in pattern else f" In all directories below: **/{pattern}"
    return f"Nothing matches {pattern}.{deeper}"
