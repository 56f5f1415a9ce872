"""Markdown for a terminal that only ever appends: ``commit`` cuts a stream, ``render`` draws it."""

from __future__ import annotations
