"""The signal handling and the HTTP server of every process that answers requests."""

import asyncio
import signal
import socket
import ssl
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

import uvicorn
from starlette.types import ASGIApp

from engine.port.engine import Engine
from handlers.http.connections import Connections
from handlers.http.limits import http_limits
from handlers.http.protocol import bounded_protocol
from handlers.http.tls import RenewedCertificate
from handlers.process.gc_tuning import freeze_start_up
from handlers.process.new_threads import end_now
from handlers.process.standard_output import CannotWrite, say
from handlers.process.watchdog import Watchdog
from handlers.serving.draining_server import FLUSH_S, DrainingServer, say_ready
from handlers.serving.listener import BACKLOG
from handlers.settings.settings import Settings

if sys.platform == "win32":
    from asyncio import new_event_loop as new_event_loop
else:
    from uvloop import new_event_loop as new_event_loop


@contextmanager
def ended_by_sigterm() -> Iterator[None]:
    """End the process on SIGTERM while the server does not handle the signal itself.

    By default, SIGTERM does not end the first process of a container.
    """
    if threading.current_thread() is not threading.main_thread():  # only it can set handlers
        yield
        return
    previous = signal.signal(signal.SIGTERM, _end_by_signal)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)


def _end_by_signal(sent: int, frame: FrameType | None) -> NoReturn:
    end_now(128 + sent)  # as shells report it


def say_progress(line: str) -> None:
    """Print a line about the progress of the start; ignore it if the line cannot be written."""
    with suppress(CannotWrite):
        say(f"  {line}")


def server_config(settings: Settings, app: ASGIApp, num_others: int = 0) -> uvicorn.Config:
    """Return uvicorn's configuration. num_others: maximum connections that the server opens itself."""
    return uvicorn.Config(
        app,
        http=bounded_protocol(Connections(http_limits(settings, num_others))),
        ws="none",
        log_config=None,
        access_log=False,
        backlog=BACKLOG,
        timeout_graceful_shutdown=settings.graceful_termination_timeout + FLUSH_S,  # type: ignore[arg-type]  # any number will do
    )


def _num_to_servers(settings: Settings, engine: Engine) -> int:
    """Return the maximum connections of an engine to other processes: for sequences and health checks."""
    if engine.shares_interpreter:
        return 0
    return settings.max_concurrent_requests + max(len(settings.engine_url), 1)


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
    """Serve until stopped, and return the exit status. announce: as in DrainingServer."""
    config = server_config(settings, app, _num_to_servers(settings, engine))
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
    renewing = None if tls is None else asyncio.create_task(RenewedCertificate(tls, settings).keep_fresh())
    await server.serve(sockets=[listener])
    if renewing is not None:
        renewing.cancel()
    return server.status
