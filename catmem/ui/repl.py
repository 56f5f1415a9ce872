"""The REPL: what the person types becomes turns and commands, one after the other.

One prompt stays on the screen all the time; a turn or command is a task beside it. So typing,
editing and queueing go on while the agent works, and a draft is never lost.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial

from catmem import log
from catmem.background import Background
from catmem.commands import Invocation, Mistyped
from catmem.events import Approval, ApprovalRequest, TurnEnded, TurnEndReason
from catmem.failopen import attempt_now
from catmem.sanitize import clean
from catmem.text import t
from catmem.ui.exit_phase import ExitPhase
from catmem.ui.markdown.loading import load_renderer_soon
from catmem.ui.paint import Paint, can_encode
from catmem.ui.ports import AgentPort, ExitReason, ExitWork, Setup
from catmem.ui.process import logged_exceptions, on_signals, run_on_terminal, typed_ahead
from catmem.ui.prompt import live_lines
from catmem.ui.prompt.answering import Answering
from catmem.ui.prompt.completion import CommandCompleter
from catmem.ui.prompt.draft import Pastes, decoded
from catmem.ui.prompt.history import PromptHistory
from catmem.ui.prompt.keys import bindings
from catmem.ui.prompt.session import Fragments, Prompt
from catmem.ui.questions import Questions
from catmem.ui.scrollback import FLUSH_SECONDS, MarkdownAnswer, Scrollback
from catmem.ui.turn_view import TurnView, echo, failure_text

_TICK_SECONDS = 0.1
_TWICE_SECONDS = 2.0
_AGAIN_SECONDS = 1.0


class Repl:
    """The interactive interface on a real terminal (see ``ports.Interface``)."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._paint = Paint(color=True, signs=can_encode(sys.stdout.encoding))
        self._prompt = Prompt(
            above=self._above,
            below=self._below,
            bindings=bindings(self),
            history=PromptHistory(setup.history),
            completer=CommandCompleter(setup.commands),
            completing=self._completing,
        )
        self._scrollback = Scrollback(
            self._prompt.print_above, lambda: self._prompt.size[1], self._paint
        )
        self._view = TurnView(self._scrollback, MarkdownAnswer(self._scrollback))
        self._answering = Answering(self._prompt)
        self._questions = Questions(self._question_changed, self._paint, self._answering.may_open)
        self.decide = self._questions.decide
        self._pastes = Pastes()
        self._exit_phase = ExitPhase(self._paint, sys.stdout)
        self._tasks = Background()
        self._queue: deque[str] = deque()
        self._agent: AgentPort | None = None
        self._job: asyncio.Task[object] | None = None
        self._reason: ExitReason | None = None
        self._hint, self._hint_until = "", 0.0
        self._interrupted_at = 0.0
        self._flush_planned = False
        self._menu_had_room = False

    # The interface's ports

    def write(self, text: str) -> None:
        """Print lines of plain text."""
        self._scrollback.say(text)

    async def confirm(self, question: str) -> bool:
        """Ask a yes-or-no question."""
        return await self._questions.confirm(question)

    async def run_program(self, command: Sequence[str]) -> int | None:
        """Give the terminal to a program."""
        return await self._prompt.lend(partial(run_on_terminal, command))

    async def ask(self, request: ApprovalRequest) -> Approval:
        """Ask for an approval."""
        return await self._questions.ask(request)

    def exit(self) -> None:
        """End the session (the /exit command)."""
        self._leave(ExitReason.COMMAND)

    def refresh(self) -> None:
        """Draw again if the status has changed."""
        self._prompt.refresh()

    async def run(self, agent: AgentPort) -> ExitReason:
        """Read and answer until the person leaves."""
        self._agent = agent
        self._prompt.buffer.on_text_changed += lambda _: self._typed()
        on_signals(
            {
                signal.SIGTERM: self._terminated,
                signal.SIGHUP: partial(self._leave, ExitReason.SIGNAL),
            }
        )
        self._queue += typed_ahead(sys.stdin.fileno())
        with logged_exceptions():
            try:
                await self._prompt.run(self._drawn)
            except (EOFError, OSError) as error:  # the terminal is gone
                log.warning(f"prompt ended: {type(error).__name__}: {error}")
                self._reason = self._reason or ExitReason.SIGNAL
            finally:
                self._exit_phase.expect()
                self._scrollback.on_pending(None)
                await self._tasks.close()
                attempt_now("last lines", self._scrollback.flush)
        return self._reason or ExitReason.END_OF_INPUT

    async def run_exit(self, work: ExitWork, skip: Callable[[], None]) -> None:
        """Show the work at the end of the session."""
        await self._exit_phase.run(work, skip)

    # Keys (see ``keys.Controls``)

    def enter(self) -> None:
        """Send, queue, or answer the question."""
        if self._answering.enter():
            return
        if self._prompt.buffer.text.strip():
            self._submit(self._take_draft())
            self._answering.rested()
        else:
            self._prompt.take()

    def escape(self) -> None:
        """Answer no, close the menu, or interrupt."""
        if self._answering.deny():
            return
        if self._prompt.buffer.complete_state is not None:
            self._prompt.buffer.cancel_completion()
        elif self._job is not None:
            self._interrupt_job()

    def interrupt(self) -> None:
        """Ctrl+C: interrupt, clear the line, or hint and then exit."""
        if self._prompt.lent:
            return  # it was meant for the program that has the terminal
        if self._job is not None:
            if self._reason is not None:
                self._prompt.close()
            self._interrupt_job()
        elif self._answering.deny():
            return
        elif self._prompt.buffer.text:
            self._clear_draft()
        elif time.monotonic() < self._hint_until:
            self._leave(ExitReason.INTERRUPT)
        else:
            self._show_hint(t("ui.hint.exit"))

    def end_of_input(self) -> None:
        """Ctrl+D: answer no, delete forward, or leave."""
        if self._answering.deny(leaving=True):
            return
        if self._prompt.buffer.text:
            self._prompt.buffer.delete()
        elif self._reason is not None:
            self._prompt.close()
        else:
            self._leave(ExitReason.END_OF_INPUT)

    def recall(self) -> bool:
        """Bring back the message that was queued last."""
        if not self._queue or self._prompt.buffer.text or self._questions.current is not None:
            return False
        self._prompt.replace(self._queue.pop())
        self._prompt.shrink()
        return True

    def paste(self, data: str) -> None:
        """Take a paste as one piece."""
        asking = self._questions.current is not None
        self._prompt.buffer.insert_text(clean(data) if asking else self._pastes.take(data))

    def erase_label(self) -> bool:
        """Take out the folded paste before the cursor."""
        buffer = self._prompt.buffer
        label = self._pastes.label_before(buffer.document.text_before_cursor)
        buffer.delete_before_cursor(len(label))
        return bool(label)

    def complete(self) -> None:
        """Tab: open the menu, or go on in it."""
        buffer = self._prompt.buffer
        if buffer.complete_state is not None:
            buffer.complete_next()
        elif self._completing():
            buffer.start_completion(insert_common_part=True)

    # Turns and commands

    def _take_draft(self) -> str:
        draft = decoded(self._prompt.take())
        self._prompt.buffer.history.append_string(self._pastes.for_history(draft))
        return draft

    def _clear_draft(self) -> None:
        """Empty the line; what the history does not have yet can be brought back with Up."""
        history = self._prompt.buffer.history
        if self._prompt.buffer.text in history.get_strings():
            self._prompt.take()
        else:
            self._take_draft()

    def _submit(self, draft: str) -> None:
        """Do what ``draft`` says, now or when what runs has ended."""
        parsed = self._parse(draft)
        if isinstance(parsed, Mistyped):
            self._echo(draft)
            self._view.notice(parsed.message, error=True)
        elif isinstance(parsed, Invocation) and self._job and parsed.command.while_busy:
            self._echo(draft)
            task = self._tasks.start(f"/{parsed.command.name}", self._command(parsed))
            task.add_done_callback(self._show_failure)
        elif self._job is not None:
            self._queue.append(draft)
            self._prompt.refresh()
        else:
            self._start(draft, parsed)

    def _parse(self, draft: str) -> Invocation | Mistyped | None:
        """Take a line for a command only when the person wrote all of it, on one line."""
        text = self._pastes.message(draft).text.strip()
        return None if "\n" in text else self._setup.commands.parse(text)

    def _start(self, draft: str, parsed: Invocation | None) -> None:
        self._interrupted_at = 0.0
        self._echo(draft)
        if parsed is not None:
            self._view.begin(f"/{parsed.command.name}")
            self._job = self._tasks.start(f"/{parsed.command.name}", self._command(parsed))
        elif self._agent is not None:
            self._view.begin()
            self._job = self._tasks.start("turn", self._turn(self._agent, draft))
        if self._job is not None:
            self._job.add_done_callback(self._job_done)
            self._tick()

    def _echo(self, draft: str) -> None:
        self._scrollback.write(echo(draft, self._paint))
        self._scrollback.flush()

    async def _command(self, invocation: Invocation) -> None:
        await invocation.command.run(invocation.rest, self)

    async def _turn(self, agent: AgentPort, draft: str) -> None:
        message = self._pastes.message(draft)
        self._pastes.sent()
        try:
            async for event in agent.run_turn(message):
                attempt_now("show event", partial(self._view.handle, event))
        except asyncio.CancelledError:  # before the agent could take it
            self._view.handle(TurnEnded(TurnEndReason.INTERRUPTED))

    def _job_done(self, job: asyncio.Task[object]) -> None:
        self._job = None
        self._show_failure(job)
        self._scrollback.flush()
        self._prompt.shrink()
        if self._reason is not None:
            self._prompt.close()
        else:
            self._go_on()

    def _go_on(self) -> None:
        """Take the next message that waits."""
        while self._queue and self._job is None:
            self._submit(self._queue.popleft())

    def _show_failure(self, task: asyncio.Task[object]) -> None:
        """Say that a turn or command was cancelled or failed, if it was."""
        if task.cancelled():
            self._view.handle(TurnEnded(TurnEndReason.INTERRUPTED))
        elif isinstance(error := task.result(), Exception):
            self._view.handle(TurnEnded(TurnEndReason.FAILED, failure_text(error)))

    def _interrupt_job(self) -> None:
        now = time.monotonic()
        if self._job is not None and now - self._interrupted_at > _AGAIN_SECONDS:
            self._interrupted_at = now  # once is enough; its clean-up should not be cut short
            self._view.stopping()
            self._job.cancel()
            self._prompt.refresh()

    def _terminated(self) -> None:
        """SIGTERM: leave; a second one skips the work at the end."""
        if self._reason is not None:
            self._exit_phase.skip()
        self._leave(ExitReason.SIGNAL)

    def _leave(self, reason: ExitReason) -> None:
        """End the session: at once, or when what runs has been interrupted."""
        self._reason = self._reason or reason
        self._queue.clear()
        if self._job is None or self._job is asyncio.current_task():
            self._prompt.close()
        else:
            self._interrupt_job()

    # Questions

    def _question_changed(self) -> None:
        question = self._questions.current
        self._answering.show(question)
        if question is not None and question.preview:
            if question.request is not None:
                self._view.shown_previews.add(question.request.call.id)
                self._scrollback.write(question.preview)
            else:
                self._scrollback.say(question.preview)
            self._scrollback.flush()
        self._prompt.shrink()

    def _typed(self) -> None:
        self._answering.typed()
        if self._menu_had_room and not self._completing():
            self._prompt.shrink()
        self._menu_had_room = self._completing()

    # The screen

    def _above(self) -> Fragments:
        question = self._questions.current
        return live_lines.above(
            self._prompt.size,
            self._paint,
            tail=None if question or self._job is None else self._view.live,
            status=self._view.status() if self._job is not None and question is None else "",
            question=question,
            queue=list(self._queue),
            hint=self._hint if time.monotonic() < self._hint_until else "",
        )

    def _below(self) -> str:
        width = self._prompt.size[1]
        return live_lines.toolbar(self._setup.status(), self._view.usage, width, self._paint)

    def _completing(self) -> bool:
        text = self._prompt.buffer.text
        return text.startswith("/") and "\n" not in text and self._questions.current is None

    def _show_hint(self, text: str) -> None:
        self._hint, self._hint_until = text, time.monotonic() + _TWICE_SECONDS
        self._prompt.refresh()
        asyncio.get_running_loop().call_later(_TWICE_SECONDS + 0.05, self._prompt.shrink)

    def _tick(self) -> None:
        """Keep elapsed time and tail current while something runs."""
        if self._job is not None:
            self._prompt.refresh()
            asyncio.get_running_loop().call_later(_TICK_SECONDS, self._tick)

    def _plan_flush(self) -> None:
        if not self._flush_planned:
            self._flush_planned = True
            asyncio.get_running_loop().call_later(FLUSH_SECONDS, self._planned_flush)

    def _planned_flush(self) -> None:
        self._flush_planned = False
        self._scrollback.flush()

    def _drawn(self) -> None:
        """The first prompt is up: load what it did not need."""
        self._scrollback.on_pending(self._plan_flush)
        load_renderer_soon()
        self._setup.on_ready()
        self._go_on()
