"""Planning without a model: candidates, what was decided about them, and what comes of it."""

from __future__ import annotations

from typing import Any

from catmem.memory.pipeline.extraction import Candidate, Evidence
from catmem.memory.pipeline.merging.consolidator import match
from catmem.memory.pipeline.merging.planning import Allowance, Decision, Plan
from catmem.memory.pipeline.merging.repairs import Planner
from catmem.memory.store.entry import Entry, Scope

EDITOR = Entry("user-prefers-vim", "The user's editor is vim", "user", "The user edits with vim.")
TESTS = Entry(
    "test-command",
    "Tests run with `make test`",
    "project",
    "Run the tests with `make test`.",
    Scope.PROJECT,
)
STORED = (TESTS, EDITOR)


def candidate(name: str, content: str, quote: str = "", **fields: Any) -> Candidate:
    given: dict[str, Any] = {
        "type": "user",
        "scope": "user",
        "description": content.rstrip("."),
        "own_words": (quote or content,),
    } | fields
    return Candidate((Evidence(1, quote or content),), name=name, content=content, **given)


EMACS = candidate("user-prefers-emacs", "The user's editor is emacs now.")
BLUE = candidate("favourite-colour", "Blue is the favourite colour.")


def plan(
    candidates: list[Candidate],
    *operations: dict[str, Any],
    entries: tuple[Entry, ...] = STORED,
    allowance: Allowance | None = None,
) -> Plan:
    matches = match(candidates, entries)
    shown = [entry for one in matches for entry in one.neighbours]
    planner = Planner(entries, shown, allowance or Allowance.for_stores(entries))
    return planner.plan(matches, [Decision.read(item) for item in operations])


def steps(made: Plan) -> list[tuple[str, str, str]]:
    """Action, name and content of each step."""
    return [
        (step.operation.action, step.operation.name, entry.content if entry else "")
        for step in made.steps
        for entry in [step.operation.entry]
    ]


def reasons(made: Plan) -> list[tuple[str, str]]:
    return [(item.name, item.reason) for item in made.skipped]


def op(number: Any, action: Any, target: Any = None, **entry: str) -> dict[str, Any]:
    return {
        "candidate": number,
        "action": action,
        "target": target,
        "entry": entry or None,
        "reason": "because",
    }
