"""The embedded model: catmem without a key and without a network.

Read it in this order: ``provider`` (what the rest of catmem sees), ``acting`` with ``prompt``,
``actions``, ``conversation``, ``project`` and ``reply`` (the constrained form of a chat request and
the way back), ``schedule`` (who goes first), ``process`` with ``server`` and ``life`` (the child that
runs the model), ``weights`` with ``parts`` and ``download`` (the model file).
"""

from __future__ import annotations
