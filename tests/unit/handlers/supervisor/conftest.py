"""A supervisor in the test's loop, over scripted processes of models."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import httpx
import pytest_asyncio

from handlers.settings.settings import Settings
from handlers.supervisor.model import Model
from handlers.supervisor.models import Models
from handlers.supervisor.supervise import build_supervisor, process_session
from tests.support.scripted.model_program import PROGRAM
from tests.support.servers.running_app import running_app

ADMIN = {"authorization": "Bearer admin-secret"}


class Supervisor(NamedTuple):
    """A supervisor with the models `a`, `b/c` and `fails`."""

    client: httpx.AsyncClient
    models: Models

    def model(self, name: str) -> Model:
        found = self.models.named(name)
        assert found is not None
        return found


@asynccontextmanager
async def running_supervisor(**given: Any) -> AsyncIterator[Supervisor]:
    """Serve the models. given: settings of the supervisor."""
    settings = Settings(**{"admin_key": "admin-secret", **given})
    models = Models(settings)
    async with process_session() as session:
        models.models = [
            Model(name, Settings(model=name), PROGRAM, session, models.changed)
            for name in ("a", "b/c", "fails")
        ]
        app = build_supervisor(settings, models, session)
        async with running_app(app) as url, httpx.AsyncClient(base_url=url, timeout=60) as client:
            try:
                yield Supervisor(client, models)
            finally:
                await models.drain(0)


@pytest_asyncio.fixture(scope="package")
async def supervisor() -> AsyncIterator[Supervisor]:
    async with running_supervisor() as running:
        yield running
