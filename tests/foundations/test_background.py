from __future__ import annotations

import asyncio

import pytest

from catmem.background import Background


@pytest.mark.anyio
@pytest.mark.filterwarnings("error")
async def test_work_cancelled_before_its_first_step_ends_without_a_word(
    capfd: pytest.CaptureFixture[str],
) -> None:
    async def work() -> None:
        raise AssertionError("it was started")

    background = Background()
    task = background.start("work", work())
    task.cancel()
    await background.close()
    assert task.cancelled()
    del task
    await asyncio.sleep(0)
    assert capfd.readouterr() == ("", "")
