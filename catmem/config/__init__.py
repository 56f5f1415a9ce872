"""Settings: what can be set (``schema``), reading (``load``), the first choice (``write``).

What came with a project counts only where the user trusts it (``trust``, ``project``). What needs
YAML is loaded late: the file is read only where there is one, and a choice is written once.
"""

from __future__ import annotations

from catmem.config.load import load_settings
from catmem.config.schema import Settings

__all__ = ["Settings", "load_settings"]
