"""The run of an API worker, which serves HTTP on top of the engine of another process."""

import asyncio
import logging
import os
import pickle
import signal
import socket
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from engine.remote.client.upstream import Upstream
from engine.remote.remote_engine import RemoteEngine
from handlers.access.connections.tls import served_certificate
from handlers.composition import build_app
from handlers.engine_starter import remote_config
from handlers.process.end_by_signal import STOP, ended_by
from handlers.process.gc_tuning import freeze_imports
from handlers.process.log import set_up_log
from handlers.process.standard_output import print_as_json
from handlers.process.watchdog import Watchdog
from handlers.serving.api_workers.api_worker_start import URL, ApiWorkerStart
from handlers.serving.api_workers.metric_sums import PATH
from handlers.serving.api_workers.relayed_transcriber import RelayedTranscriber
from handlers.serving.listener import start_listening
from handlers.serving.server_run import new_event_loop, run

_INPUT: Final = 0

_log = logging.getLogger(__name__)


def serve_api_worker(listener: socket.socket, reports: int) -> int:
    """Wait for a ApiWorkerStart on standard input, serve until stopped, and return the exit status.

    reports: file descriptor of a pipe, to which a byte is written when connections are accepted.
    If standard input ends first, because the engine did not start, the function returns 0 without serving.
    """
    freeze_imports()
    try:
        start = pickle.load(sys.stdin.buffer)
    except EOFError:  # the engine did not start
        return 0
    assert isinstance(start, ApiWorkerStart)
    print_as_json(start.settings.logs_json)
    set_up_log(start.settings.log_level, start.settings.logs_json)
    threading.Thread(target=_stop_with_input, daemon=True).start()
    with ended_by(*STOP), asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(_serve(start, listener, reports))


def _stop_with_input() -> None:
    while os.read(_INPUT, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


async def _serve(start: ApiWorkerStart, listener: socket.socket, reports: int) -> int:
    settings = start.settings
    config = remote_config(settings, urls=(URL,), socket=start.socket, model_info=start.model_info)
    config = msgspec.structs.replace(config, served_name=settings.model_name)
    engine = await RemoteEngine.start(config, on_progress=lambda line: _log.warning(line))
    process = Upstream(URL, api_key=None, timeout_s=config.timeout_s, socket=start.socket)
    transcriber = RelayedTranscriber(process) if engine.capabilities.transcribes else None

    async def exchange(text: str) -> str:
        async with process.post(PATH + start.name, text.encode()) as answer:
            return (await answer.whole()).decode()

    def announce(url: str) -> None:
        with suppress(BrokenPipeError):  # the engine process has ended, which also ends this one
            os.write(reports, b"1")
        os.close(reports)

    try:
        if settings.store is None:  # all workers have one store, in the folder that ends with the server
            settings = settings.model_copy(update={"store": Path(start.socket).with_name("store.sqlite")})
        app = build_app(settings, engine, exchange, transcriber)
        start_listening(listener, settings.host, settings.port)
        tls = served_certificate(settings)
        return await run(
            settings, app, engine, listener, tls, Watchdog(), announce=announce, announce_stop=lambda _: None
        )
    finally:
        await process.close()
        await engine.stop()
