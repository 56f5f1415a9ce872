"""Building conversations for the tests of this folder."""

from __future__ import annotations

from dataclasses import replace

from catmem.memory.pipeline.window import Window
from catmem.messages import Message, Origin, Role, TextPart, ToolCallPart, ToolResultPart

AT = "2026-03-05T10:00:00+08:00"


def said(text: str, *data: TextPart) -> Message:
    """A user message that was typed, with attached data."""
    return Message(Role.USER, (TextPart(text, Origin.TYPED), *data))


def pasted(text: str, origin: Origin = Origin.PASTED) -> Message:
    return Message(Role.USER, (TextPart(text, origin),))


def answered(text: str, *calls: ToolCallPart) -> Message:
    return Message(Role.ASSISTANT, (TextPart(text, Origin.MODEL), *calls))


def tool(text: str, name: str = "bash", subject: str = "ls", status: str = "ok") -> Message:
    return Message(Role.TOOL, (ToolResultPart("c1", name, text, status, subject),))


def numbered(*messages: Message, at: str = AT) -> tuple[Message, ...]:
    return tuple(
        replace(message, seq=seq, at=message.at or at) for seq, message in enumerate(messages, 1)
    )


def window(*messages: Message, at: str = AT) -> Window:
    return Window("s-1", numbered(*messages, at=at))
