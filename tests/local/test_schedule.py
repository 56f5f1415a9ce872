from __future__ import annotations

import asyncio

import pytest

from catmem.providers.local.schedule import Scheduler


@pytest.mark.anyio
async def test_a_chat_ends_background_work_which_begins_again_when_it_is_quiet() -> None:
    scheduler, log = Scheduler(idle_seconds=0.05), list[str]()

    async def work() -> str:
        log.append("begun")
        await asyncio.sleep(0.1)
        log.append("done")
        return "result"

    task = asyncio.create_task(scheduler.background(work))
    await asyncio.sleep(0.02)
    async with scheduler.chat():
        log.append("chat")
        await asyncio.sleep(0.15)
        log.append("chat over")

    assert await task == "result"
    assert log == ["begun", "chat", "chat over", "begun", "done"]


@pytest.mark.anyio
async def test_new_background_work_waits_for_the_chat_and_no_longer() -> None:
    scheduler = Scheduler(idle_seconds=60)

    async def work() -> int:
        return 1

    async with scheduler.chat():
        task = asyncio.create_task(scheduler.background(work))
        await asyncio.sleep(0.02)
        assert not task.done()

    assert await asyncio.wait_for(task, 1) == 1


@pytest.mark.anyio
async def test_cancelled_background_work_is_ended() -> None:
    scheduler, ended = Scheduler(), asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    task = asyncio.create_task(scheduler.background(work))
    await asyncio.sleep(0.02)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(ended.wait(), 1)
