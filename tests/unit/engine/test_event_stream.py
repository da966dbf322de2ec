"""An EventStream gives its reader every item once and in order, and loses none to a reader that gave up."""

import asyncio

import pytest

from engine.event_stream import EventStream


async def test_items_come_in_order_whether_the_reader_was_there_first_or_not() -> None:
    stream = EventStream[int]()
    stream.put(1)
    stream.put(2)
    assert [await stream.get(), await stream.get()] == [1, 2]
    reader = asyncio.create_task(stream.get())
    await asyncio.sleep(0)
    assert not reader.done()
    stream.put(3)
    stream.put(4)
    assert [await reader, await stream.get()] == [3, 4]


async def test_an_item_that_a_cancelled_reader_waited_for_is_the_next_one_s() -> None:
    stream = EventStream[int]()
    reader = asyncio.create_task(stream.get())
    await asyncio.sleep(0)
    reader.cancel()
    stream.put(1)
    with pytest.raises(asyncio.CancelledError):
        await reader
    stream.put(2)
    assert [await stream.get(), await stream.get()] == [1, 2]
