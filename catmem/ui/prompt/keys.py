"""The keys of the prompt; what each of them does is decided by the ``Controls`` behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import has_focus
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

from catmem import failopen

# While a search through the history has the focus, its own keys do what they always do.
_AT_DRAFT = has_focus(DEFAULT_BUFFER)


class Controls(Protocol):
    """What the keys act on."""

    def enter(self) -> None:
        """Enter: send, queue, or answer the question."""
        ...

    def escape(self) -> None:
        """Esc: answer no, or interrupt."""
        ...

    def interrupt(self) -> None:
        """Ctrl+C, from the keyboard or as a signal."""
        ...

    def end_of_input(self) -> None:
        """Ctrl+D."""
        ...

    def recall(self) -> bool:
        """Up on an empty line: bring back the queued message; False when there is none."""
        ...

    def paste(self, data: str) -> None:
        """A bracketed paste."""
        ...

    def erase_label(self) -> bool:
        """Backspace: take out a folded paste before the cursor; False when there is none."""
        ...

    def complete(self) -> None:
        """Tab."""
        ...


def bindings(controls: Controls) -> KeyBindings:
    """Return the key bindings; a failing one is logged and does not end the session."""
    keys = KeyBindings()

    def bind(*names: str, do: Callable[[KeyPressEvent], object]) -> None:
        @keys.add(*names, filter=_AT_DRAFT)
        def handle(event: KeyPressEvent) -> None:
            failopen.attempt_now(f"key {names}", lambda: do(event))

    bind("enter", do=lambda _: controls.enter())
    bind("c-j", do=_newline)
    bind("escape", "enter", do=_newline)
    bind("escape", do=lambda _: controls.escape())
    bind("c-c", do=lambda _: controls.interrupt())
    bind("c-d", do=lambda _: controls.end_of_input())
    bind("tab", do=lambda _: controls.complete())
    bind(Keys.BracketedPaste, do=lambda event: controls.paste(event.data))
    _bind_editing(keys, controls)

    @keys.add("<sigint>")
    def sigint(_: KeyPressEvent) -> None:
        failopen.attempt_now("sigint", controls.interrupt)

    return keys


def _bind_editing(keys: KeyBindings, controls: Controls) -> None:
    """Keys that do their usual work unless catmem has something to do at that place."""

    @keys.add("up", filter=_AT_DRAFT)
    def up(event: KeyPressEvent) -> None:
        if not failopen.attempt_now("key up", controls.recall):
            event.current_buffer.auto_up(count=event.arg)

    @keys.add("backspace", filter=_AT_DRAFT)
    def backspace(event: KeyPressEvent) -> None:
        if not failopen.attempt_now("key backspace", controls.erase_label):
            event.current_buffer.delete_before_cursor(count=event.arg)


def _newline(event: KeyPressEvent) -> None:
    event.current_buffer.insert_text("\n")
