"""The prompt on a real terminal: its session, keys, draft, history, completion and live lines."""

from __future__ import annotations
