"""Events of an answer that comes in pieces."""

from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Generic, Self, TypeVar

from typing_extensions import override

EventT = TypeVar("EventT")


@dataclass
class Head:
    """The head of an answer. headers: by name, in upper or lower case; none before they come."""

    headers: Mapping[str, str] = field(default_factory=dict)


class EventStream(Iterator[EventT], Generic[EventT]):
    """Events as they come. The request is sent when the first one is asked for.

    Leaving the `with` block before the last event, or `close`, closes the connection, which ends the work
    behind it.
    """

    def __init__(self, events: Generator[EventT, None, None], head: Head | None = None) -> None:
        self._events = events
        self._head = head or Head()

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers of the answer; empty until the first event has been asked for."""
        return self._head.headers

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
    """The counterpart of `EventStream` for `async with` and `async for`."""

    def __init__(self, events: AsyncGenerator[EventT, None], head: Head | None = None) -> None:
        self._events = events
        self._head = head or Head()

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers of the answer; empty until the first event has been asked for."""
        return self._head.headers

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
