"""The time that an event loop's thread computes without a pause, whatever else the machine does."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class LoopTime:
    """longest_s: the most that the loop's thread has computed from one turn of the loop to the next."""

    longest_s = 0.0


@asynccontextmanager
async def timed_loop() -> AsyncIterator[LoopTime]:
    """Time the turns of the running loop while the block runs."""
    found = LoopTime()
    watching = asyncio.create_task(_watch(found))
    try:
        yield found
    finally:
        watching.cancel()


async def _watch(found: LoopTime) -> None:
    before = time.thread_time()
    while True:
        await asyncio.sleep(0)
        now = time.thread_time()
        found.longest_s, before = max(found.longest_s, now - before), now
        await asyncio.sleep(0.001)
