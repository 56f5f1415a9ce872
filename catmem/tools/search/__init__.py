"""The tools that find things: glob (files by name) and grep (lines by content)."""

from __future__ import annotations
