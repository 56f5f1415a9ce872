"""The child process that runs the model.

``process`` is the parent's side, ``server`` the child's, ``life`` binds the one to the other,
``machine`` counts the cores, ``connect`` speaks to it, ``states`` keeps on disk what it has read.
"""

from __future__ import annotations
