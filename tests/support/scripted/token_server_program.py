"""A token server as a program: `python -m tests.support.scripted.token_server_program PORT [deaf]`.

It answers like vLLM, with TOKENS. A request for more than SLOW tokens gets them with pauses, and one for more
than MANY gets one, and then nothing. A deaf one ignores SIGTERM.
"""

import asyncio
import os
import signal
import sys
from typing import Final

from aiohttp import web

from tests.support.scripted.token_server import Body, ScriptedUpstream, answers, event, sends, tokens

TOKENS: Final = (5, 6, 7)
END: Final = 2  # of the embedded model
SLOW: Final = 50
MANY: Final = 100
_PAUSE_S: Final = 0.4


async def _reply(request: web.Request, body: Body) -> web.StreamResponse:
    if not body.get("stream", False):
        return await answers({"choices": [{"token_ids": [5], "finish_reason": "length"}]})(request, body)
    num_tokens = body["sampling_params"]["max_tokens"]
    if num_tokens > MANY:
        return await sends([event(TOKENS[:1])], holds=True)(request, body)
    if num_tokens > SLOW:
        return await sends(tokens(*TOKENS, END), pause_s=_PAUSE_S)(request, body)
    return await sends(tokens(*TOKENS, END))(request, body)


async def main(port: int, *, is_deaf: bool) -> None:
    """Serve until ended by a signal."""
    if is_deaf:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    upstream = ScriptedUpstream(_reply)
    upstream.port = port
    await upstream.start()
    print(f"process {os.getpid()} serves", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), is_deaf="deaf" in sys.argv[2:]))
