"""Which variables of the caller's environment a test may see, and what it gets instead."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from tests.support.guard import sitecustomize

GUARD_FOLDER = Path(sitecustomize.__file__).parent
FOREIGN = re.compile(
    r"(CATMEM|ANTHROPIC|OPENAI|LC|XDG|GIT)_.*|LANGUAGE|NO_COLOR|COLORTERM|EDITOR|VISUAL"
    r"|.*_(API_KEY|BASE_URL|AUTH_TOKEN)|(http|https|all|no|ftp)_proxy",
    re.IGNORECASE,
)


def foreign(names: Iterable[str]) -> list[str]:
    """Those of the variable names that would let the caller's settings into a test."""
    return [name for name in names if FOREIGN.fullmatch(name)]


def clean(home: Path) -> dict[str, str]:
    """The variables that every test has: a home of its own, one language, git without settings."""
    return {
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "Test",
        "GIT_AUTHOR_EMAIL": "test@example.invalid",
        "GIT_COMMITTER_NAME": "Test",
        "GIT_COMMITTER_EMAIL": "test@example.invalid",
    }


def noon(now: datetime | None = None) -> str:
    """A value of TZ in which it is now between 12:00 and 13:00.

    Tests and the programs they start write today's date; in this zone no run is near a midnight.
    """
    east = 12 - (now or datetime.now(UTC)).hour
    return f"<noon>{-east:+d}"


def guarded(report: Path) -> dict[str, str]:
    """The variables that close the network of Python children; `report` gets what they tried."""
    return {"PYTHONPATH": str(GUARD_FOLDER), sitecustomize.GUARD_FILE: str(report)}
