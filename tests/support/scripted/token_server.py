"""A server of token APIs, vLLM's and SGLang's, that answers as a test tells it to, rightly or wrongly."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

Body = Mapping[str, Any]
Reply = Callable[[web.Request, Body], Awaitable[web.StreamResponse]]

DONE = b"data: [DONE]\n\n"
METRICS = 'vllm:cache_config_info{block_size="32",engine="0",num_gpu_blocks="100"} 1.0\n'


def event(
    token_ids: Iterable[int], finish_reason: str | None = None, logprobs: object = None, **fields: object
) -> bytes:
    """Return an event of a stream as vLLM writes it."""
    choice = {
        "index": 0,
        "token_ids": list(token_ids),
        "finish_reason": finish_reason,
        "stop_reason": None,
        "logprobs": logprobs,
    }
    return b"data: " + json.dumps({"request_id": "r", "choices": [choice], **fields}).encode() + b"\n\n"


def tokens(*token_ids: int, finish_reason: str = "stop") -> list[bytes]:
    """Return a whole stream with one token in each event."""
    *before, last = token_ids
    return [*(event([token_id]) for token_id in before), event([last], finish_reason), DONE]


def sends(
    pieces: Iterable[bytes],
    *,
    is_cut: bool = False,
    holds: bool = False,
    pause_s: float = 0.0,
    headers: Mapping[str, str] = {},
) -> Reply:
    """Stream the pieces, each in a write of its own.

    is_cut: close the connection after them, in the middle of the answer. holds: send nothing more, and wait.
    pause_s: seconds before each piece. headers: beside those of every stream.
    """

    async def reply(request: web.Request, body: Body) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", **headers})
        response.enable_chunked_encoding()
        await response.prepare(request)
        for piece in pieces:
            await asyncio.sleep(pause_s)
            await response.write(piece)
        if holds:
            await asyncio.Event().wait()
        if is_cut:
            assert request.transport is not None
            request.transport.close()
        return response

    return reply


def refuses(
    status: int, message: str = "no", param: str | None = None, headers: Mapping[str, str] = {}
) -> Reply:
    async def reply(request: web.Request, body: Body) -> web.StreamResponse:
        error = {"message": message, "type": "BadRequestError", "param": param, "code": status}
        return web.json_response({"error": error}, status=status, headers=headers)

    return reply


def drops() -> Reply:
    """Close the connection without an answer."""

    async def reply(request: web.Request, body: Body) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    return reply


def hangs() -> Reply:
    async def reply(request: web.Request, body: Body) -> web.StreamResponse:
        await asyncio.Event().wait()
        raise AssertionError

    return reply


def answers(document: object) -> Reply:
    """Answer whole, with this JSON."""

    async def reply(request: web.Request, body: Body) -> web.StreamResponse:
        return web.json_response(document)

    return reply


class ScriptedUpstream:
    """replies: to the next requests, in order; the last one stays. received: all bodies.

    num_open: requests whose answers are not complete. has_left: set when a client closes its connection
    before its answer is complete. models: what /v1/models lists. server_info: SGLang's account of itself.
    tokenizes: what makes the tokens of a text for /tokenize; None for a server without it.
    """

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.received: list[Body] = []
        self.headers: list[Mapping[str, str]] = []
        self.num_open = 0
        self.most_open = 0
        self.has_begun = asyncio.Event()
        self.has_left = asyncio.Event()
        self.is_healthy = True
        self.tokenizes: Callable[[str], list[int]] | None = None
        self.models: list[dict[str, object]] = [{"id": "m", "max_model_len": 256}]
        self.server_info: dict[str, object] = {
            "page_size": 32,
            "max_total_num_tokens": 3200,
            "enable_deterministic_inference": True,
            "incremental_streaming_output": True,
        }
        self.port = 0
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Listen, on the same port as before if it has been stopped."""
        app = web.Application(client_max_size=2**26)
        app.router.add_post("/inference/v1/generate", self._generate)
        app.router.add_post("/generate", self._generate)
        app.router.add_post("/tokenize", self._tokenize)
        app.router.add_get("/server_info", self._server_info)
        app.router.add_get("/health", self._health)
        app.router.add_get("/v1/models", self._models)
        app.router.add_get("/metrics", self._metrics)
        self._runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port, reuse_address=True)
        await site.start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _generate(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.received.append(body)
        self.headers.append(request.headers)
        self.num_open += 1
        self.most_open = max(self.most_open, self.num_open)
        self.has_begun.set()
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        try:
            return await reply(request, body)
        except asyncio.CancelledError:
            self.has_left.set()
            raise
        finally:
            self.num_open -= 1

    async def _health(self, request: web.Request) -> web.Response:
        return web.Response(status=200 if self.is_healthy else 503)

    async def _models(self, request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": self.models})

    async def _server_info(self, request: web.Request) -> web.Response:
        return web.json_response(self.server_info)

    async def _tokenize(self, request: web.Request) -> web.Response:
        if self.tokenizes is None:
            raise web.HTTPNotFound
        body = await request.json()
        found = self.tokenizes(body["prompt"])
        return web.json_response({"tokens": found, "count": len(found), "max_model_len": 256})

    async def _metrics(self, request: web.Request) -> web.Response:
        return web.Response(text=METRICS)


@asynccontextmanager
async def running_upstream(*replies: Reply) -> AsyncIterator[ScriptedUpstream]:
    """Yield a server that listens."""
    upstream = ScriptedUpstream(*replies)
    await upstream.start()
    try:
        yield upstream
    finally:
        await upstream.stop()
