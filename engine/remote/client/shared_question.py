"""A query whose result is shared by concurrent callers; no torch."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

AnswerT = TypeVar("AnswerT")


class SharedQuestion(Generic[AnswerT]):
    """A query; callers that ask while it runs, or shortly afterwards, get the same result."""

    def __init__(self, put: Callable[[], Awaitable[AnswerT]], valid_s: float) -> None:
        """Create a query, which first runs when it is first asked.

        put: runs the query; must have a timeout. valid_s: seconds for which a result is cached; an error is
        only raised to the current callers.
        """
        self._put = put
        self._valid_s = valid_s
        self._valid_until = 0.0
        self._asking: asyncio.Task[AnswerT] | None = None

    async def answer(self) -> AnswerT:
        """Return the result. Raises the exceptions of `put`. Cancelling one caller does not affect others."""
        loop = asyncio.get_running_loop()
        asking = self._asking
        if asking is None or (asking.done() and loop.time() >= self._valid_until):
            asking = self._asking = loop.create_task(self._asked())
            asking.add_done_callback(_take_error)
        return await asyncio.shield(asking)

    async def _asked(self) -> AnswerT:
        self._valid_until = 0.0
        answer = await self._put()
        self._valid_until = asyncio.get_running_loop().time() + self._valid_s
        return answer


def _take_error(asking: "asyncio.Task[AnswerT]") -> None:
    """Retrieve the error of a query that no caller waits for, which asyncio would log otherwise."""
    if not asking.cancelled():
        asking.exception()
