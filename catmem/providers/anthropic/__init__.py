"""The Messages API: Anthropic's own models and servers that speak the same.

``form`` turns a request into a body, ``reading`` turns the stream's events into parts, ``adapter``
sends through the SDK.
"""

from __future__ import annotations
