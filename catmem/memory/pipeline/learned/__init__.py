"""What was learned from thousands of labelled sentences: does one matter in later sessions?

``words`` takes a sentence apart, ``weighing`` weighs what it finds with ``weights.json``, which
``scripts/train_labels.py`` fits.
"""

from __future__ import annotations
