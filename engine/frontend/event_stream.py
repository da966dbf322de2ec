"""What an engine's thread tells one request, as its event loop reads it."""

import asyncio
from collections import deque
from typing import Generic, TypeVar

T = TypeVar("T")


class EventStream(Generic[T]):
    """A queue of one event loop and with one reader; whoever fills it sees to a bound, by its length.

    asyncio.Queue, which may have bounds and many readers, costs a third more for each token.
    """

    def __init__(self) -> None:
        """Needs a running event loop."""
        self._loop = asyncio.get_running_loop()
        self._items: deque[T] = deque()
        self._arrival: asyncio.Future[None] | None = None  # what the reader waits for

    def put(self, item: T) -> None:
        self._items.append(item)
        if self._arrival is not None and not self._arrival.done():
            self._arrival.set_result(None)

    def __len__(self) -> int:
        return len(self._items)

    def clear(self) -> None:
        """Forgets what nobody has taken."""
        self._items.clear()

    @property
    def is_empty(self) -> bool:
        return not self._items

    def arrival(self) -> asyncio.Future[None]:
        """What a reader who found nothing waits for: done with the next item."""
        self._arrival = self._loop.create_future()
        return self._arrival

    def take(self) -> T:
        """The next item; there must be one."""
        return self._items.popleft()
