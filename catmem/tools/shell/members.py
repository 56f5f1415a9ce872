"""Which processes belong to a session."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field
from pathlib import Path

_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Member:
    """A living process: the same as long as number and start time are.

    Its name and group may change, as a forked shell becomes the program that it runs.
    """

    pid: int
    name: str = field(compare=False)
    group: int = field(compare=False)
    started: str


def members(session: int) -> tuple[Member, ...]:
    """Return the living processes of a session, from ``/proc`` where there is one, else ``ps``."""
    if (_PROC / "self" / "stat").exists():
        return _from_proc(session)
    return _from_ps(session)


def _from_proc(session: int) -> tuple[Member, ...]:
    found = []
    for directory in _PROC.iterdir():
        if not directory.name.isdigit():
            continue
        try:
            stat = (directory / "stat").read_text("utf-8", "replace")
        except OSError:  # it ended in the meantime
            continue
        # "pid (name) state ppid group session ... start time", see proc(5); a name may hold ") "
        fields = stat[stat.rfind(")") + 2 :].split()
        if int(fields[3]) == session and fields[0] not in "ZX":
            name = stat[stat.find("(") + 1 : stat.rfind(")")]
            found.append(Member(int(directory.name), name, int(fields[2]), fields[19]))
    return tuple(found)


def _from_ps(session: int) -> tuple[Member, ...]:
    """Ask ``ps``, which tells groups only; without job control a background job has its shell's."""
    try:
        listing = subprocess.run(
            ["ps", "-A", "-o", "pid=,pgid=,stat=,lstart=,comm="],
            capture_output=True,
            check=False,
            timeout=2,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    found = []
    for line in listing.stdout.decode("utf-8", "replace").splitlines():
        pid, group, state, *started, name = line.split(None, 8)
        if int(group) == session and not state.startswith("Z"):
            found.append(Member(int(pid), name, int(group), " ".join(started)))
    return tuple(found)
