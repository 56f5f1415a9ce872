"""One turn without an interface: ``catmem -p PROMPT``.

Standard output, by ``--output-format``:

* ``text``: the answer as it streams (of a turn with tools, every text the model wrote).
* ``json``: one object when everything is over::

    {"type": "result", "result": "the last answer", "reason": "done|interrupted|step_limit|failed",
     "error": null, "session": "ID", "steps": 2,
     "usage": {"input_tokens": 1200, "output_tokens": 80, "cached_tokens": 0},
     "memory": {...} or null}

* ``stream-json``: one object a line while it runs, then the object above as the last line. Lines
  have ``type``: ``step`` (step), ``text`` (text), ``reasoning`` (text), ``retry`` (attempt, delay,
  reason), ``tool_call`` (id, name, arguments, subject), ``tool_output`` (id, text), ``tool_result``
  (id, name, status, text), ``memory`` (added, updated), ``notice`` (text, error).

Progress goes to standard error. Text that reaches a terminal is cleaned; JSON escapes it. Usage is
the sum over the turn's requests.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import Callable, Mapping
from typing import Any

from catmem.errors import ExitCode
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
from catmem.messages import Message, Usage
from catmem.sanitize import clean, one_line, repair
from catmem.text import t
from catmem.ui.exit_phase import ExitPhase
from catmem.ui.paint import Paint
from catmem.ui.ports import AgentPort, ExitWork
from catmem.ui.process import ENDING, on_signals, put
from catmem.ui.turn_view import memory_line

_EXIT_CODES = {
    TurnEndReason.DONE: ExitCode.DONE,
    TurnEndReason.STEP_LIMIT: ExitCode.FAILED,
    TurnEndReason.FAILED: ExitCode.FAILED,
    TurnEndReason.INTERRUPTED: ExitCode.INTERRUPTED,
}


class Headless:
    """Runs one turn and reports it in one of the three formats."""

    def __init__(self, output_format: str) -> None:
        self._format = output_format
        self._terminal = sys.stdout.isatty()
        self._exit_phase = ExitPhase(Paint(color=False, signs=True), sys.stderr)
        self._result = ""
        self._usage = Usage()
        self._steps = 0
        self._line_open = False
        self._end = TurnEnded(TurnEndReason.INTERRUPTED)

    async def run(self, agent: AgentPort, message: Message) -> int:
        """Run the turn and return the exit code; SIGINT and SIGTERM interrupt it."""
        turn = asyncio.create_task(self._turn(agent, message), name="turn")
        on_signals(dict.fromkeys((signal.SIGINT, *ENDING), turn.cancel))
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                raise
        self._exit_phase.expect()
        if self._line_open:
            self._out("\n")
        if self._end.error:
            _err(self._end.error)
        elif self._end.reason is TurnEndReason.INTERRUPTED:
            _err(t("ui.interrupted"))
        return ExitCode.TRY_AGAIN if self._end.retryable else _EXIT_CODES[self._end.reason]

    async def run_exit(self, work: ExitWork, skip: Callable[[], None]) -> None:
        """Show the work at the end on standard error."""
        await self._exit_phase.run(work, skip)

    def finish(self, session: str, memory: Mapping[str, Any] | None) -> None:
        """Print the result object of the JSON formats, when the session's end is over too."""
        if self._format == "text":
            return
        self._json(
            type="result",
            result=self._result,
            reason=self._end.reason.value,
            error=self._end.error,
            session=session,
            steps=self._steps,
            usage={
                "input_tokens": self._usage.input_tokens,
                "output_tokens": self._usage.output_tokens,
                "cached_tokens": self._usage.cached_tokens,
            },
            memory=memory,
        )

    async def _turn(self, agent: AgentPort, message: Message) -> None:
        async for event in agent.run_turn(message):
            self._take(event)
            if self._format == "stream-json":
                self._stream(event)

    def _take(self, event: Event) -> None:
        match event:
            case StepStarted(step):
                self._steps = step
            case TextDelta(text) if self._format == "text":
                self._text(text)
            case MessageCompleted(message, usage):
                self._result = message.text or self._result
                self._usage = _sum(self._usage, usage)
            case TurnEnded():
                self._end = event
            case _:
                self._tell(event)

    def _tell(self, event: Event) -> None:
        """Report progress on standard error."""
        match event:
            case RequestRetried(attempt, delay, reason):
                phase = t("ui.phase.retrying", attempt=attempt, reason=one_line(reason, 200))
                _err(t("ui.countdown", phase=phase, seconds=round(delay)))
            case ToolCallStarted(call, subject):
                self._end_line()
                _err(f"* {one_line(call.name, 60)} {one_line(subject, 200)}".rstrip())
            case ToolCallFinished(result) if result.status != "ok":
                _err(f"  {result.status}: {one_line(result.text, 200)}")
            case MemoryUpdated(added, updated):
                _err(memory_line(added, updated))
            case Notice(text):
                _err(text)
            case _:
                pass

    def _text(self, text: str) -> None:
        text = clean(text) if self._terminal else repair(text)
        if text:
            self._line_open = not text.endswith("\n")
            self._out(text)

    def _end_line(self) -> None:
        if self._line_open:
            self._line_open = False
            self._out("\n")

    def _stream(self, event: Event) -> None:
        match event:
            case StepStarted(step):
                self._json(type="step", step=step)
            case TextDelta(text):
                self._json(type="text", text=text)
            case ReasoningDelta(text):
                self._json(type="reasoning", text=text)
            case RequestRetried(attempt, delay, reason):
                self._json(type="retry", attempt=attempt, delay=delay, reason=reason)
            case MemoryUpdated(added, updated):
                self._json(type="memory", added=added, updated=updated)
            case Notice(text, error):
                self._json(type="notice", text=text, error=error)
            case _:
                self._stream_tool(event)

    def _stream_tool(self, event: Event) -> None:
        match event:
            case ToolCallStarted(call, subject):
                self._json(
                    type="tool_call",
                    id=call.id,
                    name=call.name,
                    arguments=dict(call.arguments),
                    subject=subject,
                )
            case ToolOutputDelta(call_id, text):
                self._json(type="tool_output", id=call_id, text=text)
            case ToolCallFinished(result):
                self._json(
                    type="tool_result",
                    id=result.call_id,
                    name=result.name,
                    status=result.status,
                    text=result.text,
                )
            case _:
                pass

    def _json(self, **fields: Any) -> None:
        self._out(repair(json.dumps(fields, ensure_ascii=False, default=str)) + "\n")

    def _out(self, text: str) -> None:
        put(sys.stdout, text)


def _err(text: str) -> None:
    put(sys.stderr, clean(text) + "\n")


def _sum(one: Usage, other: Usage) -> Usage:
    def add(a: int | None, b: int | None) -> int | None:
        return b if a is None else a if b is None else a + b

    return Usage(
        add(one.input_tokens, other.input_tokens),
        add(one.output_tokens, other.output_tokens),
        add(one.cached_tokens, other.cached_tokens),
    )
