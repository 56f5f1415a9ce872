"""A project's own settings: ``.catmem/config.yaml`` in the workspace, read only when trusted.

What they may say is in ``permitted``, which needs YAML and is loaded when there are trusted ones.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from catmem import log, storage
from catmem.config.trust import TrustFile
from catmem.errors import StorageError
from catmem.paths import Paths

_MAX_BYTES = 100_000


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """The file as it was read; ``digest`` is the SHA-256 of its bytes."""

    path: Path
    data: bytes
    digest: str

    @property
    def name(self) -> str:
        """What it is called from the top of the workspace."""
        return f"{self.path.parent.name}/{self.path.name}"

    @property
    def text(self) -> str:
        """What it says, for a person."""
        return self.data.decode("utf-8-sig", "replace")


def read_project(paths: Paths) -> ProjectSettings | None:
    """Return the project's settings; None where there are none that can be read.

    A link is not followed: what it shows would not have come with the project.
    """
    path = paths.project_config_file
    try:
        if path is None or not path.exists() or path.is_symlink() or path.parent.is_symlink():
            return None
        data = storage.read_bytes(path, _MAX_BYTES)
    except (OSError, StorageError) as error:
        log.warning(str(error))
        return None
    return ProjectSettings(path, data, hashlib.sha256(data).hexdigest())


def trusted_project(paths: Paths) -> ProjectSettings | None:
    """Return the project's settings if there are any and the user trusts exactly these."""
    project = read_project(paths)
    if project is None or paths.memory_root is None:
        return None
    known = TrustFile(paths.trust, paths.memory_root).read()
    return project if project.digest in known.settings else None
