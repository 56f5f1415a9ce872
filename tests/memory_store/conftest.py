from __future__ import annotations

import os
from pathlib import Path

import pytest

from catmem.memory.store.stores import Stores, open_stores
from catmem.paths import Paths, find_paths


@pytest.fixture
def paths(workspace: Path) -> Paths:
    return find_paths(workspace, os.environ)


@pytest.fixture
def stores(paths: Paths) -> Stores:
    return open_stores(paths)


@pytest.fixture
def user_dir(paths: Paths) -> Path:
    paths.user_memory.mkdir(parents=True)
    return paths.user_memory


@pytest.fixture
def project_dir(paths: Paths) -> Path:
    directory = paths.project_memory
    assert directory is not None
    directory.mkdir(parents=True)
    return directory
