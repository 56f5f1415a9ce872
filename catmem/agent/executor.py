"""Running the tool calls of one step: look up, check, decide, ask, run; one result per call.

Permission is settled in the order of the calls. Read-only calls run in parallel; one that changes
something waits for those before it, so that it plans and asks about what they left behind.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from catmem import failopen
from catmem.agent.outbox import Outbox
from catmem.events import (
    Action,
    Approval,
    ApprovalAnswer,
    ApprovalRequest,
    Approver,
    MemoryUpdated,
    ToolCallFinished,
    ToolCallStarted,
    ToolOutputDelta,
)
from catmem.hooks import Hooks
from catmem.messages import ToolCallPart, ToolResultPart, ToolSpec
from catmem.permissions import Grants, PermissionMode, Verdict, decide
from catmem.sanitize import one_line
from catmem.tools.base import Tool, ToolError, ToolOutput
from catmem.tools.schema import check

T = TypeVar("T")

REPEAT_LIMIT = 5
_PLAN_NOTE = "(Plan mode is on: look and think, but change and run nothing. Answer with a plan.)"
_CANCELLED = "Interrupted by the user; it may have been done in part."
_NOT_STARTED = "Not run: interrupted by the user."
_SUBJECT_LIMIT = 300


@dataclass(frozen=True, slots=True)
class _Ready:
    """A call that may run: its tool, and the call with its arguments checked."""

    tool: Tool
    call: ToolCallPart


@dataclass(frozen=True, slots=True)
class _Refused:
    """A call that is not run: the words of its result, and its status."""

    text: str
    status: str = "error"


class _Batch:
    """The calls of one step and their results, one for each, whatever happens."""

    def __init__(
        self,
        calls: Sequence[ToolCallPart],
        results: MutableMapping[int, ToolResultPart],
        outbox: Outbox,
        subject: Callable[[ToolCallPart], str],
    ) -> None:
        self.calls = calls
        self.emit = outbox.emit
        self._results = results
        self._subject = subject
        self._started: set[int] = set()

    def start(self, index: int) -> None:
        """Announce a call."""
        self._started.add(index)
        self.emit(ToolCallStarted(self.calls[index], self._subject(self.calls[index])))

    def finish(self, index: int, output: ToolOutput, status: str) -> None:
        """Take a call's result."""
        call = self.calls[index]
        text = output.text or "(no output)"
        result = ToolResultPart(call.id, call.name, text, status, self._subject(call))
        self._results[index] = result
        self.emit(ToolCallFinished(result, output.display))
        if output.added or output.updated:
            self.emit(MemoryUpdated(output.added, output.updated))

    def close(self) -> None:
        """Give each call that has no result yet one that says it was interrupted."""
        for index in range(len(self.calls)):
            if index not in self._results:
                started = index in self._started
                words = _CANCELLED if started else _NOT_STARTED
                call = self.calls[index]
                result = ToolResultPart(call.id, call.name, words, "cancelled", self._subject(call))
                self._results[index] = result
                if started:
                    self.emit(ToolCallFinished(result))


