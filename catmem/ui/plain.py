"""The interface without a prompt on the screen: pipes, files, dumb terminals, NO_COLOR.

Reads lines, answers each, ends at the end of input. Answers go to standard output as the model
wrote them; tool lines go to standard error where standard output is not a terminal, so that it
holds answers alone. Approvals are asked only where a person sits at both ends.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial

from catmem.background import Background
from catmem.commands import Invocation, Mistyped
from catmem.events import (
    Approval,
    ApprovalAnswer,
    ApprovalRequest,
    MessageCompleted,
    TurnEnded,
    TurnEndReason,
)
from catmem.failopen import attempt_now
from catmem.messages import Origin, user_message
from catmem.sanitize import clean
from catmem.text import t
from catmem.ui.exit_phase import ExitPhase
from catmem.ui.paint import Paint, can_encode
from catmem.ui.ports import AgentPort, ExitReason, ExitWork, Setup
from catmem.ui.process import LineSource, on_signals, put
from catmem.ui.questions import Question, Questions
from catmem.ui.scrollback import Scrollback
from catmem.ui.turn_view import TurnView, failure_text

_TWICE_SECONDS = 2.0
_COLUMNS = 80


class PlainAnswer:
    """An answer as the model wrote it, line by line, cleaned."""

    def __init__(self, put: Callable[[str], None]) -> None:
        self._put = put
        self._rest: list[str] = []

    def feed(self, text: str) -> None:
        """Take a chunk; print the lines it finishes."""
        *lines, rest = text.split("\n")
        for line in lines:
            self._put(clean("".join(self._rest) + line) + "\n")
            self._rest = []
        if rest:
            self._rest.append(rest)

    def finish(self) -> None:
        """Print what is left."""
        if self._rest:
            self.feed("\n")

    def tail(self, lines: int) -> list[str]:  # noqa: ARG002 - nothing is shown before it is printed
        """Return nothing: plain output has no live part."""
        return []


class PlainRepl:
    """The interactive interface on plain lines (see ``ports.Interface``)."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._person = sys.stdin.isatty() and sys.stdout.isatty()
        self._paint = Paint(color=False, signs=can_encode(sys.stdout.encoding))
        self._progress = sys.stdout if sys.stdout.isatty() else sys.stderr
        scrollback = Scrollback(
            lambda text: put(self._progress, text), lambda: _COLUMNS, self._paint
        )
        self._view = TurnView(scrollback, PlainAnswer(lambda text: put(sys.stdout, text)))
        self._scrollback = scrollback
        self._questions = Questions(self._question_changed, self._paint)
        self._lines = LineSource(sys.stdin.fileno())
        self._exit_phase = ExitPhase(self._paint, self._progress)
        self._tasks = Background()
        self._job: asyncio.Task[object] | None = None
        self._reason: ExitReason | None = None
        self._over = asyncio.Event()
        self._last_interrupt = 0.0

    def write(self, text: str) -> None:
        """Print lines of plain text on standard output."""
        put(sys.stdout, clean(text).rstrip("\n") + "\n")

    def refresh(self) -> None:
        """There is no status line."""

    async def confirm(self, question: str) -> bool:
        """Ask a yes-or-no question; without a person the answer is no."""
        return self._person and await self._questions.confirm(question)

    async def run_program(self, command: Sequence[str]) -> int | None:  # noqa: ARG002 - the port's
        """Lend nothing: a thread of ours reads the lines of the terminal, if there is one."""
        return None

    async def decide(self, question: str, details: str) -> bool | None:
        """Ask a question that can be put off; without a person it is."""
        return await self._questions.decide(question, details) if self._person else None

    async def ask(self, request: ApprovalRequest) -> Approval:
        """Ask for an approval; without a person it is refused."""
        if self._person:
            return await self._questions.ask(request)
        return Approval(ApprovalAnswer.DENY, "Nobody can be asked: the input is not a terminal.")

    def exit(self) -> None:
        """End the session (the /exit command)."""
        self._leave(ExitReason.COMMAND)

    async def run(self, agent: AgentPort) -> ExitReason:
        """Answer line after line."""
        self._setup.on_ready()
        on_signals(
            {
                signal.SIGINT: self._interrupt,
                signal.SIGTERM: self._terminated,
                signal.SIGHUP: partial(self._leave, ExitReason.SIGNAL),
            }
        )
        while self._reason is None:
            line = await self._read(self._paint.prompt)
            if self._job is None and self._took_answer(line):
                continue
            if line is None:
                if self._person:
                    put(sys.stdout, "\n")  # the prompt's line has not been ended by Enter
                self._leave(ExitReason.END_OF_INPUT)
            elif line.strip():
                await self._answer(agent, line)
        self._exit_phase.expect()
        await self._tasks.close()
        return self._reason

    async def run_exit(self, work: ExitWork, skip: Callable[[], None]) -> None:
        """Show the work at the end of the session."""
        await self._exit_phase.run(work, skip)

    async def _answer(self, agent: AgentPort, line: str) -> None:
        parsed = self._setup.commands.parse(line)
        if isinstance(parsed, Mistyped):
            self._view.notice(parsed.message, error=True)
            return
        work = self._command(parsed) if parsed is not None else self._turn(agent, line)
        self._job = self._tasks.start("turn", work)
        try:
            failure = await self._job
        except asyncio.CancelledError:
            if self._job.cancelled():
                self._view.handle(TurnEnded(TurnEndReason.INTERRUPTED))
            else:
                raise
        else:
            if isinstance(failure, Exception):
                self._view.handle(TurnEnded(TurnEndReason.FAILED, failure_text(failure)))
        finally:
            self._job = None

    async def _command(self, invocation: Invocation) -> None:
        await invocation.command.run(invocation.rest, self)

    async def _turn(self, agent: AgentPort, line: str) -> None:
        origin = Origin.TYPED if sys.stdin.isatty() else Origin.STDIN
        self._view.begin()
        async for event in agent.run_turn(user_message(line, origin)):
            attempt_now("show event", partial(self._view.handle, event))
            if isinstance(event, MessageCompleted):
                self._view.answer.finish()

    async def _read(self, sign: str) -> str | None:
        """Return the next line, None when the session ends."""
        if self._person:
            put(sys.stdout, sign)
        reading = asyncio.ensure_future(self._lines.read())
        leaving = asyncio.ensure_future(self._over.wait())
        try:
            await asyncio.wait({reading, leaving}, return_when=asyncio.FIRST_COMPLETED)
            return reading.result() if reading.done() else None
        finally:
            reading.cancel()
            leaving.cancel()

    def _question_changed(self) -> None:
        question = self._questions.current
        if question is not None:
            if question.request is not None:
                self._view.shown_previews.add(question.request.call.id)
            if question.preview:
                put(sys.stdout, question.preview + "\n")
            if self._job is not None:
                self._tasks.start("question", self._put_question(question))
            else:  # the next line that is read answers it
                sign = self._paint.prompt
                put(sys.stdout, f"{question.text}\n{question.choices}\n{sign}")

    def _took_answer(self, line: str | None) -> bool:
        """Let a line answer the question that was asked while nothing ran.

        One that is no answer puts the question off and is a message, unless it is empty.
        """
        question = self._questions.current
        if question is None:
            return False
        approval = question.read(line or "")
        if approval is None:
            question.dismiss()
            return line is not None and not line.strip()
        question.close(approval)
        return True

    async def _put_question(self, question: Question) -> None:
        """Ask until there is an answer; the end of input is a no."""
        while not question.answer.done():
            put(sys.stdout, f"{question.text}\n{question.choices}\n")
            line = await self._read(self._paint.prompt)
            approval = None if line is None else question.read(line)
            if approval is not None:
                question.close(approval)
            elif line is None or question.request is None:
                question.dismiss()

    def _leave(self, reason: ExitReason) -> None:
        self._reason = self._reason or reason
        self._over.set()
        if self._job is not None and self._job is not asyncio.current_task():
            self._job.cancel()

    def _interrupt(self) -> None:
        """SIGINT: stop the turn; without one, hint first and then leave."""
        now = time.monotonic()
        if self._job is not None:
            self._job.cancel()
        elif not self._person or now - self._last_interrupt < _TWICE_SECONDS:
            self._leave(ExitReason.INTERRUPT)
        else:
            self._last_interrupt = now
            put(sys.stdout, f"\n{t('ui.hint.exit')}\n{self._paint.prompt}")

    def _terminated(self) -> None:
        """SIGTERM: leave; a second one skips the work at the end."""
        if self._reason is not None:
            self._exit_phase.skip()
        self._leave(ExitReason.SIGNAL)
