"""The write path: from the transcript's new messages to entries in the stores.

Read it in this order: ``window`` (which messages), ``excerpt`` (how they are shown),
``extraction`` (what an extractor proposes), ``extractor`` (the one for capable models), ``checks``
and ``rules`` (what code decides about it), ``consolidator`` and ``repairs`` (candidates against
existing entries), ``manager`` (one run), ``journal`` (what a run did; its commit record is the
watermark).
"""

from __future__ import annotations
