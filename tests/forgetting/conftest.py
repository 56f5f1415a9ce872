from __future__ import annotations

from tests.memory_pipeline.conftest import learner
from tests.memory_store.conftest import paths, stores

__all__ = ["learner", "paths", "stores"]
