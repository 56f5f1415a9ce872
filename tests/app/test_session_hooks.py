from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from catmem import providers
from catmem.app.run import Options, find_place
from catmem.app.session import LiveSession
from catmem.app.slash import session_commands
from catmem.commands import Commands
from catmem.events import DenyAll
from catmem.messages import Message, user_message

pytestmark = pytest.mark.anyio


class Silent:
    """A console that nobody reads."""

    def write(self, text: str) -> None: ...

    async def confirm(self, question: str) -> bool:
        return False

    async def run_program(self, command: Sequence[str]) -> int | None:
        return None


@pytest.fixture
def live(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> LiveSession:
    monkeypatch.chdir(workspace)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    place = find_place(Options(flags={"provider": "openai", "model": "any"}))
    provider = providers.create(place.settings, place.paths, place.environ)
    return LiveSession(place, provider, DenyAll(""))


async def test_the_end_of_a_session_reaches_every_hook(live: LiveSession) -> None:
    told: list[str] = []

    async def broken() -> None:
        raise RuntimeError("broken hook")

    async def note() -> None:
        told.append("end")

    live.agent.hooks.session_end += [broken, note]
    live.agent.session.append(user_message("hi"))
    await live.close()

    assert told == ["end"]
    assert not live.agent.session.path.with_suffix(".lock").exists()  # all else was freed too


async def test_clear_tells_the_hooks_which_messages_leave(live: LiveSession) -> None:
    left: list[Sequence[Message]] = []

    async def note(messages: Sequence[Message]) -> None:
        left.append(messages)

    live.agent.hooks.before_compaction.append(note)
    message = live.agent.session.append(user_message("hi"))
    commands = Commands()
    commands.add(*session_commands(live, commands, lambda: None))
    clear = next(command for command in commands.all() if command.name == "clear")
    await clear.run("", Silent())
    await live.close()

    assert left == [(message,)]
    assert live.agent.session.messages == ()
