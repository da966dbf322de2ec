"""Long prompts leave threads to short ones."""

import asyncio
import threading
from contextvars import ContextVar

from pydantic import BaseModel

from engine.port.attempt import current_attempt
from handlers.concurrency.workers import Workers
from tests.support.clocks.until import until

_request: ContextVar[str] = ContextVar("_request")


class _Body(BaseModel):
    text: str


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


async def test_a_prompt_is_prepared_in_the_context_of_its_request() -> None:
    workers = Workers(1)

    def prepare(body: _Body) -> tuple[str, threading.Thread]:
        return _request.get(), threading.current_thread()

    async def seen(name: str, size: int) -> tuple[str, threading.Thread]:
        _request.set(name)
        return await workers.prepare(prepare, _Body(text="x" * size))

    found = await asyncio.gather(*(asyncio.create_task(seen(name, 5_000)) for name in "abc"))
    assert [name for name, _ in found] == ["a", "b", "c"]
    assert all(thread is not threading.current_thread() for _, thread in found)
    assert await seen("d", 1) == ("d", threading.current_thread())
    workers.shutdown()


async def test_what_a_caller_no_longer_waits_for_is_cancelled() -> None:
    workers = Workers(1)
    begun, ended = threading.Event(), threading.Event()

    def work() -> None:
        current_attempt().begin(ended.set)
        begun.set()
        assert ended.wait(60)

    task = asyncio.create_task(workers.compute(work))
    await until(begun.is_set)
    assert not ended.is_set()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert ended.is_set() and not await workers.compute(lambda: current_attempt().is_cancelled)
    workers.shutdown()
