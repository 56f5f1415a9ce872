"""The agent loop: a turn answers one user message in steps of a model request and its tool calls.

The turn runs in a task of its own and hands its events through a queue, so that an interruption at
any moment (Ctrl+C, a closed consumer) still leaves a transcript in which every tool call has
its result.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace

from catmem.agent.executor import Executor
from catmem.agent.outbox import Outbox
from catmem.errors import ProviderError, StorageError
from catmem.events import (
    Event,
    MessageCompleted,
    Notice,
    ReasoningDelta,
    RequestRetried,
    StepStarted,
    TextDelta,
    TurnEnded,
    TurnEndReason,
    TurnStarted,
)
from catmem.hooks import Hooks
from catmem.messages import (
    Message,
    ModelRequest,
    Origin,
    Part,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from catmem.providers.base import (
    BlockCompleted,
    CallCompleted,
    Finished,
    Provider,
    ReasoningChunk,
    Retrying,
    StopReason,
    TextChunk,
)
from catmem.sessions import Session
from catmem.text import t

STEP_LIMIT = 50
_INCOMPLETE_NOTE = "(Your previous answer was cut off before it was complete.)"
_LIMIT_NOTE = (
    "(The step limit of this turn is reached and no tool can be called now. Say in a few sentences "
    "what is done, what is not, and what you would do next.)"
)
_MAX_CUT_CALLS = 3


@dataclass(slots=True)
class _Answer:
    """What a request brought so far: enough to keep it when it is cut."""

    parts: list[Part] = field(default_factory=list)
    finished: Finished | None = None

    def add_text(self, text: str) -> None:
        last = self.parts[-1] if self.parts else None
        if isinstance(last, TextPart):
            self.parts[-1] = TextPart(last.text + text, Origin.MODEL)
        else:
            self.parts.append(TextPart(text, Origin.MODEL))

    @property
    def calls(self) -> tuple[ToolCallPart, ...]:
        return tuple(part for part in self.parts if isinstance(part, ToolCallPart))

    @property
    def has_text(self) -> bool:
        return any(isinstance(part, TextPart) and part.text.strip() for part in self.parts)

    def message(self) -> Message:
        return Message(Role.ASSISTANT, tuple(self.parts))

    def text_only(self) -> Message:
        """What is kept of a cut answer: words, but no calls and no signed blocks around them."""
        texts = tuple(part for part in self.parts if isinstance(part, TextPart))
        return Message(Role.ASSISTANT, texts, incomplete=True)


class _TurnOverError(Exception):
    """Ends the turn from anywhere inside it, with its last event."""

    def __init__(self, end: TurnEnded) -> None:
        super().__init__(end.reason)
        self.end = end


class Agent:
    """Runs turns over one session.

    Attributes:
        session: the conversation; its system text is frozen at the first turn.
        provider: may be exchanged between turns (/model).
        executor: runs the tool calls.
        hooks: the functions around the loop.
    """

    def __init__(
        self,
        *,
        session: Session,
        provider: Provider,
        executor: Executor,
        hooks: Hooks,
        system: tuple[str, ...],
        step_limit: int = STEP_LIMIT,
    ) -> None:
        self.session = session
        self.provider = provider
        self.executor = executor
        self.hooks = hooks
        self._base_system = system
        self._step_limit = step_limit

    async def opening(self) -> ModelRequest:
        """Return what every request of this session begins with, before there is a message."""
        request = ModelRequest(self._base_system, (), self.executor.specs)
        if self.session.system:
            return replace(request, system=self.session.system)
        return await self.hooks.run_before_request(request)

    async def run_turn(self, message: Message) -> AsyncIterator[Event]:
        """Answer ``message``; yield the turn's events, ``TurnEnded`` last and once.

        Cancelling the consuming task interrupts the turn: what was said is kept, started calls get
        their results, and the remaining events still come.
        """
        outbox = Outbox()
        first = len(self.session.messages)
        completed = False
        turn = asyncio.create_task(self._turn(message, outbox), name="turn")
        try:
            while True:
                try:
                    event = await outbox.next()
                except asyncio.CancelledError:
                    turn.cancel()
                    if (consumer := asyncio.current_task()) is not None:
                        consumer.uncancel()
                    continue
                yield event
                if isinstance(event, TurnEnded):
                    completed = event.reason is TurnEndReason.DONE
                    break
        finally:
            turn.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await turn
        await self.hooks.run_after_turn(self.session.messages[first:], completed=completed)

    async def _turn(self, message: Message, outbox: Outbox) -> None:
        emit = outbox.emit
        try:
            await self._freeze_system(message)
            emit(TurnStarted(self.session.append(self._with_notes(message))))
            end = await self._steps(outbox)
        except asyncio.CancelledError:
            end = TurnEnded(TurnEndReason.INTERRUPTED)
        except _TurnOverError as over:
            end = over.end
        except ProviderError as error:
            end = TurnEnded(TurnEndReason.FAILED, str(error), error.retryable)
        except StorageError as error:
            end = TurnEnded(TurnEndReason.FAILED, str(error))
        for problem in self.hooks.drain_problems():
            emit(Notice(t("agent.hook_failed", problem=problem), error=True))
        emit(end)

    async def _freeze_system(self, message: Message) -> None:
        """Fix the system text, hooks' additions included, before the first record is written."""
        if self.session.system:
            return
        request = ModelRequest(self._base_system, (message,), self.executor.specs)
        self.session.system = (await self.hooks.run_before_request(request)).system

    def _with_notes(self, message: Message) -> Message:
        """Tell the model at the tail what it cannot see otherwise."""
        notes = list(self.executor.notes())
        last = self.session.messages[-1] if self.session.messages else None
        if last is not None and last.incomplete and last.role is Role.ASSISTANT:
            notes.append(_INCOMPLETE_NOTE)
        return replace(message, attachments=(*message.attachments, *notes)) if notes else message

    async def _steps(self, outbox: Outbox) -> TurnEnded:
        emit = outbox.emit
        cut_calls = 0
        for step in range(1, self._step_limit + 1):
            emit(StepStarted(step))
            answer = await self._request(emit)
            self._keep(answer, emit)
            if not answer.calls:
                return TurnEnded(TurnEndReason.DONE)
            await self._run_calls(answer.calls, outbox)
            cut_calls = cut_calls + 1 if _cut(answer) else 0
            if cut_calls >= _MAX_CUT_CALLS:
                return TurnEnded(TurnEndReason.FAILED, t("agent.cut_repeatedly"))
        await self._last_words(emit)
        return TurnEnded(TurnEndReason.STEP_LIMIT, t("agent.step_limit", limit=self._step_limit))

    async def _last_words(self, emit: Callable[[Event], None]) -> None:
        """At the step limit: one request without calls, so that the model says where it stands."""
        emit(StepStarted(self._step_limit + 1))
        answer = await self._request(emit, last=True)
        self._keep(answer, emit)
        results = [
            ToolResultPart(call.id, call.name, "Not run: the step limit is reached.", "cancelled")
            for call in answer.calls
        ]
        self._append_results(results)

    async def _request(self, emit: Callable[[Event], None], *, last: bool = False) -> _Answer:
        """Send one request and collect its answer; a cut one is kept as far as it came."""
        answer = _Answer()
        request = await self._build_request(last=last)
        try:
            async with contextlib.aclosing(self.provider.stream(request)) as stream:
                async for part in stream:
                    self._take(part, answer, emit)
        except (asyncio.CancelledError, ProviderError):
            self._keep_cut(answer)
            raise
        return answer

    async def _build_request(self, *, last: bool) -> ModelRequest:
        messages = self.session.messages
        if last:
            newest = messages[-1]
            noted = replace(newest, attachments=(*newest.attachments, _LIMIT_NOTE))
            messages = (*messages[:-1], noted)
        request = ModelRequest(
            self._base_system, messages, self.executor.specs, tool_choice_none=last
        )
        request = await self.hooks.run_before_request(request)
        return replace(request, system=self.session.system)

    def _take(self, part: object, answer: _Answer, emit: Callable[[Event], None]) -> None:
        match part:
            case TextChunk(text):
                answer.add_text(text)
                emit(TextDelta(text))
            case ReasoningChunk(text):
                emit(ReasoningDelta(text))
            case Retrying(attempt, delay, reason):
                emit(RequestRetried(attempt, delay, reason))
            case CallCompleted(call):
                answer.parts.append(call)
            case BlockCompleted(block):
                answer.parts.append(block)
            case Finished():
                answer.finished = part

    def _keep(self, answer: _Answer, emit: Callable[[Event], None]) -> None:
        """Append a whole answer; end the turn where it is refused, dropped or empty."""
        finished = answer.finished or Finished(StopReason.DROPPED)
        if finished.reason is StopReason.DROPPED:
            self._keep_cut(answer, emit, finished)
            error = finished.detail or t("agent.dropped")
            raise _TurnOverError(TurnEnded(TurnEndReason.FAILED, error, retryable=True))
        if finished.reason is StopReason.REFUSAL:
            self._keep_cut(answer, emit, finished)
            error = finished.detail or t("agent.refused")
            raise _TurnOverError(TurnEnded(TurnEndReason.FAILED, error))
        if not answer.has_text and not answer.calls:
            raise _TurnOverError(TurnEnded(TurnEndReason.FAILED, t("agent.empty")))
        cut = finished.reason is StopReason.LENGTH
        message = self.session.append(replace(answer.message(), incomplete=cut))
        emit(MessageCompleted(message, finished.usage))
        if cut and not answer.calls:
            emit(Notice(t("agent.cut"), error=True))

    def _keep_cut(
        self,
        answer: _Answer,
        emit: Callable[[Event], None] | None = None,
        finished: Finished | None = None,
    ) -> None:
        if answer.has_text:
            message = self.session.append(answer.text_only())
            if emit is not None and finished is not None:
                emit(MessageCompleted(message, finished.usage))

    async def _run_calls(self, calls: Sequence[ToolCallPart], outbox: Outbox) -> None:
        """Run the calls of one step and append their results, also when that is interrupted."""
        results: dict[int, ToolResultPart] = {}
        try:
            await self.executor.run(calls, results, outbox)
        finally:
            self._append_results([results[index] for index in range(len(calls))])

    def _append_results(self, results: Sequence[ToolResultPart]) -> None:
        if results:
            self.session.append(Message(Role.TOOL, tuple(results)))


def _cut(answer: _Answer) -> bool:
    return answer.finished is not None and answer.finished.reason is StopReason.LENGTH
