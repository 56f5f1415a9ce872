"""The agent loop: turns, steps and the execution of tool calls."""

from __future__ import annotations
