"""A client that has gone ends the work done for it."""

import asyncio
from types import TracebackType
from typing import Final, Self

from starlette.requests import ClientDisconnect
from starlette.types import Receive

# A task that watches costs more than many an answer, so work that is done within this has none.
_PATIENCE_S: Final = 0.05


class CancelledByDisconnect:
    """Cancels its block as soon as the client has gone, and then raises ClientDisconnect.

    The request's body must have been read, for what else `receive` brings is dropped. The block belongs to
    the task that enters it.
    """

    def __init__(self, receive: Receive, patience: "Patience") -> None:
        self._receive = receive
        self._patience = patience
        self._watch: asyncio.Task[None] | None = None

    def __enter__(self) -> Self:
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._patience.add(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._patience.remove(self)
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


class Patience:
    """Blocks that nobody watches yet, of one event loop. One timer is for all, since one each costs as much
    as the rest of this.
    """

    def __init__(self) -> None:
        self._due: dict[CancelledByDisconnect, float] = {}  # when to be watched, ascending
        self._loop: asyncio.AbstractEventLoop | None = None  # where a timer runs

    def add(self, block: CancelledByDisconnect) -> None:
        """Has it watched if it lasts."""
        loop = asyncio.get_running_loop()
        self._due[block] = loop.time() + _PATIENCE_S
        if self._loop is not loop:
            self._loop = loop
            loop.call_later(_PATIENCE_S, self._look)

    def remove(self, block: CancelledByDisconnect) -> None:
        self._due.pop(block, None)

    def _look(self) -> None:
        loop = asyncio.get_running_loop()
        for block in [block for block, due in self._due.items() if due <= loop.time()]:
            del self._due[block]
            block.begin_watching()
        self._loop = loop if self._due else None
        if self._due:
            loop.call_at(next(iter(self._due.values())), self._look)
