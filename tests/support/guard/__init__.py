"""A folder for PYTHONPATH: see `sitecustomize`."""

from __future__ import annotations
