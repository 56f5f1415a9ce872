from __future__ import annotations

from tests.memory_pipeline.conftest import learner

__all__ = ["learner"]
