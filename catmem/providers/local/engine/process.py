"""The parent's side of the engine: start the child, know its address, notice its death, end it."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import os
import secrets
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

from catmem import log
from catmem.errors import StorageError
from catmem.providers.local.engine.server import CANNOT_IMPORT
from catmem.providers.local.errors import EngineDiedError, EngineError
from catmem.storage import lock, make_dir, reason
from catmem.text import t

SLOTS = 2
"""One for the conversation, one for the memory pipeline: neither evicts the other's cache."""
_ENVIRONMENT = {
    "GGML_NO_BACKTRACE": "1",  # else an abort starts a debugger, if there is one
    # The threads wait for each other many times a token, by default spinning: on a machine that has
    # anything else to do, each then burns its time slice while the other waits for a core.
    "GOMP_SPINCOUNT": "20000",
}
_MAX_STARTS_WITHOUT_ANSWER = 3
_EXIT_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Launch:
    """What the child needs to know.

    Attributes:
        context: in tokens, shared by all slots.
        states: the folder where states of slots are written to and read from.
    """

    model: Path
    context: int
    threads: int
    states: Path


class Engine:
    """The child process with the model; started when first needed, and again after it died.

    Attributes:
        key: the API key of this process's life, never written anywhere.
        launch: what the child was told.
        version: of the native engine; empty until the child has told it.
    """

    def __init__(
        self,
        launch: Launch,
        log_file: Path,
        command: tuple[str, ...] = ("catmem.providers.local.engine.server",),
    ) -> None:
        self.key = secrets.token_urlsafe(32)
        self.launch = launch
        self.version = ""
        self._log_file = log_file
        self._command = command
        self._process: asyncio.subprocess.Process | None = None
        self._address = ""
        self._starting = asyncio.Lock()
        self._mark = contextlib.ExitStack()
        self._starts = 0

    @property
    def pid(self) -> int | None:
        """The running child's process id."""
        return self._process.pid if self._process and self._process.returncode is None else None

    @property
    def running(self) -> bool:
        """Whether the model is loaded and its process lives."""
        return self.pid is not None and bool(self._address)

    def only_one(self) -> bool:
        """Whether no other catmem of this home runs the model; it would need its memory again."""
        self._mark.close()
        try:
            self._mark.enter_context(lock(self._log_file.with_name("local-server.lock"), 0))
        except StorageError:
            return False
        return True

    def answered(self) -> None:
        """Note that the child works; its next death is not a failed start."""
        self._starts = 0

    async def address(self) -> str:
        """Return the base URL of the running server, starting it where needed.

        Raises:
            EngineError: not installed, the model cannot be loaded, or it died too often.
            EngineDiedError: the child died while loading.
        """
        async with self._starting:
            if not self.running:
                self._address = ""
                await self._start()
            return self._address

    async def death(self) -> EngineDiedError | None:
        """Return why the child is gone, if it is; asked for when its connection was lost."""
        process = self._process
        if process is None:
            return None
        with contextlib.suppress(TimeoutError):  # a lost connection is news before the exit is
            await asyncio.wait_for(process.wait(), _EXIT_SECONDS)
        if process.returncode is None:
            return None
        return EngineDiedError(t("local.died", how=_how(process.returncode), log=self._log_file))

    async def aclose(self) -> None:
        """End the child; nothing of it is left when this returns."""
        self._mark.close()
        process, self._process, self._address = self._process, None, ""
        if process is None or process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # it has nothing to lose
        await process.wait()

    async def _start(self) -> None:
        if importlib.util.find_spec("xllamacpp") is None:
            raise EngineError(t("local.not_installed", python=sys.executable))
        if self._starts >= _MAX_STARTS_WITHOUT_ANSWER:
            raise EngineError(t("local.keeps_dying", count=self._starts, log=self._log_file))
        self._starts += 1
        process = self._process = await self._spawn()
        try:
            self._address = await self._first_answer(process)
        finally:
            if not self._address:
                await self.aclose()
        log.info(f"embedded model: process {process.pid} serves {self.launch.model.name}")

    async def _spawn(self) -> asyncio.subprocess.Process:
        make_dir(self._log_file.parent)
        try:
            with self._log_file.open("wb") as output:  # one run's log is enough
                return await asyncio.create_subprocess_exec(
                    *(sys.executable, "-P", "-m", *self._command),
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=output,
                    cwd=self._log_file.parent,
                    env={**_ENVIRONMENT, **os.environ},
                    start_new_session=True,  # the terminal's Ctrl+C is not for it
                )
        except OSError as error:
            raise EngineError(t("local.cannot_start", reason=reason(error))) from error

    async def _first_answer(self, process: asyncio.subprocess.Process) -> str:
        """Hand over the launch, wait until the model is loaded, return the server's address."""
        assert process.stdin is not None  # noqa: S101 - both pipes were asked for in _spawn
        assert process.stdout is not None  # noqa: S101 - see above
        launch = {
            "model": str(self.launch.model),
            "context": self.launch.context,
            "threads": self.launch.threads,
            "states": str(self.launch.states),
            "slots": SLOTS,
            "key": self.key,
        }
        with contextlib.suppress(ConnectionError):  # dead already: the read below tells
            process.stdin.write(json.dumps(launch).encode() + b"\n")
            await process.stdin.drain()
        line = await process.stdout.readline()
        if not line:
            code = await process.wait()
            raise EngineDiedError(t("local.died_loading", how=_how(code), log=self._log_file))
        answer = json.loads(line)
        if "address" in answer:
            self.version = str(answer["version"])
            return str(answer["address"])
        if answer["error"] == CANNOT_IMPORT:
            raise EngineError(_import_sentence(answer["detail"]))
        raise EngineError(t("local.cannot_load", path=self.launch.model, log=self._log_file))


def _how(code: int) -> str:
    if code >= 0:
        return t("local.exit_code", code=code)
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = str(-code)
    return t("local.signal", name=name)


def _import_sentence(detail: str) -> str:
    if "libgomp" in detail:
        return t("local.needs_libgomp")
    return t("local.cannot_import", reason=detail)
