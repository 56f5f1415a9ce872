"""Settings: what can be set (``schema``), reading (``load``), the first choice (``write``)."""

from __future__ import annotations

from catmem.config.load import load_settings
from catmem.config.schema import Settings
from catmem.config.write import write_choice

__all__ = ["Settings", "load_settings", "write_choice"]
