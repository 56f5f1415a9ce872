"""The one place that decides whether an action runs, asks, or is refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from catmem.events import Action, ActionKind


class PermissionMode(StrEnum):
    """How much may happen without a question."""

    ASK = "ask"
    ACCEPT_EDITS = "accept-edits"
    PLAN = "plan"
    AUTO = "auto"


class Verdict(StrEnum):
    """The outcome of a decision."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class Decision:
    """Allow, ask or deny; ``reason`` tells the model why it was denied."""

    verdict: Verdict
    reason: str = ""


@dataclass(slots=True)
class Grants:
    """What the person allowed "for this session", each grant exactly as its approval showed it."""

    keys: set[str] = field(default_factory=set)

    def add(self, action: Action) -> None:
        """Remember a yes for the session."""
        if action.session_key:
            self.keys.add(action.session_key)

    def covers(self, action: Action) -> bool:
        """Whether an earlier yes covers ``action``."""
        return bool(action.session_key) and action.session_key in self.keys


_ALLOW = Decision(Verdict.ALLOW)
_ASK = Decision(Verdict.ASK)
_WITHOUT_QUESTION = {
    PermissionMode.ASK: {ActionKind.READ},
    PermissionMode.ACCEPT_EDITS: {ActionKind.READ, ActionKind.WRITE},
    PermissionMode.PLAN: {ActionKind.READ},
    PermissionMode.AUTO: set(ActionKind),
}
_PLAN_REASON = (
    "Refused: plan mode is on, so nothing may be changed or run. Describe what you would do "
    "instead; the user can leave plan mode."
)


def decide(mode: PermissionMode, action: Action, grants: Grants) -> Decision:
    """Decide about one action.

    Reading inside the workspace never asks. Plan mode refuses everything that changes something.
    Auto allows the rest inside the workspace; what leaves the workspace asks in every mode, unless
    granted for the session. What needs a person's own yes gets it in no other way: it is asked
    about whatever was granted, and refused where the mode does not ask.
    """
    if mode is PermissionMode.PLAN and action.kind is not ActionKind.READ:
        return Decision(Verdict.DENY, _PLAN_REASON)
    if action.needs_person:
        return Decision(Verdict.DENY, action.needs_person) if mode is PermissionMode.AUTO else _ASK
    without_question = action.kind in _WITHOUT_QUESTION[mode] and not action.outside
    return _ALLOW if without_question or grants.covers(action) else _ASK
