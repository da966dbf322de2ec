"""Long bodies are read one after another, in one thread."""

import asyncio
import threading

from verbatim_kit.runtime.body_thread import BodyThread


async def test_long_bodies_are_read_in_one_thread_and_short_ones_in_none() -> None:
    bodies = BodyThread()
    reading = (bodies.read(1_000_000, threading.current_thread) for _ in range(8))
    threads = set(await asyncio.gather(*reading))
    assert len(threads) == 1
    assert threads != {threading.current_thread()}
    assert await bodies.read(1_000, threading.current_thread) is threading.current_thread()
    bodies.shutdown()
