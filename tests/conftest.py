"""Fixtures for every test: a home of its own, a closed network, a scripted model, the program."""

from __future__ import annotations

import os
import pwd
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import environment
from tests.support.guard import sitecustomize
from tests.support.model_server import ModelServer, Router, StartModel
from tests.support.program import MakeProgram, Program
from tests.support.reply import WIRES, Reply, Wire

# A shell starts a job in the background with Ctrl+C ignored, which children inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)

# For the whole run and its workers, before a test module takes the date.
if not os.environ.get("TZ", "").startswith("<noon>"):
    os.environ["TZ"] = environment.noon()
time.tzset()

# Taken before any test changes HOME.
REAL_HOMES = {Path.home(), Path(pwd.getpwuid(os.getuid()).pw_dir)}
left_loopback: list[str] = []


class NetworkBlockedError(OSError):
    """A test tried to reach something other than loopback."""


def _refuse(sentence: str) -> None:
    left_loopback.append(sentence)
    raise NetworkBlockedError(sentence)


sitecustomize.install(_refuse)


@pytest.fixture
def anyio_backend() -> str:
    """Asynchronous tests run on asyncio alone."""
    return "asyncio"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty home directory; the real one may not change."""
    for name in environment.foreign(os.environ):
        monkeypatch.delenv(name)
    folder = tmp_path / "home"
    folder.mkdir()
    for name, value in environment.clean(folder).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("CATMEM_HOME", str(folder / ".catmem"))
    before = _real_files()
    yield folder
    assert _real_files() == before, "the test changed the real home directory"


@pytest.fixture(autouse=True)
def guard_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where children report tries to leave loopback; such a try, by anyone, fails the test."""
    report = tmp_path / "network-guard.txt"
    for name, value in environment.guarded(report).items():
        monkeypatch.setenv(name, value)
    left_loopback.clear()
    yield report
    tried = [*left_loopback, *(report.read_text().splitlines() if report.exists() else [])]
    assert not tried, f"something other than loopback was called: {tried}"


@pytest.fixture(autouse=True)
def check_requests() -> Iterator[None]:
    """Every request to every scripted model must have been valid and expected."""
    ModelServer.started.clear()
    yield
    violations = [line for server in ModelServer.started for line in server.violations]
    assert not violations, "\n".join(["requests that break a rule:", *violations])


@pytest.fixture
def model(check_requests: None) -> Iterator[StartModel]:
    """Starts scripted models: `model(Reply("hello"), ...)` or `model(router=...)`."""
    opened: list[ModelServer] = []

    def start(*script: Reply, router: Router | None = None) -> ModelServer:
        opened.append(ModelServer(*script, router=router).__enter__())
        return opened[-1]

    yield start
    for server in opened:
        server.__exit__(None, None, None)


@pytest.fixture(params=WIRES)
def wire(request: pytest.FixtureRequest) -> Wire:
    """Runs the test once in each wire form."""
    value: Wire = request.param
    return value


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """An empty directory to work in, not a git repository."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def program(home: Path, workspace: Path, guard_report: Path) -> Iterator[MakeProgram]:
    """Makes programs: `program(server, "chat", CATMEM_UI_LANGUAGE="zh", ...)`."""
    made: list[Program] = []

    def make(
        server: ModelServer | None = None, wire: Wire = "chat", **settings: str | None
    ) -> Program:
        made.append(Program(home, workspace, guard_report, server, wire, settings))
        return made[-1]

    yield make
    for one in made:
        one.close()


def _real_files() -> dict[str, tuple[int, int]]:
    """Time and size of everything in the caller's own `.catmem`."""
    roots = [home / ".catmem" for home in REAL_HOMES]
    found = [path for root in roots for path in (root, *root.rglob("*")) if path.exists()]
    return {str(path): (path.stat().st_mtime_ns, path.stat().st_size) for path in found}
