"""A minimal ASGI application, to measure the cost of uvicorn, a lower bound for every application."""

import asyncio
import json

from starlette.types import Receive, Scope, Send

PATH, STREAM_PATH = "/whole", "/stream"

_ANSWER = b'{"choices":[{"message":{"role":"assistant","content":" word"}}]}'
_EVENT = b'data: {"choices":[{"index":0,"delta":{"content":" word"},"finish_reason":null}]}\n\n'


async def bare_app(scope: Scope, receive: Receive, send: Send) -> None:
    """Send an answer, or `max_tokens` events, one in each iteration of the event loop."""
    if scope["type"] == "lifespan":
        await _live(receive, send)
        return
    message = await receive()
    streams = scope["path"] == STREAM_PATH
    kind, length = (b"text/event-stream", ()) if streams else (b"application/json", (_length(),))
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", kind), *length]})
    if streams:
        for _ in range(json.loads(message["body"])["max_tokens"]):
            await asyncio.sleep(0)
            await send({"type": "http.response.body", "body": _EVENT, "more_body": True})
    await send({"type": "http.response.body", "body": b"" if streams else _ANSWER})


def _length() -> tuple[bytes, bytes]:
    return b"content-length", str(len(_ANSWER)).encode()


async def _live(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
