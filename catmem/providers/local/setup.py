"""Building the provider ``local`` from settings: which model file, how large a context."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable
from pathlib import Path

from catmem.config import Settings
from catmem.errors import ConfigError
from catmem.paths import Paths
from catmem.providers.local.engine.machine import threads_to_use
from catmem.providers.local.engine.process import Engine, Launch
from catmem.providers.local.errors import WeightsError
from catmem.providers.local.provider import ChatServer, LocalProvider
from catmem.providers.local.weights import obtain as weights
from catmem.providers.local.weights.parts import MODEL
from catmem.text import t

LOG_FILE = "local-server.log"


def build(settings: Settings, paths: Paths) -> LocalProvider:
    """Return the provider; nothing is fetched or started before it is used.

    Raises:
        ConfigError: ``model_path`` names no file.
    """
    chosen = settings.providers.local
    context, wanted_threads = chosen.context_tokens, chosen.threads
    own_file = Path(chosen.model_path).expanduser() if chosen.model_path else None
    if own_file is not None and not own_file.is_file():
        raise ConfigError(t("local.no_model_file", path=own_file))

    async def prepare(say: Callable[[str], None], *, may_fetch: bool) -> Engine:
        if own_file is None and not may_fetch and weights.bytes_missing(paths.models):
            raise WeightsError(t("local.not_fetched"))
        path = own_file or await weights.obtain(paths.models, lambda at: say(_sentence(at)))
        cores: int = await asyncio.to_thread(threads_to_use)
        launch = Launch(path, context, wanted_threads or cores, paths.slot_states)
        return Engine(launch, paths.log_file.with_name(LOG_FILE))

    return LocalProvider(prepare, _connect, paths.cwd, model=own_file.stem if own_file else MODEL)


def _connect(address: str, key: str) -> ChatServer:
    module = importlib.import_module("catmem.providers.local.engine.connect")
    server: ChatServer = module.connect(address, key)
    return server


def _sentence(progress: weights.Progress) -> str:
    if progress.verifying:
        return t("local.verifying")
    left = progress.seconds_left
    return t(
        "local.fetching",
        percent=f"{100 * progress.done / progress.total:.0f}",
        total=_size(progress.total),
        rate=f"{_size(progress.rate)}/s",
        left=t("local.unknown_time") if left is None else f"{left // 60:.0f}:{left % 60:02.0f}",
    )


def _size(size: float) -> str:
    if size >= 1_000_000_000:
        return f"{size / 1_000_000_000:.1f} GB"
    return f"{size / 1_000_000:.1f} MB"
