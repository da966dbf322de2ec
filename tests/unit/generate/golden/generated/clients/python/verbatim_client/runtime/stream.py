"""Events of an answer that comes in pieces."""

from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from typing import Generic, Self, TypeVar

from typing_extensions import override

EventT = TypeVar("EventT")


class EventStream(Iterator[EventT], Generic[EventT]):
    """Events as they come. The request is sent when the first one is asked for.

    Leaving the `with` block before the last event, or `close`, closes the connection, which ends the work
    behind it.
    """

    def __init__(self, events: Generator[EventT, None, None]) -> None:
        self._events = events

    @override
    def __next__(self) -> EventT:
        return next(self._events)

    def close(self) -> None:
        """Ends the stream; after its last event, does nothing."""
        self._events.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class AsyncEventStream(AsyncIterator[EventT], Generic[EventT]):
    """As `EventStream`, for `async with` and `async for`."""

    def __init__(self, events: AsyncGenerator[EventT, None]) -> None:
        self._events = events

    @override
    async def __anext__(self) -> EventT:
        return await anext(self._events)

    async def close(self) -> None:
        """Ends the stream; after its last event, does nothing."""
        await self._events.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()
