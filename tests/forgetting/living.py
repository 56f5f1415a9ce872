"""A live session over a scripted model: what a person types, and what goes over the wire."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

from catmem import providers
from catmem.app.run import Options, find_place
from catmem.app.session import LiveSession
from catmem.commands import Commands, Invocation
from catmem.events import Approval, ApprovalAnswer, ApprovalRequest, Event, ToolCallFinished
from catmem.messages import Message, Origin, Role, TextPart, user_message
from tests.support.model_server import ModelServer
from tests.support.pipeline import PipelineRouter
from tests.support.reply import Reply, Wire

MODEL = {"messages": "claude-sonnet-4-6", "chat": "any", "responses": "gpt-5.1"}


class Person:
    """Answers questions as told; keeps what was asked and shown.

    ``declines`` is what a yes-or-no question must hold to get a no.
    """

    def __init__(self) -> None:
        self.answers: list[Approval] = []
        self.asked: list[ApprovalRequest] = []
        self.questions: list[str] = []
        self.printed: list[str] = []
        self.declines: str | None = None

    async def ask(self, request: ApprovalRequest) -> Approval:
        self.asked.append(request)
        return self.answers.pop(0)

    def write(self, text: str) -> None:
        self.printed.append(text)

    async def confirm(self, question: str) -> bool:
        self.questions.append(question)
        return self.declines is None or self.declines not in question

    async def run_program(self, command: Sequence[str]) -> int | None:
        return None


class Living:
    """One session; ``close`` it as the program would, learning at the end."""

    def __init__(self, server: ModelServer, wire: Wire = "chat", mode: str = "ask") -> None:
        flags: dict[str, str | bool] = {
            "provider": "anthropic" if wire == "messages" else "openai",
            "model": MODEL[wire],
            "permissions.mode": mode,
        }
        if wire != "messages":
            flags["providers.openai.api"] = wire
        self.place = find_place(Options(flags=flags))
        environ = {
            "ANTHROPIC_API_KEY": "test",
            "ANTHROPIC_BASE_URL": server.url,
            "OPENAI_API_KEY": "test",
            "OPENAI_BASE_URL": f"{server.url}/v1",
        }
        self.server = server
        self.person = Person()
        provider = providers.create(self.place.settings, self.place.paths, environ)
        self.live = LiveSession(self.place, provider, self.person)

    @property
    def transcript(self) -> Path:
        return self.live.agent.session.path

    async def say(self, text: str, *data: TextPart) -> list[Event]:
        """Type a message and wait for the turn's end."""
        message = Message(Role.USER, (*user_message(text).parts, *data))
        return [event async for event in self.live.run_turn(message)]

    async def command(self, line: str) -> str:
        """Type a slash command; return what it printed."""
        commands = Commands()
        commands.add(*self.live.memory.commands)
        parsed = commands.parse(line)
        assert isinstance(parsed, Invocation), line
        before = len(self.person.printed)
        await parsed.command.run(parsed.rest, self.person)
        return "\n".join(self.person.printed[before:])

    async def close(self, *, learn: bool = True) -> str:
        """End the session; return what was learned."""
        line = ""
        if learn:
            line = await self.live.memory.at_exit(lambda _stage: None, asyncio.Event())
        await self.live.close()
        return line


def yes() -> Approval:
    return Approval(ApprovalAnswer.ONCE)


def from_file(text: str) -> TextPart:
    """What an @file brings into a message: data."""
    return TextPart(f"\n{text}", Origin.FILE)


def results(events: Sequence[Event]) -> list[tuple[str, str]]:
    """Return (status, text) of the calls in a turn."""
    found = [event.result for event in events if isinstance(event, ToolCallFinished)]
    return [(result.status, result.text) for result in found]


def on_the_wire(server: ModelServer, number: int = -1) -> str:
    """Return a whole chat request as text, Chinese as it is."""
    return json.dumps(server.chats[number].body, ensure_ascii=False)


def scripted(one: Living, *replies: Reply) -> None:
    """Let the model answer the next requests so."""
    one.server.script.extend(replies)


def router(one: Living) -> PipelineRouter:
    """What the memory pipeline is answered."""
    assert isinstance(one.server.router, PipelineRouter)
    return one.server.router
