"""What an engine's thread tells one request, as its event loop reads it."""

import asyncio
from collections import deque
from typing import Generic, TypeVar

T = TypeVar("T")


class EventStream(Generic[T]):
    """A queue without a bound, of one event loop and with one reader.

    asyncio.Queue, which may have bounds and many readers, costs a third more for each token.
    """

    def __init__(self) -> None:
        self._items: deque[T] = deque()
        self._arrival: asyncio.Future[None] | None = None  # what the reader waits for

    def put(self, item: T) -> None:
        self._items.append(item)
        if self._arrival is not None and not self._arrival.done():
            self._arrival.set_result(None)

    async def get(self) -> T:
        """The next item, once there is one."""
        while not self._items:
            self._arrival = asyncio.get_running_loop().create_future()
            await self._arrival
        return self._items.popleft()
