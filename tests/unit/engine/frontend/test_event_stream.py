"""An EventStream gives its reader every item once and in order, and loses none to a reader that gave up."""

import asyncio

import pytest

from engine.frontend.event_stream import EventStream


async def test_items_come_in_order_whether_the_reader_was_there_first_or_not() -> None:
    stream = EventStream[int]()
    stream.put(1)
    stream.put(2)
    assert [stream.take(), stream.take()] == [1, 2]
    arrival = stream.arrival()
    assert stream.is_empty and not arrival.done()
    stream.put(3)
    stream.put(4)
    await arrival
    assert [stream.take(), stream.take(), stream.is_empty] == [3, 4, True]


async def test_an_item_that_a_cancelled_reader_waited_for_is_the_next_one_s() -> None:
    stream = EventStream[int]()
    arrival = stream.arrival()
    arrival.cancel()
    stream.put(1)
    with pytest.raises(asyncio.CancelledError):
        await arrival
    stream.put(2)
    assert [stream.take(), stream.take()] == [1, 2]
