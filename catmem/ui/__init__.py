"""The terminal interface: the only place that knows prompt_toolkit and rich."""

from __future__ import annotations
