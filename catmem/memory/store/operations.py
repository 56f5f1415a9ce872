"""What may be asked of the stores, and the honest report of what happened."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from catmem.memory.store.entry import Entry, Scope


class Action(StrEnum):
    """What an operation wants."""

    ADD = "add"
    UPDATE = "update"
    SKIP = "skip"
    DELETE = "delete"


class IfExists(StrEnum):
    """What an add does when its name is taken.

    ``REFUSE`` ends as ``Result.EXISTS``. ``REPLACE`` updates that entry. ``RENAME`` takes a free
    name (``name-2``), unless the very same content is stored already, which is a skip.
    """

    REFUSE = "refuse"
    REPLACE = "replace"
    RENAME = "rename"


class Result(StrEnum):
    """What became of an operation.

    ``CHANGED`` (the entry is not what the plan was made from) and ``EXISTS`` (an add whose name was
    taken) mean: nothing was written, plan again. ``REFUSED`` will not become right by itself (bad
    name, secret, empty, damaged file, no such entry). ``FAILED`` is the disk's fault.
    """

    ADDED = "added"
    UPDATED = "updated"
    DELETED = "deleted"
    SKIPPED = "skipped"
    CHANGED = "changed"
    EXISTS = "exists"
    REFUSED = "refused"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Operation:
    """One wish.

    Attributes:
        entry: for an add, the new entry (``scope`` decides the store; ``path``, ``digest`` and
            dates do not count). For an update, what it shall be: description, content and type
            replace the old ones (empty content or description is refused), ``optional`` keys
            replace or join those of the same name. None for skip and delete.
        name: the target of an update or delete; the name of a skip, for the report.
        scope: the store of the target; None searches the project store first, then the user's.
        digest: digest of the target that the plan was made from; empty: not compared.
        if_exists: for an add.
        reason: why; a skip's is repeated in the report.
        file: for an add or update, the whole file as its owner wrote it, of which ``entry`` is what
            was read; it is written as it is, whatever the old file was like. An added one may have
            a namesake in the other store, where it comes from.
        if_previous: not done unless the operation before it was, so that the second half of a move
            never happens without the first.
    """

    action: Action
    entry: Entry | None = None
    name: str = ""
    scope: Scope | None = None
    digest: str = ""
    if_exists: IfExists = IfExists.REFUSE
    reason: str = ""
    file: bytes = b""
    if_previous: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one operation.

    ``entry`` is the entry as it is on disk now (added, updated) or was (deleted); ``reason`` is a
    ready sentence for everything that was not done.
    """

    operation: Operation
    result: Result
    name: str
    entry: Entry | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ApplyReport:
    """One outcome per operation, in order; counts are of what happened, not of what was asked."""

    outcomes: tuple[Outcome, ...] = ()

    @property
    def added(self) -> tuple[str, ...]:
        """Names of the new entries."""
        return self._names(Result.ADDED)

    @property
    def updated(self) -> tuple[str, ...]:
        """Names of the entries that changed."""
        return self._names(Result.UPDATED)

    @property
    def deleted(self) -> tuple[str, ...]:
        """Names of the entries that went to the archive."""
        return self._names(Result.DELETED)

    @property
    def not_done(self) -> tuple[Outcome, ...]:
        """Everything else, with its reason."""
        done = {Result.ADDED, Result.UPDATED, Result.DELETED}
        return tuple(outcome for outcome in self.outcomes if outcome.result not in done)

    def _names(self, result: Result) -> tuple[str, ...]:
        return tuple(outcome.name for outcome in self.outcomes if outcome.result is result)
