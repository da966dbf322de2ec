"""The admin API: the models' states, and their start and stop by an operator who has its key."""

import hmac
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from handlers.supervisor.model import Model
from handlers.supervisor.models import Models, Unavailable
from verbatim_kit.runtime.reading.bearer import BEARER_HEADER, given_keys

_LEVELS: Final = ("1", "2")  # vLLM's; with either, weights and cache are freed here


class Refusal(Exception):
    """A request is refused. status: of the answer."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Admin:
    """The admin API. Its requests need the key as a bearer token, and name a model by `?model=NAME`.

    `sleep`, `wake_up` and `is_sleeping` are as in vLLM, and are for all models where none is named.
    """

    def __init__(self, models: Models, key: str) -> None:
        self._models = models
        self._key = key.encode()

    def routes(self) -> list[Route]:
        """Return the routes of the API."""
        return [
            self._route("GET", "models", self._list),
            self._route("POST", "load", self._load),
            self._route("POST", "unload", self._unload),
            self._route("POST", "sleep", self._sleep),
            self._route("POST", "wake", self._wake),
            self._route("POST", "wake_up", self._wake),
            self._route("GET", "is_sleeping", self._is_sleeping),
        ]

    def _route(self, method: str, name: str, answer: Callable[[Request], Awaitable[object]]) -> Route:
        async def answer_with_key(request: Request) -> Response:
            try:
                self._check_key(request)
                return _json(200, await answer(request))
            except Refusal as refusal:
                return _json(refusal.status, {"error": str(refusal)})
            except Unavailable as error:
                return _json(503, {"error": str(error)})

        return Route(f"/admin/{name}", answer_with_key, methods=[method])

    def _check_key(self, request: Request) -> None:
        given = given_keys(request.scope, (BEARER_HEADER,))
        if not given or not hmac.compare_digest(given[0], self._key):
            raise Refusal(401, "the admin key is missing or wrong")

    async def _list(self, request: Request) -> object:
        return {
            "models": [
                {
                    "name": model.name,
                    "state": model.state,
                    "is_sleeping": model.is_asleep,
                    "memory_bytes": model.memory_bytes,
                    "waiting_requests": model.num_waiting,
                    "running_requests": model.num_requests,
                }
                for model in self._models.models
            ]
        }

    async def _load(self, request: Request) -> object:
        await self._models.start(self._one(request))
        return {}

    async def _unload(self, request: Request) -> object:
        await self._one(request).stop()
        return {}

    async def _sleep(self, request: Request) -> object:
        level = request.query_params.get("level", _LEVELS[0])
        if level not in _LEVELS:
            raise Refusal(400, f"level must be {' or '.join(_LEVELS)}")
        await self._models.sleep(self._chosen(request))
        return {}

    async def _wake(self, request: Request) -> object:
        await self._models.wake(self._chosen(request))
        return {}

    async def _is_sleeping(self, request: Request) -> object:
        return {"is_sleeping": all(model.is_asleep for model in self._chosen(request))}

    def _chosen(self, request: Request) -> Sequence[Model]:
        return [self._one(request)] if "model" in request.query_params else self._models.models

    def _one(self, request: Request) -> Model:
        name = request.query_params.get("model")
        model = self._models.named(name)
        if name is None or model is None:
            raise Refusal(
                404 if name else 400,
                f"?model= must be one of {', '.join(each.name for each in self._models.models)}",
            )
        return model


def _json(status: int, content: object) -> Response:
    return Response(orjson.dumps(content), status, media_type="application/json")
