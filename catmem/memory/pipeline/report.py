"""What a run did, as it is shown and as it is written down."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from catmem.memory.pipeline.extraction import Refusal
from catmem.text import listed, t


class Outcome(StrEnum):
    """How a run ended; only the first two move the watermark."""

    SAVED = "saved"
    NOTHING = "nothing"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Report:
    """What happened, not what was asked for.

    Attributes:
        asked: whether a model was asked at all.
        candidates: how many facts were proposed.
        added, updated, deleted: names of entries.
        skipped: candidates that were fine but not needed, set aside, or not possible.
        refused: candidates and items of answers that did not pass the checks.
        detail: the reason of a failure, in one sentence.
        retryable: whether a failure is one of the network or the moment.
        set_aside: whether the window failed so often that only a person has it tried again.
    """

    outcome: Outcome = Outcome.NOTHING
    asked: bool = False
    candidates: int = 0
    added: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    skipped: tuple[Refusal, ...] = ()
    refused: tuple[Refusal, ...] = ()
    detail: str = ""
    retryable: bool = False
    set_aside: bool = False

    def __add__(self, later: Report) -> Report:
        """Return the report of two windows, the later one after this."""
        outcomes = {self.outcome, later.outcome}
        return replace(
            later,
            outcome=next(outcome for outcome in _WORST_FIRST if outcome in outcomes),
            asked=self.asked or later.asked,
            candidates=self.candidates + later.candidates,
            added=self.added + later.added,
            updated=tuple(dict.fromkeys(self.updated + later.updated)),
            deleted=self.deleted + later.deleted,
            skipped=self.skipped + later.skipped,
            refused=self.refused + later.refused,
        )

    @property
    def changed(self) -> bool:
        """Whether any entry was written."""
        return bool(self.added or self.updated or self.deleted)

    @property
    def planted(self) -> int:
        """How many preferences, rules and orders were refused because nobody typed them."""
        return sum(item.planted for item in self.refused)

    @property
    def has_failed(self) -> bool:
        """Whether at least part of the run failed."""
        return self.outcome is Outcome.FAILED

    def line(self, *, undo: bool = False) -> str:
        """Return the report in one line, for the person; with ``undo``, how to take it back too."""
        if self.outcome is Outcome.NOTHING:
            return t("pipeline.nothing")
        counts = t(
            "pipeline.saved",
            added=len(self.added),
            names_added=_names(self.added),
            updated=len(self.updated),
            names_updated=_names(self.updated),
            skipped=len(self.skipped) + len(self.refused),
        )
        if self.planted:
            counts += t("pipeline.planted_count", count=self.planted)
        if self.deleted:
            names = _names(self.deleted)
            counts += t("pipeline.removed", count=len(self.deleted), names=names)
        if undo and self.changed:
            counts += t("pipeline.undo")
        if self.has_failed:
            key = "pipeline.set_aside" if self.set_aside else "pipeline.failed"
            failed = t(key, reason=self.detail)
            return f"{counts}\n{failed}" if self.changed else failed
        return counts

    def reasons(self) -> list[str]:
        """Return one line for each candidate that was not stored."""
        return [
            t("pipeline.not_stored", name=item.name, reason=item.reason)
            for item in (*self.skipped, *self.refused)
        ]


_WORST_FIRST = (Outcome.FAILED, Outcome.SAVED, Outcome.NOTHING)


def _names(names: tuple[str, ...]) -> str:
    return t("pipeline.names", names=listed(names)) if names else ""
