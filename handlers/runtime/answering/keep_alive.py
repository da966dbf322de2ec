"""Comments in a silent stream, which keep it open through proxies that cut idle connections."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from handlers.runtime.answering import sse
from handlers.runtime.answering.reply import Reply


@asynccontextmanager
async def kept_alive(reply: Reply, interval_s: float) -> AsyncGenerator[None, None]:
    """Send a comment, while the block runs, after each `interval_s` in which the reply sent nothing."""
    task = asyncio.create_task(_send_comments(reply, interval_s))
    try:
        yield
    finally:
        task.cancel()


async def _send_comments(reply: Reply, interval_s: float) -> None:
    loop = asyncio.get_running_loop()
    while True:
        silent_s = loop.time() - reply.last_sent_s
        if silent_s >= interval_s:
            await reply.events(sse.KEEP_ALIVE)
        else:
            await asyncio.sleep(interval_s - silent_s)
