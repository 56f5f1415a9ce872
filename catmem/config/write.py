"""Writing the choice of a first start into ``config.yaml``, with a comment that says so."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import yaml

from catmem.storage import make_dir, write_atomic
from catmem.text import t


def write_choice(path: Path, choice: Mapping[str, str]) -> None:
    """Write dotted settings (``provider``, ``providers.openai.base_url`` ...) as a new config file.

    Only called where there is no config file yet.

    Raises:
        StorageError: it cannot be written.
    """
    make_dir(path.parent)
    lines = [f"# {t('config.written')}"]
    sections: list[str] = []
    for name, value in choice.items():
        *parents, last = name.split(".")
        for depth, parent in enumerate(parents):
            if sections[: depth + 1] != parents[: depth + 1]:
                lines.append("  " * depth + f"{parent}:")
        sections = parents
        scalar = (
            yaml.safe_dump(value, allow_unicode=True, width=10**6).removesuffix("...\n").strip()
        )
        lines.append("  " * len(parents) + f"{last}: {scalar}")
    write_atomic(path, ("\n".join(lines) + "\n").encode())
