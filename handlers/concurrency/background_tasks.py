"""Work that outlives the requests that asked for it."""

import asyncio
from collections.abc import Coroutine
from typing import Any, Final

_END_S: Final = 5.0


class BackgroundTasks:
    """Tasks of a server, of which each is bounded by whoever starts it, such as by a permit that it holds."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Run work in a task of its own, in a copy of the caller's context."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def end(self) -> None:
        """Wait some seconds for the tasks, and cancel those that are left."""
        if self._tasks:
            _, left = await asyncio.wait(self._tasks, timeout=_END_S)
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)
