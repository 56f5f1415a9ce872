from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from catmem import providers
from catmem.config.schema import (
    MemorySettings,
    NetworkSettings,
    OpenAISettings,
    ProvidersSettings,
    Settings,
)
from catmem.hooks import Hooks
from catmem.memory.lifecycle.occasions import MemoryLifecycle
from catmem.memory.pipeline.choice import ExtractorChoice
from catmem.memory.pipeline.journal import Journal
from catmem.memory.pipeline.manager import MemoryManager
from catmem.memory.setup import Memory, build
from catmem.memory.store.stores import Stores, open_stores
from catmem.messages import Message
from catmem.paths import Paths, find_paths
from catmem.providers.base import Provider
from catmem.sessions import Session
from tests.support.model_server import ModelServer
from tests.support.pipeline import PipelineRouter


class _Console:
    """A console that keeps what is printed and answers every question with yes."""

    def __init__(self, shown: list[str]) -> None:
        self._shown = shown

    def write(self, text: str) -> None:
        self._shown.append(text)

    async def confirm(self, question: str) -> bool:
        return True

    async def run_program(self, command: Sequence[str]) -> int | None:
        return None


@dataclass
class Learner:
    """The memory of one project on a scripted model, and what it has shown."""

    paths: Paths
    server: ModelServer
    router: PipelineRouter
    settings: MemorySettings = field(default_factory=MemorySettings)
    network: NetworkSettings = field(default_factory=lambda: NetworkSettings(retries=0))
    providers: list[Provider] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)

    def provider(self) -> Provider:
        settings = Settings(
            provider="openai",
            model="scripted",
            network=self.network,
            providers=ProvidersSettings(
                openai=OpenAISettings(base_url=f"{self.server.url}/v1", api="chat")
            ),
        )
        environ = {**os.environ, "OPENAI_API_KEY": "test"}
        self.providers.append(providers.create(settings, self.paths, environ, purpose="memory"))
        return self.providers[-1]

    def session(self, *messages: Message) -> Session:
        """A session of this project in which these messages were said."""
        session = Session(self.paths.sessions, self.paths.workspace)
        for message in messages:
            session.append(message)
        return session

    def memory(self, session: Session, hooks: Hooks | None = None, **settings: object) -> Memory:
        return build(
            paths=self.paths,
            settings=replace(self.settings, **settings),  # type: ignore[arg-type]  # test values
            session=session,
            hooks=hooks or Hooks(),
            provider=self.provider,
        )

    async def say(self, memory: Memory, words: str) -> None:
        """Type /memory with these words; what it prints is in ``shown``."""
        command = next(one for one in memory.commands if one.name == "memory")
        await command.run(words, _Console(self.shown))

    def lifecycle(self) -> MemoryLifecycle:
        """A lifecycle as another process would have it."""
        manager = MemoryManager(self.stores, self.journal, self.settings)
        return MemoryLifecycle(
            manager, self.settings, self.paths.sessions, self.provider, ExtractorChoice()
        )

    @property
    def stores(self) -> Stores:
        return open_stores(self.paths)

    @property
    def journal(self) -> Journal:
        return Journal(self.paths.journal)

    def let_time_pass(self, **by: float) -> None:
        """Move everything in the journal into the past (``hours=1``)."""
        records = [json.loads(line) for line in self.paths.journal.read_text("utf-8").splitlines()]
        for record in records:
            record["at"] = (datetime.fromisoformat(record["at"]) - timedelta(**by)).isoformat()
        self.paths.journal.write_text("".join(json.dumps(one) + "\n" for one in records), "utf-8")

    def files(self) -> dict[str, str]:
        """Every entry file by its path below the user's and the project's home."""
        roots = [root for root in (self.paths.user_memory, self.paths.project_memory) if root]
        return {
            f"{root.parent.parent.name}/{path.name}": path.read_text("utf-8")
            for root in roots
            for path in sorted(root.glob("*.md"))
            if path.name != "MEMORY.md"
        }

    def names(self) -> list[str]:
        return [entry.name for entry in self.stores.load_all()]


@pytest.fixture
async def learner(
    home: Path, workspace: Path, model: Callable[..., ModelServer]
) -> AsyncIterator[Learner]:
    router = PipelineRouter()
    paths = find_paths(workspace, os.environ)
    made = Learner(paths, model(router=router), router)
    yield made
    for provider in made.providers:
        await provider.aclose()
