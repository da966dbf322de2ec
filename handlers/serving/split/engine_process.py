"""The process of the engine, which serves its tokens at a Unix socket to the processes that answer HTTP."""

import asyncio
import logging
import os
import socket
from collections.abc import Sequence
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Final

import uvicorn
from starlette.types import ASGIApp
from typing_extensions import override

from engine.info.model_info import ModelInfo
from engine.remote.wire.verbatim import VerbatimApi
from handlers.active_requests.engine import Engine
from handlers.active_requests.metrics import Metrics
from handlers.app import build_app
from handlers.chat.summary import chat_summary
from handlers.engine_starter import StartEngine
from handlers.process.exit_status import ExitStatus
from handlers.process.gc_tuning import freeze_start_up
from handlers.process.standard_output import say
from handlers.process.watchdog import FORCE_S, Watchdog
from handlers.serving.listener import BACKLOG
from handlers.serving.running import say_progress, server_config
from handlers.serving.server import DrainingServer
from handlers.serving.split.fronts import Fronts
from handlers.serving.split.totals import TotalsApp
from handlers.serving.split.transcripts_app import TranscriptsApp
from handlers.serving.start_up_table import start_up_table
from handlers.settings.settings import Settings

_log = logging.getLogger(__name__)

_BYTES_A_TOKEN: Final = 12  # of a prompt as JSON, at most

# The processes that answer HTTP see to all of these.
_INNER: Final = {
    "root": ("tokens",),
    "host": "127.0.0.1",
    "api_key": None,
    "api_keys_file": None,
    "audit_log": None,
    "cors_allow_origin": (),
    "allowed_hosts": (),
    "check_responses": "off",
    "playground": False,
    "ssl_certfile": None,
    "ssl_keyfile": None,
    "ssl_keyfile_password": None,
    "ssl_ca_certs": None,
}


async def serve_engine(
    settings: Settings, start_engine: StartEngine, listeners: Sequence[socket.socket], watchdog: Watchdog
) -> int:
    """Return the exit status once the server has stopped, or its engine has died.

    listeners: what the processes listen on, one each. Raises as `serve` does.
    """
    with TemporaryDirectory(prefix="verbatim-") as folder:  # which nobody else may enter
        path = os.path.join(folder, "engine.sock")
        fronts = Fronts(settings, listeners, path)
        await fronts.begin()
        try:
            engine = await start_engine(say_progress)
            try:
                return await _serve(settings, engine, fronts, path, listeners, watchdog)
            finally:
                await engine.stop()
        finally:
            await fronts.stop(0)


async def _serve(
    settings: Settings,
    engine: Engine,
    fronts: Fronts,
    path: str,
    listeners: Sequence[socket.socket],
    watchdog: Watchdog,
) -> int:
    info = engine.model_info
    inner = inner_settings(settings, info)
    metrics = Metrics(info, engine.stats, model_name=settings.model_name)
    app: ASGIApp = TotalsApp(build_app(inner, engine), metrics.engine_text, fronts.is_running)
    if engine.capabilities.transcribes:
        app = TranscriptsApp(app, engine, inner)
    chat = chat_summary(
        engine.tokenizer, chat_template=settings.chat_template, tool_format=settings.tool_call_parser
    )
    say(start_up_table(settings, info, VerbatimApi.capabilities, chat))
    with socket.socket(socket.AF_UNIX) as at_path:
        at_path.bind(path)
        at_path.listen(BACKLOG)
        freeze_start_up()
        config = server_config(inner, app)
        url = settings.url(listeners[0].getsockname()[1])
        server = _EngineServer(config, url, engine, inner, watchdog, fronts, listeners)
        await server.serve(sockets=[at_path])
    return server.status


def inner_settings(settings: Settings, info: ModelInfo) -> Settings:
    """Return the settings of the token API behind the socket."""
    # Files come from the fronts in base64, however these have got them.
    files = settings.max_media_bytes * 4 // 3 if info.media else 0
    room = settings.payload_limit + _BYTES_A_TOKEN * info.max_total_tokens + files
    return settings.model_copy(update={**_INNER, "payload_limit": room})


class _EngineServer(DrainingServer):
    """A server that is ready once the processes in front of it are, and stops after them."""

    def __init__(
        self,
        config: uvicorn.Config,
        url: str,
        engine: Engine,
        settings: Settings,
        watchdog: Watchdog,
        fronts: Fronts,
        listeners: Sequence[socket.socket],
    ) -> None:
        grace_s = settings.graceful_termination_timeout
        super().__init__(config, url, engine, grace_s, None, settings.header_timeout, watchdog)
        self._fronts = fronts
        self._loop = asyncio.get_running_loop()
        self._listeners = listeners

    @override
    async def _announce(self) -> None:
        """Print the address once it is served; a process that cannot serve ends the server."""
        self._failing = asyncio.create_task(self._stop_at_failure())
        if await self._fronts.ready(self._engine.model_info):
            await super()._announce()

    async def _stop_at_failure(self) -> None:
        status = await asyncio.shield(self._fronts.failure)
        _log.critical("the server stops because a process of its API cannot serve: status %d", status)
        self.status = ExitStatus.FAILED
        self._watchdog.arm(self._grace_s + FORCE_S)
        self.should_exit = True

    @override
    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        self._loop.call_soon_threadsafe(self._fronts.give_up)

    @override
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for listener in self._listeners:
            listener.close()
        await self._fronts.stop(self._grace_s)
        self._failing.cancel()
        await super().shutdown(sockets)
