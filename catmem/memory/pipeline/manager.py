"""One run of the pipeline over one session: from its open window to entries and the watermark."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import Any

from catmem import storage
from catmem.config.schema import MemorySettings
from catmem.errors import (
    ContextOverflowError,
    ProviderError,
    RequestTooLargeError,
    StorageError,
)
from catmem.memory.pipeline import excerpt
from catmem.memory.pipeline.aside import AsSaid
from catmem.memory.pipeline.choice import Choice, ExtractorChoice
from catmem.memory.pipeline.extraction import (
    Candidate,
    Extraction,
    ExtractionError,
    Extractor,
    Known,
    Progress,
    Refusal,
)
from catmem.memory.pipeline.forgetting import tombstones
from catmem.memory.pipeline.forgetting.tombstones import Tombstones
from catmem.memory.pipeline.journal import SET_ASIDE_AFTER, Done, Journal, record_of
from catmem.memory.pipeline.judging.checks import check
from catmem.memory.pipeline.merging.consolidator import Consolidator
from catmem.memory.pipeline.merging.planning import Allowance, Plan, Step
from catmem.memory.pipeline.privacy import remembered
from catmem.memory.pipeline.report import Outcome, Report
from catmem.memory.pipeline.window import Window, open_window
from catmem.memory.pipeline.work import Work
from catmem.memory.store.entry import Entry
from catmem.memory.store.operations import Action, ApplyReport, Result
from catmem.memory.store.ranking import rank
from catmem.memory.store.stores import Stores
from catmem.messages import Message
from catmem.providers.base import Provider
from catmem.text import t

_PIECE_TOKENS = 12_000
_SMALLEST_PIECE_TOKENS = 1_000
_MOST_KNOWN = 60
_RUN_ID_BYTES = 6


class Occasion(StrEnum):
    """Why a run takes place."""

    EXIT = "exit"
    DEMAND = "demand"
    RECOVERY = "recovery"
    TURN = "turn"
    IDLE = "idle"
    COMPACTION = "compaction"


_BESIDE = frozenset({Occasion.TURN, Occasion.IDLE, Occasion.COMPACTION})
"""While the session goes on: a short window waits for more messages."""


class MemoryManager:
    """Runs the pipeline, one run at a time; a run may be cancelled at any await.

    What is cancelled leaves the watermark where it was, so that the window comes up again.
    """

    def __init__(
        self,
        stores: Stores,
        journal: Journal,
        settings: MemorySettings,
        choose_extractor: Choice | None = None,
    ) -> None:
        self.journal = journal
        self._choose_extractor = choose_extractor or ExtractorChoice()
        self._stores = stores
        self._settings = settings
        self._running = asyncio.Lock()

    async def run(
        self,
        session: str,
        messages: Sequence[Message],
        occasion: Occasion,
        provider: Provider,
        progress: Progress,
        until: int | None = None,
    ) -> Report:
        """Deal with what lies after the session's watermark, up to the message ``until``.

        ``messages`` are all of the session; what the person wants kept out of memory is left out
        here. Failures of the model, the network or the disk are in the report; nothing is raised
        for them.
        """
        async with self._running:
            with storage.given_up_at_the_end():
                try:
                    await asyncio.to_thread(self._stores.recover)
                except StorageError as error:
                    return Report(Outcome.FAILED, asked=True, detail=str(error))
                standing = await asyncio.to_thread(self.journal.standing, session)
                last = messages[-1].seq if messages else 0
                end = last if until is None else min(until, last)
                if end <= standing.seq:
                    return Report()
                window = open_window(session, remembered(messages), standing.seq, end)
                if occasion in _BESIDE and len(window.messages) < self._settings.min_messages:
                    return Report()
                max_tokens = self._settings.extract_max_tokens
                judges = _Judges(
                    provider.model,
                    partial(self._choose_extractor, provider, max_tokens),
                    Consolidator(provider, max_tokens=max_tokens, progress=progress),
                )
                run = _Run(self._stores, self.journal, judges, occasion, progress)
                report = await run.over(window)
                if not report.has_failed:
                    return report
                left = await asyncio.to_thread(self.journal.standing, session)
                if left.failures == SET_ASIDE_AFTER and not report.retryable:
                    rest = open_window(session, window.messages, left.seq, end)
                    return await run.keep_requests(rest, report)
                return replace(report, set_aside=left.failures >= SET_ASIDE_AFTER)

    def pass_over(self, session: str, seq: int) -> None:
        """Move a session's watermark without looking at what lies before it.

        Raises:
            StorageError: the journal cannot be written.
        """
        done = Done(session, seq, Occasion.DEMAND, Report())
        self.journal.append(secrets.token_hex(_RUN_ID_BYTES), done)


@dataclass(frozen=True, slots=True)
class _Judges:
    """Who decides in a run: the model's name, the extractor for a budget, the consolidator."""

    model: str
    extractor: Callable[[int], Extractor]
    consolidator: Consolidator | AsSaid


