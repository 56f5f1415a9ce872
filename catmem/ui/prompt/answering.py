"""How an open question takes the keyboard: the draft is put aside and comes back unchanged.

A question opens only when the fingers rest. A single letter answers when nothing follows it at
once, so that ``n`` is an answer and ``not that file`` is words to the agent; and Enter after the
letter, out of habit, does not send the draft that has just come back.
"""

from __future__ import annotations

import asyncio
import time

from catmem.ui.prompt.session import Prompt
from catmem.ui.questions import Question

_TYPING_PAUSE_SECONDS = 0.4
_LETTER_SECONDS = 0.2
_SWALLOW_ENTER_SECONDS = 0.6


class Answering:
    """Turns what is typed at the prompt into the answer of the question on it."""

    def __init__(self, prompt: Prompt) -> None:
        self._prompt = prompt
        self._question: Question | None = None
        self._last_key = 0.0
        self._swallow_until = 0.0

    def show(self, question: Question | None) -> None:
        """Give the keyboard to ``question``, or back to the draft."""
        self._question = question
        if question is None:
            self._prompt.restore()
        else:
            self._prompt.stash()

    async def may_open(self) -> None:
        """Wait until the person has stopped typing, so that no letter answers by accident."""
        left = self._last_key + _TYPING_PAUSE_SECONDS - time.monotonic()
        while left > 0:
            await asyncio.sleep(left)
            left = self._last_key + _TYPING_PAUSE_SECONDS - time.monotonic()

    def rested(self) -> None:
        """Note that the person has finished a message: a question may open at once."""
        self._last_key = 0.0

    def typed(self) -> None:
        """Note that the text at the prompt has changed."""
        self._last_key = time.monotonic()
        self._swallow_until = 0.0
        typed = self._prompt.buffer.text
        if self._question is not None and self._question.is_key(typed):
            asyncio.get_running_loop().call_later(
                _LETTER_SECONDS, self._letter, self._question, typed
            )

    def enter(self) -> bool:
        """Answer with what was typed; True where Enter is not meant for the draft."""
        if self._question is not None:
            return self._answer() or not self._is_message(self._question)
        swallow = time.monotonic() < self._swallow_until
        self._swallow_until = 0.0
        return swallow

    def deny(self, *, leaving: bool = False) -> bool:
        """Answer no; False without a question, or where an optional one keeps nobody here."""
        question = self._question
        if question is None:
            return False
        question.dismiss()
        if leaving and question.optional:
            self.show(None)
            return False
        return True

    def _is_message(self, question: Question) -> bool:
        """Tell whether what was typed puts an optional question off; then it joins the draft."""
        text = self._prompt.buffer.text
        if not question.optional or not text.strip():
            return False
        question.dismiss()
        self.show(None)
        self._prompt.replace(self._prompt.buffer.text + text)
        return True

    def _letter(self, question: Question, typed: str) -> None:
        if question is self._question and self._prompt.buffer.text == typed and self._answer():
            self._swallow_until = time.monotonic() + _SWALLOW_ENTER_SECONDS

    def _answer(self) -> bool:
        if self._question is None:
            return False
        approval = self._question.read(self._prompt.buffer.text)
        if approval is not None:
            self._question.close(approval)
            self._last_key = 0.0
        return approval is not None
