"""What the user trusts, per memory root: ``state/trust.json`` in CATMEM_HOME.

It lies there and not in the project, because nothing that comes with a project may say of itself
that it is trusted. Content is known by the SHA-256 of its bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from catmem import log, storage
from catmem.errors import StorageError
from catmem.text import t

FORMAT_VERSION = 1
_MAX_BYTES = 20_000_000
_MOST_DIGESTS = 20_000
_LOCK_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class RootTrust:
    """What is known about one memory root; all but the time are digests, oldest first.

    Attributes:
        first_run: ISO time of catmem's first run there; empty before it.
        found: entries that lay there before the first run.
        entries: entries that the user approved, or that catmem wrote there.
        settings: project settings that the user approved.
        declined: what the user said no to: it is not asked about again.
    """

    first_run: str = ""
    found: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    declined: tuple[str, ...] = ()

    def trusting(self, entries: Iterable[str] = (), settings: Iterable[str] = ()) -> RootTrust:
        """Return it with these trusted, also where they were declined before."""
        more_entries, more_settings = tuple(entries), tuple(settings)
        newly = {*more_entries, *more_settings}
        return replace(
            self,
            entries=_joined(self.entries, more_entries),
            settings=_joined(self.settings, more_settings),
            declined=tuple(digest for digest in self.declined if digest not in newly),
        )

    def declining(self, digests: Iterable[str]) -> RootTrust:
        """Return it with a no to these."""
        return replace(self, declined=_joined(self.declined, tuple(digests)))

    def forgetting(self) -> RootTrust:
        """Return it without any decision; what lay there before the first run stays known."""
        return RootTrust(self.first_run, self.found)


class TrustFile:
    """The part of the file that is about ``root``; other catmems may change it at any time."""

    def __init__(self, path: Path, root: Path) -> None:
        self.path = path
        self.root = root
        self._identity: tuple[int, int, int] | None = None
        self._content = _nothing()
        self._read = RootTrust()

    def read(self) -> RootTrust:
        """Return what the file says now, the same object as long as it is the same file.

        A file that is missing or damaged says nothing: then nothing is trusted. One that cannot be
        read says nothing either, until it can.
        """
        try:
            self._refresh()
        except StorageError as error:
            log.warning(f"{self.path} counts as empty: {error}")
            self._take(_nothing(), None)
        return self._read

    def change(self, make: Callable[[RootTrust], RootTrust]) -> RootTrust:
        """Replace what is known by what ``make`` makes of it, under the file's lock.

        Raises:
            StorageError: it cannot be read or written, is locked for too long, or belongs to a
                newer catmem.
        """
        storage.make_dir(self.path.parent)
        with storage.lock(self.path.with_suffix(".lock"), _LOCK_SECONDS):
            self._refresh()
            old = self._read
            if self._content["version"] != FORMAT_VERSION:
                raise StorageError(t("config.trust.newer", path=self.path))
            new = make(old)
            if new != old:
                content = self._content
                content["roots"][str(self.root)] = _to_json(new)
                text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
                storage.write_atomic(self.path, text.encode("utf-8", "replace"), mode=0o600)
                self._take(content, self._look())
        return self._read

    def _refresh(self) -> None:
        """Read the file again if it is another one.

        Raises:
            StorageError: it cannot be read.
        """
        identity = self._look()
        if identity != self._identity:
            self._take(self._load(), identity)

    def _look(self) -> tuple[int, int, int] | None:
        try:
            status = self.path.stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino

    def _take(self, content: dict[str, Any], identity: tuple[int, int, int] | None) -> None:
        is_ours = content["version"] == FORMAT_VERSION
        known = content["roots"].get(str(self.root)) if is_ours else None
        self._content, self._read, self._identity = content, _root_trust(known), identity

    def _load(self) -> dict[str, Any]:
        """Return the whole file; an empty one where there is none or it is damaged.

        Raises:
            StorageError: it cannot be read.
        """
        if not self.path.exists():
            return _nothing()
        data = storage.read_bytes(self.path, _MAX_BYTES)
        try:
            content = storage.parse_json(data)
        except ValueError as error:
            log.warning(f"{self.path} counts as empty: {error}")
            return _nothing()
        if isinstance(content, dict):
            content = {"version": FORMAT_VERSION, **content}
            if content["version"] != FORMAT_VERSION:
                return {**content, "roots": {}}  # nothing of it is known, and nothing is changed
            if isinstance(content.get("roots"), dict):
                return content
        log.warning(f"{self.path} is damaged and counts as empty")
        return _nothing()


def _nothing() -> dict[str, Any]:
    return {"version": FORMAT_VERSION, "roots": {}}


def _root_trust(value: Any) -> RootTrust:
    if not isinstance(value, dict):
        return RootTrust()
    kinds = ("found", "entries", "settings", "declined")
    lists = [value.get(kind) for kind in kinds]
    digests = [tuple(map(str, one)) if isinstance(one, list | tuple) else () for one in lists]
    return RootTrust(str(value.get("firstRun", "")), *digests)


def _to_json(trust: RootTrust) -> dict[str, Any]:
    return {
        "firstRun": trust.first_run,
        "found": trust.found,
        "entries": trust.entries,
        "settings": trust.settings,
        "declined": trust.declined,
    }


def _joined(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    """Put the newest last; of very many the oldest are let go, which only means asking again."""
    return tuple(dict.fromkeys((*old, *new)))[-_MOST_DIGESTS:]
