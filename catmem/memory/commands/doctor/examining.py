"""The examination: in an order in which each repair finds what the one before it left."""

from __future__ import annotations

from catmem.errors import ExitCode
from catmem.memory.commands.doctor.entries import faulty_files, repair_entries
from catmem.memory.commands.doctor.findings import Finding
from catmem.memory.commands.doctor.leftovers import (
    finish_half_writes,
    kept_edits,
    remove_leftovers,
    repair_journal,
)
from catmem.memory.commands.doctor.places import (
    busy_stores,
    close_to_others,
    place_faults,
    repair_index,
)
from catmem.memory.commands.printing import Write, to_json
from catmem.memory.store.stores import Stores
from catmem.sanitize import clean
from catmem.text import t


def examine(stores: Stores) -> list[Finding]:
    """Look for faults, repair what can be repaired, and return all that was found."""
    findings = [finding for store in stores.all for finding in place_faults(store)]
    findings = findings or busy_stores(stores)
    can_repair = not findings
    if can_repair:
        findings += finish_half_writes(stores)
        findings += repair_journal(stores)
        findings += remove_leftovers(stores)
        for store in stores.all:
            findings += repair_entries(stores, store)
    for store in stores.all:
        findings += faulty_files(store)
        findings += repair_index(store) if can_repair else []
    findings += kept_edits(stores)
    return findings + close_to_others(stores.user.places.state.parent)


def doctor(stores: Stores, out: Write, *, as_json: bool = False) -> int:
    """Examine, print what was found and done; return the exit code: 1 where something is left."""
    findings = examine(stores)
    left = sum(not finding.repaired for finding in findings)
    if as_json:
        out(to_json([_facts(finding) for finding in findings]))
    else:
        for finding in findings:
            key = "doctor.repaired" if finding.repaired else "doctor.left"
            out(t(key, text=clean(finding.text)))
        if findings:
            out(t("doctor.summary", repaired=len(findings) - left, left=left))
        else:
            out(t("doctor.fine"))
    return ExitCode.FAILED if left else ExitCode.DONE


def _facts(finding: Finding) -> dict[str, str | int | bool]:
    return {
        "path": str(finding.path),
        "line": finding.line,
        "text": finding.text,
        "repaired": finding.repaired,
    }
