"""OpenAI's two APIs and every server that speaks one of them.

``chat`` is Chat Completions, for all compatible servers; ``responses`` is for OpenAI's own models,
which take tools there only. Each has its ``*_form`` (request to body) and ``*_reading`` (events to
parts); ``text_calls`` finds tool calls that a model wrote as text, ``pieces`` puts those together
that came in pieces.
"""

from __future__ import annotations
