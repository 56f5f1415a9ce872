"""Fresh homes for programs that run the embedded model."""

from __future__ import annotations

import os
from pathlib import Path


def home_with_weights(home: Path) -> Path:
    """Make a CATMEM_HOME below a fresh ``home``, with the caller's weights where there are any."""
    own = home / ".catmem"
    own.mkdir(parents=True)
    models = Path(os.environ.get("CATMEM_HOME") or Path.home() / ".catmem") / "models"
    if models.is_dir():
        (own / "models").symlink_to(models.resolve())
    return own
