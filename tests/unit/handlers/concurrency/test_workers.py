"""Long prompts leave threads to short ones."""

import asyncio
import threading

from handlers.concurrency.workers import Workers


async def test_a_short_prompt_does_not_wait_for_long_ones() -> None:
    workers = Workers(1)
    may_end = threading.Event()
    long = [asyncio.create_task(workers.tokenize(1_000_000, may_end.wait, 60)) for _ in range(4)]
    assert await workers.tokenize(2_000, threading.current_thread) is not threading.current_thread()
    assert not any(task.done() for task in long)
    may_end.set()
    assert all(await asyncio.gather(*long))
    workers.shutdown()


async def test_what_is_shortest_takes_no_thread() -> None:
    workers = Workers(1)
    assert await workers.tokenize(10, threading.current_thread) is threading.current_thread()
    assert await workers.write(10, threading.current_thread) is threading.current_thread()
    assert await workers.write(10_000, threading.current_thread) is not threading.current_thread()
    workers.shutdown()
