"""What a person sees of a turn: events become lines in the scrollback and a few live lines.

A tool call is printed once, when it has its result, so that parallel calls never mix; until then it
is a live line. Knows no terminal: the interface prints what is collected and shows what is live.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from catmem.errors import CatmemError
from catmem.events import (
    Event,
    MemoryUpdated,
    MessageCompleted,
    Notice,
    ReasoningDelta,
    RequestRetried,
    StepStarted,
    TextDelta,
    ToolCallFinished,
    ToolCallStarted,
    ToolOutputDelta,
    TurnEnded,
    TurnEndReason,
)
from catmem.messages import ToolCallPart, ToolResultPart, Usage
from catmem.sanitize import clean, one_line
from catmem.text import listed, t
from catmem.ui.paint import Paint, bounded, looks_like_diff
from catmem.ui.scrollback import Answer, Scrollback

_PREVIEW_LINES = 3
_DISPLAY_LINES = 40
_OUTPUT_CHARACTERS = 4000
_SUBJECT_CHARACTERS = 200
_PREVIEW_CHARACTERS = 300


@dataclass(slots=True)
class _Running:
    """A call without result: its live line and the end of what it has printed."""

    call: ToolCallPart
    subject: str
    output: str = ""

    def add(self, text: str) -> None:
        self.output = (self.output + text)[-_OUTPUT_CHARACTERS:]


@dataclass(slots=True)
class TurnView:
    """Shows one turn after the other.

    Attributes:
        usage: token counts of the last answer.
        shown_previews: ids of calls whose change was shown with the question about it already.
    """

    scrollback: Scrollback
    answer: Answer
    clock: Callable[[], float] = time.monotonic
    usage: Usage = field(default_factory=Usage)
    shown_previews: set[str] = field(default_factory=set)
    _phase: str = ""
    _since: float = 0.0
    _retry_at: float = 0.0
    _running: dict[str, _Running] = field(default_factory=dict)
    _after_tool: bool = False

    def begin(self, what: str = "") -> None:
        """Start the clock of a turn, or of ``what``."""
        self._phase = what or t("ui.phase.waiting")
        self._since = self.clock()
        self._retry_at = 0.0
        self._running.clear()
        self.shown_previews.clear()
        self._after_tool = False

    def stopping(self) -> None:
        """Say that the turn is being interrupted."""
        self._phase = t("ui.phase.stopping")

    def handle(self, event: Event) -> None:
        """Show one event."""
        match event:
            case StepStarted():
                self._enter(t("ui.phase.waiting"))
            case RequestRetried(attempt, delay, reason):
                self._enter(t("ui.phase.retrying", attempt=attempt, reason=one_line(reason, 100)))
                self._retry_at = self.clock() + delay
            case ReasoningDelta():
                self._enter(t("ui.phase.thinking"))
            case TextDelta(text):
                self._enter(t("ui.phase.writing"))
                self._after_tool = False
                self.answer.feed(text)
            case MessageCompleted(_, usage):
                self.answer.finish()
                self.usage = usage
            case Notice(text, error):
                self.notice(text, error=error)
            case MemoryUpdated(added, updated):
                self.notice(memory_line(added, updated))
            case TurnEnded():
                self._end(event)
            case _:
                self._tool_event(event)

    def notice(self, text: str, *, error: bool = False) -> None:
        """Print one line of catmem's own."""
        self.scrollback.say(text, "yellow" if error else "dim")
        self._after_tool = False

    def status(self) -> str:
        """Return the status line: what goes on, for how long."""
        now = self.clock()
        left = self._retry_at - now
        phase = (
            t("ui.countdown", phase=self._phase, seconds=round(left + 0.5))
            if left > 0
            else (self._phase)
        )
        return t("ui.status", phase=phase, seconds=int(now - self._since))

    def live(self, lines: int) -> list[str]:
        """Return what is under way, at most ``lines`` source lines, cleaned."""
        shown = self.answer.tail(lines)
        for running in self._running.values():
            shown.append(_call_line(running.call.name, running.subject))
            if running.output:
                shown += clean(running.output).rstrip("\n").split("\n")[-lines:]
        return shown[-lines:]

    def _enter(self, phase: str) -> None:
        self._phase, self._retry_at = phase, 0.0

    def _tool_event(self, event: Event) -> None:
        match event:
            case ToolCallStarted(call, subject):
                self.answer.finish()
                self._running[call.id] = _Running(call, subject)
                self._enter(t("ui.phase.tool", name=one_line(call.name, 60)))
            case ToolOutputDelta(call_id, text):
                if running := self._running.get(call_id):
                    running.add(text)
            case ToolCallFinished(result, display):
                self._running.pop(result.call_id, None)
                self._finished(result, display)
            case _:
                pass

    def _finished(self, result: ToolResultPart, display: str) -> None:
        paint = self.scrollback.paint
        color = {"ok": "green", "error": "red"}.get(result.status, "yellow")
        head = _call_line(result.name, result.subject)
        sign, _, rest = head.partition(" ")
        line = f"{paint.style(sign, color)} {rest}"
        if result.status in {"denied", "cancelled"}:
            line += " " + paint.style(t(f"ui.tool.{result.status}"), "yellow")
            body = ""
        else:
            body = self._body(result, display)
        gap = "" if self._after_tool else "\n"
        self.scrollback.write(gap + line + ("\n" + body if body else ""))
        self._after_tool = True

    def _body(self, result: ToolResultPart, display: str) -> str:
        paint = self.scrollback.paint
        if looks_like_diff(display):
            if result.call_id in self.shown_previews:
                return ""
            return _indented(bounded(paint.diff(display), _DISPLAY_LINES, more_lines))
        text = clean(display or result.text)
        limit = _DISPLAY_LINES if display else _PREVIEW_LINES
        lines = [line[:_PREVIEW_CHARACTERS] for line in text.strip("\n").split("\n")]
        return paint.style(_indented(bounded("\n".join(lines), limit, more_lines)), "dim")

    def _end(self, end: TurnEnded) -> None:
        self.answer.finish()
        self._running.clear()
        if end.reason is TurnEndReason.INTERRUPTED:
            self.scrollback.say(t("ui.interrupted"), "yellow")
        elif end.error:
            failed = end.reason is TurnEndReason.FAILED
            self.scrollback.say(end.error, "red" if failed else "yellow")


def memory_line(added: tuple[str, ...], updated: tuple[str, ...]) -> str:
    """Return the line that says what memory wrote."""
    parts = []
    if added:
        parts.append(t("ui.memory.added", names=listed(added)))
    if updated:
        parts.append(t("ui.memory.updated", names=listed(updated)))
    return "; ".join(parts)


def failure_text(error: Exception) -> str:
    """Return the sentence for a turn or command that raised ``error``."""
    if isinstance(error, CatmemError):
        return str(error)
    return t("ui.internal", problem=f"{type(error).__name__}: {error}")


def _call_line(name: str, subject: str) -> str:
    return f"● {one_line(name, 60)} {one_line(subject, _SUBJECT_CHARACTERS)}".rstrip()


def more_lines(count: int) -> str:
    """Return the line that stands for ``count`` lines left out."""
    return t("ui.more_lines", count=count)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" if line else "" for line in text.split("\n"))


def echo(text: str, paint: Paint) -> str:
    """Return what the person sent, as the scrollback keeps it."""
    lines = clean(text).rstrip().split("\n")
    return "\n" + paint.style("\n".join(f"┃ {line}" for line in lines), "bold")
