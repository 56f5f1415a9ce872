"""The tools for one file: read_file, write_file, edit_file."""

from __future__ import annotations
