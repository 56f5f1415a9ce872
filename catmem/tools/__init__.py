"""The tools a model can call."""

from __future__ import annotations
