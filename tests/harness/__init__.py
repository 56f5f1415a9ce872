"""Tests of the test harness itself."""

from __future__ import annotations
