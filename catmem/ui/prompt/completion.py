"""Completion of slash commands: names with their help, then what the command itself offers."""

from __future__ import annotations

from collections.abc import Iterable

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from catmem.commands import Commands
from catmem.text import t


class CommandCompleter(Completer):
    """Completes a draft that begins with a slash.

    prompt_toolkit's ``WordCompleter`` takes the slash for a word of its own and offers nothing.
    """

    def __init__(self, commands: Commands) -> None:
        self._commands = commands

    def get_completions(
        self,
        document: Document,
        complete_event: CompleteEvent,  # noqa: ARG002 - part of prompt_toolkit's interface
    ) -> Iterable[Completion]:
        """Yield completions of the name, or of the text after it."""
        text = document.text_before_cursor
        if not text.startswith("/") or "\n" in document.text:
            return
        name, blank, rest = text[1:].partition(" ")
        for command in self._commands.all():
            if not blank and command.name.startswith(name.lower()):
                yield Completion(
                    f"/{command.name}",
                    start_position=-len(text),
                    display_meta=t(command.help_key),
                )
            elif blank and command.name == name.lower():
                for choice in command.complete(rest):
                    if choice.startswith(rest):
                        yield Completion(choice, start_position=-len(rest))
