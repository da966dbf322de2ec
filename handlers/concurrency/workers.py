"""The threads for work that would block the event loop."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import Concatenate, ParamSpec, TypeVar

from pydantic import BaseModel

from handlers.concurrency.body_size import is_short, num_characters

P = ParamSpec("P")
T = TypeVar("T")
Body = TypeVar("Body", bound=BaseModel)

# Tokenizing this much takes well under a millisecond, about what it costs to go to another thread and back.
_MAX_INLINE_CHARACTERS = 1024
# Tokenizing this much takes some ten milliseconds; more has threads of its own.
_MAX_SHORT_CHARACTERS = 16_384

# An answer with so many tokens is built in a few milliseconds.
_MAX_INLINE_TOKENS = 512


class Workers:
    """The threads for tokenizing and rendering prompts, and for building answers.

    Long ones have as many threads of their own, so that short ones never wait for them: one client's
    megabytes take seconds.
    """

    def __init__(self, num_threads: int) -> None:
        self._short = ThreadPoolExecutor(num_threads, thread_name_prefix="prompt")
        self._long = ThreadPoolExecutor(num_threads, thread_name_prefix="long-prompt")

    async def prepare(
        self, function: Callable[Concatenate[Body, P], T], body: Body, /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Return the function's result or raise its exception. A short body is prepared at once, since a
        template takes no longer for it than a thread would; any other in a thread, in the caller's context.
        """
        if is_short(body, _MAX_INLINE_CHARACTERS):
            return function(body, *args, **kwargs)
        threads = self._threads(num_characters(body, _MAX_SHORT_CHARACTERS))
        run = partial(copy_context().run, function, body, *args, **kwargs)
        return await asyncio.wrap_future(threads.submit(run))

    async def tokenize(
        self, num_characters: int, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Return the function's result or raise its exception: at once if the text is short, else in a
        thread."""
        if num_characters <= _MAX_INLINE_CHARACTERS:
            return function(*args, **kwargs)
        threads = self._threads(num_characters)
        return await asyncio.wrap_future(threads.submit(function, *args, **kwargs))

    async def write(
        self, num_tokens: int, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Return the function's result or raise its exception: at once if an answer has few tokens, else in a
        thread, since each token may have twenty alternatives with a log-probability each."""
        if num_tokens <= _MAX_INLINE_TOKENS:
            return function(*args, **kwargs)
        return await asyncio.wrap_future(self._long.submit(function, *args, **kwargs))

    async def compute(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the function's result or raise its exception; always from a thread, in the caller's
        context. It is for work that takes its time however short its body is, such as decoding an image.
        """
        run = partial(copy_context().run, function, *args, **kwargs)
        return await asyncio.wrap_future(self._long.submit(run))

    def shutdown(self) -> None:
        """End the threads, without waiting for one whose work does not end."""
        for threads in (self._short, self._long):
            threads.shutdown(wait=False, cancel_futures=True)

    def _threads(self, num_characters: int) -> ThreadPoolExecutor:
        return self._short if num_characters <= _MAX_SHORT_CHARACTERS else self._long
