"""One live session: the parts that a conversation needs, built from settings and kept together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from catmem import __version__, providers
from catmem.agent.executor import Executor
from catmem.agent.loop import Agent
from catmem.agent.system import base_prompt
from catmem.background import Background
from catmem.config import Settings
from catmem.events import Approver, Event
from catmem.hooks import Hooks
from catmem.memory import setup as memory_setup
from catmem.messages import Message
from catmem.paths import Paths
from catmem.permissions import PermissionMode
from catmem.providers.base import Provider
from catmem.sessions import Session
from catmem.text import t
from catmem.tools.builtin import build_tools


@dataclass(frozen=True, slots=True)
class Place:
    """Where and how this run works: paths, settings, environment, and the configuration's file."""

    paths: Paths
    settings: Settings
    environ: Mapping[str, str]
    config_file: Path


def editor(environ: Mapping[str, str]) -> str:
    """Return the command line of the person's editor, empty for none."""
    return environ.get("VISUAL") or environ.get("EDITOR") or ""


class LiveSession:
    """A conversation with everything around it; the interface's ``AgentPort``.

    Attributes:
        agent: the loop, with session and provider.
        memory: the long-term memory's side of the session.
        background: tasks that end with the session.
    """

    def __init__(self, place: Place, provider: Provider, approver: Approver) -> None:
        settings = place.settings
        session = Session(place.paths.sessions, place.paths.workspace)
        hooks = Hooks()
        key_variables = (
            settings.providers.anthropic.api_key_env,
            settings.providers.openai.api_key_env,
        )
        self._place = place
        self._builtin = build_tools(place.paths, place.environ, key_variables)
        self._retired: list[Provider] = []
        self._learner: Provider | None = None
        self._opened = False
        self.background = Background()
        self.memory = memory_setup.build(
            paths=place.paths,
            settings=settings.memory,
            session=session,
            hooks=hooks,
            provider=self._learning_provider,
            editor=editor(place.environ),
        )
        self.agent = Agent(
            session=session,
            provider=provider,
            executor=Executor(
                (*self._builtin.tools, *self.memory.tools),
                hooks=hooks,
                approver=approver,
                mode=PermissionMode(settings.permissions.mode),
            ),
            hooks=hooks,
            system=(base_prompt(place.paths, date.today()),),  # noqa: DTZ011 - the user's own day
        )

    async def run_turn(self, message: Message) -> AsyncIterator[Event]:
        """Answer ``message``; see ``Agent.run_turn``."""
        async for event in self.agent.run_turn(message):
            yield event

    @property
    def model(self) -> str:
        """The model's name, or the server where that has not been asked yet which ones it has."""
        return self.agent.provider.model or self.agent.provider.server

    @property
    def memories(self) -> int | None:
        """How many entries there are; None while memory is off or not opened yet."""
        return self.memory.last_count if self._opened and self.memory.is_on else None

    async def open_memory(self) -> list[str]:
        """Read the stores for the first time; return what the person should know about them."""
        notices = await self.memory.opened()
        self._opened = self._place.settings.memory.enabled
        return notices

    def use_model(self, name: str) -> None:
        """Send the following requests to another model of the same provider."""
        place = replace(self._place, settings=replace(self._place.settings, model=name))
        provider = providers.create(place.settings, place.paths, place.environ)
        self._place = place
        self._retired.append(self.agent.provider)
        self.agent.provider = provider

    def facts(self) -> list[tuple[str, str]]:
        """Return what /status shows: (name, value) pairs."""
        paths, settings = self._place.paths, self._place.settings
        provider = self.agent.provider
        memory = self.memory.count() if self.memory.is_on else t("cli.status.off")
        return [
            (t("cli.status.version"), __version__),
            (t("cli.status.model"), self.model),
            (t("cli.status.provider"), f"{provider.name}, {provider.server}"),
            (t("cli.status.key"), provider.key_source or t("cli.status.no_key")),
            (t("cli.status.mode"), settings.permissions.mode),
            (t("cli.status.workspace"), str(paths.workspace)),
            (t("cli.status.config"), str(self._place.config_file)),
            (t("cli.status.session"), str(self.agent.session.path)),
            (t("cli.status.memory"), str(memory)),
        ]

    async def clear(self) -> None:
        """Start the conversation over; the hooks are told which messages leave the context."""
        await self.agent.hooks.run_before_compaction(self.agent.session.messages)
        self.agent.session.clear()

    async def close(self) -> None:
        """Tell the hooks that the session ends, and free what it holds.

        Transcript and memory are on disk already.
        """
        await self.agent.hooks.run_session_end()
        await self.background.close()
        await self._builtin.processes.close()
        open_providers = (*self._retired, self.agent.provider, self._learner)
        await asyncio.gather(*(one.aclose() for one in open_providers if one is not None))
        self.agent.session.close()

    def _learning_provider(self) -> Provider:
        """Return the model that learns: the conversation's, unless settings name another one."""
        memory = self._place.settings.memory
        if memory.provider is None and memory.model is None:
            return self.agent.provider
        if self._learner is None:
            place = self._place
            self._learner = providers.create(
                place.settings, place.paths, place.environ, purpose="memory"
            )
        return self._learner
