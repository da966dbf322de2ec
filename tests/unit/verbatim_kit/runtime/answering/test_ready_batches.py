"""`ready_batches` gives every item once and in order, and ends what it has begun."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verbatim_kit.runtime.answering.ready_batches import ready_batches

STEPS = st.lists(st.sampled_from(["item", "turn", "sleep", "future"]), max_size=200)


async def play(steps: list[str]) -> AsyncGenerator[int, None]:
    """Yields a number for each "item"; waits in one way or another for each other step."""
    for index, step in enumerate(steps):
        if step == "item":
            yield index
        elif step == "turn":
            await asyncio.sleep(0)
        elif step == "sleep":
            await asyncio.sleep(0.0001)
        else:
            future = asyncio.get_running_loop().create_future()
            asyncio.get_running_loop().call_soon(future.set_result, None)
            await asyncio.shield(future)


@given(STEPS)
def test_every_item_comes_once_and_in_order(steps: list[str]) -> None:
    async def collect() -> list[list[int]]:
        return [batch async for batch in ready_batches(play(steps), int)]

    batches = asyncio.run(collect())
    assert [item for batch in batches for item in batch] == [
        i for i, step in enumerate(steps) if step == "item"
    ]
    assert all(0 < len(batch) <= 64 for batch in batches)


async def test_items_between_two_waits_come_together() -> None:
    batches = [batch async for batch in ready_batches(play(["item", "item", "turn", "item", "sleep"]), int)]
    assert batches == [[0, 1], [3]]


@pytest.mark.parametrize("wait", [[], ["turn"], ["sleep"]])
async def test_items_before_a_failure_come_before_it(wait: list[str]) -> None:
    async def failing() -> AsyncGenerator[int, None]:
        async for item in play(["item", *wait]):
            yield item
        raise LookupError

    seen: list[int] = []
    with pytest.raises(LookupError):
        async for batch in ready_batches(failing(), int):
            seen += batch
    assert seen == [0]


@pytest.mark.parametrize("waits_while_cleaning_up", [False, True])
async def test_a_reader_that_leaves_ends_the_stream_while_it_waits(waits_while_cleaning_up: bool) -> None:
    trace: list[str] = []

    async def stream() -> AsyncGenerator[int, None]:
        try:
            yield 1
            await asyncio.sleep(3600)
        finally:
            if waits_while_cleaning_up:
                await asyncio.sleep(0.001)
            trace.append("closed")

    async with aclosing(stream()) as source, aclosing(ready_batches(source, int)) as batches:
        async for batch in batches:
            trace.append(str(batch))
            break
    assert trace == ["[1]", "closed"]


async def test_a_reader_that_leaves_ends_the_streams_that_its_stream_waits_for() -> None:
    closed: list[str] = []

    async def source() -> AsyncGenerator[int, None]:
        try:
            yield 0
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            closed.append("source")

    async def stream() -> AsyncGenerator[int, None]:
        async with aclosing(source()) as items:
            async for item in items:
                yield item
        closed.append("never: the source does not end by itself")

    outer = stream()
    with pytest.raises(LookupError):
        async with aclosing(outer), aclosing(ready_batches(outer, int)) as batches:
            assert await anext(batches) == [0]
            raise LookupError
    assert closed == ["source"]


async def test_a_cancelled_reader_cancels_the_step_that_waits() -> None:
    trace: list[str] = []
    was_read = asyncio.Event()

    async def stream() -> AsyncGenerator[int, None]:
        yield 1
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            trace.append("cancelled")
            raise

    async def read() -> None:
        async with aclosing(stream()) as source, aclosing(ready_batches(source, int)) as batches:
            async for batch in batches:
                trace.append(str(batch))
                was_read.set()

    task = asyncio.create_task(read())
    await was_read.wait()  # and then waits for the next batch
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert trace == ["[1]", "cancelled"]


async def test_time_limits_inside_a_stream_still_work() -> None:
    async def stream() -> AsyncGenerator[int, None]:
        yield 1
        try:
            async with asyncio.timeout(0.005):
                await asyncio.sleep(3600)
        except TimeoutError:
            yield 2

    assert [batch async for batch in ready_batches(stream(), int)] == [[1], [2]]


async def test_items_before_one_that_cannot_be_converted_come_before_the_error() -> None:
    async def stream() -> AsyncGenerator[str, None]:
        yield "1"
        yield "two"
        yield "3"

    seen: list[int] = []
    with pytest.raises(ValueError, match="two"):
        async for batch in ready_batches(stream(), int):
            seen += batch
    assert seen == [1]
