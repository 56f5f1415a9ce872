from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FAKE = Path(__file__).with_name("fake_engine")
ROOT = Path(__file__).parents[2]


class FakeEngine:
    """The script of the engine's stand-in, and what it was asked."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def script(self, *replies: Any, load: str = "ok") -> None:
        self.path.write_text(json.dumps({"load": load, "replies": replies}))

    @property
    def requests(self) -> list[dict[str, Any]]:
        log = self.path.with_suffix(".requests")
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeEngine:
    """A stand-in for the native engine, for this process and those it starts."""
    fake = FakeEngine(tmp_path / "script.json")
    fake.script()
    paths = [str(FAKE), str(ROOT), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
    monkeypatch.setenv("FAKE_ENGINE", str(fake.path))
    monkeypatch.syspath_prepend(str(FAKE))
    return fake


@pytest.fixture
def model_file(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.gguf"
    path.write_bytes(b"GGUF")
    return path


Say = Callable[..., str]
