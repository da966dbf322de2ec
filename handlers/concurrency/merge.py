"""Merging of several asynchronous streams into one."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Final, TypeVar

T = TypeVar("T")

_MAX_ITEMS: Final = 256  # buffered; further items wait in the streams, which have their own bounds


async def merge(streams: Sequence[AsyncGenerator[T, None]]) -> AsyncGenerator[tuple[int, T], None]:
    """Yield each item as soon as it arrives, with the index of its stream, until all streams have ended.

    The first exception of a stream is raised. Then, or when this generator is closed, the other streams are
    cancelled. A slow reader delays the streams.
    """
    queue: asyncio.Queue[tuple[int, T] | Exception | None] = asyncio.Queue(_MAX_ITEMS)
    pumps = [asyncio.create_task(_pump(number, stream, queue)) for number, stream in enumerate(streams)]
    try:
        for _ in pumps:
            while (item := await queue.get()) is not None:
                if isinstance(item, Exception):
                    raise item
                yield item
    finally:
        for pump in pumps:
            pump.cancel()
        await asyncio.gather(*pumps, return_exceptions=True)


async def _pump(
    number: int, stream: AsyncGenerator[T, None], queue: asyncio.Queue[tuple[int, T] | Exception | None]
) -> None:
    """Put the stream's items into the queue, then None or the exception that ended it."""
    try:
        async with aclosing(stream):
            async for item in stream:
                await queue.put((number, item))
        await queue.put(None)
    except Exception as error:
        await queue.put(error)
