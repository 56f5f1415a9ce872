"""Runs the interface over a scripted agent, as a program of its own on a real terminal.

``python -P -m tests.ui.driver WORK`` with WORK a folder for history and log; what the agent was
sent is appended to WORK/sent.jsonl. The first word of a message chooses what the agent does.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from catmem import log
from catmem.commands import Command, Commands, Console
from catmem.events import (
    Action,
    ActionKind,
    ApprovalRequest,
    Event,
    MessageCompleted,
    ReasoningDelta,
    RequestRetried,
    TextDelta,
    ToolCallFinished,
    ToolCallStarted,
    ToolOutputDelta,
    TurnEnded,
    TurnEndReason,
)
from catmem.messages import Message, Role, ToolCallPart, ToolResultPart, Usage
from catmem.ui import open_interface
from catmem.ui.ports import ExitView, Interface, Setup, Status

DIFF = "--- a/notes.txt\n+++ b/notes.txt\n@@ -1 +1 @@\n-old line\n+new line\n"


class ScriptedAgent:
    """Answers by the first word of a message."""

    def __init__(self, work: Path) -> None:
        self._work = work
        self.interface: Interface | None = None

    def leave(self) -> None:
        assert self.interface is not None
        self.interface.exit()

    async def run_turn(self, message: Message) -> AsyncIterator[Event]:
        parts = [[part.text, part.origin.value] for part in message.parts]  # type: ignore[union-attr] # text only
        with (self._work / "sent.jsonl").open("a") as file:
            file.write(json.dumps(parts) + "\n")
        word = message.text.split()[0]
        try:
            async for event in getattr(self, f"_{word}", self._echo)(message.text):
                yield event
        except asyncio.CancelledError:
            yield TurnEnded(TurnEndReason.INTERRUPTED)
            return
        yield MessageCompleted(Message(Role.ASSISTANT, ()), Usage(1234, 56))
        yield TurnEnded(TurnEndReason.DONE)

    async def _echo(self, text: str) -> AsyncIterator[Event]:
        yield TextDelta(f"you said: {text}\n")

    async def _big(self, _: str) -> AsyncIterator[Event]:
        for i in range(1, 2001):
            yield TextDelta(f"- item {i:04d}: some `code`")
            yield TextDelta(" and **bold** text here\n")
            await asyncio.sleep(0)
        yield TextDelta("\nENDMARK\n")

    async def _slow(self, text: str) -> AsyncIterator[Event]:
        count = int(text.split()[1]) if len(text.split()) > 1 else 100
        for i in range(1, count + 1):
            yield TextDelta(f"- slow {i:04d}:")
            await asyncio.sleep(0.01)
            yield TextDelta(" a line of text\n")
        yield TextDelta("\nslow done\n")

    async def _partial(self, _: str) -> AsyncIterator[Event]:
        yield TextDelta("kept para\n\nunfinished sentence")
        await asyncio.sleep(30)

    async def _long(self, _: str) -> AsyncIterator[Event]:
        yield TextDelta("```python\n")
        for i in range(60):
            yield TextDelta(f"line_{i:02d} = {i}\n")
            await asyncio.sleep(0.01)
        yield TextDelta("```\n\n")
        for word in ("这是一段很长的中文，" * 40).split("，"):
            yield TextDelta(word + "，")
            await asyncio.sleep(0.01)
        yield TextDelta("\n\nthe end\n")

    async def _raw(self, text: str) -> AsyncIterator[Event]:
        yield TextDelta(bytes(text.split(" ", 1)[1], "utf-8").decode("unicode_escape"))

    async def _think(self, _: str) -> AsyncIterator[Event]:
        yield ReasoningDelta("hmm")
        await asyncio.sleep(1.5)
        yield RequestRetried(2, 3.0, "overloaded")
        await asyncio.sleep(1.5)
        yield TextDelta("thought\n")

    async def _tools(self, _: str) -> AsyncIterator[Event]:
        for name in "abc":
            yield ToolCallStarted(ToolCallPart(name, "read_file", {}), f"src/[{name}].py")
        for name in "abc":
            text = f"1 [/x] first of {name}\n2 second\n3 third\n4 fourth\n"
            yield ToolCallFinished(
                ToolResultPart(name, "read_file", text, subject=f"src/[{name}].py")
            )
        yield TextDelta("read them\n")

    async def _bash(self, _: str) -> AsyncIterator[Event]:
        yield ToolCallStarted(ToolCallPart("b", "bash", {}), "make")
        for i in range(20):
            yield ToolOutputDelta("b", f"building {i}\n")
            await asyncio.sleep(0.05)
        yield ToolCallFinished(ToolResultPart("b", "bash", "built\n", subject="make"))

    async def _ask(self, text: str) -> AsyncIterator[Event]:
        command = text.split(" ", 1)[1] if " " in text else "rm -rf build"
        action = Action("bash", ActionKind.EXECUTE, command, command, session_key=command)
        async for event in self._approve("bash", action, ""):
            yield event

    async def _edit(self, _: str) -> AsyncIterator[Event]:
        action = Action("edit_file", ActionKind.WRITE, "notes.txt", DIFF, session_key="edit_file")
        async for event in self._approve("edit_file", action, DIFF):
            yield event

    async def _approve(self, name: str, action: Action, display: str) -> AsyncIterator[Event]:
        call = ToolCallPart("c1", name, {})
        yield ToolCallStarted(call, action.subject)
        assert self.interface is not None
        approval = await self.interface.ask(ApprovalRequest(call, action))
        status = "denied" if approval.answer == "deny" else "ok"
        yield ToolCallFinished(ToolResultPart("c1", name, "done", status, action.subject), display)
        yield TextDelta(f"approval: {approval.answer.value} {approval.words!r}\n")

    async def _crash(self, _: str) -> AsyncIterator[Event]:
        yield TextDelta("before the crash\n")
        raise RuntimeError("[/red] scripted failure")


def commands(leave: Callable[[], None]) -> Commands:
    async def hello(rest: str, console: Console) -> None:
        console.write(f"hello [/b] \x1b[2Jcommand {rest}")

    async def clear(_: str, console: Console) -> None:
        console.write(f"confirmed: {await console.confirm('Clear 3 memories?')}")

    async def wait(_: str, console: Console) -> None:
        await asyncio.sleep(30)

    async def stop(_: str, console: Console) -> None:
        leave()

    async def broken(_: str, console: Console) -> None:
        raise RuntimeError("broken command")

    registry = Commands()
    registry.add(
        Command("hello", "", "ui.interrupted", hello, while_busy=True),
        Command("memory", "", "ui.interrupted", clear, lambda _: ("list", "show")),
        Command("wait", "", "ui.interrupted", wait),
        Command("exit", "", "ui.interrupted", stop, while_busy=True),
        Command("broken", "", "ui.interrupted", broken),
    )
    return registry


async def main(work: Path) -> None:
    log.setup(work / "catmem.log")
    await asyncio.sleep(float(os.environ.get("DRIVER_START", "0")))
    agent = ScriptedAgent(work)
    interface = open_interface(
        Setup(
            commands(agent.leave),
            lambda: Status("test-model", memories=5),
            work / "state" / "history",
        )
    )
    agent.interface = interface
    interface.write("welcome")
    reason = await interface.run(agent)
    skipped = asyncio.Event()

    async def learn(view: ExitView) -> None:
        view.status("learning from this session")
        if os.environ.get("DRIVER_LEARN"):
            try:
                await asyncio.wait_for(skipped.wait(), float(os.environ["DRIVER_LEARN"]))
                outcome = "skipped"
            except TimeoutError:
                outcome = "learned 1"
            view.write(outcome)
            (work / "outcome").write_text(outcome)

    await interface.run_exit(learn, skipped.set)
    interface.write(f"bye: {reason}")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
