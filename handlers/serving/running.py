"""The part of a server's run that every process which answers HTTP has."""

import socket
import ssl
import sys
from collections.abc import Callable
from contextlib import suppress

import uvicorn
from starlette.types import ASGIApp

from engine.frontend.engine import Engine
from handlers.http.connections import Connections
from handlers.http.limits import http_limits
from handlers.http.protocol import bounded_protocol
from handlers.process.gc_tuning import freeze_start_up
from handlers.process.standard_output import CannotWrite, say
from handlers.process.watchdog import Watchdog
from handlers.serving.listener import BACKLOG
from handlers.serving.server import FLUSH_S, DrainingServer, say_ready
from handlers.settings.settings import Settings

if sys.platform == "win32":
    from asyncio import new_event_loop as new_event_loop
else:
    from uvloop import new_event_loop as new_event_loop


def say_progress(line: str) -> None:
    """Print a line about the start; one that cannot be printed is no reason to end."""
    with suppress(CannotWrite):
        say(f"  {line}")


def server_config(settings: Settings, app: ASGIApp) -> uvicorn.Config:
    """Return uvicorn's configuration."""
    return uvicorn.Config(
        app,
        http=bounded_protocol(Connections(http_limits(settings))),
        ws="none",
        log_config=None,
        access_log=False,
        backlog=BACKLOG,
        timeout_graceful_shutdown=settings.graceful_termination_timeout + FLUSH_S,  # type: ignore[arg-type]  # any number will do
    )


async def run(
    settings: Settings,
    app: ASGIApp,
    engine: Engine,
    listener: socket.socket,
    tls: ssl.SSLContext | None,
    watchdog: Watchdog,
    *,
    announce: Callable[[str], object] = say_ready,
) -> int:
    """Answer until stopped, and return the exit status. announce: is called as in DrainingServer."""
    config = server_config(settings, app)
    freeze_start_up()
    server = DrainingServer(
        config,
        settings.url(listener.getsockname()[1]),
        engine,
        settings.graceful_termination_timeout,
        tls,
        settings.header_timeout,
        watchdog,
        announce=announce,
    )
    await server.serve(sockets=[listener])
    return server.status
