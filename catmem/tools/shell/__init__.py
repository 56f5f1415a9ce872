"""The tool that runs shell commands, and the processes it starts."""

from __future__ import annotations
