"""A question that many ask at the same time and that is put once; no torch."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

AnswerT = TypeVar("AnswerT")


class SharedQuestion(Generic[AnswerT]):
    """One question. Whoever asks while it is being put, or soon after, gets the same answer."""

    def __init__(self, put: Callable[[], Awaitable[AnswerT]], valid_s: float) -> None:
        """Make a question that is put when it is first asked.

        put: puts the question, and ends by itself. valid_s: seconds for which an answer holds; an error
        holds for those alone who wait for it.
        """
        self._put = put
        self._valid_s = valid_s
        self._valid_until = 0.0
        self._asking: asyncio.Task[AnswerT] | None = None

    async def answer(self) -> AnswerT:
        """Return the answer. Raises as `put` does; whoever leaves meanwhile leaves the others theirs."""
        loop = asyncio.get_running_loop()
        asking = self._asking
        if asking is None or (asking.done() and loop.time() >= self._valid_until):
            asking = self._asking = loop.create_task(self._asked())
            asking.add_done_callback(_take_error)
        return await asyncio.shield(asking)

    def forget(self) -> None:
        """Put the question anew when somebody asks next, unless it is being put."""
        self._valid_until = 0.0

    async def _asked(self) -> AnswerT:
        self._valid_until = 0.0
        answer = await self._put()
        self._valid_until = asyncio.get_running_loop().time() + self._valid_s
        return answer


def _take_error(asking: "asyncio.Task[AnswerT]") -> None:
    """Take the error of a question that nobody waits for any more, which asyncio would log."""
    if not asking.cancelled():
        asking.exception()
