"""Writing to the stores so that a crash at any instant leaves them before or after, never between.

Read it in this order: ``changes`` (what becomes of one file), ``journal`` with its ``records``
(what was meant and what was done), ``archive`` (old versions), ``draft`` and ``batch`` (operations
carried out in memory), ``transaction`` (a batch goes to disk), ``recovery`` (what a crash left),
``undoing`` and ``history`` (what the journal and the archive are good for afterwards).
"""

from __future__ import annotations
