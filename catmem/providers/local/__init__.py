"""The embedded model: catmem without a key and without a network.

Read it in this order: ``setup`` (from settings to a provider), ``provider`` (what the rest of
catmem sees), ``schedule`` (who goes first), ``prefixes`` (what is read once and kept on disk),
``acting`` (chat requests as constrained actions and back), ``engine`` (the child process that runs
the model), ``weights`` (the model file).
"""

from __future__ import annotations
