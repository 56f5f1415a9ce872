"""Learning on demand, and how a run's report is printed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from catmem.commands import Console
from catmem.errors import CatmemError, ExitCode
from catmem.memory.commands.printing import Write
from catmem.sanitize import clean
from catmem.text import t

if TYPE_CHECKING:
    from catmem.memory.pipeline.report import Report

Learn = Callable[[Write], Awaitable["Report"]]
"""Runs the pipeline on the session so far; takes where to show its stages."""
LearnAll = Callable[[Write], Awaitable[Sequence["Report"]]]
"""Runs it on several sessions."""


async def learn_now(learn: Learn, console: Console) -> None:
    """Run the pipeline now and print what it did, or why it could not."""
    try:
        report = await learn(console.write)
    except CatmemError as error:
        console.write(str(error))
        return
    console.write("\n".join(_report_lines(report)))


async def extract(
    learn: LearnAll, out: Write, err: Write, *, none: str = "memory.command.no_window"
) -> int:
    """Learn from the sessions that still have an open window; return the exit code.

    ``none`` is the catalogue key of what to say where there is no such session.
    """
    reports = await learn(err)
    if not reports:
        out(t(none))
    for report in reports:
        out("\n".join(_report_lines(report)))
    failed = [report for report in reports if report.has_failed]
    if not failed:
        return ExitCode.DONE
    return ExitCode.TRY_AGAIN if any(report.retryable for report in failed) else ExitCode.FAILED


def _report_lines(report: Report) -> list[str]:
    return [clean(line) for line in (report.line(), *report.reasons())]