class _Run:
    """One run; holds what its windows share."""

    def __init__(
        self,
        stores: Stores,
        journal: Journal,
        judges: _Judges,
        occasion: Occasion,
        progress: Progress,
    ) -> None:
        self._id = secrets.token_hex(_RUN_ID_BYTES)
        self._stores = stores
        self._journal = journal
        self._tombstones = Tombstones(stores)
        self._judges = judges
        self._occasion = occasion
        self._progress = progress
        self._allowance: Allowance | None = None

    async def over(self, window: Window) -> Report:
        """Deal with a window piece by piece; each piece that is done moves the watermark."""
        report = Report()
        budget = _PIECE_TOKENS
        rest = window
        while True:
            piece, after = await asyncio.to_thread(excerpt.first_piece, rest, budget)
            try:
                report += await self._piece(piece, budget)
            except (ContextOverflowError, RequestTooLargeError) as error:
                budget //= 2
                if budget < _SMALLEST_PIECE_TOKENS:
                    return report + await self._failed(piece, error)
                continue
            except (ProviderError, ExtractionError, StorageError) as error:
                return report + await self._failed(piece, error)
            if report.has_failed or not after.messages:
                return report
            rest = after

    async def keep_requests(self, window: Window, failure: Report) -> Report:
        """Store what the person asked for in a window that is set aside, without a model.

        Returns ``failure`` with what was stored.
        """
        self._judges = replace(self._judges, consolidator=AsSaid())
        report = failure
        try:
            asked_for = check(window, ()).candidates
            judged = await asyncio.to_thread(self._tombstones.judge, window, asked_for)
            if candidates := [self._placed(one) for one in judged.candidates]:
                entries = await asyncio.to_thread(self._stores.load_all)
                report = await self._settle(window, Extraction(()), candidates, entries, failure)
                await asyncio.to_thread(self._tombstones.lift, judged.lifted)
        except StorageError as error:
            return replace(failure, detail=str(error))
        return replace(report, detail=failure.detail, set_aside=True)

    async def _failed(self, piece: Window, error: Exception) -> Report:
        retryable = isinstance(error, ProviderError) and error.retryable
        report = Report(Outcome.FAILED, asked=True, detail=_reason(error), retryable=retryable)
        if not retryable and not isinstance(error, StorageError):  # that is not the window's fault
            done = Done(piece.session, piece.last_seq, self._occasion, report)
            await asyncio.to_thread(self._note_failure, done)
        return report

    def _note_failure(self, done: Done) -> None:
        try:
            self._journal.append(self._id, done)
        except StorageError:
            return  # the failure itself is reported; a full disk is often its very reason

    async def _passed(self, piece: Window) -> Report:
        """Move the watermark over what needs no look."""
        report = Report()
        done = Done(piece.session, piece.last_seq, self._occasion, report)
        await asyncio.to_thread(self._journal.append, self._id, done)
        return report

    async def _piece(self, piece: Window, budget: int) -> Report:
        if not piece.is_substantial:
            return await self._passed(piece)
        entries = await asyncio.to_thread(self._stores.load_all)
        self._progress(t("pipeline.stage.extract"))
        known = await asyncio.to_thread(_known, entries)
        extraction = await self._judges.extractor(budget).extract(piece, known)
        checked = await asyncio.to_thread(check, piece, extraction.candidates, extraction.episode)
        extraction = replace(extraction, episode=checked.episode)
        judged = await asyncio.to_thread(self._tombstones.judge, piece, checked.candidates)
        candidates = [self._placed(candidate) for candidate in judged.candidates]
        refused = (*extraction.refused, *checked.refused, *judged.refused)
        proposed = Report(
            Outcome.SAVED if refused else Outcome.NOTHING,
            asked=True,
            candidates=len(candidates) + len(refused),
            refused=refused,
        )
        report = await self._settle(piece, extraction, candidates, entries, proposed)
        await asyncio.to_thread(self._tombstones.lift, judged.lifted)
        return report

    async def _settle(
        self,
        piece: Window,
        extraction: Extraction,
        candidates: Sequence[Candidate],
        entries: Sequence[Entry],
        report: Report,
    ) -> Report:
        """Plan and write; what has changed on disk in the meantime is planned once more first.

        All that a window leads to is written at once, together with its watermark.
        """
        work = Work(piece, extraction, report)
        for last_try in (False, True):
            plan = await self._plan(candidates, entries, by_words=extraction.labelled)
            work.steps += plan.steps
            work.skipped += plan.skipped
            if work.steps:
                self._progress(t("pipeline.stage.save"))
            candidates = await asyncio.to_thread(self._apply, work, last_try=last_try)
            if not candidates:
                break
            entries = await asyncio.to_thread(self._stores.load_all)
        return work.report

    async def _plan(
        self, candidates: Sequence[Candidate], entries: Sequence[Entry], *, by_words: bool
    ) -> Plan:
        if self._allowance is None:
            self._allowance = Allowance.for_stores(entries)
        return await self._judges.consolidator.plan(
            candidates, entries, self._allowance, by_words=by_words
        )

    def _apply(self, work: Work, *, last_try: bool) -> list[Candidate]:
        """Carry out what is planned and move the watermark, in one transaction.

        Returns the candidates to plan again, in which case nothing was written. Nor is it where
        the run was given up meanwhile, or somebody else has dealt with the window.

        Raises:
            StorageError: the disk would not take it; nothing was written.
        """
        again: list[Candidate] = []
        piece, stopped = work.piece, False
        marks: list[str] = []

        def committing(applied: ApplyReport) -> Mapping[str, Any] | None:
            nonlocal stopped
            stopped = self._is_overtaken(piece) or bool(self._forgotten(work, marks))
            if stopped:
                return None
            failed = [one.reason for one in applied.outcomes if one.result is Result.FAILED]
            if failed:
                raise StorageError(failed[0])
            again[:] = [] if last_try else work.changed(applied)
            if again:
                return None
            done = work.done(applied, self._occasion, self._judges.model)
            return record_of(self._id, done)

        while not self._is_overtaken(piece):
            for step, refused in self._forgotten(work, marks):
                work.steps.remove(step)
                work.skipped += refused
            operations = [step.operation for step in work.steps]
            marks[:] = self._tombstones.mark(operations, self._forgetting(work))
            applied = self._stores.apply(operations, committing)
            if stopped or again:
                self._tombstones.lift([mark for mark in marks if mark])
            else:
                self._tombstones.settle(marks, applied.outcomes)
            if again:
                work.drop_changed(applied)
            if not stopped:
                return again
        work.report = Report()
        return []

    def _is_overtaken(self, piece: Window) -> bool:
        """Whether nobody waits for the run any more, or the window was dealt with meanwhile."""
        return storage.is_given_up() or self._journal.watermark(piece.session) >= piece.last_seq

    def _forgotten(self, work: Work, own: Collection[str]) -> list[tuple[Step, Sequence[Refusal]]]:
        """Return the steps that say what was forgotten while the model was at work.

        ``own`` are the tombstones of what the run itself is to delete.
        """
        return [
            (step, refused)
            for step in work.steps
            if (refused := self._tombstones.judge(work.piece, step.candidates, own).refused)
        ]

    def _forgetting(self, work: Work) -> tombstones.Occasion:
        """Return when the person asked for what is to be deleted, and in which words."""
        if not any(step.operation.action is Action.DELETE for step in work.steps):
            return tombstones.Occasion()
        piece, evidence = work.piece, self._journal.evidence()
        for step in work.steps:
            evidence[step.operation.name] += [
                (piece.session, item) for one in step.candidates for item in one.evidence
            ]
        at = tombstones.moment_of(piece.messages[-1]) or datetime.now().astimezone()
        return tombstones.Occasion(at, piece.session, evidence)

    def _placed(self, candidate: Candidate) -> Candidate:
        scope = self._stores.scope_for(candidate.type, candidate.scope or None)
        return replace(candidate, scope=scope)


def _reason(error: Exception) -> str:
    """Return why a request failed, without what the retries say to somebody who chats."""
    cause = error.__cause__
    return str(cause if isinstance(cause, ProviderError) and type(cause) is type(error) else error)


def _known(entries: Sequence[Entry]) -> list[Known]:
    best = rank(entry for entry in entries if not entry.deprecated)[:_MOST_KNOWN]
    return [Known(entry.name, entry.description) for entry in best]
