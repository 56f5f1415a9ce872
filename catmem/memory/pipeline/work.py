"""What a piece of a window leads to: planned steps, and in the end what was done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from catmem.memory.pipeline.extraction import Candidate, Extraction, Refusal
from catmem.memory.pipeline.journal import Done
from catmem.memory.pipeline.merging.planning import Step
from catmem.memory.pipeline.report import Outcome, Report
from catmem.memory.pipeline.window import Window
from catmem.memory.store.operations import ApplyReport, Result
from catmem.text import t

_DONE = frozenset({Result.ADDED, Result.UPDATED, Result.DELETED})


@dataclass(slots=True)
class Work:
    """What a piece of a window leads to, as far as it is planned.

    ``report`` begins with what was proposed, and ends as that of the whole piece.
    """

    piece: Window
    extraction: Extraction
    report: Report
    steps: list[Step] = field(default_factory=list)
    skipped: list[Refusal] = field(default_factory=list)

    def changed(self, applied: ApplyReport) -> list[Candidate]:
        """Return the candidates of the steps whose entry has changed on disk."""
        return [
            candidate
            for step, outcome in zip(self.steps, applied.outcomes, strict=True)
            if outcome.result is Result.CHANGED
            for candidate in step.candidates
        ]

    def drop_changed(self, applied: ApplyReport) -> None:
        """Drop all steps of those candidates: what one leads to is done whole or not at all."""
        changed = self.changed(applied)
        self.steps = [one for one in self.steps if not any(c in changed for c in one.candidates)]

    def done(self, applied: ApplyReport, occasion: str, model: str) -> Done:
        """Return what is done with the piece when the steps end like this."""
        skipped = list(self.skipped)
        evidence: dict[str, Sequence[Candidate]] = {}
        for step, outcome in zip(self.steps, applied.outcomes, strict=True):
            if outcome.result in _DONE:
                evidence[outcome.name] = step.candidates
            else:
                changed = outcome.result is Result.CHANGED
                reason = t("pipeline.changed_on_disk") if changed else outcome.reason
                skipped += [
                    Refusal(one.name if changed else outcome.name, reason)
                    for one in step.candidates
                ]
        report = self.report + Report(
            outcome=Outcome.SAVED if evidence or skipped else Outcome.NOTHING,
            asked=True,
            added=applied.added,
            updated=applied.updated,
            deleted=applied.deleted,
            skipped=tuple(skipped),
        )
        if self.extraction.cut:
            detail = t("pipeline.cut_off", model=model)
            report = replace(report, outcome=Outcome.FAILED, detail=detail)
        self.report = report
        episode = self.extraction.episode
        return Done(self.piece.session, self.piece.last_seq, occasion, report, evidence, episode)
