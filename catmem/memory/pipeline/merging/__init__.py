"""Candidates against existing entries: what a model decides, and what code makes of it."""

from __future__ import annotations
