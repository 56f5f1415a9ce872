"""How many threads the model gets on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def threads_to_use() -> int:
    """Return the number of physical cores this process may use, at least 1.

    Threads of one core share its arithmetic units, so a second one per core slows the model down;
    more threads than a container's CPU limit stall each other.
    """
    if sys.platform == "linux":
        available = os.sched_getaffinity(0)
        cores = {_core_of(cpu) for cpu in available}
        return max(1, min(len(cores), _container_limit()))
    if sys.platform == "darwin":
        return _darwin_cores()
    return max(1, (os.cpu_count() or 2) // 2)


def _core_of(cpu: int) -> str:
    """Return the threads that share a core with ``cpu``, as the kernel writes them."""
    path = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
    try:
        return path.read_text("ascii").strip()
    except OSError:
        return str(cpu)


def _container_limit() -> int:
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text("ascii").split()
    except (OSError, ValueError):
        return sys.maxsize
    return sys.maxsize if quota == "max" else max(1, int(quota) // int(period))


def _darwin_cores() -> int:
    for name in (
        "hw.perflevel0.physicalcpu",
        "hw.physicalcpu",
    ):  # the fast cores, where they differ
        run = subprocess.run(
            ["sysctl", "-n", name], capture_output=True, text=True, check=False, timeout=5
        )
        if run.returncode == 0 and run.stdout.strip().isdigit():
            return max(1, int(run.stdout))
    return max(1, os.cpu_count() or 1)
