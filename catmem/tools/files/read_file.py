"""read_file: a stretch of a text file with line numbers, bounded in lines, characters and time."""

from __future__ import annotations

import asyncio
import io
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from catmem.events import Action, ActionKind
from catmem.messages import ToolSpec
from catmem.storage import reason
from catmem.text import t
from catmem.tools.base import ToolError, ToolOutput
from catmem.tools.files.seen import WHOLE_FILE, SeenFiles, open_regular, refuse_binary
from catmem.tools.files.textfile import TextFile, decode
from catmem.tools.workspace import Place, Workspace

MAX_LINES = 2000
MAX_CHARACTERS = 50_000
MAX_LINE = 2000
_CHUNK = 1 << 20
_SCAN_LIMIT = 1 << 30
_LAST_CHARACTER = re.compile(rb"[\xc0-\xff][\x80-\xbf]{0,3}\Z")


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Lines from ``first`` on; ``total`` is None where the file was not read to its end."""

    lines: list[str]
    first: int
    total: int | None
    note: str


class ReadFile:
    """The tool read_file."""

    read_only = True
    spec = ToolSpec(
        "read_file",
        f"Read a text file as number, tab, text of each line; {MAX_LINES} at most; more: offset.",
        {
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "offset": {"type": "integer", "minimum": 1, "description": "first line"},
                "limit": {"type": "integer", "minimum": 1, "description": "number of lines"},
            },
            "required": ["path"],
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
        return Action(
            self.spec.name,
            ActionKind.READ,
            place.shown,
            outside=place.outside,
            session_key=place.session_key(self.spec.name),
        )

    async def run(self, arguments: Mapping[str, Any], emit: Callable[[str], None]) -> ToolOutput:  # noqa: ARG002 - the protocol's signature
        place = self._workspace.locate(arguments["path"])
        offset: int = arguments.get("offset", 1)
        limit = min(arguments.get("limit", MAX_LINES), MAX_LINES)
        stretch = await asyncio.to_thread(self._read, place, offset, limit)
        if stretch.total is not None and offset > max(stretch.total, 1):
            raise ToolError(f"{place.shown} has only {stretch.total} lines.")
        return _output(stretch)

    def _read(self, place: Place, offset: int, limit: int) -> _Stretch:
        descriptor, size = open_regular(self._workspace, place)
        try:
            with os.fdopen(descriptor, "rb") as file:
                data = file.read(WHOLE_FILE if size <= WHOLE_FILE else _CHUNK)
                refuse_binary(data, place, size)
                if size > WHOLE_FILE:
                    return _window(file, place, size, offset, limit)
        except OSError as error:
            raise ToolError(f"Cannot read {place.shown}: {reason(error)}.") from error
        self._seen.remember(place, data)
        content = decode(data)
        lines = _lines(content)
        return _Stretch(lines[offset - 1 : offset - 1 + limit], offset, len(lines), content.note)


def _lines(content: TextFile) -> list[str]:
    text = content.text.replace("\r\n", "\n")
    return text.removesuffix("\n").split("\n") if text else []


def _window(file: BinaryIO, place: Place, size: int, offset: int, limit: int) -> _Stretch:
    """Read some lines of a file too large to be read whole, without counting what follows."""
    file.seek(_start_of_line(file, place, offset))
    data = file.read(_CHUNK)
    refuse_binary(data, place, size)
    whole_lines = data[: data.rfind(b"\n") + 1] or _LAST_CHARACTER.sub(b"", data)
    content = decode(whole_lines)
    note = ", ".join(filter(None, (f"the file has {size:,} bytes", content.note)))
    return _Stretch(_lines(content)[:limit], offset, None, note)


def _start_of_line(file: BinaryIO, place: Place, number: int) -> int:
    """Return the byte position of a line, reading no more than the scan limit."""
    file.seek(0)
    position, newlines_left = 0, number - 1
    while newlines_left:
        chunk = file.read(_CHUNK)
        if not chunk or position >= _SCAN_LIMIT:
            raise ToolError(
                f"Line {number} of {place.shown} does not exist, or lies more than 1 GiB into the "
                "file; use bash (tail, sed -n)."
            )
        here = chunk.count(b"\n")
        if here < newlines_left:
            newlines_left -= here
            position += len(chunk)
            continue
        end = -1
        for _ in range(newlines_left):
            end = chunk.index(b"\n", end + 1)
        return position + end + 1
    return position


def _output(stretch: _Stretch) -> ToolOutput:
    out, length, shown, cut = io.StringIO(), 0, 0, False
    for number, line in enumerate(stretch.lines, stretch.first):
        text = line
        if len(line) > MAX_LINE:
            text, cut = f"{line[:MAX_LINE]}… [{len(line) - MAX_LINE:,} more characters]", True
        length += len(text) + 8
        if length > MAX_CHARACTERS and shown:
            break
        out.write(f"{number}\t{text}\n")
        shown += 1
    notice = _notice(stretch, shown, cut=cut)
    last = stretch.first + shown - 1
    display = t("tools.read.lines", first=stretch.first, last=last) if shown else notice
    return ToolOutput((out.getvalue() + notice).rstrip("\n"), display)


def _notice(stretch: _Stretch, shown: int, *, cut: bool) -> str:
    notes = [stretch.note] if stretch.note else []
    if stretch.total == 0:
        notes.append("the file is empty")
    following = stretch.first + shown
    if stretch.total is None:
        notes.append(f"read on with offset={following}")
    elif following <= stretch.total:
        shown_lines = f"lines {stretch.first}-{following - 1} of {stretch.total}"
        notes.append(f"{shown_lines}; read on with offset={following}")
    if cut:
        notes.append("long lines are cut; see more of one with bash (cut -c, or a formatter)")
    return f"[{'; '.join(notes)}]" if notes else ""
