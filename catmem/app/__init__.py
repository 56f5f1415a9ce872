"""The composition root: builds the parts from settings and runs one of the ways to use catmem.

``run`` serves the conversation (interactive or one turn). The commands for scripts are in
``app.scripts``, which is loaded for them alone.
"""

from __future__ import annotations

from catmem.app.run import Options, run

__all__ = ["Options", "run"]
