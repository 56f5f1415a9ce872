"""The live lines around the input: tail, status, question and queue above, the toolbar below.

Pure: from what is going on to (style, text) pairs that fit the window.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from catmem.messages import Usage
from catmem.sanitize import one_line
from catmem.text import t
from catmem.ui.paint import Paint, cut, wrap
from catmem.ui.ports import Status
from catmem.ui.questions import Question

TAIL_ROWS = 6
_QUEUE_ROWS = 3
_RESERVED_ROWS = 8
_THOUSAND = 1000


def above(
    size: tuple[int, int],
    paint: Paint,
    *,
    tail: Callable[[int], list[str]] | None,
    status: str,
    question: Question | None,
    queue: Sequence[str],
    hint: str,
) -> list[tuple[str, str]]:
    """Return what stands above the input and its sign, for a window of ``size`` rows, columns."""
    rows, columns = size
    room = max(columns - 1, 1)
    lines: list[tuple[str, str]] = []
    if tail is not None:
        count = max(min(TAIL_ROWS, rows - _RESERVED_ROWS), 0)
        lines += [("class:tail", row) for row in _last_rows(tail(count), room, count)]
    if status:
        lines.append(("class:status", cut(status, room)))
    lines += [("class:queue", row) for row in _queue_rows(queue, room)]
    if question is not None:
        lines += [("class:question", row) for row in wrap(question.text, room)]
        lines += [("class:hint", row) for row in wrap(question.choices, room)]
    if hint:
        lines.append(("class:hint", cut(hint, room)))
    fragments = [("", "\n")]
    for style, text in lines:
        fragments += [(style, paint.fit(text)), ("", "\n")]
    return [*fragments, ("class:sign", paint.prompt)]


def toolbar(status: Status, usage: Usage, width: int, paint: Paint) -> str:
    """Return the line below the input: model, tokens, memories."""
    parts = [one_line(text, 60) for text in (status.model, status.busy, status.mode) if text]
    if usage.input_tokens is not None:
        parts.append(t("ui.toolbar.tokens", count=_count(usage.input_tokens)))
    if status.memories is not None:
        parts.append(t("ui.toolbar.memories", count=status.memories))
    return paint.fit(cut(" · ".join(parts), max(width - 1, 1)))


def _last_rows(lines: Sequence[str], width: int, count: int) -> list[str]:
    rows: list[str] = []
    for line in lines:
        rows += wrap(line.expandtabs(4), width)
    return rows[-count:] if count else []


def _queue_rows(queue: Sequence[str], width: int) -> list[str]:
    rows = [cut(t("ui.queued", text=one_line(text, 200)), width) for text in queue[:_QUEUE_ROWS]]
    if len(queue) > _QUEUE_ROWS:
        rows.append(cut(t("ui.queued_more", count=len(queue) - _QUEUE_ROWS), width))
    return rows


def _count(tokens: int) -> str:
    if tokens < _THOUSAND:
        return str(tokens)
    return f"{tokens / _THOUSAND:.1f}".removesuffix(".0") + "k"
