"""The response of a server to a request, read as its bytes arrive; no torch."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final

from engine.remote.client.failures import CutOff

MAX_ANSWER_BYTES: Final = 64 * 2**20
_MAX_ERROR_BYTES: Final = 65_536
_MAX_UNREAD_BYTES: Final = MAX_ANSWER_BYTES + 2**20  # with room for data received in the same call
_REST_TIMEOUT_S: Final = 1.0


class Answer:
    """A response that is being received.

    status, location, retry_after: from its headers; available when `head` has returned.
    is_complete: the whole response has been received.

    The data of a stream are passed to the reader's function in the call that receives them, since waking a
    task for each piece would take as long as reading it.
    """

    def __init__(self) -> None:
        """Create an empty response. Requires a running event loop."""
        self.status = 0
        self.location = ""
        self.retry_after = ""
        self.is_complete = False
        self._loop = asyncio.get_running_loop()
        self._changed: asyncio.Future[None] | None = None  # the future that the reader awaits
        self._error: Exception | None = None
        self._unread: deque[bytes] = deque()
        self._num_unread = 0
        self._feed: Callable[[bytes], bool] | None = None
        self._is_dropped = False

    @property
    def has_failed(self) -> bool:
        return self._error is not None

    @property
    def _is_fed(self) -> bool:
        return self._feed is not None

    async def head(self) -> None:
        """Wait for the headers. Raises CutOff, and ConnectionError if nothing was received."""
        while not self.status:
            await self._change()

    async def whole(self, max_bytes: int = MAX_ANSWER_BYTES) -> bytes:
        """Return the complete body. Raises CutOff, also if it is longer than `max_bytes`."""
        while not self.is_complete and self._num_unread <= max_bytes:
            await self._change()
        if self._num_unread > max_bytes:
            raise CutOff("the answer is too long")
        return b"".join(self._unread)

    async def error_body(self) -> bytes:
        """Return the body of an error response; empty if it is too long or cannot be read."""
        try:
            return await self.whole(_MAX_ERROR_BYTES)
        except CutOff:
            return b""

    async def stream(self, feed: Callable[[bytes], bool]) -> None:
        """Call `feed` with each piece of the body, until it returns True or the body ends.

        Later data are buffered for the next call of `stream`, or until `rest` is called. Raises CutOff and
        the exceptions of `feed`.
        """
        if self._num_unread > MAX_ANSWER_BYTES:  # some data may have been dropped
            raise CutOff("the answer is too long")
        while self._unread:
            data = self._unread.popleft()
            self._num_unread -= len(data)
            if feed(data):
                return
            if self._unread:  # much may have been buffered: let other tasks run
                await asyncio.sleep(0)
        self._feed = feed
        try:
            while self._is_fed and not self.is_complete:
                await self._change()
            if self._error is not None:  # raised by `feed` for data received together with the end
                raise self._error
        finally:
            self._feed = None

    async def rest(self) -> None:
        """Read and discard the rest for at most a second, so that the connection can be reused."""
        self._is_dropped = True
        self._unread.clear()
        try:
            async with asyncio.timeout(_REST_TIMEOUT_S):
                while not self.is_complete:
                    await self._change()
        except (CutOff, TimeoutError):
            pass

    def begin(self, status: int, location: str, retry_after: str = "") -> None:
        """Set the status and headers."""
        self.status, self.location, self.retry_after = status, location, retry_after
        self._wake()

    def add(self, data: bytes) -> None:
        """Add the next part of the body."""
        if self._feed is not None:
            try:
                if self._feed(data):
                    self._feed = None
                    self._wake()
            except Exception as error:  # raised in the reader, not here
                self._feed, self._is_dropped = None, True
                self.fail(error)
        elif not self._is_dropped and self._num_unread <= _MAX_UNREAD_BYTES:
            self._unread.append(data)
            self._num_unread += len(data)
            self._wake()

    def end(self) -> None:
        """Mark the response as complete."""
        self.is_complete = True
        self._wake()

    def fail(self, error: Exception) -> None:
        """Set the error that the reader raises; only the first one is kept."""
        self._error = self._error or error
        self._wake()

    def _wake(self) -> None:
        if self._changed is not None and not self._changed.done():
            self._changed.set_result(None)

    async def _change(self) -> None:
        """Wait for a change. Raises the error if there is one."""
        if self._error is None:
            self._changed = self._loop.create_future()
            await self._changed
        if self._error is not None:
            raise self._error
