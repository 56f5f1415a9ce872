"""Taking back the last run, then the one before, and saying what was taken back."""

from __future__ import annotations

from datetime import datetime

from catmem.errors import CatmemError, ExitCode
from catmem.memory.commands.printing import Write, scope_word
from catmem.memory.store.commit.undoing import TakenBack
from catmem.memory.store.stores import Stores
from catmem.sanitize import clean, one_line
from catmem.text import t


def undo_run(stores: Stores, out: Write, err: Write) -> int:
    """Take back the last run that is not undone yet; return the exit code.

    It is a failure that there is none, or that an entry had to be left alone.
    """
    try:
        report = stores.undo()
    except CatmemError as error:
        err(clean(str(error)))
        return ExitCode.FAILED
    if report is None:
        err(t("memory.undo.none"))
        return ExitCode.FAILED
    out(t("memory.undo.run", at=moment(report.at)))
    for entry in report.entries:
        (err if entry.kept else out)(clean(_line(entry)))
    return ExitCode.FAILED if any(entry.kept for entry in report.entries) else ExitCode.DONE


def moment(at: str) -> str:
    """Return an ISO date and time as a person reads it: local, to the minute."""
    try:
        return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return one_line(at, 40)


def _line(entry: TakenBack) -> str:
    if entry.kept:
        return t("memory.undo.left", reason=entry.kept)
    return t(f"memory.undo.{entry.action}", name=entry.name, scope=scope_word(entry.scope))
