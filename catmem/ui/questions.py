"""Questions to the person: which one is open, what it shows, and what an answer means.

One question at a time; the interface shows ``Questions.current`` and gives it an answer. Knows no
terminal.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from catmem.events import ActionKind, Approval, ApprovalAnswer, ApprovalRequest
from catmem.sanitize import one_line, repair
from catmem.text import listed, t
from catmem.ui.paint import Paint, bounded, looks_like_diff

_PREVIEW_LINES = 80
_GRANT_CHARACTERS = 60
_INVISIBLE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    r"\U000e0000-\U000e007f]"
)
_YES = {"y", "yes", "是", "好"}
_NO = {"n", "no", "否", "不"}


@dataclass(slots=True)
class Question:
    """An open question.

    Attributes:
        text: the question itself, one line.
        choices: the line that names the keys.
        preview: lines for the scrollback that show what it is about.
        request: the approval it is about; None for a plain yes-or-no question.
        optional: it can be put off: a message in its place does that.
        put_off: whether it was closed without an answer.
    """

    text: str
    choices: str
    preview: str
    request: ApprovalRequest | None
    answer: asyncio.Future[Approval]
    optional: bool = False
    put_off: bool = False

    def read(self, typed: str) -> Approval | None:
        """Return what ``typed`` answers; None when it is no answer yet."""
        word = typed.strip().lower()
        if word in _YES:
            return Approval(ApprovalAnswer.ONCE)
        if word in _NO:
            return Approval(ApprovalAnswer.DENY)
        if self.request is None:
            return None
        if word == "s":
            return Approval(ApprovalAnswer.SESSION)
        words = repair(typed.strip())
        return Approval(ApprovalAnswer.DENY, words) if words else None

    def is_key(self, typed: str) -> bool:
        """Tell whether ``typed`` answers by itself, without Enter."""
        return typed.lower() in ({"y", "n"} if self.request is None else {"y", "s", "n"})

    def dismiss(self) -> None:
        """Close it without an answer, which denies."""
        self.put_off = not self.answer.done()
        self.close(Approval(ApprovalAnswer.DENY))

    def close(self, approval: Approval) -> None:
        """Answer it, unless that has happened already."""
        if not self.answer.done():
            self.answer.set_result(approval)


class Questions:
    """Puts one question at a time; implements the asking half of an interface.

    ``changed`` is called when a question opens or closes. ``may_open`` is awaited before one opens,
    so that it never appears under typing fingers.
    """

    def __init__(
        self,
        changed: Callable[[], None],
        paint: Paint,
        may_open: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self.current: Question | None = None
        self._changed = changed
        self._may_open = may_open
        self._paint = paint
        self._turn = asyncio.Lock()

    async def ask(self, request: ApprovalRequest) -> Approval:
        """Return the answer to an approval; a cancelled caller withdraws the question."""
        return await self._put(
            Question(
                headline(request),
                choices(request),
                preview(request, self._paint),
                request,
                asyncio.get_running_loop().create_future(),
            )
        )

    async def confirm(self, question: str) -> bool:
        """Return whether the person said yes."""
        future: asyncio.Future[Approval] = asyncio.get_running_loop().create_future()
        asked = Question(one_line(question, 500), t("ui.confirm.choices"), "", None, future)
        return (await self._put(asked)).answer is ApprovalAnswer.ONCE

    async def decide(self, question: str, details: str) -> bool | None:
        """Return yes or no, None for not now; ``details`` are what it is about, of any origin."""
        future: asyncio.Future[Approval] = asyncio.get_running_loop().create_future()
        preview = "\n" + _indented(visible(details))
        text, keys = one_line(question, 500), t("ui.decide.choices")
        asked = Question(text, keys, preview, None, future, optional=True)
        answered = (await self._put(asked)).answer is ApprovalAnswer.ONCE
        return None if asked.put_off else answered

    async def _put(self, question: Question) -> Approval:
        async with self._turn:
            if self._may_open is not None:
                await self._may_open()
            self.current = question
            try:
                self._changed()
                return await question.answer
            finally:
                self.current = None
                self._changed()


def headline(request: ApprovalRequest) -> str:
    """Return the question about an action, in one line."""
    action = request.action
    subject = one_line(visible(action.subject), 200)
    match action.kind:
        case ActionKind.EXECUTE:
            text = t("ui.ask.execute", tool=action.tool)
        case ActionKind.WRITE:
            text = t("ui.ask.write", subject=subject)
        case ActionKind.MEMORY:
            text = t("ui.ask.memory", subject=subject)
        case ActionKind.FORGET:
            text = t("ui.ask.forget", subject=subject)
        case _:
            text = t("ui.ask.read", subject=subject)
    if action.outside:
        text += t("ui.ask.outside", paths=one_line(visible(listed(action.outside)), 300))
    return text


def choices(request: ApprovalRequest) -> str:
    """Return the line of keys; it says what a yes for the session would cover."""
    action = request.action
    if not action.session_key:
        return t("ui.ask.choices_once")
    if action.session_key.removeprefix(f"{action.tool}:") == action.subject:
        return t("ui.ask.choices_same")
    covers = one_line(visible(action.session_key), _GRANT_CHARACTERS)
    return t("ui.ask.choices", covers=covers)


def preview(request: ApprovalRequest, paint: Paint) -> str:
    """Return what would change or run, for the scrollback: the exact command, or the diff.

    Characters that a terminal would not show are spelled out, so that nothing can hide in them.
    """
    action = request.action
    text = visible(action.preview or action.subject)

    def note(count: int) -> str:
        return paint.style(t("ui.more_lines", count=count), "yellow")

    if action.kind is ActionKind.EXECUTE:
        shown = paint.style(text, "cyan")  # in full: nobody can agree to what is left out
    elif looks_like_diff(text):
        shown = bounded(paint.diff(text), _PREVIEW_LINES, note)
    else:
        shown = bounded(text, _PREVIEW_LINES, note)
    return "\n" + _indented(shown)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" if line else "" for line in text.split("\n"))


def visible(text: str) -> str:
    """Return ``text`` with control, bidirectional and invisible characters spelled out."""
    text = repair(text.replace("\r\n", "\n"))
    return _INVISIBLE.sub(lambda found: _escape(found[0]), text)


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
