"""No test run is near a midnight, whenever it starts."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from tests.support.environment import noon


@pytest.mark.parametrize("hour", range(24))
def test_it_is_noon_when_a_run_starts(hour: int) -> None:
    started = datetime(2026, 12, 1, hour, 59, 59, tzinfo=UTC)
    script = f"import time; print(time.localtime({started.timestamp()}).tm_hour)"
    printed = subprocess.run(
        [sys.executable, "-c", script],
        env={"TZ": noon(started)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert printed == "12\n"


def test_tests_and_their_children_have_that_zone() -> None:
    here = datetime.now().astimezone()
    assert os.environ["TZ"].startswith("<noon>")
    assert here.tzname() == "noon"
    assert (here + timedelta(hours=3)).date() == here.date()
