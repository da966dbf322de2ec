"""An application that answers over a socket, in the loop of the test."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from starlette.types import ASGIApp
from uvicorn.lifespan.on import LifespanOn

from tests.support.clocks.until import until


@asynccontextmanager
async def running_app(app: ASGIApp) -> AsyncIterator[str]:
    """Serve the application without its lifespan, and yield its URL."""
    config = uvicorn.Config(app, port=0, log_level="critical", lifespan="off", ws="none")
    async with listening(config) as port:
        yield f"http://127.0.0.1:{port}"


@asynccontextmanager
async def living(app: ASGIApp) -> AsyncIterator[None]:
    """Run the application's lifespan around the block."""
    lifespan = LifespanOn(uvicorn.Config(app, lifespan="on"))
    await lifespan.startup()
    try:
        yield
    finally:
        await lifespan.shutdown()


@asynccontextmanager
async def listening(config: uvicorn.Config) -> AsyncIterator[int]:
    """Serve as `uvicorn.Server.serve` does, and yield the port.

    Its own loop looks for its end every tenth of a second, and waits as long again at the end.
    """
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    await server.startup()
    await server.on_tick(0)  # which sets the headers that every answer has
    state = server.server_state
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        for listener in server.servers:
            listener.close()
        for connection in [*state.connections]:
            connection.shutdown()
        await until(lambda: not state.connections and not state.tasks)
        await server.lifespan.shutdown()
