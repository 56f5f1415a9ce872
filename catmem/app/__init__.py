"""The composition root: builds the parts from settings and runs one of the ways to use catmem.

``run`` serves the conversation (interactive or one turn), ``run_memory`` the memory commands for
scripts.
"""

from __future__ import annotations

from catmem.app.run import Options, run
from catmem.app.scripts import MemoryRequest, run_memory
from catmem.memory.commands import Addition
from catmem.memory.store.entry import TYPES as ENTRY_TYPES
from catmem.memory.store.entry import Scope

__all__ = [
    "ENTRY_TYPES",
    "SCOPES",
    "Addition",
    "MemoryRequest",
    "Options",
    "run",
    "run_memory",
]

SCOPES = tuple(map(str, Scope))
