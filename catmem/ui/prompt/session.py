"""The prompt on the screen: one prompt_toolkit session for the whole of catmem's.

Printing above it is one write (erase, text, prompt again), so that nothing flickers and no key or
paste meets a half-restored terminal. The cursor's position is never asked for: the answer would
cost a round trip a print and could leak into the shell at the end.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from prompt_toolkit.application import create_app_session, in_terminal
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import Completer
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import History
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.patch_stdout import patch_stdout
from prompt_toolkit.shortcuts.prompt import PromptSession
from prompt_toolkit.styles import Style

from catmem.ui.prompt.pasting import take_long_pastes

Fragments = Sequence[tuple[str, str]]

_MENU_ROWS = 6
_ESCAPE_SECONDS = 0.05
_SEQUENCE_SECONDS = 0.15
_STYLE = Style.from_dict(
    {
        "bottom-toolbar": "noreverse dim",
        "sign": "bold fg:ansicyan",
        "tail": "dim",
        "status": "fg:ansicyan",
        "queue": "dim italic",
        "question": "bold fg:ansiyellow",
        "hint": "dim",
        "completion-menu": "noreverse bg:default fg:default",
        "completion-menu.completion.current": "reverse",
        "completion-menu.meta.completion": "noreverse bg:default dim",
        "completion-menu.meta.completion.current": "noreverse bg:default",
    }
)


class _Output(Vt100_Output):
    """A terminal whose writes can be held together, and whose height below needs no question.

    While it is lent to another program nothing is written, also not after a change of its size.
    """

    holding = False
    lent = False

    def write_raw(self, data: str) -> None:
        """Take a piece that is written with the next flush."""
        if not self.lent:
            super().write_raw(data)

    def get_rows_below_cursor_position(self) -> int:
        """Claim one row: the layout takes what it needs and is not stretched to the bottom."""
        return 1

    def disable_bracketed_paste(self) -> None:
        """Keep the mode while text is printed above: a paste may arrive at any moment."""
        if not self.holding:
            super().disable_bracketed_paste()

    def flush(self) -> None:
        """Write what was collected, unless more belongs to the same write.

        A terminal that is gone is no error here: its end of input and SIGHUP end the session.
        """
        if not self.holding:
            with contextlib.suppress(OSError):
                super().flush()


def _open_output() -> _Output:
    output = _Output.from_pty(sys.stdout, term=os.environ.get("TERM"))
    assert isinstance(output, _Output)  # noqa: S101 - from_pty makes its own class; it is annotated with the base
    return output


class Prompt:
    """The input line with what stands above and below it.

    Attributes:
        above: called at each redraw for the lines over the input, the last one being its sign.
        below: called at each redraw for the toolbar.
    """

    def __init__(
        self,
        *,
        above: Callable[[], Fragments],
        below: Callable[[], str],
        bindings: KeyBindings,
        history: History,
        completer: Completer,
        completing: Callable[[], bool],
    ) -> None:
        self._output = _open_output()
        self._above = above
        self._below = below
        self._shown: object = None
        self._stash: Document | None = None
        self._held_back: list[str] = []
        with create_app_session(output=self._output):
            self._session: PromptSession[str] = PromptSession(
                message=lambda: list(self._above()),
                bottom_toolbar=lambda: [("class:bottom-toolbar", self._below())],
                multiline=True,
                prompt_continuation="  ",
                history=history,
                completer=completer,
                complete_while_typing=Condition(completing),
                reserve_space_for_menu=_MENU_ROWS,
                key_bindings=bindings,
                style=_STYLE,
                enable_suspend=True,
                erase_when_done=True,
            )
        take_long_pastes(self._session.app.input)
        self._session.app.ttimeoutlen = _ESCAPE_SECONDS
        self._session.app.timeoutlen = _SEQUENCE_SECONDS

    @property
    def buffer(self) -> Buffer:
        """The draft."""
        return self._session.default_buffer

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns of the window."""
        size = self._output.get_size()
        return max(size.rows, 1), max(size.columns, 1)

    @property
    def running(self) -> bool:
        """Whether the prompt is on the screen and not about to end."""
        return self._session.app.is_running and not self._session.app.is_done

    @property
    def lent(self) -> bool:
        """Whether another program has the terminal."""
        return self._output.lent

    async def lend(self, work: Callable[[], Awaitable[int]]) -> int:
        """Take the prompt off the screen while ``work`` has the terminal; return its result.

        What is printed meanwhile appears afterwards, above the prompt.
        """
        app = self._session.app
        context = app.context.copy() if app.context is not None else None
        return await asyncio.get_running_loop().create_task(self._lend(work), context=context)

    async def _lend(self, work: Callable[[], Awaitable[int]]) -> int:
        async with in_terminal():
            self._output.lent = True
            try:
                result = await work()
            finally:
                self._output.lent = False
        held_back, self._held_back = self._held_back, []
        self.print_above("".join(held_back))
        return result

    async def run(self, drawn: Callable[[], None]) -> None:
        """Show the prompt until ``close``; ``drawn`` is called once it is on the screen.

        Raises:
            EOFError: the terminal is gone.
            OSError: the same.
        """
        app = self._session.app

        def first_draw(_: Any) -> None:
            app.after_render -= first_draw
            drawn()

        app.after_render += first_draw
        with create_app_session(output=self._output), patch_stdout(raw=True):
            await self._session.prompt_async(set_exception_handler=False)

    def close(self) -> None:
        """End ``run``."""
        if self.running:
            self._session.app.exit(result="")

    def print_above(self, text: str) -> None:
        """Print whole lines: over the prompt while it is shown, else where the cursor is."""
        app = self._session.app
        if self.lent:
            self._held_back.append(text)
            return
        if not self.running or app.context is None:
            self._output.write_raw(text)
            self._output.flush()
            return
        self._output.holding = True
        try:
            app.renderer.erase()
            self._output.write_raw(text)
            app.render_counter += 1  # what the layout remembers of the last drawing is old
            app.context.copy().run(app.renderer.render, app, app.layout)
        finally:
            self._output.holding = False
            self._output.flush()

    def refresh(self) -> None:
        """Draw again if what stands above or below has changed."""
        showing = (list(self._above()), self._below())
        if showing != self._shown and self.running:
            self._shown = showing
            self._session.app.invalidate()

    def shrink(self) -> None:
        """Draw from scratch, so that rows which are no longer needed go away."""
        if self.running:
            self.print_above("")

    def take(self) -> str:
        """Return the draft and empty the line."""
        text = self.buffer.text
        self.buffer.reset(Document())
        return text

    def replace(self, text: str) -> None:
        """Make ``text`` the draft."""
        self.buffer.reset(Document(text))

    def stash(self) -> None:
        """Put the draft aside, for a question."""
        if self._stash is None:
            self._stash = self.buffer.document
            self.buffer.reset(Document())

    def restore(self) -> None:
        """Bring back the draft that was put aside."""
        if self._stash is not None:
            self.buffer.reset(self._stash)
            self._stash = None
