"""Scenarios through the real program: a terminal or a command line, a scripted server, real files.

Each file is one side of the program's promises; `steps` has what they share, and
`test_case_ids.py` holds that every public case the program answers for has a test.
"""

from __future__ import annotations
