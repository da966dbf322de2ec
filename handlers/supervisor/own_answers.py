"""The operations that the supervisor answers itself, whatever model runs: lists, health, metrics."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any, Final

import aiohttp
import orjson
from pydantic import TypeAdapter

from handlers.access.closed_pages import KEY_HEADERS
from handlers.active_requests.merged_metrics import merged
from handlers.composition import TABLES
from handlers.contracts.anthropic.models import Models as AnthropicModels
from handlers.contracts.triton.metadata import repository
from handlers.served_model.model_names import ModelNames
from handlers.supervisor.model import Model, State
from handlers.supervisor.models import Models
from verbatim_kit.runtime.endpoint import Handler
from verbatim_kit.runtime.operation import Call, Operation

_ASK_TIMEOUT: Final = aiohttp.ClientTimeout(total=5.0)


class OwnAnswers:
    """The handlers of these operations. session: asks the models' processes."""

    def __init__(self, models: Models, session: aiohttp.ClientSession) -> None:
        self._models = models
        self._session = session
        self._started = int(time.time())

    def by_contract(self) -> Mapping[str, Mapping[str, Handler]]:
        """Return the handlers by contract and operation id, of the contracts that have some."""
        return {
            "openai": {"listModels": self._all("openai", "listModels")},
            "tgi": {
                "health": _healthy,
                "metrics": self._metrics,
                "openai_get_model_info": self._all("tgi", "openai_get_model_info"),
            },
            "hf": {
                "healthCheck": _healthy,
                "getMetrics": self._metrics,
                "listModels": self._all("hf", "listModels"),
            },
            "triton": {
                "serverLive": _healthy,
                "serverReady": _healthy,
                "repositoryIndex": self._index,
            },
            "aleph_alpha": {
                "modelsAvailable": self._of_running("aleph_alpha", "modelsAvailable"),
                "modelSettings": self._of_running("aleph_alpha", "modelSettings"),
            },
            "anthropic": {"listModels": self._page},
            "systemone": {"listModels": self._of_running("systemone", "listModels", "models")},
            "tokens": {
                "health": _healthy,
                "listModels": self._of_running("tokens", "listModels", "data", object="list"),
            },
        }

    def _all(self, contract: str, name: str) -> Handler:
        """Return the answer of a list in OpenAI's form."""
        form = _operation(contract, name).response

        async def models(call: Call[Any]) -> Any:
            fields = {"object": "model", "created": self._started, "owned_by": "verbatim"}
            data = [{"id": model.name, **fields} for model in self._models.models]
            return form.model_validate({"object": "list", "data": data})

        return models

    async def _page(self, arguments: Any, call: Call[Any]) -> Any:
        first, *others = (model.name for model in self._models.models)
        return AnthropicModels(ModelNames(first, others), None).list(arguments)

    async def _index(self, body: Any, call: Call[Any]) -> Any:
        only_ready = body is not None and body.ready
        return [
            entry
            for model in self._models.models
            for entry in repository([model.name], is_ready=_runs(model), only_ready=only_ready)
        ]

    def _of_running(self, contract: str, name: str, member: str = "", **others: str) -> Handler:
        """Return the answer of a list whose entries need what only a running model knows.

        member: that has the list, in an object with the others; empty where the answer is the list itself.
        """
        operation = _operation(contract, name)
        form = TypeAdapter[object](operation.response)

        async def models(call: Call[Any]) -> Any:
            answers = (await self._ask(f"/{contract}{operation.path}", call)).values()
            lists = list(map(orjson.loads, answers))
            entries = [entry for each in lists for entry in (each[member] if member else each)]
            return form.validate_python({**others, member: entries} if member else entries)

        return models

    async def _metrics(self, call: Call[Any]) -> str:
        texts = await self._ask("/tgi/metrics", call)
        return merged({name: text.decode() for name, text in texts.items()}, "model")

    async def _ask(self, path: str, call: Call[Any]) -> dict[str, bytes]:
        """Return the answers of all running models to a request with the same keys, by their names."""
        keys = {name: call.headers[name] for name in KEY_HEADERS if name in call.headers}
        running = [model for model in self._models.models if _runs(model)]
        answers = await asyncio.gather(*(self._ask_one(model, path, keys) for model in running))
        found = zip(running, answers, strict=True)
        return {model.name: answer for model, answer in found if answer is not None}

    async def _ask_one(self, model: Model, path: str, keys: Mapping[str, str]) -> bytes | None:
        url = model.url + path
        try:
            async with self._session.get(url, headers=keys, timeout=_ASK_TIMEOUT) as answer:
                return await answer.read() if answer.status == 200 else None
        except (aiohttp.ClientError, OSError, TimeoutError):
            return None  # it is stopping


def _operation(contract: str, name: str) -> Operation:
    return next(one for one in TABLES[contract] if one.id == name)


def _runs(model: Model) -> bool:
    return model.state is State.RUNNING


async def _healthy(call: Call[Any]) -> None:
    """Answer for the supervisor alone: a model that is stopped starts when it is asked."""
