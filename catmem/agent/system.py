"""The base system prompt: how the agent works, and where it is. Fixed for a session."""

from __future__ import annotations

import platform
from datetime import date
from importlib.resources import files

from catmem.paths import Paths


def base_prompt(paths: Paths, today: date) -> str:
    """Return the base prompt; values are put in by replacement: braces in a path do no harm."""
    text = (files("catmem.agent") / "prompts" / "system.md").read_text("utf-8")
    values = {
        "{cwd}": str(paths.cwd),
        "{workspace}": str(paths.workspace),
        "{platform}": f"{platform.system()} {platform.machine()}",
        "{date}": today.isoformat(),
    }
    for field, value in values.items():
        text = text.replace(field, value)
    return text
