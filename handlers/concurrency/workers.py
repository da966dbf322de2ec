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

# A body of so many bytes is read in well under a millisecond, unless it is all values.
_MAX_INLINE_BYTES = 65_536

# An answer with so many tokens is built in a few milliseconds.
_MAX_INLINE_TOKENS = 512


class Workers:
    """The threads for reading bodies, for tokenizing and rendering prompts, and for building answers.

    Long prompts have as many threads of their own, so that short ones never wait for them: one client's
    megabytes take seconds. Bodies have one: to parse one is a single call, which keeps the interpreter's
    lock, and of several threads that wait for the lock, the event loop's is but one.
    """

    def __init__(self, num_threads: int) -> None:
        self._short = ThreadPoolExecutor(num_threads, thread_name_prefix="prompt")
        self._long = ThreadPoolExecutor(num_threads, thread_name_prefix="long-prompt")
        self._bodies = ThreadPoolExecutor(1, thread_name_prefix="body")

    async def read(self, num_bytes: int, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the function's result or raise its exception: at once if a body is short, else in the thread
        for bodies, one after another. So no turn of the loop reads more than one, however many have come.
        """
        if num_bytes <= _MAX_INLINE_BYTES:
            return function(*args, **kwargs)
        return await asyncio.wrap_future(self._bodies.submit(function, *args, **kwargs))

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
        for threads in (self._short, self._long, self._bodies):
            threads.shutdown(wait=False, cancel_futures=True)

    def _threads(self, num_characters: int) -> ThreadPoolExecutor:
        return self._short if num_characters <= _MAX_SHORT_CHARACTERS else self._long
