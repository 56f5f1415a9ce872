"""Showing a window to an extractor: what of each message is shown, marked, masked and bounded.

A message begins with ``[#<seq> <role>]`` alone on a line. What is not the speakers' own words (tool
output, pastes, files, piped input) is data: each of its lines begins with ``| ``, so that nothing
in it can pass for a marker. Whatever catmem attached is left out by origin.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime

from catmem import tokens
from catmem.memory.pipeline.window import Window
from catmem.messages import Message, Origin, Part, Role, TextPart, ToolResultPart
from catmem.sanitize import clean, one_line
from catmem.secrets import mask

MEMORY_TOOLS = frozenset({"memory_read", "memory_write"})
_LOOKS_LIKE_OURS = re.compile(
    r"^(?=[^\S\n]*(?:[\[［【]\s*[#＃]|(?:Date|Today)[:：]\s*\d|Already known[:：]"
    r"|\(attached data))",
    re.MULTILINE | re.IGNORECASE,
)
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200d\u2060-\u2064]+(?=[\[［【]|\s)")
# How the bash tool ends its results.
_EXIT_STATUS = re.compile(
    r"^\[(exit status \d+|killed by [\w ]+|timed out after \d+ s)\b", re.MULTILINE
)
_ENDING_CHARACTERS = 1_000
_DATA_KINDS = {Origin.PASTED: "pasted", Origin.STDIN: "piped in", Origin.FILE: "a file"}
_SUBJECT_CHARACTERS = 300
_PREVIEW_CHARACTERS = 400
_PREVIEW_LINES = 6
_DATA_CHARACTERS = 2_000
_ASSISTANT_CHARACTERS = 6_000
_MESSAGE_SHARE = 4  # one message takes at most this part of a piece
_OVERLAP = 2
_CHARACTERS_PER_TOKEN = 2


def first_piece(window: Window, budget: int) -> tuple[Window, Window]:
    """Cut off the oldest part of a window, of about ``budget`` tokens; return it and the rest.

    The rest begins with the last two messages of the piece, so that an answer is not torn from its
    question; it is empty when the piece is everything.
    """
    used = 0
    for count, message in enumerate(window.messages):
        used += tokens.estimate(_render_message(message, budget))
        if used > budget and count > _OVERLAP:
            return (
                replace(window, messages=window.messages[:count], end=0),
                replace(window, messages=window.messages[count - _OVERLAP :]),
            )
    return window, replace(window, messages=())


def render(window: Window, budget: int) -> str:
    """Return the excerpt of ``window``; no message takes more than a quarter of ``budget``.

    A line ``Date: …`` stands before the first message of each day, in the user's local time.
    """
    blocks: list[str] = []
    day: date | None = None
    for message in window.messages:
        block = _render_message(message, budget)
        if not block:
            continue
        written = day_of(message)
        if written is not None and written != day:
            day = written
            blocks.append(f"Date: {day.isoformat()} ({day:%A})")
        blocks.append(block)
    return "\n".join(blocks)


def day_of(message: Message) -> date | None:
    """Return the local day on which a message was written, None when its time is unreadable."""
    try:
        return datetime.fromisoformat(message.at).date()
    except ValueError:
        return None


def _render_message(message: Message, budget: int) -> str:
    limit = budget // _MESSAGE_SHARE * _CHARACTERS_PER_TOKEN
    lines = [line for part in message.parts for line in _render_part(message, part, limit)]
    if not lines:
        return ""
    return "\n".join([f"[#{message.seq} {message.role}]", *lines])


def _render_part(message: Message, part: Part, limit: int) -> Iterator[str]:
    if isinstance(part, ToolResultPart):
        if part.name not in MEMORY_TOOLS:
            yield from _render_result(part)
    elif isinstance(part, TextPart) and part.origin is not Origin.CATMEM and part.text.strip():
        if part.origin is Origin.TYPED and message.role is Role.USER:
            yield _speech(part.text, limit)
        elif part.origin is Origin.MODEL:
            yield _speech(part.text, min(limit, _ASSISTANT_CHARACTERS))
        else:
            kind = _DATA_KINDS.get(part.origin, "data")
            yield f"(attached data, {kind}:)"
            yield _data(part.text, min(limit, _DATA_CHARACTERS))


def _render_result(result: ToolResultPart) -> Iterator[str]:
    subject = one_line(mask(result.subject), _SUBJECT_CHARACTERS)
    yield f"{result.name} ({_how_it_ended(result)})" + (f": {subject}" if subject else "")
    # Masked with more text than is shown, so that the cut does not pass through a secret.
    start = mask(clean(result.text[: 4 * _PREVIEW_CHARACTERS])).strip()
    preview = "\n".join(start[:_PREVIEW_CHARACTERS].splitlines()[:_PREVIEW_LINES])
    if preview:
        yield _quoted(preview if len(preview) == len(result.text.strip()) else preview + " …")


def _how_it_ended(result: ToolResultPart) -> str:
    """Return the status, with a command's exit status where that says more."""
    if result.name != "bash" or result.status != "error":
        return result.status
    endings = _EXIT_STATUS.findall(result.text[-_ENDING_CHARACTERS:])
    return f"{result.status}, {endings[-1]}" if endings else result.status


def _speech(text: str, limit: int) -> str:
    # Every kind of line end becomes the one that the escaping looks for.
    lines = "\n".join(_INVISIBLE.sub("", mask(clean(text)).strip()).splitlines())
    return _LOOKS_LIKE_OURS.sub(r"\\", _bounded(lines, limit))


def _data(text: str, limit: int) -> str:
    return _quoted(_bounded(mask(clean(text)).strip(), limit))


def _quoted(text: str) -> str:
    return "\n".join(f"| {line}" for line in text.splitlines())


def _bounded(text: str, limit: int) -> str:
    """Cut the middle out of a long text and say how much is missing."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n(… {len(text) - 2 * half} characters left out …)\n{text[-half:]}"
