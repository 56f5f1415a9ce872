"""write_file: a new file, the whole content of an existing one, or text at its end."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from catmem.events import Action, ActionKind
from catmem.messages import ToolSpec
from catmem.storage import reason
from catmem.text import t
from catmem.tools.base import ToolError, ToolOutput
from catmem.tools.files.diff import unified_diff
from catmem.tools.files.seen import SeenFiles
from catmem.tools.files.textfile import TextFile
from catmem.tools.workspace import Place, Workspace


@dataclass(frozen=True, slots=True)
class _Change:
    """What a call would write; ``known`` says that the model then knows the whole content."""

    data: bytes
    diff: str
    is_new: bool
    known: bool


class WriteFile:
    """The tool write_file. New files get the permissions that the user's umask leaves."""

    read_only = False
    spec = ToolSpec(
        "write_file",
        "Create a file, with its directories, or replace its whole content (an existing file must "
        "have been read). append: add the content at the end instead.",
        {
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "content": {"type": "string"},
                "append": {"type": "boolean"},
            },
            "required": ["path", "content"],
            "additionalProperties": False,
        },
    )

    def __init__(self, workspace: Workspace, seen: SeenFiles, umask: int) -> None:
        self._workspace = workspace
        self._seen = seen
        self._mode = 0o666 & ~umask

    def subject(self, arguments: Mapping[str, Any]) -> str:
        return str(arguments.get("path", ""))

    async def plan(self, arguments: Mapping[str, Any]) -> Action:
        place = self._workspace.locate(arguments["path"])
        change = await asyncio.to_thread(self._changed, place, arguments)
        return Action(
            self.spec.name,
            ActionKind.WRITE,
            place.shown,
            change.diff,
            place.outside,
            place.session_key(self.spec.name),
        )

    async def run(self, arguments: Mapping[str, Any], emit: Callable[[str], None]) -> ToolOutput:  # noqa: ARG002 - the protocol's signature
        place = self._workspace.locate(arguments["path"])
        change = await asyncio.to_thread(self._changed, place, arguments)
        _make_parent(place)
        self._seen.save(place, change.data, self._mode if change.is_new else None)
        if change.known:
            self._seen.remember(place, change.data)
        verb = "Created" if change.is_new else "Wrote"
        return ToolOutput(
            f"{verb} {place.shown} ({len(change.data):,} bytes).",
            change.diff or t("tools.write.same"),
        )

    def _changed(self, place: Place, arguments: Mapping[str, Any]) -> _Change:
        content: str = arguments["content"]
        append: bool = arguments.get("append", False)
        if arguments["path"].rstrip().endswith("/"):
            raise ToolError(f"{place.shown}/ names a directory; give the path of a file.")
        if not os.path.lexists(place.real):
            data = TextFile(content).encode()
            return _Change(data, unified_diff("", content, place.shown), is_new=True, known=True)
        data, old = self._seen.load(place)
        known = self._seen.knows(place, data)
        if not append:
            self._seen.require(place, data)
        if old.newline == "\r\n" and "\r\n" not in content:
            content = content.replace("\n", "\r\n")
        new = old.with_text(old.text + content if append else content)
        diff = unified_diff(old.text, new.text, place.shown)
        return _Change(new.encode(), diff, is_new=False, known=known or not append)


def _make_parent(place: Place) -> None:
    parent = place.real.parent
    try:
        parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ToolError(f"Cannot make the directory {parent}: {reason(error)}.") from error
