"""The tests of catmem, one folder per area; what they share lives in `tests.support`."""

from __future__ import annotations
