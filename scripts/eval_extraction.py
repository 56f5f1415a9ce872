#!/usr/bin/env python3
"""How well catmem learns: the memory pipeline over dialogues whose facts are known.

Run: .venv/bin/python scripts/eval_extraction.py [--provider P] [--model M] [--base-url URL]
         [--gguf FILE] [--extractor json|labels] [--dialogues FILE] [--no-rules] [--verbose]

Each dialogue becomes a session in a store of its own, and the same code as at the end of a session
runs over it: window, extractor, checks, consolidator, store. A fact counts as found when an entry
has one of its types and matches all its patterns; junk is an entry that is no fact of its dialogue
and matches a junk pattern, or any entry where there are no facts. Entries that are neither stand in
a column of their own. Goals with the embedded model: 90 % of the facts, 1 junk in 20 stored.
``--no-rules`` leaves out what code hears without a model, for comparison: explicit requests ("from
now on …") and their being taken back.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from catmem import providers  # noqa: E402 - the script runs from a checkout
from catmem.config import Settings, load_settings  # noqa: E402
from catmem.errors import CatmemError  # noqa: E402
from catmem.memory.pipeline.choice import Choice, ExtractorChoice  # noqa: E402
from catmem.memory.pipeline.extraction import Extractor  # noqa: E402
from catmem.memory.pipeline.extractor import JsonExtractor  # noqa: E402
from catmem.memory.pipeline.journal import Journal  # noqa: E402
from catmem.memory.pipeline.judging import rules  # noqa: E402
from catmem.memory.pipeline.labels.extractor import LabelExtractor  # noqa: E402
from catmem.memory.pipeline.manager import MemoryManager, Occasion  # noqa: E402
from catmem.memory.pipeline.report import Outcome  # noqa: E402
from catmem.memory.pipeline.window import Window  # noqa: E402
from catmem.memory.store.entry import Entry  # noqa: E402
from catmem.memory.store.stores import open_stores  # noqa: E402
from catmem.messages import (  # noqa: E402
    LabelRequest,
    Message,
    Origin,
    Role,
    StructuredReply,
    StructuredRequest,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    user_message,
)
from catmem.paths import find_paths  # noqa: E402
from catmem.providers.base import LabelModel, Provider  # noqa: E402
from catmem.sessions import Session  # noqa: E402

DIALOGUES = ROOT / "scripts/data/extraction/dialogues.json"
_CHARACTERS_SHOWN = 90


@dataclass(slots=True)
class Cost:
    """What was asked of the model."""

    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0


class Counted:
    """A provider's memory side, counted."""

    def __init__(self, inner: Provider, cost: Cost) -> None:
        self.name, self.model, self.loopback = inner.name, inner.model, inner.loopback
        self.server, self.key_source = inner.server, inner.key_source
        self.stream, self.warm_up, self.aclose = inner.stream, inner.warm_up, inner.aclose
        self._inner = inner
        self._cost = cost

    async def structured(self, request: StructuredRequest) -> StructuredReply:
        reply = await self._inner.structured(request)
        self._cost.requests += 1
        self._cost.tokens_in += reply.usage.input_tokens or 0
        self._cost.tokens_out += reply.usage.output_tokens or 0
        return reply

    async def choose(self, request: LabelRequest) -> Mapping[str, float]:
        assert isinstance(self._inner, LabelModel)  # noqa: S101 - asked for by --extractor labels
        self._cost.requests += 1
        self._cost.tokens_out += 1
        return await self._inner.choose(request)


@dataclass(slots=True)
class Score:
    """Counts over one or more dialogues."""

    facts: int = 0
    found: int = 0
    wrong_type: int = 0
    stored: int = 0
    junk: int = 0
    other: int = 0
    failed: int = 0
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)

    def add(self, more: Score) -> None:
        """Add the counts of another dialogue."""
        for name in ("facts", "found", "wrong_type", "stored", "junk", "other", "failed"):
            setattr(self, name, getattr(self, name) + getattr(more, name))
        self.seconds += more.seconds


def judge(dialogue: Mapping[str, Any], entries: Sequence[Entry]) -> Score:
    """Compare what was stored with what should have been."""
    score = Score(stored=len(entries))
    used: set[int] = set()
    for fact in dialogue["facts"]:
        score.facts += 1
        said = [at for at, one in enumerate(entries) if _matches(fact["all"], one)]
        right = [at for at in said if entries[at].type in fact["types"]]
        used.update(right[:1])
        score.found += bool(right)
        if not right:
            score.wrong_type += bool(said)
            used.update(said[:1])
            what = f"type {entries[said[0]].type}" if said else "missed"
            score.notes.append(f"{what}: {' & '.join(fact['all'])} ({'|'.join(fact['types'])})")
    for at, entry in enumerate(entries):
        if at in used:
            continue
        is_junk = not dialogue["facts"] or any(
            re.search(pattern, entry.content) for pattern in dialogue["junk"]
        )
        score.junk += is_junk
        score.other += not is_junk
        label = "junk" if is_junk else "other"
        score.notes.append(f"{label}: [{entry.type}] {entry.content.strip()[:_CHARACTERS_SHOWN]}")
    return score


def _matches(patterns: Sequence[str], entry: Entry) -> bool:
    return all(re.search(pattern, entry.content) for pattern in patterns)


