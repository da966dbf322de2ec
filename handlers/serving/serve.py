"""The run of a server: bind the port, load the model, print what is served, and answer until stopped."""

import asyncio
import logging
import signal
import socket
import ssl
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

import uvicorn
from starlette.types import ASGIApp

from handlers.access.access import check_access
from handlers.active_requests.engine import Engine
from handlers.app import CONTRACTS, build_app
from handlers.engine_starter import StartEngine, engine_starter
from handlers.http.connections import Connections
from handlers.http.limits import http_limits
from handlers.http.protocol import bounded_protocol
from handlers.http.tls import server_context
from handlers.process.gc_tuning import freeze_imports, freeze_start_up
from handlers.process.json_log import format_all_as_json
from handlers.process.new_threads import end_now
from handlers.process.standard_output import CannotWrite, say
from handlers.process.watchdog import Watchdog
from handlers.runtime.root_routes import check_root
from handlers.serving.listener import BACKLOG, start_listening, take_port
from handlers.serving.server import FLUSH_S, DrainingServer
from handlers.serving.start_up_table import start_up_table
from handlers.settings.settings import Settings

if sys.platform == "win32":
    from asyncio import new_event_loop
else:
    from uvloop import new_event_loop


def serve(settings: Settings, watchdog: Watchdog) -> int:
    """Return the exit status once the server has stopped, or its engine has died.

    Raises UnknownContract, InvalidKeyFile, CannotWriteAuditLog, BadCertificate, CannotListen, CannotWrite,
    TemplateError or ModelNotSupported; nothing has been served then.
    """
    check_root(settings.root, list(CONTRACTS))
    check_access(settings, CONTRACTS)
    _set_up_log(settings.log_level, settings.json_output)
    tls = server_context(settings)
    with (
        take_port(settings.host, settings.port) as listener,
        _ended_by_sigterm(),
    ):
        # It may import torch and transformers, which takes seconds: after all that can be refused without
        # them, and outside the event loop, which would keep a signal waiting.
        start_engine = engine_starter(settings)
        if settings.json_output:
            format_all_as_json()
        freeze_imports()
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            return runner.run(_serve(settings, start_engine, listener, tls, watchdog))


@contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """End the process on SIGTERM before and after the server handles it. By default the signal would not end
    the first process of a container.
    """
    if threading.current_thread() is not threading.main_thread():  # signals belong to that one
        yield
        return
    previous = signal.signal(signal.SIGTERM, _end_by_signal)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)


def _end_by_signal(sent: int, frame: FrameType | None) -> NoReturn:
    end_now(128 + sent)  # as shells report it


def _set_up_log(level: str, json_output: bool) -> None:
    """Set up the log, without uvicorn's account of its start, which would repeat what is printed here."""
    logging.basicConfig(level=level.upper(), format="%(levelname)s %(name)s: %(message)s")
    if json_output:
        logging.captureWarnings(True)
        format_all_as_json()
    if level == "info":
        logging.getLogger("uvicorn").setLevel(logging.WARNING)


async def _serve(
    settings: Settings,
    start_engine: StartEngine,
    listener: socket.socket,
    tls: ssl.SSLContext | None,
    watchdog: Watchdog,
) -> int:
    engine = await start_engine(_say_progress)
    try:
        app = build_app(settings, engine)
        say(start_up_table(settings, engine.model_info, engine.capabilities))
        start_listening(listener, settings.host, settings.port)
        return await _run(settings, app, engine, listener, tls, watchdog)
    finally:
        await engine.stop()


async def _run(
    settings: Settings,
    app: ASGIApp,
    engine: Engine,
    listener: socket.socket,
    tls: ssl.SSLContext | None,
    watchdog: Watchdog,
) -> int:
    grace_s = settings.graceful_termination_timeout
    config = uvicorn.Config(
        app,
        http=bounded_protocol(Connections(http_limits(settings))),
        ws="none",
        log_config=None,
        access_log=False,
        backlog=BACKLOG,
        timeout_graceful_shutdown=grace_s + FLUSH_S,  # type: ignore[arg-type]  # any number will do
    )
    freeze_start_up()
    server = DrainingServer(
        config, _url(settings, listener), engine, grace_s, tls, settings.header_timeout, watchdog
    )
    await server.serve(sockets=[listener])
    return server.status


def _say_progress(line: str) -> None:
    with suppress(CannotWrite):
        say(f"  {line}")


def _url(settings: Settings, listener: socket.socket) -> str:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    scheme = "http" if settings.ssl_certfile is None else "https"
    return f"{scheme}://{host}:{listener.getsockname()[1]}"
