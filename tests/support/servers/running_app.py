"""An application that answers over a socket, in the loop of the test."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from starlette.types import ASGIApp


@asynccontextmanager
async def running_app(app: ASGIApp) -> AsyncIterator[str]:
    """Serve the application without its lifespan, and yield its URL."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical", lifespan="off", ws="none"))
    task = asyncio.create_task(server.serve())
    async with asyncio.timeout(30):
        while not server.started:
            await asyncio.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        await task
