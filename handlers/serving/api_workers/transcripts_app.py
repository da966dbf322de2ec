"""The engine process's transcription service for API workers."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from engine.port.engine import Engine
from handlers.active_requests.active_request import ActiveRequests
from handlers.concurrency.limit import ConcurrencyLimit
from handlers.concurrency.workers import Workers
from handlers.serving.api_workers.transcript_lines import PATH, to_lines
from handlers.settings.settings import Settings
from handlers.transcription.transcriber import Transcriber
from handlers.transcription.transcript import TranscriptionRequest

# Seconds after which a blank line is sent, since a window can take longer than the timeout of an engine.
_PULSE_S: Final = 10.0
_request_decoder: Final = msgspec.msgpack.Decoder(TranscriptionRequest)


class TranscriptsApp:
    """An ASGI application with a path to which API workers send audio, and which returns transcripts."""

    def __init__(self, app: ASGIApp, engine: Engine, settings: Settings) -> None:
        self._app = app
        self._requests = ActiveRequests(engine, ConcurrencyLimit(settings.max_concurrent_requests))
        self._workers = Workers(settings.validation_workers)
        self._transcriber = Transcriber(engine, self._workers, max_seconds=settings.max_transcription_seconds)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            try:
                await self._app(scope, receive, send)
            finally:
                self._workers.shutdown()
        elif scope["type"] == "http" and scope["path"] == PATH:
            await self._answer(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = _request_decoder.decode(await Request(scope, receive).body())
        await send({"type": "http.response.start", "status": 200, "headers": []})
        leaving = asyncio.ensure_future(receive())  # returns when the worker disconnects
        async with aclosing(self._lines(request)) as lines:
            following = asyncio.ensure_future(anext(lines, None))
            try:
                while True:
                    done, _ = await asyncio.wait(
                        (following, leaving), timeout=_PULSE_S, return_when=asyncio.FIRST_COMPLETED
                    )
                    if leaving in done:
                        return
                    line = following.result() if done else b""
                    await send(
                        {
                            "type": "http.response.body",
                            "body": b"" if line is None else line + b"\n",
                            "more_body": line is not None,
                        }
                    )
                    if line is None:
                        return
                    if done:
                        following = asyncio.ensure_future(anext(lines, None))
            finally:
                leaving.cancel()
                following.cancel()
                await asyncio.gather(leaving, following, return_exceptions=True)

    async def _lines(self, request: TranscriptionRequest) -> AsyncGenerator[bytes, None]:
        try:
            with self._requests.open(time.perf_counter(), lambda error: error) as active:
                async with aclosing(self._transcriber.stream(active, request)) as events:
                    async for event in events:
                        for line in to_lines(event):
                            yield line
        except Exception as error:
            for line in to_lines(error):
                yield line
