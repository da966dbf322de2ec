"""The application over a running engine, without a server in front."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import httpx
from starlette.types import ASGIApp

from handlers.composition import build_app
from handlers.engine_starter import engine_starter, set_environment
from handlers.serving.server_run import say_progress
from handlers.settings.settings import Settings


@asynccontextmanager
async def running_app(settings: Settings) -> AsyncGenerator[httpx.AsyncClient, None]:
    """Start the engine, and yield a client of the OpenAI contract; the engine stops with the block."""
    set_environment(settings)
    engine = await engine_starter(settings)(say_progress)
    try:
        app = build_app(settings, engine)
        transport = httpx.ASGITransport(app)
        url = "http://localhost/openai/v1"
        async with (
            _lifespan(app),
            httpx.AsyncClient(transport=transport, base_url=url, timeout=None) as client,
        ):
            yield client
    finally:
        await engine.stop()


@asynccontextmanager
async def _lifespan(app: ASGIApp) -> AsyncGenerator[None, None]:
    """Run the application's lifespan, as a server would (the ASGI specification, Lifespan Protocol)."""
    to_app: asyncio.Queue[Any] = asyncio.Queue()
    from_app: asyncio.Queue[Any] = asyncio.Queue()
    scope = {"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}

    async def live() -> None:
        await app(scope, to_app.get, from_app.put)

    running = asyncio.create_task(live())
    await to_app.put({"type": "lifespan.startup"})
    started = await from_app.get()
    assert started["type"] == "lifespan.startup.complete", started
    try:
        yield
    finally:
        await to_app.put({"type": "lifespan.shutdown"})
        await running
