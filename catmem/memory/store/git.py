"""Which files of a directory git tracks: asked of git itself, as rarely as possible."""

from __future__ import annotations

import os
import shutil
import subprocess
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from catmem import log

_SECONDS = 20.0
# What came with a repository must not choose programs that run here, and nothing may be fetched.
_QUIET = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
_ENVIRONMENT = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"}

Identity = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Repository:
    """The repository that a directory lies in; ``directory`` is its own, ``.git`` as a rule."""

    directory: Path

    def identity(self) -> Identity | None:
        """Return what changes with each change of what is tracked; None without an index."""
        try:
            status = (self.directory / "index").stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino

    def is_changing(self) -> bool:
        """Tell whether git is at work: files are there already that the index does not know yet."""
        return (self.directory / "index.lock").exists()


def repository_of(directory: Path) -> Repository | None:
    """Return the innermost repository around a real path, found without running git.

    One that cannot be looked into is one too: git will say what is wrong with it.
    """
    for folder in (directory, *directory.parents):
        git = folder / ".git"
        try:
            if git.is_dir():
                return Repository(git)
            if git.is_file():
                pointer = git.read_text("utf-8", "surrogateescape").strip()
                return Repository(folder / pointer.removeprefix("gitdir:").strip())
        except OSError:
            return Repository(git)
    return None


def tracked_names(directory: Path) -> frozenset[str] | None:
    """Return the ``folded`` names of files right in ``directory`` that git tracks.

    None: git is there but does not say, for example because somebody else owns the repository.
    Without git on this machine nothing is tracked.
    """
    git = shutil.which("git")
    if git is None:
        return frozenset()
    kept = {name: value for name, value in os.environ.items() if not _leads_elsewhere(name)}
    try:
        done = subprocess.run(
            [git, *_QUIET, "ls-files", "-z", "--cached", "--", "."],
            cwd=directory,
            env=kept | _ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        log.warning(f"git ls-files in {directory}: {error}")
        return None
    names = (os.fsdecode(name) for name in done.stdout.split(b"\0") if name)
    return frozenset(folded(name) for name in names if "/" not in name)


def _leads_elsewhere(variable: str) -> bool:
    """Tell whether a variable may name another repository, index or form of paths."""
    return variable.startswith("GIT_") and not variable.startswith("GIT_CONFIG")


def folded(name: str) -> str:
    """Return a file name so that spellings of one name are equal on every file system."""
    return unicodedata.normalize("NFC", name).casefold()
