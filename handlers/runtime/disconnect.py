"""A client that has gone ends the work done for it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from starlette.requests import ClientDisconnect
from starlette.types import Receive


@asynccontextmanager
async def cancelled_by_disconnect(receive: Receive) -> AsyncGenerator[None, None]:
    """Cancels its block as soon as the client has gone, and then raises ClientDisconnect.

    The request's body must have been read, for what else `receive` brings is dropped.
    """
    task = asyncio.current_task()
    assert task is not None
    watch = asyncio.create_task(_cancel_when_gone(receive, task))
    try:
        yield
    except asyncio.CancelledError:
        if watch.done() and task.uncancel() == 0:
            raise ClientDisconnect from None
        raise
    finally:
        watch.cancel()


async def _cancel_when_gone(receive: Receive, task: asyncio.Task[object]) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    task.cancel()
