"""``python -m catmem.providers.local.weights.pip_child ARGUMENTS``: pip, bound to its parent."""

from __future__ import annotations

import runpy
import sys

from catmem.providers.local.life import bind_to_parent

if __name__ == "__main__":
    bind_to_parent()
    sys.argv[0] = "pip"
    runpy.run_module("pip", run_name="__main__", alter_sys=True)
