"""The answer of a server to one request, as its bytes arrive; no torch."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final

from engine.remote.client.failures import CutOff

MAX_ANSWER_BYTES: Final = 64 * 2**20
_MAX_ERROR_BYTES: Final = 65_536
_MAX_UNREAD_BYTES: Final = MAX_ANSWER_BYTES + 2**20  # and what was received with them
_REST_TIMEOUT_S: Final = 1.0


class Answer:
    """An answer, as its bytes arrive.

    status, location, retry_after: the parts of its head, once `head` has returned.
    is_complete: whether nothing follows.

    A stream is given to its reader in the call that receives it: to wake a task for each piece of each stream
    takes as long as to read the piece.
    """

    def __init__(self) -> None:
        """Make an answer of which nothing has come. Requires a running event loop."""
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
        """Wait until the status is known. Raises CutOff, and ConnectionError before anything has come."""
        while not self.status:
            await self._change()

    async def whole(self, max_bytes: int = MAX_ANSWER_BYTES) -> bytes:
        """Return the body. Raises CutOff, also if it is longer than `max_bytes`."""
        while not self.is_complete and self._num_unread <= max_bytes:
            await self._change()
        if self._num_unread > max_bytes:
            raise CutOff("the answer is too long")
        return b"".join(self._unread)

    async def error_body(self) -> bytes:
        """Return the body of an error; nothing where it is too long or cannot be read."""
        try:
            return await self.whole(_MAX_ERROR_BYTES)
        except CutOff:
            return b""

    async def stream(self, feed: Callable[[bytes], bool]) -> None:
        """Call `feed` with the body as it comes, until that returns True, or until the body ends.

        What follows is kept for another call, which goes on there, until `rest` is called. Raises CutOff, and
        what `feed` raises.
        """
        if self._num_unread > MAX_ANSWER_BYTES:  # and so not all of it was kept
            raise CutOff("the answer is too long")
        while self._unread:
            data = self._unread.popleft()
            self._num_unread -= len(data)
            if feed(data):
                return
            if self._unread:  # much may have come since the call before
                await asyncio.sleep(0)
        self._feed = feed
        try:
            while self._is_fed and not self.is_complete:
                await self._change()
            if self._error is not None:  # of the feed, in what came together with the end
                raise self._error
        finally:
            self._feed = None

    async def rest(self) -> None:
        """Read what follows what was fed, for a second at most, so that the connection can be used again."""
        self._is_dropped = True
        self._unread.clear()
        try:
            async with asyncio.timeout(_REST_TIMEOUT_S):
                while not self.is_complete:
                    await self._change()
        except (CutOff, TimeoutError):
            pass

    def begin(self, status: int, location: str, retry_after: str = "") -> None:
        """Take the head."""
        self.status, self.location, self.retry_after = status, location, retry_after
        self._wake()

    def add(self, data: bytes) -> None:
        """Take the next part of the body."""
        if self._feed is not None:
            try:
                if self._feed(data):
                    self._feed = None
                    self._wake()
            except Exception as error:  # which belongs to the reader, and not to the connection
                self._feed, self._is_dropped = None, True
                self.fail(error)
        elif not self._is_dropped and self._num_unread <= _MAX_UNREAD_BYTES:
            self._unread.append(data)
            self._num_unread += len(data)
            self._wake()

    def end(self) -> None:
        """Take the end."""
        self.is_complete = True
        self._wake()

    def fail(self, error: Exception) -> None:
        """Raise an error where the answer is read; of several errors, the first counts."""
        self._error = self._error or error
        self._wake()

    def _wake(self) -> None:
        if self._changed is not None and not self._changed.done():
            self._changed.set_result(None)

    async def _change(self) -> None:
        """Wait until something has come. Raises the error."""
        if self._error is None:
            self._changed = self._loop.create_future()
            await self._changed
        if self._error is not None:
            raise self._error
