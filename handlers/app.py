"""The entry of servers that load an application by its name: `uvicorn handlers.app:create_app --factory`."""

import logging
import os
from argparse import Namespace

from starlette.types import ASGIApp, Receive, Scope, Send

from engine.port.errors import EngineError
from handlers.access.access import check_access
from handlers.access.visits.record_log import CannotWriteAuditLog
from handlers.chat.errors import TemplateError
from handlers.composition import CONTRACTS, build_app
from handlers.engine_starter import engine_starter, set_environment
from handlers.process.end_by_signal import end_now
from handlers.process.exit_status import ExitStatus
from handlers.process.fitness import UnfitProcess, check_process
from handlers.process.foreign_server import ForeignServer
from handlers.process.gc_tuning import freeze_start_up
from handlers.process.new_threads import NewThreads
from handlers.settings.command_line import read_settings
from handlers.settings.other_programs.reading import check_arguments
from handlers.settings.settings import Settings
from handlers.settings.start_warnings import start_warnings
from handlers.store.record import CannotOpenStore
from verbatim_kit.runtime.root_routes import check_root

_log = logging.getLogger(__name__)


def create_app() -> ASGIApp:
    """Return the application for `uvicorn handlers.app:create_app --factory`, set up by the environment.

    Raises SystemExit, with the message, if the settings are not valid.
    """
    try:
        check_process()
        settings = read_settings(Namespace())
        if settings.api_workers:
            raise ValueError("--api-workers is of `verbatim serve`; uvicorn's --workers start whole servers")
        if settings.is_supervised:
            raise ValueError("several models, and their admin API, are of `verbatim serve`")
        for warning in (*check_arguments({}, os.environ), *start_warnings(settings, os.environ)):
            _log.warning(warning)
        return StartingApp(settings)
    except (ValueError, CannotWriteAuditLog, EngineError, UnfitProcess) as error:
        raise SystemExit(f"verbatim: error: {error}") from None


class StartingApp:
    """The application that starts the engine when the server starts, and ends with it."""

    def __init__(self, settings: Settings) -> None:
        check_root(settings.root, list(CONTRACTS))
        check_access(settings, CONTRACTS)
        set_environment(settings)
        # It may import torch and transformers, which takes seconds: after the settings are found right.
        self._start_engine = engine_starter(settings)
        self._settings = settings
        self._app: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._app is None:
            if scope["type"] != "lifespan":
                raise RuntimeError("the server must run the application's lifespan")
            await self._live(scope, receive, send)
            return
        await self._app(scope, receive, send)

    async def _live(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run from the server's start to its end."""
        threads = NewThreads()
        try:
            engine = await self._start_engine(_log.info)
            self._app = build_app(self._settings, engine)
        except Exception as error:
            _log.debug("the server does not start", exc_info=error)
            foreseen = isinstance(error, EngineError | TemplateError | CannotOpenStore)
            message = str(error) if foreseen else f"{type(error).__name__}: {error}"
            await receive()
            await send({"type": "lifespan.startup.failed", "message": message})
            return
        freeze_start_up()
        server = ForeignServer(engine, self._settings.graceful_termination_timeout)
        with server.watched():
            await self._app(scope, receive, send)
        if server.has_died:
            end_now(ExitStatus.ENGINE_DIED)
        threads.leave(ExitStatus.STOPPED)
