"""Thread pools for work that would block the event loop."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import Concatenate, ParamSpec, TypeVar

from pydantic import BaseModel

from engine.port.attempt import Attempt, set_current_attempt
from handlers.concurrency.body_size import is_short, num_characters

P = ParamSpec("P")
T = TypeVar("T")
Body = TypeVar("Body", bound=BaseModel)

# Tokenizing this much takes well under a millisecond, about as long as switching to a thread and back.
_MAX_INLINE_CHARACTERS = 1024
# Tokenizing this much takes about ten milliseconds; longer texts have their own threads.
_MAX_SHORT_CHARACTERS = 16_384

# An answer with this many tokens is built in a few milliseconds.
_MAX_INLINE_TOKENS = 512


class Workers:
    """Thread pools for rendering and tokenizing prompts, and for building answers.

    Long prompts, which can take seconds, have their own threads, so that short ones never wait for them.
    """

    def __init__(self, num_threads: int) -> None:
        self._short = ThreadPoolExecutor(num_threads, thread_name_prefix="prompt")
        self._long = ThreadPoolExecutor(num_threads, thread_name_prefix="long-prompt")

    async def prepare(
        self, function: Callable[Concatenate[Body, P], T], body: Body, /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Call a function that prepares a prompt from a body, and return its result or raise its exception.

        A short body is prepared immediately, which is faster than switching to a thread; others in a thread,
        in a copy of the caller's context.
        """
        if is_short(body, _MAX_INLINE_CHARACTERS):
            return function(body, *args, **kwargs)
        threads = self._threads(num_characters(body, _MAX_SHORT_CHARACTERS))
        run = partial(copy_context().run, function, body, *args, **kwargs)
        return await asyncio.wrap_future(threads.submit(run))

    async def tokenize(
        self, num_characters: int, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Call a function that tokenizes `num_characters`, and return its result or raise its exception.

        A short text is tokenized immediately, a longer one in a thread.
        """
        if num_characters <= _MAX_INLINE_CHARACTERS:
            return function(*args, **kwargs)
        threads = self._threads(num_characters)
        return await asyncio.wrap_future(threads.submit(function, *args, **kwargs))

    async def write(
        self, num_tokens: int, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Call a function that builds an answer of `num_tokens`; return its result or raise its exception.

        A short answer is built immediately, a longer one in a thread: each token may have twenty alternatives
        with their logprobs.
        """
        if num_tokens <= _MAX_INLINE_TOKENS:
            return function(*args, **kwargs)
        return await asyncio.wrap_future(self._long.submit(function, *args, **kwargs))

    async def compute(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function in a thread, in a copy of the caller's context; return its result or exception.

        This is for work that is slow regardless of the size of the body, such as decoding an image. What the
        function has begun in a process of its own ends when the caller is cancelled.
        """
        attempt, context = Attempt(), copy_context()
        context.run(set_current_attempt, attempt)
        run = partial(context.run, function, *args, **kwargs)
        try:
            return await asyncio.wrap_future(self._long.submit(run))
        except asyncio.CancelledError:
            attempt.cancel()
            raise

    def shutdown(self) -> None:
        """Shut the pools down without waiting for running work."""
        for threads in (self._short, self._long):
            threads.shutdown(wait=False, cancel_futures=True)

    def _threads(self, num_characters: int) -> ThreadPoolExecutor:
        return self._short if num_characters <= _MAX_SHORT_CHARACTERS else self._long
