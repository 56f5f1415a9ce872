"""Where things lie: the workspace, the memory root, and catmem's own files.

The git layout is read from the file system (``.git`` directory or file, ``commondir``), not by
running git, because this happens at every start.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Paths:
    """The places of one run.

    Attributes:
        home: CATMEM_HOME, else ``~/.catmem``.
        cwd: where catmem was started; the tools' working directory.
        workspace: top level of the current worktree, else ``cwd``: containment of the tools.
        memory_root: main worktree of that repository, else the workspace; None where it is the home
            directory or its ``.catmem`` is ``home``, so that there is no project store.
    """

    home: Path
    cwd: Path
    workspace: Path
    memory_root: Path | None

    @property
    def config_file(self) -> Path:
        """The user's settings."""
        return self.home / "config.yaml"

    @property
    def user_memory(self) -> Path:
        """The user store's directory."""
        return self.home / "memory"

    @property
    def project_memory(self) -> Path | None:
        """The project store's directory, if there is a project store."""
        return self.memory_root / ".catmem" / "memory" if self.memory_root else None

    @property
    def project_state(self) -> Path | None:
        """Lock and archive of the project store."""
        return self.memory_root / ".catmem" / "state" if self.memory_root else None

    @property
    def project_home(self) -> Path:
        """Where the project store and its state lie when they are to stay out of the project."""
        return self.home / "projects" / self.project_id

    @property
    def project_config_file(self) -> Path | None:
        """The project's settings, read only when trusted; None where they would be the user's."""
        directory = self.workspace / ".catmem"
        return directory / "config.yaml" if self.memory_root and directory != self.home else None

    @property
    def trust(self) -> Path:
        """What the user trusts, per memory root."""
        return self.state / "trust.json"

    @property
    def state(self) -> Path:
        """Journal, lock, archive, history, log."""
        return self.home / "state"

    @property
    def sessions(self) -> Path:
        """Transcripts of this project."""
        return self.home / "sessions" / self.project_id

    @property
    def project_id(self) -> str:
        """A readable name of the memory root that no other directory shares."""
        root = self.memory_root or self.workspace
        slug = re.sub(r"[^\w-]+", "-", root.name).strip("-") or "root"
        return f"{slug}-{hashlib.sha256(str(root).encode('utf-8', 'replace')).hexdigest()[:8]}"

    @property
    def journal(self) -> Path:
        """The one journal of both stores."""
        return self.state / "journal.jsonl"

    @property
    def log_file(self) -> Path:
        """The log file."""
        return self.state / "log" / "catmem.log"

    @property
    def prompt_history(self) -> Path:
        """What was typed at the prompt."""
        return self.state / "prompt_history"

    @property
    def models(self) -> Path:
        """Weights of the embedded model."""
        return self.home / "models"

    @property
    def slot_states(self) -> Path:
        """What the embedded model has read of its fixed instructions; can be deleted any time."""
        return self.state / "slots"


def find_paths(cwd: Path, environ: Mapping[str, str]) -> Paths:
    """Work out the places for a start in ``cwd``; touches nothing on disk."""
    cwd = real(cwd)
    user_home = _user_home(environ)
    home = real(Path(environ.get("CATMEM_HOME") or user_home / ".catmem").expanduser())
    worktree = _worktree_top(cwd)
    workspace = worktree or cwd
    root = _main_worktree(worktree) if worktree else workspace
    no_project = root == user_home or real(root / ".catmem") == home
    return Paths(home=home, cwd=cwd, workspace=workspace, memory_root=None if no_project else root)


def _user_home(environ: Mapping[str, str]) -> Path:
    if environ.get("HOME"):
        return real(Path(environ["HOME"]))
    try:
        return real(Path.home())
    except RuntimeError:  # no HOME and no passwd entry
        return Path("/nonexistent")


def real(path: Path) -> Path:
    """Return where a path leads through all links; itself, made absolute, where they never end."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # a symlink loop
        return path.absolute()


def _worktree_top(start: Path) -> Path | None:
    for directory in (start, *start.parents):
        git = directory / ".git"
        try:
            if git.is_dir() or git.is_file():
                return directory
        except OSError:
            return None
    return None


def _main_worktree(worktree: Path) -> Path:
    """Follow a linked worktree's ``.git`` file to the repository's main worktree.

    Submodules and bare repositories keep their own top level: their git directory has no
    ``commondir``, or its common directory is no ``.git``.
    """
    git = worktree / ".git"
    try:
        if git.is_dir():
            return worktree
        pointer = git.read_text("utf-8", "surrogateescape").strip().removeprefix("gitdir:").strip()
        git_dir = (worktree / pointer).resolve()
        common = (git_dir / (git_dir / "commondir").read_text("utf-8").strip()).resolve()
    except (OSError, RuntimeError):
        return worktree
    return common.parent if common.name == ".git" else worktree
