"""The model providers; ``create`` chooses one."""

from __future__ import annotations
