"""The queue of one request's events, from the engine's thread to its event loop."""

import asyncio
from collections import deque
from typing import Generic, TypeVar

T = TypeVar("T")


class EventStream(Generic[T]):
    """A queue for one event loop and one reader, without a bound; the writer checks its length.

    asyncio.Queue, which can have a bound and many readers, costs a third more for each token.
    """

    def __init__(self) -> None:
        """Make an empty queue. Requires a running event loop."""
        self._loop = asyncio.get_running_loop()
        self._items: deque[T] = deque()
        self._arrival: asyncio.Future[None] | None = None  # the future that the reader awaits

    def put(self, item: T) -> None:
        self._items.append(item)
        if self._arrival is not None and not self._arrival.done():
            self._arrival.set_result(None)

    def __len__(self) -> int:
        return len(self._items)

    def clear(self) -> None:
        """Drop all items that were not taken."""
        self._items.clear()

    @property
    def is_empty(self) -> bool:
        return not self._items

    def arrival(self) -> asyncio.Future[None]:
        """Return a future that is done when the next item is put; the reader of an empty queue awaits it."""
        self._arrival = self._loop.create_future()
        return self._arrival

    def take(self) -> T:
        """Remove and return the next item. Requires that there is one."""
        return self._items.popleft()
