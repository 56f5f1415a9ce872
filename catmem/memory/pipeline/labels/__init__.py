"""Learning with a small model: one label per sentence instead of one JSON object per window.

``sentences`` cuts what the person typed, ``judge`` asks the model about one of them, ``learned``
weighs its answer together with the ``words`` of the sentence, ``hearing`` goes through a window and
holds what is kept, ``extractor`` makes candidates of it. Works with every server that reports
first-token probabilities.
"""

from __future__ import annotations
