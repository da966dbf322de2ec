"""Cancellation of the work for a client that has disconnected."""

import asyncio
from types import TracebackType
from typing import Final, Self

from starlette.requests import ClientDisconnect
from starlette.types import Receive

# A task that watches costs more than many an answer, so work that ends before this delay has none.
_WATCH_DELAY_S: Final = 0.05


class CancelledByDisconnect:
    """A context that cancels its block once the client has disconnected, and then raises ClientDisconnect.

    The request's body must have been read before, since other messages of `receive` are dropped. The block
    belongs to the task that enters it.
    """

    def __init__(self, receive: Receive, watcher: "DisconnectWatcher") -> None:
        self._receive = receive
        self._watcher = watcher
        self._watch: asyncio.Task[None] | None = None

    def __enter__(self) -> Self:
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._watcher.add(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._watcher.remove(self)
        if self._watch is None:
            return
        has_gone = self._watch.done()
        self._watch.cancel()
        if has_gone and isinstance(error, asyncio.CancelledError) and self._task.uncancel() == 0:
            raise ClientDisconnect from None

    def begin_watching(self) -> None:
        self._watch = asyncio.get_running_loop().create_task(self._cancel_when_gone())

    async def _cancel_when_gone(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._task.cancel()


class DisconnectWatcher:
    """The blocks of one event loop that are not watched yet: each is once it has lasted for a short delay.

    One timer serves all blocks, since a timer for each would cost as much as all the rest here.
    """

    def __init__(self) -> None:
        self._due: dict[CancelledByDisconnect, float] = {}  # when to begin watching, ascending
        self._loop: asyncio.AbstractEventLoop | None = None  # where a timer runs

    def add(self, block: CancelledByDisconnect) -> None:
        """Begin to watch the block after the delay, unless it is removed before."""
        loop = asyncio.get_running_loop()
        self._due[block] = loop.time() + _WATCH_DELAY_S
        if self._loop is not loop:
            self._loop = loop
            loop.call_later(_WATCH_DELAY_S, self._watch_due)

    def remove(self, block: CancelledByDisconnect) -> None:
        self._due.pop(block, None)

    def _watch_due(self) -> None:
        loop = asyncio.get_running_loop()
        for block in [block for block, due in self._due.items() if due <= loop.time()]:
            del self._due[block]
            block.begin_watching()
        self._loop = loop if self._due else None
        if self._due:
            loop.call_at(next(iter(self._due.values())), self._watch_due)
