"""Tests of the tools, on real files and with real processes."""

from __future__ import annotations
