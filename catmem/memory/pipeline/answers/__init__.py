"""Getting JSON out of a model: prompts, schemas, the request, and reading what comes back."""

from __future__ import annotations
