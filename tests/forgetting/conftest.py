from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from tests.forgetting.living import Living
from tests.memory_pipeline.conftest import learner
from tests.memory_store.conftest import paths, stores
from tests.support.model_server import ModelServer
from tests.support.pipeline import PipelineRouter
from tests.support.reply import Wire

__all__ = ["learner", "paths", "stores"]


@pytest.fixture
async def living(
    workspace: Path,
    model: Callable[..., ModelServer],
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[Callable[..., Living]]:
    monkeypatch.chdir(workspace)
    server = model(router=PipelineRouter())
    opened: list[Living] = []

    def start(wire: Wire = "chat", mode: str = "ask") -> Living:
        opened.append(Living(server, wire, mode))
        return opened[-1]

    yield start
    for one in opened:
        await one.close(learn=False)
