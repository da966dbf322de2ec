"""The probes that load balancers and clients of other servers send to the root."""

from collections.abc import Awaitable, Callable
from typing import Final

import orjson
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from engine.port.info.stats import Health
from handlers.version import VERSION

PING: Final = "/ping"
_READY: Final = ("/ready", "/readyz", "/healthz")  # the names that charts and operators know
_LIVE: Final = "/livez"
_LOAD: Final = "/load"
PROBES: Final = (PING, *_READY, _LIVE, _LOAD)
"""The paths that monitors and load balancers ask, and for which no key is needed."""


class Probes:
    """The answers to whether the server is ready and alive; `/load` and `/version`, as vLLM has them."""

    def __init__(self, health: Callable[[], Awaitable[Health]], num_sequences: Callable[[], int]) -> None:
        """Mount nothing yet. num_sequences: returns the number of sequences that run or wait."""
        self._health = health
        self._num_sequences = num_sequences

    def mount(self, shell: FastAPI) -> None:
        """Add the probes to the shell, so that a contract that has one of the paths keeps it."""
        shell.add_route(PING, self._ready, methods=["GET", "POST"], include_in_schema=False)  # SageMaker's
        for path in _READY:
            shell.add_route(path, self._ready, include_in_schema=False)
        shell.add_route(_LIVE, self._live, include_in_schema=False)
        shell.add_route(_LOAD, self._load, include_in_schema=False)
        shell.add_route("/version", self._version, include_in_schema=False)

    async def _ready(self, request: Request) -> Response:
        """Answer with an empty body: 200 if the engine can generate, else 503."""
        return Response(status_code=200 if (await self._health()).is_healthy else 503)

    async def _live(self, request: Request) -> Response:
        """Answer with an empty body: 503 if only another process will serve again, else 200."""
        return Response(status_code=200 if (await self._health()).is_alive else 503)

    async def _load(self, request: Request) -> Response:
        return Response(orjson.dumps({"server_load": self._num_sequences()}), media_type="application/json")

    async def _version(self, request: Request) -> Response:
        return Response(orjson.dumps({"version": VERSION}), media_type="application/json")
