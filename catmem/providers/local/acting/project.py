"""What the embedded model is told about the project: its files, and those that a request names."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

MAX_LISTED = 60
_MAX_VISITED = 2_000
_MAX_NOTE = 1_200
_SKIPPED = frozenset(
    {"node_modules", "__pycache__", "venv", "dist", "build", "target", "site-packages"}
)
_TEST_FILE = re.compile(
    r"(^|/)tests?/|(^|/)test_[^/]*$|[._]test\.\w+$|[._]spec\.\w+$|_tests?\.\w+$"
)


@dataclass(frozen=True, slots=True)
class ProjectFiles:
    """Files under the working directory, relative, sorted; ``complete`` unless there are more."""

    names: tuple[str, ...]
    complete: bool

    def note(self) -> str:
        """Return the list as it stands before a request; empty for an empty project."""
        if not self.names:
            return ""
        text = ", ".join(self.names)
        if len(text) > _MAX_NOTE:
            text = text[:_MAX_NOTE].rpartition(",")[0] + ", …"
        elif not self.complete:
            text += ", …"
        return f"(Project files: {text})"

    def named_in(self, text: str) -> list[str]:
        """Return the files that a text names, by path or by a base name that only one has."""
        found = []
        for name in self.names:
            base = name.rpartition("/")[2]
            unique = sum(other.rpartition("/")[2] == base for other in self.names) == 1
            if _names(text, name) or (unique and "." in base and _names(text, base)):
                found.append(name)
        return found


def _names(text: str, name: str) -> bool:
    return bool(re.search(rf"(?<![\w./-]){re.escape(name)}(?![A-Za-z0-9_/-]|\.\w)", text))


def is_test(name: str) -> bool:
    """Whether a path looks like a test's."""
    return _TEST_FILE.search(name) is not None


def list_project(cwd: Path) -> ProjectFiles:
    """Return the project's files, hidden, generated and installed ones left out; bounded."""
    names: list[str] = []
    visited = 0
    for folder, folders, files in os.walk(cwd):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and name not in _SKIPPED
        )
        names += [
            (Path(folder) / name).relative_to(cwd).as_posix()
            for name in sorted(files)
            if not name.startswith(".") and not name.endswith((".pyc", ".lock"))
        ]
        visited += len(files) + 1
        if visited > _MAX_VISITED or len(names) > MAX_LISTED:
            break
    names.sort(key=lambda name: (name.count("/"), name))
    return ProjectFiles(tuple(names[:MAX_LISTED]), complete=len(names) <= MAX_LISTED)
