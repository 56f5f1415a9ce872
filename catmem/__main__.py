"""``python -m catmem``."""

from __future__ import annotations

import sys

from catmem.cli import main

if __name__ == "__main__":
    sys.exit(main())
