"""A thread for work on bodies that would block the event loop."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

# A body of this size is usually parsed in well under a millisecond.
_MAX_INLINE_BYTES: Final = 65_536


class BodyThread:
    """The only thread that parses long bodies.

    Parsing is a single call that holds the interpreter lock, and more threads would compete with the event
    loop for it.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="body")

    async def read(self, num_bytes: int, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function that parses a body of `num_bytes`, and return its result or raise its exception.

        A short body is parsed immediately; longer ones one after the other in the thread.
        """
        if num_bytes <= _MAX_INLINE_BYTES:
            return function(*args, **kwargs)
        return await asyncio.wrap_future(self._thread.submit(function, *args, **kwargs))

    def shutdown(self) -> None:
        """End the thread without waiting for running work."""
        self._thread.shutdown(wait=False, cancel_futures=True)
