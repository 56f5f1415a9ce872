"""Where the tools work: making real paths of written ones, and saying whether they are inside.

A path is relative to the directory where catmem was started. What counts for containment is the
real path, with every link followed, compared with the workspace component by component.
"""

from __future__ import annotations

import difflib
import errno
import os
import re
from dataclasses import dataclass
from pathlib import Path

from catmem.sanitize import repair
from catmem.storage import reason
from catmem.tools.base import ToolError

_WINDOWS_PATH = re.compile(r"[A-Za-z]:[\\/]|\\\\")


@dataclass(frozen=True, slots=True)
class Place:
    """A path a call names.

    Attributes:
        path: absolute, as named: links not followed, unless ``..`` comes after one.
        real: absolute, every link followed (of a dangling link: where it points to).
        shown: what the model and the person see: relative to the start directory where it lies
            below it.
        inside: whether ``real`` lies in the workspace.
    """

    path: Path
    real: Path
    shown: str
    inside: bool

    @property
    def outside(self) -> tuple[str, ...]:
        """The real path as ``Action.outside`` wants it: empty when contained."""
        return () if self.inside else (str(self.real),)

    def session_key(self, tool: str) -> str:
        """What "yes for this session" covers: the tool inside the workspace, one path outside."""
        return tool if self.inside else f"{tool}:{self.real}"


@dataclass(frozen=True, slots=True)
class Workspace:
    """The workspace's real root, the start directory, and the user's home for ``~``."""

    root: Path
    cwd: Path
    home: Path

    def locate(self, text: str) -> Place:
        """Return the place that ``text`` names; it need not exist.

        Blanks and line ends around the path are dropped, unless the exact name exists.

        Raises:
            ToolError: no path (empty, NUL inside, written for Windows), or a loop of links.
        """
        path = self._absolute(text)
        if text != text.strip() and not os.path.lexists(path):
            path = self._absolute(text.strip())
        try:
            path.stat()
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise ToolError(
                    f"{text.strip()} is a loop of symbolic links; use the real file's path."
                ) from error
            if error.errno == errno.ENAMETOOLONG:
                raise ToolError(f"The path is too long for this system: {text[:80]}…") from error
        real = Path(os.path.realpath(path))
        return Place(path, real, self.show(path), real.is_relative_to(self.root))

    def show(self, path: Path) -> str:
        """Return ``path`` relative to the start directory where it lies below it, else absolute."""
        return repair(str(path.relative_to(self.cwd) if path.is_relative_to(self.cwd) else path))

    def _absolute(self, text: str) -> Path:
        if not text.strip():
            raise ToolError("The path is empty.")
        if "\0" in text:
            raise ToolError("The path has a NUL character in it.")
        if _WINDOWS_PATH.match(text) and not os.path.lexists(self.cwd / text):
            raise ToolError(f"{text.strip()} is a Windows path; on this system use a path with /.")
        if text == "~" or text.startswith("~/"):
            text = str(self.home) + text[1:]
        try:
            os.fsencode(text)
        except UnicodeEncodeError as error:
            raise ToolError("The path has characters that no file name can hold.") from error
        path = self.cwd / text
        return Path(os.path.realpath(path)) if ".." in path.parts else path


def missing(workspace: Workspace, place: Place) -> ToolError:
    """Return the error for a file that is not there, with the nearest names that are."""
    parent = place.path.parent
    try:
        names = sorted(entry.name for entry in parent.iterdir())
    except OSError as error:
        return ToolError(
            f"{place.shown} does not exist: the directory {workspace.show(parent)} cannot be read "
            f"({reason(error)})."
        )
    wanted = place.path.name
    near = [name for name in names if name.casefold() == wanted.casefold()]
    near = near or difflib.get_close_matches(wanted, names, 3)
    if place.path.is_symlink():
        return ToolError(f"{place.shown} is a broken link to {place.real}, which does not exist.")
    hint = f" Did you mean {', '.join(workspace.show(parent / name) for name in near)}?"
    return ToolError(f"{place.shown} does not exist.{hint if near else ' Use glob to find it.'}")
