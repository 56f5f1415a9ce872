"""Removing the last traces of what was forgotten: old versions, journal, what was typed and logged.

Transcripts are the record of what was said, so they are only changed when the person agrees.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from catmem import storage
from catmem.errors import StorageError
from catmem.memory.pipeline.forgetting.traces import Traces
from catmem.memory.store.commit import archive
from catmem.memory.store.entry import Entry
from catmem.memory.store.reading.directory import MAX_BYTES
from catmem.memory.store.reading.loading import load_codec
from catmem.memory.store.store import Store
from catmem.memory.store.stores import Stores
from catmem.paths import Paths
from catmem.sessions import lock_path

_LARGEST = 50_000_000


@dataclass(frozen=True, slots=True)
class Purged:
    """What a purge did, and what still has traces.

    Attributes:
        versions: how many old versions were removed.
        transcripts: records of sessions, which may be redacted.
        others: files that a person should look at.
    """

    versions: int
    transcripts: tuple[Path, ...]
    others: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Redacted:
    """Transcripts that were redacted, and those that another process has open."""

    done: tuple[Path, ...]
    busy: tuple[Path, ...]


def archived(stores: Stores, names: Iterable[str]) -> list[Entry]:
    """Return the old versions of entries of these names, in every store."""
    found: list[Entry] = []
    for name in names:
        for store in stores.all:
            for version in archive.versions(store.places.archive, name):
                with contextlib.suppress(StorageError):
                    found.append(_read(version, name, store))
    return found


def purge(stores: Stores, paths: Paths, traces: Traces) -> Purged:
    """Remove all traces but those in transcripts, and say where some are left.

    Raises:
        StorageError: something cannot be written; what is left is found by the next purge.
    """
    versions = 0
    with stores.journal.locked():
        stores.journal.rewrite(traces.without_all)
        for store in stores.all:
            for name in traces.names:
                versions += archive.erase(store.places.archive, name)
    for path in (paths.prompt_history, *_files(paths.log_file.parent)):
        _redact_lines(path, traces)
    left = [path for path in _everything(stores, paths) if _has(path, traces)]
    sessions = paths.sessions.parent
    transcripts = [path for path in left if sessions in path.parents]
    others = [path for path in left if path not in transcripts]
    return Purged(versions, tuple(transcripts), tuple(others))


def redact(transcripts: Sequence[Path], traces: Traces, own: Path | None) -> Redacted:
    """Take the traces out of transcripts; numbers and order of the messages stay.

    ``own`` is the transcript that this process writes. One that another process has open is left
    alone.

    Raises:
        StorageError: one cannot be written.
    """
    done: list[Path] = []
    busy: list[Path] = []
    for path in transcripts:
        with contextlib.ExitStack() as owned:
            if path != own:
                try:
                    owned.enter_context(storage.lock(lock_path(path), timeout=0))
                except StorageError:
                    busy.append(path)
                    continue
            lines = path.read_text("utf-8", "replace").split("\n")
            text = "\n".join(_redacted(line, traces) for line in lines)
            storage.write_atomic(path, text.encode("utf-8", "replace"))
            done.append(path)
            if path != own:
                storage.remove(lock_path(path))
    return Redacted(tuple(done), tuple(busy))


def _read(version: Path, name: str, store: Store) -> Entry:
    document = load_codec().decode(storage.read_bytes(version, MAX_BYTES))
    return Entry(
        name=name,
        description=document.text_of("description"),
        type=document.text_of("type"),
        content=document.content,
        scope=store.scope,
        optional=document.optional,
    )


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def _redact_lines(path: Path, traces: Traces) -> None:
    try:
        text = storage.read_bytes(path, _LARGEST).decode("utf-8", "replace")
    except StorageError:
        return
    # The prompt's history begins each typed line with a sign of its own.
    clean = "\n".join(line[:1] + traces.without(line[1:]) for line in text.split("\n"))
    if clean != text:
        storage.write_atomic(path, clean.encode("utf-8", "replace"))


def _redacted(line: str, traces: Traces) -> str:
    try:
        return json.dumps(traces.without_all(storage.parse_json(line)), ensure_ascii=False)
    except ValueError:  # damaged or empty
        return traces.without(line)


def _everything(stores: Stores, paths: Paths) -> Iterator[Path]:
    """Yield every file of catmem's that could hold a trace."""
    places = [store.places for store in stores.all]
    roots = {paths.home, *(place.directory for place in places), *(p.state for p in places)}
    seen: set[Path] = set()
    for path in (path for root in sorted(roots) for path in _files(root)):
        if path not in seen and paths.models not in path.parents:
            seen.add(path)
            yield path


def _has(path: Path, traces: Traces) -> bool:
    try:
        text = storage.read_bytes(path, _LARGEST).decode("utf-8", "replace")
    except StorageError:  # too large, or not readable: a person has to look
        return path.exists()
    if not traces.may_be_in(text):
        return False
    if path.suffix != ".jsonl":
        return traces.held_by(text)
    return any(_redacted(line, traces) != _again(line) for line in text.split("\n") if line)


def _again(line: str) -> str:
    try:
        return json.dumps(storage.parse_json(line), ensure_ascii=False)
    except ValueError:
        return line
