"""What came with a project: asking once whether it may be used, and ``catmem trust``."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass

from catmem.app.session import LiveSession, Place
from catmem.config.project import ProjectSettings, read_project
from catmem.config.trust import RootTrust, TrustFile
from catmem.errors import ExitCode, StorageError
from catmem.events import Event
from catmem.memory import setup as memory_setup
from catmem.memory.setup import Untrusted
from catmem.messages import Message
from catmem.text import listed, t
from catmem.ui.ports import Interface

_SETTINGS_LINES = 40
_NAMES = 10


@dataclass(frozen=True, slots=True)
class Pending:
    """What is not trusted: entries of the project store, and the project's settings."""

    entries: Sequence[Untrusted] = ()
    settings: ProjectSettings | None = None

    def __bool__(self) -> bool:
        return bool(self.entries) or self.settings is not None

    @property
    def digests(self) -> list[str]:
        """Of all of it."""
        found = [entry.digest for entry in self.entries]
        return found if self.settings is None else [*found, self.settings.digest]

    def question(self) -> str:
        """Return the question whether it may be used."""
        count = len(self.entries)
        if self.settings is None:
            return t("cli.trust.ask_entries", count=count)
        if not count:
            return t("cli.trust.ask_settings")
        return t("cli.trust.ask_both", count=count)

    def details(self) -> str:
        """Return what it says, for the person who decides."""
        blocks = [memory_setup.shown_untrusted(self.entries)] if self.entries else []
        if self.settings is not None:
            lines = self.settings.text.splitlines()
            shown = [f"    {line}" for line in lines[:_SETTINGS_LINES]]
            if (more := len(lines) - _SETTINGS_LINES) > 0:
                shown.append(f"    {t('ui.more_lines', count=more)}")
            blocks.append("\n".join([self.settings.name, *shown]))
        return "\n\n".join(blocks)

    def left_out(self) -> list[str]:
        """Return the lines that tell somebody who cannot be asked."""
        lines = [t("cli.trust.left_out", count=len(self.entries))] if self.entries else []
        if self.settings is not None:
            lines.append(t("cli.trust.ignored", name=self.settings.name))
        return lines


class ProjectTrust:
    """Decisions about one project; ``untrusted`` returns its entries that are not trusted."""

    def __init__(self, place: Place, untrusted: Callable[[], Sequence[Untrusted]]) -> None:
        root = place.paths.memory_root
        self._place = place
        self._untrusted = untrusted
        self._file = TrustFile(place.paths.trust, root) if root is not None else None

    def pending(self, *, declined: bool = False) -> Pending:
        """Return what is not trusted; what was declined only where it is asked for."""
        if self._file is None:
            return Pending()
        settings, entries = read_project(self._place.paths), self._untrusted()
        known = self._file.read()
        no = set() if declined else set(known.declined)
        if settings is not None and settings.digest in {*known.settings, *no}:
            settings = None
        return Pending([entry for entry in entries if entry.digest not in no], settings)

    def trust(self, pending: Pending) -> None:
        """Trust exactly this content from now on.

        Raises:
            StorageError: it cannot be noted.
        """
        entries = [entry.digest for entry in pending.entries]
        settings = [pending.settings.digest] if pending.settings is not None else []
        self._change(lambda known: known.trusting(entries, settings))

    def decline(self, pending: Pending) -> None:
        """Ask about exactly this content no more.

        Raises:
            StorageError: it cannot be noted.
        """
        self._change(lambda known: known.declining(pending.digests))

    def revoke(self) -> bool:
        """Forget every decision about this project; tell whether there was any.

        Raises:
            StorageError: it cannot be noted.
        """
        if self._file is None or self._file.read() == self._file.read().forgetting():
            return False
        self._change(RootTrust.forgetting)
        return True

    def _change(self, make: Callable[[RootTrust], RootTrust]) -> None:
        if self._file is not None:
            self._file.change(make)


class AfterTheQuestion:
    """The agent for the interface: a turn begins when what came with the project is decided on."""

    def __init__(self, live: LiveSession) -> None:
        self._live = live
        self.decided = asyncio.Event()

    async def run_turn(self, message: Message) -> AsyncIterator[Event]:
        """Answer ``message``; see ``LiveSession.run_turn``."""
        await self.decided.wait()
        async for event in self._live.run_turn(message):
            yield event


async def ask(live: LiveSession, place: Place, interface: Interface) -> None:
    """Ask the person about what came with the project, if there is something to decide."""
    trust = ProjectTrust(place, live.memory.untrusted)
    pending = await asyncio.to_thread(trust.pending)
    if not pending:
        return
    answer = await interface.decide(pending.question(), pending.details())
    try:
        if answer is None:
            interface.write(t("cli.trust.later"))
        elif answer:
            await asyncio.to_thread(trust.trust, pending)
            interface.write("\n".join(_trusted(pending)))
            await asyncio.to_thread(live.memory.count)  # the toolbar shows what was read last
            interface.refresh()
        else:
            await asyncio.to_thread(trust.decline, pending)
            interface.write(t("cli.trust.declined"))
    except StorageError as error:
        interface.write(str(error))


async def left_out(live: LiveSession, place: Place) -> list[str]:
    """Return what to tell where nobody can be asked."""
    trust = ProjectTrust(place, live.memory.untrusted)
    return (await asyncio.to_thread(trust.pending)).left_out()


def carry_out(place: Place, *, revoke: bool) -> int:
    """Carry out ``catmem trust``: trust what is here now, or forget it; return the exit code.

    Raises:
        StorageError: the decision cannot be noted.
    """
    trust = ProjectTrust(place, lambda: memory_setup.untrusted(place.paths, place.settings.memory))
    if revoke:
        said = "cli.trust.revoked" if trust.revoke() else "cli.trust.nothing"
        sys.stdout.write(t(said) + "\n")
        return ExitCode.DONE
    pending = trust.pending(declined=True)
    if pending:
        trust.trust(pending)
    sys.stdout.write("\n".join(_trusted(pending) or [t("cli.trust.nothing")]) + "\n")
    return ExitCode.DONE


def _trusted(pending: Pending) -> list[str]:
    some = [entry.name for entry in pending.entries[:_NAMES]]
    more = len(pending.entries) - len(some)
    names = listed([*some, *([f"+{more}"] if more else [])])
    lines = [t("cli.trust.entries", count=len(pending.entries), names=names)] if names else []
    if pending.settings is not None:
        lines.append(t("cli.trust.settings", name=pending.settings.name))
    return lines
