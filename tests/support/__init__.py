"""What the tests share: a scripted model server, a real terminal, the real program, and guards.

Start with `model_server.ModelServer` (the model), `program.Program` (catmem itself) and
`terminal.Terminal` (its screen); the fixtures in `tests/conftest.py` make and clean up all three.
"""

from __future__ import annotations
