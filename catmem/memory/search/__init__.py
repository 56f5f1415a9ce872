"""Finding entries by their words; derived from the store, never the source of anything."""

from __future__ import annotations
