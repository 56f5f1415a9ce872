"""Hooks: functions at named points around the agent loop.

The loop calls them through ``Hooks``; an error in one is logged, reported as a Notice and skipped
(fail-open), so that memory or any later extension can never break a turn.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from catmem import failopen
from catmem.messages import Message, ModelRequest, ToolCallPart, ToolResultPart

BeforeRequest = Callable[[ModelRequest], Awaitable[ModelRequest]]
BeforeTool = Callable[[ToolCallPart], Awaitable[str | None]]
AfterTool = Callable[[ToolCallPart, ToolResultPart], Awaitable[ToolResultPart]]
AfterTurn = Callable[[Sequence[Message], bool], Awaitable[None]]
BeforeCompaction = Callable[[Sequence[Message]], Awaitable[None]]
SessionEnd = Callable[[], Awaitable[None]]


@dataclass(slots=True)
class Hooks:
    """The registered hooks, run in order of registration.

    ``before_tool`` may return a reason, which refuses the call. ``after_tool`` may replace the
    result. ``problems`` collects one line per failed hook since it was last drained.
    """

    before_request: list[BeforeRequest] = field(default_factory=list)
    before_tool: list[BeforeTool] = field(default_factory=list)
    after_tool: list[AfterTool] = field(default_factory=list)
    after_turn: list[AfterTurn] = field(default_factory=list)
    before_compaction: list[BeforeCompaction] = field(default_factory=list)
    session_end: list[SessionEnd] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def drain_problems(self) -> list[str]:
        """Return the failures since the last call, and forget them."""
        problems, self.problems = self.problems, []
        return problems

    async def run_before_request(self, request: ModelRequest) -> ModelRequest:
        """Pass the request through every hook; a failed one leaves it as it was."""
        for hook in self.before_request:
            changed = await failopen.attempt("before_request", hook(request))
            if isinstance(changed, Exception):
                self._note("before_request", changed)
            else:
                request = changed
        return request

    async def run_before_tool(self, call: ToolCallPart) -> str | None:
        """Return the first refusal, or None when the call may go on."""
        for hook in self.before_tool:
            refusal = await failopen.attempt("before_tool", hook(call))
            if isinstance(refusal, Exception):
                self._note("before_tool", refusal)
            elif refusal is not None:
                return refusal
        return None

    async def run_after_tool(self, call: ToolCallPart, result: ToolResultPart) -> ToolResultPart:
        """Pass the result through every hook."""
        for hook in self.after_tool:
            changed = await failopen.attempt("after_tool", hook(call, result))
            if isinstance(changed, Exception):
                self._note("after_tool", changed)
            else:
                result = changed
        return result

    async def run_after_turn(self, messages: Sequence[Message], *, completed: bool) -> None:
        """Tell every hook that a turn ended; ``messages`` are those of the turn.

        ``completed`` tells whether it came to its end: neither interrupted nor failed.
        """
        for hook in self.after_turn:
            self._note_failure(
                "after_turn", await failopen.attempt("after_turn", hook(messages, completed))
            )

    async def run_before_compaction(self, messages: Sequence[Message]) -> None:
        """Tell every hook which messages are about to leave the context (also by /clear)."""
        for hook in self.before_compaction:
            self._note_failure(
                "before_compaction", await failopen.attempt("before_compaction", hook(messages))
            )

    async def run_session_end(self) -> None:
        """Tell every hook that the session ends; a failure is only logged, nobody reads on."""
        for hook in self.session_end:
            self._note_failure("session_end", await failopen.attempt("session_end", hook()))

    def _note_failure(self, point: str, outcome: object) -> None:
        if isinstance(outcome, Exception):
            self._note(point, outcome)

    def _note(self, point: str, error: Exception) -> None:
        self.problems.append(f"{point}: {type(error).__name__}: {error}")