class Executor:
    """Runs tool calls.

    Attributes:
        mode: the permission mode in force; may change between turns.
        grants: what the person allowed for this session.
    """

    def __init__(
        self,
        tools: Sequence[Tool],
        *,
        hooks: Hooks,
        approver: Approver,
        mode: PermissionMode,
    ) -> None:
        self.mode = mode
        self.grants = Grants()
        self._tools = {tool.spec.name: tool for tool in tools}
        self._hooks = hooks
        self._approver = approver
        self._last_call = ""
        self._repeats = 0

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """What the model is told about the tools, in fixed order."""
        return tuple(tool.spec for tool in self._tools.values())

    def notes(self) -> tuple[str, ...]:
        """Notes for the tail of the next user message."""
        return (_PLAN_NOTE,) if self.mode is PermissionMode.PLAN else ()

    async def run(
        self,
        calls: Sequence[ToolCallPart],
        results: MutableMapping[int, ToolResultPart],
        outbox: Outbox,
    ) -> None:
        """Run ``calls``; fill ``results`` by position, for every call, whatever happens.

        Raises:
            asyncio.CancelledError: interrupted; the results say which calls were.
        """
        batch = _Batch(calls, results, outbox, self._subject)
        reading: list[asyncio.Task[None]] = []
        try:
            for index, call in enumerate(calls):
                batch.start(index)
                ready = await self._ready(call, reading, outbox)
                if isinstance(ready, _Refused):
                    batch.finish(index, ToolOutput(ready.text), ready.status)
                elif ready.tool.read_only:
                    reading.append(asyncio.create_task(self._execute(batch, index, ready)))
                else:
                    await self._execute(batch, index, ready)
            await asyncio.gather(*reading)
        except asyncio.CancelledError:
            await _cancel(reading)
            raise
        finally:
            batch.close()

    async def _ready(
        self, call: ToolCallPart, reading: list[asyncio.Task[None]], outbox: Outbox
    ) -> _Ready | _Refused:
        """Return what is needed to run ``call`` now, or why it is not run."""
        ready = self._look_up(call)
        if isinstance(ready, _Refused):
            return ready
        refusal = await self._hooks.run_before_tool(call)
        if refusal is not None:
            return _Refused(refusal)
        if not ready.tool.read_only:
            await asyncio.gather(*reading)
            reading.clear()
        planned = await _attempt(call.name, ready.tool.plan(ready.call.arguments))
        if isinstance(planned, Exception):
            return _Refused(_words(planned))
        denial = await self._denial(call, planned, outbox)
        return ready if denial is None else _Refused(denial, "denied")

    def _look_up(self, call: ToolCallPart) -> _Ready | _Refused:
        """Find the tool and check the arguments, whatever the user thinks of the call."""
        key = f"{call.name} {json.dumps(dict(call.arguments), sort_keys=True, default=str)}"
        self._repeats = self._repeats + 1 if key == self._last_call else 1
        self._last_call = key
        if call.problem is not None:
            return _Refused(call.problem)
        tool = self._tools.get(call.name)
        if tool is None:
            known = ", ".join(self._tools)
            return _Refused(f"There is no tool named {call.name!r}. The tools are: {known}.")
        if self._repeats >= REPEAT_LIMIT:
            return _Refused(
                f"Stopped: this is the same call with the same arguments {self._repeats} times in "
                "a row. Its result will not change. Do something else, or say what blocks you."
            )
        try:
            arguments = check(call.arguments, tool.spec.parameters)
        except ToolError as error:
            return _Refused(f"Not run. {error}")
        return _Ready(tool, replace(call, arguments=arguments))

    async def _denial(self, call: ToolCallPart, action: Action, outbox: Outbox) -> str | None:
        decision = decide(self.mode, action, self.grants)
        if decision.verdict is Verdict.ALLOW:
            return None
        if decision.verdict is Verdict.DENY:
            return decision.reason
        await outbox.delivered()
        approval: Approval = await self._approver.ask(ApprovalRequest(call, action))
        if approval.answer is ApprovalAnswer.SESSION:
            self.grants.add(action)
        if approval.answer is not ApprovalAnswer.DENY:
            return None
        if approval.words:
            return f"Not run. The user declined this call and says: {approval.words}"
        return "Not run. The user declined this call. Do not try it again without asking."

    async def _execute(self, batch: _Batch, index: int, ready: _Ready) -> None:
        call = ready.call
        work = ready.tool.run(
            call.arguments, lambda text: batch.emit(ToolOutputDelta(call.id, text))
        )
        output = await _attempt(call.name, work)
        if isinstance(output, Exception):
            output = ToolOutput(_words(output), is_error=True)
        status = "error" if output.is_error else "ok"
        result = ToolResultPart(call.id, call.name, output.text, status, self._subject(call))
        changed = await self._hooks.run_after_tool(call, result)
        batch.finish(index, replace(output, text=changed.text), status)

    def _subject(self, call: ToolCallPart) -> str:
        tool = self._tools.get(call.name)
        return (
            "" if tool is None else one_line(_main_argument(tool, call.arguments), _SUBJECT_LIMIT)
        )


def _main_argument(tool: Tool, arguments: Mapping[str, Any]) -> str:
    try:
        return tool.subject(arguments)
    except (KeyError, TypeError, AttributeError, ValueError):  # arguments not checked yet
        return ""


async def _attempt(what: str, work: Awaitable[T]) -> T | Exception:
    """Await a tool's work; a failure is a value, logged only where the tool did not mean it."""
    return await failopen.attempt(what, _meant(work))


async def _meant(work: Awaitable[T]) -> T | ToolError:
    try:
        return await work
    except ToolError as error:
        return error


def _words(error: Exception) -> str:
    """Return a non-empty text for the model about a failed call."""
    if isinstance(error, ToolError):
        return str(error) or "It failed."
    return f"It failed: {type(error).__name__}{f': {error}' if str(error) else ''}"


async def _cancel(tasks: Sequence[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
