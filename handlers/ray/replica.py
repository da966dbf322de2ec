"""One replica: an API with its engine, in a process of Ray Serve."""

import asyncio
import logging
import os
from collections.abc import Mapping
from typing import Any, Final

from starlette.types import ASGIApp

from engine.port.errors import EngineDied
from handlers.engine_starter import engine_starter, set_environment
from handlers.process.end_by_signal import end_now
from handlers.process.exit_status import ExitStatus
from handlers.process.log import set_up_log
from handlers.ray.replica_app import ReplicaApp, Scrape
from handlers.ray.replica_context import ReplicaContext
from handlers.settings.settings import Settings
from handlers.shared_settings.reading import read_section

# Of the errors that end a dead engine's requests, on their way through Ray to the proxies.
_FLUSH_S: Final = 1.0

_log = logging.getLogger(__name__)


class Replica:
    """The deployment's class, with the methods that Ray Serve calls.

    Nothing of the engine is imported before `__serve_build_asgi_app__`, so the process that deploys has no
    torch. The application's lifespan runs here; its end drains and stops the engine.
    """

    def __init__(self, args: Mapping[str, Any]) -> None:
        """Read the settings. args: settings by name. Raises ValueError for a wrong one."""
        self._context = ReplicaContext()
        settings = read_section(Settings, args)
        if settings.store is None:  # what one replica has in its memory, another would not find
            settings = settings.model_copy(update={"no_store": True})
        self._settings = with_threads(settings, self._context.num_cpus())

    async def __serve_build_asgi_app__(self) -> ASGIApp:
        """Start the engine, and return the application over it."""
        settings = self._settings
        set_up_log(settings.log_level, settings.logs_json)
        set_environment(settings)
        # It loads the contracts, and the engine's libraries; Ray's processes that only pass it on need none.
        from handlers.composition import build_app
        from handlers.process.gc_tuning import freeze_start_up

        self._engine = await engine_starter(settings)(_log.info)
        self._app = ReplicaApp(build_app(settings, self._engine), self._context.ask_all)
        freeze_start_up()
        self._death = asyncio.create_task(self._end_with_engine())
        return self._app

    async def own_metrics(self, scrape: Scrape) -> tuple[str, str | None]:
        """Return the replica's name and its metrics, which are None for a request that it refuses."""
        return self._context.name(), await self._app.own_metrics(scrape)

    async def check_health(self) -> None:
        """Raise EngineDied if the engine has died: Ray then replaces the replica.

        Servers of another engine that do not answer are no reason to: a new replica would not reach them
        either, and this one answers with each contract's error.
        """
        health = await self._engine.health()
        if not health.is_alive:
            raise EngineDied

    async def _end_with_engine(self) -> None:
        """End the process when its engine dies, sooner than a few health checks fail: until then Ray would
        send most requests here, since the quickest answers are errors.
        """
        await self._engine.death()
        _log.critical("the replica ends because its engine died")
        await asyncio.sleep(_FLUSH_S)
        end_now(ExitStatus.ENGINE_DIED)


def with_threads(settings: Settings, num_cpus: float | None) -> Settings:
    """Return the settings with a thread for each core of the replica; Ray lets each process use all cores."""
    if settings.num_threads is not None or num_cpus is None:
        return settings
    return settings.model_copy(update={"num_threads": min(max(1, int(num_cpus)), os.cpu_count() or 1)})
