"""The files below a directory, without those nobody means: ignored ones, ``node_modules`` ...

ripgrep lists them where it is installed. Otherwise our own walk does, with the same rules; pathspec
(small and well kept) knows what the lines of a ``.gitignore`` mean. Links are not followed and not
listed.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from catmem.storage import reason
from catmem.tools.base import ToolError
from catmem.tools.search import ripgrep

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

SKIPPED = frozenset({".git", ".hg", ".svn", ".venv", "__pycache__", "node_modules"})
MAX_FILES = 200_000
MAX_SECONDS = 20.0
_MAX_IGNORE_FILE = 1 << 20


@dataclass(frozen=True, slots=True)
class Scope:
    """What to list.

    Attributes:
        base: the real directory.
        root: the workspace's real root, whose ``.gitignore`` files count when ``base`` lies below
            it.
        skipped: names of directories that are left out.
        ignored: whether ignored files are listed as well.
    """

    base: Path
    root: Path
    skipped: frozenset[str]
    ignored: bool


@dataclass(slots=True)
class Listing:
    """Paths relative to the base, sorted; ``complete`` is False where a limit ended the search."""

    files: list[str] = field(default_factory=list)
    complete: bool = True


def scope(base: Path, root: Path, named: set[str]) -> Scope:
    """Return what a search in ``base`` covers; ``named`` are the names that the call spells out.

    What is ignored or skipped is reachable by naming it: as the base, a directory above it, or in
    the pattern.
    """
    below = base.relative_to(root) if base.is_relative_to(root) else base
    inside_skipped = not SKIPPED.isdisjoint(below.parts)
    ignored = inside_skipped or bool(SKIPPED & named) or _is_ignored(base, root)
    return Scope(base, root, frozenset() if inside_skipped else SKIPPED - named, ignored)


async def list_files(wanted: Scope) -> Listing:
    """List the regular files of a scope.

    Raises:
        ToolError: the base cannot be read.
    """
    try:
        os.scandir(wanted.base).close()
    except OSError as error:
        raise ToolError(f"Cannot read the directory {wanted.base}: {reason(error)}.") from error
    program = ripgrep.find()
    if program is not None:
        files: list[str] = []
        command = [program, *ripgrep_options(wanted)]
        outcome = await ripgrep.list_files(command, wanted.base, files, MAX_FILES, MAX_SECONDS)
        if not outcome.errors:  # an old ripgrep may not know an option
            return Listing(sorted(files), outcome.complete)
    stop = threading.Event()
    try:
        return await asyncio.to_thread(_walk, wanted, stop)
    finally:
        stop.set()


def ripgrep_options(wanted: Scope) -> list[str]:
    """Return the options that make ripgrep search what ``list_files`` lists."""
    options = ["--no-config", "--hidden", "--no-messages", "--no-require-git", "--color=never"]
    if wanted.ignored:
        options.append("--no-ignore")
    elif wanted.base == wanted.root or not wanted.base.is_relative_to(wanted.root):
        options.append("--no-ignore-parent")
    return [*options, *(f"--glob=!{name}" for name in sorted(wanted.skipped))]


def _walk(wanted: Scope, stop: threading.Event) -> Listing:
    listing = Listing()
    deadline = time.monotonic() + MAX_SECONDS
    rules = _Rules() if wanted.ignored else _rules_above(wanted.base, wanted.root)
    waiting = [(str(wanted.base), rules)]
    prefix = len(str(wanted.base).rstrip("/")) + 1
    while waiting:
        if stop.is_set() or time.monotonic() > deadline or len(listing.files) >= MAX_FILES:
            listing.complete = False
            break
        directory, rules = waiting.pop()
        entries = _entries(directory)
        if not wanted.ignored and any(entry.name == ".gitignore" for entry in entries):
            rules = rules.with_file_of(directory)
        for entry in entries:
            if entry.name in wanted.skipped:
                continue
            if entry.is_dir(follow_symlinks=False):
                if not rules.ignore(entry.path + "/"):
                    waiting.append((entry.path, rules))
            elif entry.is_file(follow_symlinks=False) and not rules.ignore(entry.path):
                listing.files.append(entry.path[prefix:])
    listing.files.sort()
    return listing


def _entries(directory: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as entries:
            return list(entries)
    except OSError:  # unreadable, or gone in the meantime: the rest is still worth listing
        return []


@dataclass(frozen=True, slots=True)
class _Rules:
    """The ``.gitignore`` files in force, outermost first, each with its directory."""

    files: tuple[tuple[str, GitIgnoreSpec], ...] = ()

    def ignore(self, path: str) -> bool:
        """Whether ``path`` (absolute; directories end with ``/``) is ignored; inner rules win."""
        for directory, spec in reversed(self.files):
            verdict = spec.check_file(path[len(directory) + 1 :]).include
            if verdict is not None:
                return verdict
        return False

    def with_file_of(self, directory: str) -> _Rules:
        """Return the rules with those of ``directory`` added, if it has any."""
        try:
            with Path(directory, ".gitignore").open(encoding="utf-8", errors="replace") as file:
                lines = file.read(_MAX_IGNORE_FILE).splitlines()
        except OSError:
            return self
        # imported with the first search: pathspec takes longer to load than most searches run
        spec = importlib.import_module("pathspec").GitIgnoreSpec.from_lines(lines)
        return _Rules((*self.files, (directory.rstrip("/"), spec)))


def _rules_above(base: Path, root: Path) -> _Rules:
    """Return the rules of the directories from the root down to above ``base``."""
    rules = _Rules()
    for directory in _between(root, base):
        rules = rules.with_file_of(str(directory))
    return rules


def _is_ignored(path: Path, root: Path) -> bool:
    """Whether git ignores the directory ``path``, or one above it."""
    rules = _Rules()
    for directory in [*_between(root, path), path]:
        if directory != root and rules.ignore(f"{directory}/"):
            return True
        rules = rules.with_file_of(str(directory))
    return False


def _between(root: Path, path: Path) -> Iterator[Path]:
    """Yield the root and the directories below it that lead to ``path``, without ``path``."""
    if path.is_relative_to(root):
        yield from (parent for parent in reversed(path.parents) if parent.is_relative_to(root))
