"""edit_file: exact replacements in one file, all of them or none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from catmem.events import Action, ActionKind
from catmem.messages import ToolSpec
from catmem.text import t
from catmem.tools.base import ToolOutput
from catmem.tools.files.diff import unified_diff
from catmem.tools.files.edits import Edit, apply
from catmem.tools.files.seen import SeenFiles
from catmem.tools.workspace import Place, Workspace


class EditFile:
    """The tool edit_file."""

    read_only = False
    spec = ToolSpec(
        "edit_file",
        "Replace exact text in a file that you have read. old_text must occur exactly once (add "
        "surrounding lines), unless replace_all. All edits of a call are made, in order, or none.",
        {
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "edits": {
                    "type": "array",
                    "minItems": 1,
                    "items": {
                        "type": "object",
                        "properties": {
                            "old_text": {"type": "string"},
                            "new_text": {"type": "string"},
                            "replace_all": {"type": "boolean"},
                        },
                        "required": ["old_text", "new_text"],
                        "additionalProperties": False,
                    },
                },
            },
            "required": ["path", "edits"],
            "additionalProperties": False,
        },
    )

    def __init__(self, workspace: Workspace, seen: SeenFiles) -> None:
        self._workspace = workspace
        self._seen = seen

    def subject(self, arguments: Mapping[str, Any]) -> str:
        return str(arguments.get("path", ""))

    async def plan(self, arguments: Mapping[str, Any]) -> Action:
        place = self._workspace.locate(arguments["path"])
        _, diff, _ = await asyncio.to_thread(self._changed, place, _edits(arguments))
        return Action(
            self.spec.name,
            ActionKind.WRITE,
            place.shown,
            diff,
            place.outside,
            place.session_key(self.spec.name),
        )

    async def run(self, arguments: Mapping[str, Any], emit: Callable[[str], None]) -> ToolOutput:  # noqa: ARG002 - the protocol's signature
        place = self._workspace.locate(arguments["path"])
        data, diff, count = await asyncio.to_thread(self._changed, place, _edits(arguments))
        self._seen.save(place, data)
        self._seen.remember(place, data)
        places = "1 place" if count == 1 else f"{count} places"
        return ToolOutput(f"Changed {places} in {place.shown}.", diff or t("tools.edit.line_ends"))

    def _changed(self, place: Place, edits: list[Edit]) -> tuple[bytes, str, int]:
        """Return the file's new bytes, the diff, and the number of places changed."""
        data, content = self._seen.load(place)
        self._seen.require(place, data)
        changed, count = apply(content, edits, place.shown)
        diff = unified_diff(content.text, changed.text, place.shown)
        return changed.encode(), diff, count


def _edits(arguments: Mapping[str, Any]) -> list[Edit]:
    return [
        Edit(edit["old_text"], edit["new_text"], edit.get("replace_all", False))
        for edit in arguments["edits"]
    ]
