"""The HTTP server of every process that answers requests."""

import asyncio
import socket
import sys
from collections.abc import Callable
from contextlib import suppress

import uvicorn
from starlette.types import ASGIApp

from handlers.access.connections.settings import http_limits
from handlers.access.connections.tls import RenewedCertificate
from handlers.composition import max_body_bytes_of
from handlers.process.gc_tuning import freeze_start_up
from handlers.process.standard_output import CannotWrite, say, say_stopping
from handlers.process.watchdog import Watchdog
from handlers.serving.draining_server import FLUSH_S, DrainingServer, Drains, say_ready
from handlers.serving.listener import BACKLOG
from handlers.settings.settings import Settings
from verbatim_kit.http.connections import Connections
from verbatim_kit.http.protocol import bounded_protocol
from verbatim_kit.http.web_socket import bounded_web_socket
from verbatim_kit.runtime.web_sockets import WebSockets

if sys.platform == "win32":
    from asyncio import new_event_loop as new_event_loop
else:
    from uvloop import new_event_loop as new_event_loop


def say_progress(line: str) -> None:
    """Print a line about the progress of the start; ignore it if the line cannot be written."""
    with suppress(CannotWrite):
        say(f"  {line}")


def server_config(settings: Settings, app: ASGIApp) -> uvicorn.Config:
    """Return uvicorn's configuration."""
    connections = Connections(http_limits(settings))
    return uvicorn.Config(
        app,
        http=bounded_protocol(connections),
        ws=bounded_web_socket(connections) if isinstance(app, WebSockets) else "none",
        # What is too long by less is refused by the application, with the contract's error.
        ws_max_size=2 * max_body_bytes_of(settings, reads_media=True),
        ws_per_message_deflate=False,
        log_config=None,
        access_log=False,
        backlog=BACKLOG,
        timeout_graceful_shutdown=settings.graceful_termination_timeout + FLUSH_S,  # type: ignore[arg-type]  # any number will do
    )


async def run(
    settings: Settings,
    app: ASGIApp,
    engine: Drains,
    listener: socket.socket,
    tls: RenewedCertificate | None,
    watchdog: Watchdog,
    *,
    announce: Callable[[str], object] = say_ready,
    announce_stop: Callable[[str], object] = say_stopping,
) -> int:
    """Serve until stopped, and return the exit status. announce, announce_stop: as in DrainingServer."""
    config = server_config(settings, app)
    freeze_start_up()
    server = DrainingServer(
        config,
        settings.url(listener.getsockname()[1]),
        engine,
        settings.graceful_termination_timeout,
        None if tls is None else tls.context,
        settings.header_timeout,
        watchdog,
        announce=announce,
        announce_stop=announce_stop,
    )
    renewing = None if tls is None else asyncio.create_task(tls.keep_fresh())
    await server.serve(sockets=[listener])
    if renewing is not None:
        renewing.cancel()
    return server.status
