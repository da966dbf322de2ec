import asyncio
from collections.abc import AsyncGenerator

import pytest

from handlers.concurrency.merge import merge


async def count(
    up_to: int, closed: list[int], *, error: Exception | None = None
) -> AsyncGenerator[int, None]:
    try:
        for number in range(up_to):
            await asyncio.sleep(0)
            yield number
        if error:
            raise error
    finally:
        closed.append(up_to)


async def test_every_item_comes_with_its_streams_number_and_in_its_order() -> None:
    items = [item async for item in merge([count(3, []), count(1, [])])]
    assert [number for stream, number in items if stream == 0] == [0, 1, 2]
    assert [number for stream, number in items if stream == 1] == [0]


async def test_streams_take_turns_rather_than_waiting_for_each_other() -> None:
    items = [item async for item in merge([count(3, []), count(3, [])])]
    assert items.index((1, 0)) < items.index((0, 2))


async def test_a_failing_stream_ends_the_others() -> None:
    closed: list[int] = []
    with pytest.raises(KeyError):
        async for _ in merge([count(1, closed, error=KeyError()), count(1000, closed)]):
            pass
    assert sorted(closed) == [1, 1000]


async def test_closing_ends_all_streams() -> None:
    closed: list[int] = []
    merged = merge([count(500, closed), count(1000, closed)])
    await anext(merged)
    await merged.aclose()
    assert sorted(closed) == [500, 1000]
