"""What kind of fact a text is, told by its words alone, where no model is asked."""

from __future__ import annotations

import re

# Compiled at the first use: no start needs them.
_ADDRESS = r"https?://|\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[\w-]+\.(?:com|org|net|io|dev|cn|internal)\b"
_PROJECT = (
    r"\b(?:this|the|our) (?:project|repo|repository|code ?base|service|app)\b|\bwe\b"
    r"|我们|项目|仓库"
)
_RULE = (
    r"^(?:please\s+)?(?:always|never|don'?t|do not|make sure|be sure|from now on|avoid|stop|use"
    r"|prefer|keep|write|run|ask|check|answer|reply|call)\b"
    r"|^(?:请|以后|今后|从现在起)?(?:都|总是|永远|始终|必须|务必|一律|不要|不得|不许|不准|禁止|别(?!人)|先(?!生)|用(?!户))"
)
_PERSON = r"\b(?:i|i'm|i've|i'd|my|me)\b|我(?!们)"


def kind_of(text: str) -> str | None:
    """Return the type of a fact in a person's own words; None where nothing in them tells it.

    An address makes it a reference, the project's mention a project fact, an order at its beginning
    a rule (feedback), the first person a fact about its author (user).
    """
    text = text.strip()
    for kind, pattern in (
        ("reference", _ADDRESS),
        ("project", _PROJECT),
        ("feedback", _RULE),
        ("user", _PERSON),
    ):
        if re.search(pattern, text, re.IGNORECASE):
            return kind
    return None
