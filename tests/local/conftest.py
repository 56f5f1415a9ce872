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

    def script(self, *replies: Any, **faults: str) -> None:
        self.path.write_text(json.dumps({**faults, "replies": replies}))

    @property
    def wire(self) -> list[tuple[str, dict[str, Any]]]:
        """All requests in order: what each was for, as "chat 0" (the slot), and its body."""
        log = self.path.with_suffix(".requests")
        lines = log.read_text().splitlines() if log.exists() else []
        return [purpose(json.loads(line)) for line in lines]

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The bodies of those that wanted an answer."""
        return [body for what, body in self.wire if what.startswith(("chat", "label"))]

    @property
    def order(self) -> list[str]:
        """What the requests were for."""
        return [what for what, _ in self.wire]


def purpose(request: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    path, body = request["path"], request["body"]
    if path.startswith("/slots/"):
        slot, _, action = path.removeprefix("/slots/").partition("?action=")
        return f"{action} {slot}", body
    kind = "label" if body.get("logprobs") else "read" if body.get("max_tokens") == 1 else "chat"
    return f"{kind} {body.get('id_slot')}", body


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
