"""``/memory`` and ``/remember`` of a running session, put together from the commands' modules."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from catmem.commands import Console
from catmem.memory.commands.changing.slash import changing_commands, remember
from catmem.memory.commands.forgetting import Forgetting
from catmem.memory.commands.learning import Learn, LearnAll
from catmem.memory.commands.past.slash import past_commands
from catmem.memory.commands.slash import MemoryCommand, entry_commands
from catmem.memory.commands.status import Facts, retry_command, status_command
from catmem.memory.commands.switching import Switch, switch_commands
from catmem.memory.store.entry import Entry
from catmem.memory.store.stores import Stores
from catmem.sessions import Session

if TYPE_CHECKING:
    from catmem.memory.pipeline.forgetting.forgetter import Forgetter
    from catmem.memory.pipeline.overview import Overview


@dataclass(frozen=True)
class SessionCommands:
    """The commands of a session.

    Attributes:
        editor: the command line of the person's editor.
        switch: what /memory off and on switch.
        overview: tells what waits and what failed.
        forget_window: lets what was said so far count as dealt with.
        withhold: takes entries out of what this session sends.
        learn, retry: run the pipeline; they take where to show its stages.
    """

    stores: Stores
    session: Session
    trigger: str
    editor: str
    switch: Switch
    overview: Callable[[], Overview]
    forget_window: Callable[[], None]
    forgetter: Callable[[], Forgetter]
    withhold: Callable[[Sequence[Entry]], Awaitable[None]]
    learn: Learn
    retry: LearnAll

    @cached_property
    def memory(self) -> MemoryCommand:
        """``/memory`` with everything that may follow it."""
        stores, session = self.stores, self.session
        forgetting = Forgetting(stores, self.forgetter, session.id, session.path, self.withhold)
        facts = Facts(
            stores, self.trigger, self.overview, lambda: not self.switch.is_off, session.id
        )
        return MemoryCommand(
            self.learn,
            [
                *entry_commands(stores, forgetting, self.forget_window),
                *past_commands(stores),
                *changing_commands(stores, self.editor, self._is_off),
                *switch_commands(self.switch),
                retry_command(self.retry),
                status_command(facts),
            ],
        )

    async def remember(self, rest: str, console: Console) -> None:
        """Do what follows ``/remember``."""
        await remember(self.stores, self._is_off, rest, console)

    def _is_off(self) -> bool:
        return self.switch.is_off
