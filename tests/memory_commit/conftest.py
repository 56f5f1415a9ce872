from __future__ import annotations

from tests.memory_store.conftest import paths, project_dir, stores, user_dir

__all__ = ["paths", "project_dir", "stores", "user_dir"]
