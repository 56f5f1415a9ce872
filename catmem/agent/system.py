"""The base system prompt: how the agent works, and where it is. Fixed for a session."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

from catmem.paths import Paths

_PROMPT = Path(__file__).parent / "prompts" / "system.md"


def base_prompt(paths: Paths, today: date) -> str:
    """Return the base prompt; values are put in by replacement: braces in a path do no harm."""
    text = _PROMPT.read_text("utf-8")
    machine = os.uname()
    values = {
        "{cwd}": str(paths.cwd),
        "{workspace}": str(paths.workspace),
        "{platform}": f"{machine.sysname} {machine.machine}",
        "{date}": today.isoformat(),
    }
    for field, value in values.items():
        text = text.replace(field, value)
    return text
