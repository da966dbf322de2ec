"""The contract's operations."""

import time
from typing import Final, final

from typing_extensions import override

from generated.tokens import models as m
from generated.tokens.operations import NoHeaders, Operations
from handlers.active_requests.admission import AdmissionControl
from handlers.concurrency.limit import RETRY_AFTER_S
from handlers.contracts.tokens.errors import to_problem
from handlers.contracts.tokens.generate import Generate
from handlers.served_model.served_model import ServedModel
from verbatim_kit.runtime.operation import Answer, Call, EventStream
from verbatim_kit.runtime.problem import Problem

_GENERATES: Final = frozenset({"generate"})


@final
class TokensHandlers(AdmissionControl, Operations):
    """Answers every operation of the contract; streams where the client asked for one."""

    def __init__(self, shared: ServedModel) -> None:
        super().__init__(shared.active_requests, to_problem, _GENERATES)
        self._shared = shared
        self._generate = Generate(shared)
        self._started = int(time.time())

    @override
    async def generate(
        self, body: m.GenerateRequest, call: Call[NoHeaders]
    ) -> Answer[m.GenerateResponse] | EventStream[m.GenerateStreamEvent]:
        if body.stream:
            return self._generate.stream(body, call)
        return await self._generate.whole(body, call)

    @override
    async def abort_requests(self, body: m.AbortRequest, call: Call[NoHeaders]) -> None:
        await self._generate.abort(body.request_ids)

    @override
    async def list_models(self, call: Call[NoHeaders]) -> m.ModelList:
        names = self._shared.model_names
        models = [
            m.Model(
                id=name,
                object="model",
                created=self._started,
                owned_by="verbatim",
                root=names.served,
                parent=None if names.is_taken(name) else names.served,
                max_model_len=self._shared.model_info.max_total_tokens,
            )
            for name in names.listed
        ]
        return m.ModelList(object="list", data=models)

    @override
    async def health(self, call: Call[NoHeaders]) -> None:
        health = await self._shared.engine.health()
        if not health.is_healthy:
            message = health.reason or "the engine is not healthy"
            raise Problem(503, message, retry_after_s=RETRY_AFTER_S)
