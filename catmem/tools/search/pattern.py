"""File patterns as models write them: ``**/*.py``, ``src/*.{ts,tsx}``, ``a[0-9]?.txt``."""

from __future__ import annotations

import re

from catmem.tools.base import ToolError

_WILDCARD = re.compile(r"[*?\[{]")
_MAX_ALTERNATIVES = 64


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Return the regular expression for whole relative paths with ``/``.

    ``*`` and ``?`` stay within one name, ``**`` as a whole name stands for any number of
    directories.

    Raises:
        ToolError: the braces are too many.
    """
    return re.compile("|".join(_translated(part) for part in _alternatives(pattern)), re.DOTALL)


def split_fixed(pattern: str) -> tuple[str, str]:
    """Split off the leading names without wildcards: ``src/a/*.py`` is ``("src/a", "*.py")``."""
    parts = pattern.split("/")
    fixed = next((at for at, part in enumerate(parts) if _WILDCARD.search(part)), len(parts) - 1)
    head = "/".join(parts[:fixed])
    return (head or "/" if fixed and pattern.startswith("/") else head), "/".join(parts[fixed:])


def literal_names(pattern: str) -> set[str]:
    """Return the directory and file names that stand in the pattern without wildcards."""
    return {part for part in pattern.split("/") if not _WILDCARD.search(part)}


def has_wildcard(pattern: str) -> bool:
    """Whether the pattern is more than a path."""
    return _WILDCARD.search(pattern) is not None


def _alternatives(pattern: str) -> list[str]:
    """Expand ``{a,b}``, innermost first; braces without a comma stay as they are."""
    done, waiting = [], [pattern]
    while waiting:
        one = waiting.pop()
        braces = re.search(r"\{([^{}]*,[^{}]*)\}", one)
        if braces is None:
            done.append(one)
            continue
        before, after = one[: braces.start()], one[braces.end() :]
        waiting.extend(before + choice + after for choice in braces[1].split(","))
        if len(waiting) + len(done) > _MAX_ALTERNATIVES:
            raise ToolError(
                f"The pattern {pattern} stands for too many alternatives; use fewer braces."
            )
    return done


def _translated(pattern: str) -> str:
    parts = pattern.split("/")
    out = ""
    for at, part in enumerate(parts):
        last = at == len(parts) - 1
        if part == "**":
            out += ".+" if last else "(?:[^/]+/)*"
        else:
            out += _name(part) + ("" if last else "/")
    return out


def _name(part: str) -> str:
    out, at = "", 0
    while at < len(part):
        character = part[at]
        end = part.find("]", at + 2) if character == "[" else -1
        if character == "*":
            out += "[^/]*"
        elif character == "?":
            out += "[^/]"
        elif end > 0:
            inside = part[at + 1 : end].replace("\\", r"\\").replace("[", r"\[")
            negated = inside.startswith(("!", "^"))
            out += f"(?!/)[{'^' if negated else ''}{inside[1:] if negated else inside}]"
            at = end
        else:
            out += re.escape(character)
        at += 1
    return out