def messages_of(dialogue: Mapping[str, Any]) -> list[Message]:
    """Return a dialogue as a session's messages; tool turns become a call and its result."""
    messages: list[Message] = []
    for number, turn in enumerate(dialogue["turns"]):
        if turn["role"] == "user":
            messages.append(user_message(turn["text"]))
        elif turn["role"] == "assistant":
            messages.append(Message(Role.ASSISTANT, (TextPart(turn["text"], Origin.MODEL),)))
        else:
            call = ToolCallPart(f"call-{number}", "bash", {"command": "…"})
            result = ToolResultPart(call.id, call.name, turn["text"])
            messages += [Message(Role.ASSISTANT, (call,)), Message(Role.TOOL, (result,))]
    return messages


async def learn(
    dialogue: Mapping[str, Any], provider: Provider, settings: Settings, choice: Choice
) -> Score:
    """Run the pipeline over one dialogue in an empty store and judge what it wrote."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        work = Path(folder) / "work"
        work.mkdir()
        paths = find_paths(work, {"HOME": str(home), "CATMEM_HOME": str(home / ".catmem")})
        session = Session(paths.sessions, paths.workspace)
        for message in messages_of(dialogue):
            session.append(message)
        stores = open_stores(paths)
        manager = MemoryManager(stores, Journal(paths.journal), settings.memory, choice)
        begin = time.monotonic()
        report = await manager.run(
            session.id, session.messages, Occasion.EXIT, provider, lambda _: None
        )
        seconds = time.monotonic() - begin
        score = judge(dialogue, stores.load_all())
        session.close()
    score.seconds = seconds
    if report.outcome is Outcome.FAILED:
        score.failed = 1
        score.notes.append(f"failed: {report.detail}")
    return score


def forced(kind: str | None) -> Choice:
    """Return the product's choice of extractor, or the one asked for."""
    if kind is None:
        return ExtractorChoice()

    def choose(provider: Provider, max_tokens: int, budget: int) -> Extractor:
        if kind == "labels" and isinstance(provider, LabelModel):
            return LabelExtractor(provider, {})
        return JsonExtractor(provider, max_tokens=max_tokens, budget=budget)

    return choose


def _nothing_heard(window: Window) -> rules.Heard:  # noqa: ARG001 - in the place of another
    """Stand in for the rules that need no model."""
    return rules.Heard()


def connect(options: argparse.Namespace) -> tuple[Provider, Settings]:
    """Return the model to learn with, from the user's own settings and the options."""
    environ = dict(os.environ)
    if options.gguf:
        environ["CATMEM_PROVIDERS_LOCAL_MODEL_PATH"] = str(options.gguf)
    flags: dict[str, str | bool] = {}
    if options.provider:
        flags["provider"] = options.provider
    if options.model:
        flags["model"] = options.model
    if options.base_url:
        environ["OPENAI_BASE_URL"] = environ["ANTHROPIC_BASE_URL"] = options.base_url
    paths = find_paths(Path.cwd(), environ)
    settings = load_settings(paths, environ, flags)
    return providers.create(settings, paths, environ, purpose="memory"), settings


async def evaluate(options: argparse.Namespace) -> Score:
    """Go through the dialogues and print the table."""
    dialogues = json.loads(options.dialogues.read_text("utf-8"))
    inner, settings = connect(options)
    cost, total = Cost(), Score()
    if options.no_rules:
        rules.hear = _nothing_heard
    print(f"{'dialogue':<10} {'found':>7} {'stored':>6} {'junk':>5} {'other':>5} {'seconds':>8}")
    try:
        await inner.warm_up()
        choice = forced(options.extractor)
        for dialogue in dialogues:
            score = await learn(dialogue, Counted(inner, cost), settings, choice)
            total.add(score)
            print(_row(dialogue["id"], score), flush=True)
            for note in score.notes:
                if options.verbose or not note.startswith("other"):
                    print(f"{'':<10} {note}")
    finally:
        await inner.aclose()
    print(_row("total", total))
    share = total.found / total.facts if total.facts else 1.0
    print(
        f"\n{inner.name} {Path(inner.model).name}: {share:.0%} of the facts, types included "
        f"({total.wrong_type} with the wrong type), {total.junk} junk in {total.stored} stored, "
        f"{total.failed} runs failed; {cost.requests} requests, {cost.tokens_in} + "
        f"{cost.tokens_out} tokens, {total.seconds / max(len(dialogues), 1):.1f} s a dialogue"
    )
    return total


def _row(name: str, score: Score) -> str:
    found = f"{score.found}/{score.facts}"
    return (
        f"{name:<10} {found:>7} {score.stored:>6} {score.junk:>5} {score.other:>5} "
        f"{score.seconds:>8.1f}"
    )


def main() -> int:
    """Read the options, evaluate; 0 when every run came through, else 1."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--provider", choices=("anthropic", "openai", "local"))
    parser.add_argument("--model")
    parser.add_argument("--base-url")
    parser.add_argument("--gguf", type=Path, help="model file for the embedded model")
    parser.add_argument("--extractor", choices=("json", "labels"))
    parser.add_argument("--dialogues", type=Path, default=DIALOGUES)
    parser.add_argument(
        "--no-rules", action="store_true", help="without the code's own rules for requests"
    )
    parser.add_argument("--verbose", action="store_true", help="also show entries that are neither")
    try:
        total = asyncio.run(evaluate(parser.parse_args()))
    except CatmemError as error:
        print(error, file=sys.stderr)
        return 2
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
