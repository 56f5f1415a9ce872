"""Running a conversation: interactive, or one turn with ``-p``; and how each of them ends."""

from __future__ import annotations

import asyncio
import importlib
import os
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from catmem import __version__, log, providers, storage, ui
from catmem.app import trusting
from catmem.app.learning import learn_at_exit
from catmem.app.old_sessions import delete_old_sessions
from catmem.app.preparing import Busy, ErrorLines, prepare, report_to
from catmem.app.session import LiveSession, Place
from catmem.app.slash import session_commands
from catmem.commands import Commands
from catmem.config import load_settings
from catmem.errors import ExitCode, NoProviderError, UsageError
from catmem.events import DenyAll
from catmem.messages import Message, Origin, Role, TextPart
from catmem.paths import find_paths
from catmem.providers.base import Preparing, Provider
from catmem.text import set_language, t
from catmem.ui.headless import Headless
from catmem.ui.ports import ExitReason, Interface, Setup, Status

_NOBODY = "Nobody can be asked: catmem runs without a terminal (-p)."


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line asked for; ``flags`` are settings by dotted name."""

    prompt: str | None = None
    output_format: str = "text"
    config_file: Path | None = None
    flags: Mapping[str, str | bool] = field(default_factory=dict)


def run(options: Options) -> int:
    """Run a conversation and return the exit code.

    Raises:
        CatmemError: it cannot begin: usage, configuration, no provider.
    """
    place = find_place(options)
    if options.prompt is not None:
        message = _headless_message(options.prompt)
        return asyncio.run(_one_turn(place, _provider(place), message, options.output_format))
    try:
        provider = _provider(place)
    except NoProviderError:
        # a configuration file without a provider is its owner's choice: say what is missing
        if not _at_terminal() or place.paths.config_file.exists():
            raise
        importlib.import_module("catmem.app.first_start").choose_provider(place)
        place = find_place(options)
        provider = _provider(place)
    return asyncio.run(_converse(place, provider))


def find_place(options: Options, *, with_project: bool = True) -> Place:
    """Return paths and settings of this run; language and log are set from them.

    ``with_project`` tells whether the project's own settings count, where they are trusted.

    Raises:
        CatmemError: the current directory is gone, or the configuration cannot be used.
    """
    environ = dict(os.environ)
    try:
        paths = find_paths(Path.cwd(), environ)
    except OSError as error:
        raise UsageError(t("cli.no_directory")) from error
    log.setup(paths.log_file)
    settings = load_settings(
        paths, environ, options.flags, options.config_file, with_project=with_project
    )
    set_language(settings.ui.language)
    return Place(paths, settings, environ, options.config_file or paths.config_file)


def _provider(place: Place) -> Provider:
    return providers.create(place.settings, place.paths, place.environ)


def _headless_message(prompt: str) -> Message:
    """Return the message of ``-p``: the PROMPT argument, then what is piped in, as data."""
    parts = [TextPart(prompt, Origin.TYPED)] if prompt.strip() else []
    piped = _piped_input()
    if piped.strip():
        parts.append(TextPart(f"\n\nPiped input:\n{piped}" if parts else piped, Origin.STDIN))
    if not parts:
        raise UsageError(t("cli.empty_prompt"))
    return Message(Role.USER, tuple(parts))


def _piped_input() -> str:
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError, AttributeError):  # standard input is closed
        return ""
    if not (stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)):
        return ""
    return sys.stdin.buffer.read().decode("utf-8-sig", "replace")


async def _one_turn(place: Place, provider: Provider, message: Message, output_format: str) -> int:
    headless = Headless(output_format)
    report_to(provider, ErrorLines())
    live = LiveSession(place, provider, DenyAll(_NOBODY))
    try:
        for notice in (*await live.open_memory(), *await trusting.left_out(live, place)):
            sys.stderr.write(notice + "\n")
        live.background.start("old sessions", delete_old_sessions(live, place))
        code = await headless.run(live, message)
        learned = await learn_at_exit(live, headless.run_exit)
        headless.finish(live.agent.session.id, {"line": learned} if learned else None)
    finally:
        await live.close()
    return code


async def _converse(place: Place, provider: Provider) -> int:
    commands = Commands()
    ready = asyncio.Event()
    live: LiveSession

    def status() -> Status:
        mode = place.settings.permissions.mode
        mode = "" if mode == "ask" else mode
        return Status(live.model, live.memories, mode=mode, busy=busy.text)

    interface = ui.open_interface(
        Setup(commands, status, place.paths.prompt_history, on_ready=ready.set)
    )
    busy = Busy(interface.refresh)
    report_to(provider, busy)
    live = LiveSession(place, provider, interface)
    live.memory.tell_with(partial(_tell, interface))
    commands.add(*live.memory.commands, *session_commands(live, commands, interface.exit))
    agent = trusting.AfterTheQuestion(live)
    live.background.start("after the start", _after_start(place, live, interface, agent, ready))
    try:
        if _at_terminal():
            interface.write(t("cli.banner", version=__version__, model=live.model))
        reason = await interface.run(agent)
        await live.background.close()
        await learn_at_exit(live, interface.run_exit)
    finally:
        await live.close()
    return ExitCode.INTERRUPTED if reason is ExitReason.SIGNAL else ExitCode.DONE


async def _after_start(
    place: Place,
    live: LiveSession,
    interface: Interface,
    gate: trusting.AfterTheQuestion,
    ready: asyncio.Event,
) -> None:
    """What must not delay the first prompt: slow imports, warnings, what sessions left behind."""
    await ready.wait()
    try:
        for notice in await live.open_memory():
            _tell(interface, notice)
        if _at_terminal():
            await trusting.ask(live, place, interface)
        else:
            for line in await trusting.left_out(live, place):
                _tell(interface, line)
    finally:
        gate.decided.set()
    if problem := await prepare(live):
        _tell(interface, problem)
    await asyncio.to_thread(storage.load_locks)
    live.background.start("old sessions", delete_old_sessions(live, place))
    for line in await live.memory.recover():
        _tell(interface, line)
    if isinstance(live.agent.provider, Preparing):
        await live.memory.read_ahead()


def _tell(interface: Interface, line: str) -> None:
    if _at_terminal():
        interface.write(line)
    else:
        sys.stderr.write(line + "\n")


def _at_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()
