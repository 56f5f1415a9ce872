"""The tools every session has, built for one workspace; those of the memory come from there."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from catmem.paths import Paths
from catmem.tools.base import Tool
from catmem.tools.files.edit_file import EditFile
from catmem.tools.files.read_file import ReadFile
from catmem.tools.files.seen import SeenFiles
from catmem.tools.files.write_file import WriteFile
from catmem.tools.search.glob import Glob
from catmem.tools.search.grep import Grep
from catmem.tools.shell.bash import Bash
from catmem.tools.shell.process import Processes
from catmem.tools.workspace import Workspace

API_KEY_VARIABLES = frozenset({"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY"})


@dataclass(frozen=True, slots=True)
class BuiltinTools:
    """The tools, and the processes that ``bash`` starts: ``await processes.close()`` at the end."""

    tools: tuple[Tool, ...]
    processes: Processes


def build_tools(
    paths: Paths, environ: Mapping[str, str], secret_variables: Iterable[str] = ()
) -> BuiltinTools:
    """Build read_file, write_file, edit_file, glob, grep and bash.

    Commands get ``environ`` without the API keys: those of the known providers and
    ``secret_variables``.
    """
    home = environ.get("HOME") or os.path.expanduser("~")  # noqa: PTH111 - Path's raises without HOME
    workspace = Workspace(paths.workspace, paths.cwd, Path(home))
    seen = SeenFiles(workspace)
    processes = Processes()
    hidden = API_KEY_VARIABLES.union(secret_variables)
    tools: tuple[Tool, ...] = (
        ReadFile(workspace, seen),
        WriteFile(workspace, seen, _umask()),
        EditFile(workspace, seen),
        Glob(workspace),
        Grep(workspace),
        Bash(paths.cwd, environ, hidden, processes),
    )
    return BuiltinTools(tools, processes)


def _umask() -> int:
    """Return the umask; it is read by setting it, so this must happen before threads start."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
