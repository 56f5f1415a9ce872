"""The write path: from the transcript's new messages to entries in the stores.

Read it in this order: ``window`` (which messages), ``excerpt`` (how they are shown),
``extraction`` (what an extractor proposes), ``extractor`` (for capable models; ``labels`` is
the other, ``choice`` chooses), ``judging`` (what code decides about it),
``merging`` (candidates against existing entries), ``manager`` (one run), ``journal`` (what a run
did; its commit record is the watermark). ``answers`` is how a model is asked for JSON.
"""

from __future__ import annotations
