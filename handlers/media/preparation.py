"""The preparation of prompts whose parts may first have to be read."""

from collections.abc import Awaitable, Callable
from typing import Concatenate, ParamSpec, TypeVar

from pydantic import BaseModel

from handlers.chat.media import NOTHING_READ, MediaWanted, PartContents
from handlers.concurrency.workers import Workers
from handlers.media.part_reader import PartReader

P = ParamSpec("P")
T = TypeVar("T")
Body = TypeVar("Body", bound=BaseModel)


class MediaPreparation:
    """Prepares a request, and where that wants parts, reads them and prepares it again in a thread.

    So a request without parts, as most are, is prepared once and pays nothing; and of one that is refused for
    any other reason, nothing is read (CVE-2026-0599).
    """

    def __init__(self, reader: PartReader, workers: Workers) -> None:
        self._reader = reader
        self._workers = workers

    async def prepare(
        self,
        function: Callable[Concatenate[Body, PartContents, P], T],
        body: Body,
        /,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Return the function's result or raise its exception, as `Workers.prepare` does."""
        first = self._workers.prepare(function, body, NOTHING_READ, *args, **kwargs)
        return await self.complete(first, lambda contents: function(body, contents, *args, **kwargs))

    async def complete(self, first: Awaitable[T], again: Callable[[PartContents], T]) -> T:
        """Return the result of the first attempt, or that of another once the parts that it wants are read.

        Raises what the attempts raise, and Overloaded.
        """
        try:
            return await first
        except MediaWanted as error:
            wanted = error.parts
        async with self._reader.place():
            budget = self._reader.budget()
            contents: PartContents = {}
            while True:
                contents = {**contents, **await self._reader.read(wanted, budget)}
                try:
                    return await self._workers.compute(again, contents)
                except MediaWanted as error:  # a conversation that is cut shorter wants fewer, then more
                    wanted = error.parts
