"""Work that would keep the event loop from its other requests."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Concatenate, ParamSpec, TypeVar

from pydantic import BaseModel

from handlers.body_size import is_short

P = ParamSpec("P")
T = TypeVar("T")
Body = TypeVar("Body", bound=BaseModel)

# Tokenizing this much takes well under a millisecond, about what it costs to go to another thread and back.
_MAX_INLINE_CHARACTERS = 1024


class Workers:
    """Threads for tokenizing and rendering prompts."""

    def __init__(self, num_threads: int) -> None:
        self._threads = ThreadPoolExecutor(num_threads, thread_name_prefix="prompt")

    async def run(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """The function's result or exception, from a thread."""
        return await asyncio.wrap_future(self._threads.submit(function, *args, **kwargs))

    async def prepare(
        self, function: Callable[Concatenate[Body, P], T], body: Body, /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """As `run`, but at once where the body is short: a template takes no longer for it than a thread."""
        if is_short(body, _MAX_INLINE_CHARACTERS):
            return function(body, *args, **kwargs)
        return await self.run(function, body, *args, **kwargs)

    async def tokenize(
        self, num_characters: int, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """As `run`, but at once where the text is short."""
        if num_characters <= _MAX_INLINE_CHARACTERS:
            return function(*args, **kwargs)
        return await self.run(function, *args, **kwargs)

    def shutdown(self) -> None:
        self._threads.shutdown(cancel_futures=True)
