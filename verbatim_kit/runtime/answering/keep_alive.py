"""The status and comments of a silent stream, which keep it open through proxies that cut idle ones."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

from verbatim_kit.runtime.answering.reply import Reply


@asynccontextmanager
async def kept_alive(
    reply: Reply, begin: Callable[[], Awaitable[None]], filler: bytes, interval_s: float
) -> AsyncGenerator[None, None]:
    """Break the silence, while the block runs, after each `interval_s` in which the reply sent nothing.

    begin: sends the status and headers, if that is possible by now and was not done before.
    filler: what follows them, a comment; empty if nothing may, so that later silences stay.
    """
    task = asyncio.create_task(_break_silence(reply, begin, filler, interval_s))
    try:
        yield
    finally:
        if not task.cancel() and not task.cancelled():
            task.exception()  # is raised by the next sending too


async def _break_silence(
    reply: Reply, begin: Callable[[], Awaitable[None]], filler: bytes, interval_s: float
) -> None:
    loop = asyncio.get_running_loop()
    heard_s = loop.time()
    while True:
        heard_s = max(heard_s, reply.last_sent_s)
        if (silent_s := loop.time() - heard_s) < interval_s:
            await asyncio.sleep(interval_s - silent_s)
            continue
        heard_s = loop.time()
        await begin()
        if reply.started:
            await reply.events(filler)
            if not filler:
                return
