"""An agent over a scripted model, for tests of the loop without a terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from catmem import providers
from catmem.agent.executor import Executor
from catmem.agent.loop import Agent
from catmem.config import Settings
from catmem.config.schema import NetworkSettings
from catmem.events import (
    Action,
    ActionKind,
    Approval,
    ApprovalAnswer,
    ApprovalRequest,
    Event,
    ToolCallFinished,
)
from catmem.hooks import Hooks
from catmem.messages import ToolSpec, user_message
from catmem.paths import find_paths
from catmem.permissions import PermissionMode
from catmem.sessions import Session
from catmem.tools.base import ToolError, ToolOutput
from tests.support.model_server import ModelServer
from tests.support.reply import Wire


@dataclass
class Note:
    """A tool that notes what happens to it; ``wait`` makes it wait until it is cancelled."""

    name: str
    read_only: bool
    log: list[str]
    delay: float = 0
    raises: Exception | None = None
    wait: bool = False
    plan_error: str = ""
    started: asyncio.Event = field(default_factory=asyncio.Event)
    spec: ToolSpec = field(init=False)

    def __post_init__(self) -> None:
        properties = {"text": {"type": "string"}}
        schema = {
            "type": "object",
            "properties": properties,
            "required": ["text"],
            "additionalProperties": False,
        }
        self.spec = ToolSpec(self.name, f"Notes a text ({self.name}).", schema)

    def subject(self, arguments: Mapping[str, Any]) -> str:
        return str(arguments["text"])

    async def plan(self, arguments: Mapping[str, Any]) -> Action:
        if self.plan_error:
            raise ToolError(self.plan_error)
        kind = ActionKind.READ if self.read_only else ActionKind.EXECUTE
        return Action(self.name, kind, str(arguments["text"]), session_key=self.name)

    async def run(self, arguments: Mapping[str, Any], emit: Callable[[str], None]) -> ToolOutput:
        text = str(arguments["text"])
        self.log.append(f"begin {text}")
        emit(f"working on {text}")
        self.started.set()
        if self.raises is not None:
            raise self.raises
        await asyncio.sleep(3600 if self.wait else self.delay)
        self.log.append(f"end {text}")
        return ToolOutput(f"noted {text}")


class Answers:
    """An approver with prepared answers; ``questions`` keeps what it was asked."""

    def __init__(self, *answers: Approval) -> None:
        self.answers = list(answers)
        self.questions: list[str] = []
        self.asked = asyncio.Event()

    async def ask(self, request: ApprovalRequest) -> Approval:
        self.questions.append(request.action.subject)
        self.asked.set()
        if not self.answers:
            await asyncio.sleep(3600)
        return self.answers.pop(0)


YES, NO = Approval(ApprovalAnswer.ONCE), Approval(ApprovalAnswer.DENY)


class Conversation:
    """An agent, its tools and everything it did."""

    def __init__(
        self,
        server: ModelServer,
        wire: Wire,
        folder: Path,
        *answers: Approval,
        mode: PermissionMode = PermissionMode.ASK,
        step_limit: int = 50,
        idle_seconds: float = 5,
        retries: int = 0,
    ) -> None:
        self.log: list[str] = []
        self.look = Note("look", read_only=True, log=self.log)
        self.act = Note("act", read_only=False, log=self.log)
        self.approver = Answers(*answers)
        self.hooks = Hooks()
        environ, settings = _environment(server, wire)
        network = NetworkSettings(idle_seconds=idle_seconds, retries=retries)
        settings = replace(settings, network=network, model="fake")
        paths = find_paths(folder, {"HOME": str(folder / "home")})
        self.provider = providers.create(settings, paths, environ)
        self.agent = Agent(
            session=Session(paths.sessions, folder),
            provider=self.provider,
            executor=Executor(
                (self.look, self.act), hooks=self.hooks, approver=self.approver, mode=mode
            ),
            hooks=self.hooks,
            system=("You are a test.",),
            step_limit=step_limit,
        )

    async def say(self, text: str) -> list[Event]:
        """Run a turn to its end; return its events."""
        return [event async for event in self.agent.run_turn(user_message(text))]

    async def interrupt_when(self, ready: asyncio.Event, text: str) -> list[Event]:
        """Run a turn and interrupt it once ``ready`` is set."""
        task = asyncio.create_task(self.say(text))
        await ready.wait()
        task.cancel()
        return await task

    async def close(self) -> None:
        await self.provider.aclose()


def _environment(server: ModelServer, wire: Wire) -> tuple[dict[str, str], Settings]:
    settings = Settings()
    if wire == "messages":
        environ = {"ANTHROPIC_API_KEY": "test", "ANTHROPIC_BASE_URL": server.url}
        return environ, replace(settings, provider="anthropic")
    environ = {"OPENAI_API_KEY": "test", "OPENAI_BASE_URL": f"{server.url}/v1"}
    openai = replace(settings.providers.openai, api=wire)
    return environ, replace(
        settings, provider="openai", providers=replace(settings.providers, openai=openai)
    )


def results(events: list[Event]) -> list[tuple[str, str]]:
    """Return (status, text) of the finished calls, in the order in which they finished."""
    finished = [event.result for event in events if isinstance(event, ToolCallFinished)]
    return [(result.status, result.text) for result in finished]
