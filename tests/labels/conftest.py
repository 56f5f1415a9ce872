from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
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
from catmem.memory.pipeline.choice import Choice, ExtractorChoice
from catmem.memory.pipeline.extraction import Extractor
from catmem.memory.pipeline.journal import Journal
from catmem.memory.pipeline.labels.extractor import LabelExtractor
from catmem.memory.pipeline.manager import MemoryManager, Occasion
from catmem.memory.pipeline.report import Report
from catmem.memory.store.entry import Entry
from catmem.memory.store.stores import open_stores
from catmem.messages import Message, user_message
from catmem.paths import Paths, find_paths
from catmem.providers.base import LabelModel, Provider
from catmem.sessions import Session
from tests.labels.label_server import LabelServer


@dataclass
class Learner:
    """The pipeline on a server that labels sentences, in a store of its own."""

    paths: Paths
    server: LabelServer
    provider: Provider
    choice: Choice
    session: Session = field(init=False)

    def __post_init__(self) -> None:
        self.session = Session(self.paths.sessions, self.paths.workspace)
        self.manager = MemoryManager(
            open_stores(self.paths), self.journal, MemorySettings(), self.choice
        )

    @property
    def journal(self) -> Journal:
        return Journal(self.paths.journal)

    def says(self, *texts: str | Message) -> None:
        for text in texts:
            self.session.append(user_message(text) if isinstance(text, str) else text)

    async def learn(self, *texts: str | Message) -> Report:
        self.says(*texts)
        messages = self.session.messages
        return await self.manager.run(
            self.session.id, messages, Occasion.EXIT, self.provider, lambda _: None
        )

    def entries(self) -> list[Entry]:
        return sorted(open_stores(self.paths).load_all(), key=lambda entry: entry.content)

    def stored(self) -> list[tuple[str, str]]:
        """Type and text of each entry."""
        return [(entry.type, entry.content.strip()) for entry in self.entries()]


@pytest.fixture
def server() -> Iterator[LabelServer]:
    with LabelServer() as running:
        yield running


def _labels(provider: Provider, _max_tokens: int, _budget: int) -> Extractor:
    assert isinstance(provider, LabelModel)
    return LabelExtractor(provider, _answers)


_answers: dict[str, Mapping[str, float]] = {}


@pytest.fixture
async def learner(tmp_path: Path, server: LabelServer) -> AsyncIterator[Learner]:
    """A learner that always labels."""
    _answers.clear()
    async for made in _learner(tmp_path, server, _labels):
        yield made


@pytest.fixture
async def choosing(tmp_path: Path, server: LabelServer) -> AsyncIterator[Learner]:
    """A learner that has the product choose the extractor."""
    async for made in _learner(tmp_path, server, ExtractorChoice()):
        yield made


async def _learner(tmp_path: Path, server: LabelServer, choice: Choice) -> AsyncIterator[Learner]:
    work = tmp_path / "work"
    work.mkdir()
    environ = {"HOME": str(tmp_path), "OPENAI_API_KEY": "test"}
    paths = find_paths(work, environ)
    settings = Settings(
        provider="openai",
        model="small",
        network=NetworkSettings(retries=0),
        providers=ProvidersSettings(openai=OpenAISettings(base_url=server.url, api="chat")),
    )
    provider = providers.create(settings, paths, environ, purpose="memory")
    made = Learner(paths, server, provider, choice)
    yield made
    made.session.close()
    await provider.aclose()
