"""The probes that load balancers and clients of other servers send to the root."""

from typing import Final

import orjson
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from engine.port.engine import Engine
from handlers.version import VERSION

PING: Final = "/ping"


class Probes:
    """`/ping`, as SageMaker asks it, and `/version`, as vLLM answers it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def mount(self, shell: FastAPI) -> None:
        """Add the probes to the shell, so that a contract that has one of the paths keeps it."""
        shell.add_route(PING, self._ping, methods=["GET", "POST"], include_in_schema=False)
        shell.add_route("/version", self._version, include_in_schema=False)

    async def _ping(self, request: Request) -> Response:
        """Answer with an empty body: 200 if the engine can generate, else 503."""
        return Response(status_code=200 if (await self._engine.health()).is_healthy else 503)

    async def _version(self, request: Request) -> Response:
        return Response(orjson.dumps({"version": VERSION}), media_type="application/json")
