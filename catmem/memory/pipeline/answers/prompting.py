"""The prompts of the pipeline: Markdown files beside this module.

Texts are put together by joining, never by a template, because what the user said may hold any
character.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent / "prompts"
_TURN = re.compile(r"^## (user|assistant)\n", re.MULTILINE)


@cache
def prompt(name: str) -> str:
    """Return the prompt ``prompts/<name>.md``."""
    return (_FOLDER / f"{name}.md").read_text(encoding="utf-8").strip()


@cache
def turns(name: str) -> tuple[tuple[str, str], ...]:
    """Return the worked examples of ``prompts/<name>.md`` as (role, text) pairs."""
    pieces = _TURN.split(prompt(name))[1:]
    return tuple((role, text.strip()) for role, text in zip(pieces[::2], pieces[1::2], strict=True))
