"""Acting with a small model: one constrained JSON action a request, shown by examples.

``form`` is the way in and back; ``prompt`` what the model is told, ``actions`` what it can do,
``conversation`` how its past looks, ``project`` what it knows of the files, ``reply`` how its
answer is read while it arrives.
"""

from __future__ import annotations
