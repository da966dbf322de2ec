"""The engine process of a server with API workers, which serves the token API on a Unix socket to them."""

import asyncio
import logging
import socket
from collections.abc import Sequence
from types import FrameType
from typing import Final

import uvicorn
from starlette.types import ASGIApp
from typing_extensions import override

from engine.port.engine import Engine
from engine.port.info.model_info import ModelInfo
from engine.remote.wire.verbatim import VerbatimApi
from handlers.active_requests.metrics import Metrics
from handlers.chat.summary import chat_summary
from handlers.composition import build_app
from handlers.engine_starter import StartEngine
from handlers.media.settings import MediaSettings
from handlers.process.exit_status import ExitStatus
from handlers.process.gc_tuning import freeze_start_up
from handlers.process.standard_output import say
from handlers.process.watchdog import FORCE_S, Watchdog
from handlers.serving.api_workers.api_workers import ApiWorkers
from handlers.serving.api_workers.metric_sums import MetricSumsApp
from handlers.serving.api_workers.socket_folder import check_socket_folder, engine_socket
from handlers.serving.api_workers.transcripts_app import TranscriptsApp
from handlers.serving.draining_server import DrainingServer
from handlers.serving.server_run import say_progress, server_config
from handlers.serving.start_up_table import start_up_table
from handlers.settings.own_engine import OwnEngineSettings
from handlers.settings.settings import Settings
from handlers.tracing.settings import TracingSettings
from handlers.transcription.settings import TranscriptionSettings

_log = logging.getLogger(__name__)

_BYTES_A_TOKEN: Final = 12  # maximum in a JSON prompt

# The sections of settings that the engine process applies. The API workers apply all others, such as API
# keys, which must not be applied again between them and the engine.
_SECTIONS: Final = (OwnEngineSettings, MediaSettings, TranscriptionSettings, TracingSettings)
_SHARED: Final = frozenset(
    {
        *("model", "served_model_name", "model_alias", "revision"),
        *("huggingface_hub_cache", "trust_remote_code"),
        *("chat_template", "tool_call_parser", "trust_special_tokens", "pooling"),  # validated at the start
        *("max_concurrent_requests", "max_unread_bytes", "max_total_tokens", "validation_workers"),
        *("graceful_termination_timeout", "log_level", "log_format", "json_output"),
    }
)


async def serve_engine(
    settings: Settings, start_engine: StartEngine, listeners: Sequence[socket.socket], watchdog: Watchdog
) -> int:
    """Run the engine and its API workers; return the exit status when the server has stopped.

    listeners: the listening sockets, one for each API worker. Raises the errors of `serve`.
    """
    check_socket_folder()
    api_workers = ApiWorkers(settings, listeners)
    try:
        await api_workers.begin()
        engine = await start_engine(say_progress)
        try:
            return await _serve(settings, engine, api_workers, listeners, watchdog)
        finally:
            await engine.stop()
    finally:
        await api_workers.stop(0)


async def _serve(
    settings: Settings,
    engine: Engine,
    api_workers: ApiWorkers,
    listeners: Sequence[socket.socket],
    watchdog: Watchdog,
) -> int:
    info = engine.model_info
    inner = inner_settings(settings, info)
    metrics = Metrics(info, engine.stats, model_name=settings.model_name)
    app: ASGIApp = MetricSumsApp(build_app(inner, engine), metrics.engine_text, api_workers.live)
    if engine.capabilities.transcribes:
        app = TranscriptsApp(app, engine, inner)
    chat = chat_summary(
        engine.tokenizer, chat_template=settings.chat_template, tool_format=settings.tool_call_parser
    )
    say(start_up_table(settings, info, VerbatimApi.capabilities, chat))
    with engine_socket() as at_path:
        freeze_start_up()
        config = server_config(inner, app)
        url = settings.url(listeners[0].getsockname()[1])
        server = _EngineServer(
            config, url, engine, inner, watchdog, api_workers, listeners, at_path.getsockname()
        )
        await server.serve(sockets=[at_path])
    return server.status


def inner_settings(settings: Settings, info: ModelInfo) -> Settings:
    """Return the settings of the token API on the Unix socket."""
    # The API workers send media files in base64.
    files = settings.max_media_bytes * 4 // 3 if info.media else 0
    room = settings.payload_limit + _BYTES_A_TOKEN * info.max_total_tokens + files
    applied = _SHARED.union(*(section.model_fields for section in _SECTIONS))
    defaults = {
        name: field.get_default(call_default_factory=True)
        for name, field in Settings.model_fields.items()
        if name not in applied
    }
    own = {"root": ("tokens",), "playground": False, "access_log": False, "payload_limit": room}
    return settings.model_copy(update={**defaults, **own})


class _EngineServer(DrainingServer):
    """A server that is ready when its API workers are, and stops after them."""

    def __init__(
        self,
        config: uvicorn.Config,
        url: str,
        engine: Engine,
        settings: Settings,
        watchdog: Watchdog,
        api_workers: ApiWorkers,
        listeners: Sequence[socket.socket],
        path: str,
    ) -> None:
        """Create a server. path: the path of the Unix socket that the API workers connect to."""
        grace_s = settings.graceful_termination_timeout
        super().__init__(config, url, engine, grace_s, None, settings.header_timeout, watchdog)
        self._api_workers = api_workers
        self._model_info = engine.model_info
        self._path = path
        self._listeners = listeners

    @override
    async def _announce(self) -> None:
        """Print the address when all API workers are ready; stop the server if one cannot serve."""
        self._failing = asyncio.create_task(self._stop_at_failure())
        if await self._api_workers.ready(self._path, self._model_info):
            await super()._announce()

    async def _stop_at_failure(self) -> None:
        status = await asyncio.shield(self._api_workers.failure)
        _log.critical("the server stops because an API worker cannot serve: exit status %d", status)
        self.status = ExitStatus.FAILED
        self._watchdog.arm(self._grace_s + FORCE_S)
        self.should_exit = True

    @override
    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        self._api_workers.begin_stop()

    @override
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for listener in self._listeners:
            listener.close()
        if not await self._api_workers.stop(self._grace_s):
            self.status = self.status or ExitStatus.FAILED
        self._failing.cancel()
        await super().shutdown(sockets)
