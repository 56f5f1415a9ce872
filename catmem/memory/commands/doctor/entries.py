"""Entry files: what was read as it was meant is written so, and each file is called as its entry.

Everything goes through the stores' write path, so that old versions are archived and an undo takes
it back. A file that is not understood stays where and as it is.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from catmem import storage
from catmem.errors import CatmemError
from catmem.memory.commands.doctor.findings import Finding, shown
from catmem.memory.store.entry import Entry
from catmem.memory.store.names import key_of
from catmem.memory.store.operations import Action, ApplyReport, Operation
from catmem.memory.store.reading.directory import MAX_BYTES, SUFFIX, entry_in
from catmem.memory.store.reading.loading import load_codec
from catmem.memory.store.store import Store
from catmem.memory.store.stores import Stores
from catmem.text import t


def repair_entries(stores: Stores, store: Store) -> list[Finding]:
    """Put right the files that were understood although something is wrong with them."""
    findings: list[Finding] = []
    for entry in store.load_all():
        try:
            finding = None if entry.damaged else _repair(stores, store, entry)
        except CatmemError as error:
            finding = _left(entry, str(error))
        findings += [finding] if finding else []
    return findings


def faulty_files(store: Store) -> list[Finding]:
    """Return what is left to the person: files that were not understood, or not even opened."""
    everything = store.everything()
    damaged = {entry.path for entry in everything.entries if entry.damaged}
    read = {entry.path for entry in everything.entries}
    return [
        Finding(warning.file, warning.text, repaired=False, line=warning.line)
        for warning in everything.warnings
        if warning.file in damaged or warning.file not in read
    ]


def _repair(stores: Stores, store: Store, entry: Entry) -> Finding | None:
    if entry.path is None:
        return None
    data = storage.read_bytes(entry.path, MAX_BYTES)
    if not data.strip():
        return _left(entry, t("doctor.empty"))
    file = _rewritten(entry, data)
    place = store.places.directory / (entry.name + SUFFIX)
    is_misnamed = key_of(entry.path.stem) != entry.name
    if file == data and not is_misnamed:
        return None
    new, _ = entry_in(file, place, store.scope)
    target = Operation(Action.DELETE, name=entry.name, scope=store.scope, digest=entry.digest)
    if is_misnamed:
        operations = [target, Operation(Action.ADD, new, file=file)]
    else:
        operations = [replace(target, action=Action.UPDATE, entry=new, file=file)]
    report = stores.apply(operations, _all_or_none)
    if report.not_done:
        return _left(entry, report.not_done[0].reason)
    key = "doctor.renamed" if is_misnamed else "doctor.rewritten"
    text = t(key, path=shown(entry.path), name=entry.name, file=shown(place))
    return Finding(entry.path, text, repaired=True)


def _rewritten(entry: Entry, data: bytes) -> bytes:
    """Return the file as it should be: in UTF-8, a valid header, the name that it is listed by.

    A file without a header is a plain note, which is no fault.
    """
    codec = load_codec()
    document = codec.decode(data)
    in_file, _ = entry_in(data, entry.path or Path(entry.name), entry.scope)
    is_listed_otherwise = in_file.name != entry.name
    notes = [note for note in document.notes if document.header is not None or not note.line]
    if not notes and not is_listed_otherwise:
        return data
    changes: dict[str, Any] = {"name": entry.name} if is_listed_otherwise else {}
    if document.header is None:
        if not is_listed_otherwise:
            return document.body.encode()
        changes |= {"description": entry.description, "type": entry.type}
    return codec.rewrite(document, changes, document.content)


def _all_or_none(report: ApplyReport) -> dict[str, Any] | None:
    """Refuse a transaction of which a part could not be done: a file would be archived only."""
    return None if report.not_done else {}


def _left(entry: Entry, reason: str) -> Finding:
    path = entry.path or Path(entry.name)
    text = t("memory.store.file.note", path=shown(path), reason=reason)
    return Finding(path, text, repaired=False)
