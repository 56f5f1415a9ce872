"""The composition root: builds the parts from settings and runs one of the ways to use catmem.

``run`` serves the conversation (interactive or one turn), ``run_memory`` and ``run_trust`` the
commands for scripts.
"""

from __future__ import annotations

from catmem.app.run import Options, run
from catmem.app.scripts import MemoryRequest, run_memory, run_trust
from catmem.memory.setup import ENTRY_TYPES, SCOPES, Addition

__all__ = [
    "ENTRY_TYPES",
    "SCOPES",
    "Addition",
    "MemoryRequest",
    "Options",
    "run",
    "run_memory",
    "run_trust",
]
