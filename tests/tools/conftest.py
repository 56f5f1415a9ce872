"""The tools, started in the workspace of the test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.toolbox import Toolbox


@pytest.fixture
def tools(workspace: Path) -> Toolbox:
    return Toolbox(workspace)
