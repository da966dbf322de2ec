"""The items of a streamed answer, as their bytes arrive: the data of events, or lines of JSON."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from typing import Final

import httpx
from httpx_sse import EventSource

from .errors import APIResponseValidationError

EVENTS: Final = "text/event-stream"


def read_items(response: httpx.Response, media_type: str) -> Iterator[str]:
    """The text of each item. Raises APIResponseValidationError if the answer is no such stream."""
    if media_type == EVENTS:
        for event in EventSource(response).iter_sse():
            yield event.data
        return
    _require(response, media_type)
    lines = _Lines()
    for chunk in response.iter_bytes():
        yield from lines.feed(chunk)
    yield from lines.end()


async def read_items_async(response: httpx.Response, media_type: str) -> AsyncGenerator[str, None]:
    """The counterpart of `read_items` for an asynchronous client."""
    if media_type == EVENTS:
        async with aclosing(EventSource(response).aiter_sse()) as events:
            async for event in events:
                yield event.data
        return
    _require(response, media_type)
    lines = _Lines()
    async for chunk in response.aiter_bytes():
        for line in lines.feed(chunk):
            yield line
    for line in lines.end():
        yield line


class _Lines:
    """Lines out of pieces of any size. Only a line feed ends one: httpx would end it at U+2028 too."""

    def __init__(self) -> None:
        self._begun: list[bytes] = []

    def feed(self, chunk: bytes) -> Iterator[str]:
        """The lines that the chunk completes."""
        *ended, begun = chunk.split(b"\n")
        for end in ended:
            line = b"".join((*self._begun, end))
            self._begun = []
            yield from _text(line)
        self._begun.append(begun)

    def end(self) -> Iterator[str]:
        """The last line, where no line feed ends it."""
        yield from _text(b"".join(self._begun))


def _text(line: bytes) -> Iterator[str]:
    if line.strip():
        yield line.decode(errors="replace")


def _require(response: httpx.Response, media_type: str) -> None:
    sent: str = response.headers.get("content-type", "")
    if sent.partition(";")[0].strip().lower() != media_type:
        raise APIResponseValidationError(f"not lines as {media_type}: the content type is {sent!r}", "")
