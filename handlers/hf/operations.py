"""The contract's nine operations."""

import time
from typing import Final, final

from msgspec.structs import replace
from typing_extensions import override

from generated.hf import models as m
from generated.hf.operations import (
    ChatCompletionsHeaders,
    CompletionsHeaders,
    GenerateHeaders,
    GenerateStreamHeaders,
    NoHeaders,
    Operations,
)
from generated.operation import Answer, Call, EventStream
from handlers.active_requests.admission import AdmissionControl
from handlers.hf.chat.operation import Chat
from handlers.hf.completions.operation import Completions, completion_params
from handlers.hf.errors import to_problem
from handlers.hf.generate.operation import Generate
from handlers.hf.generate.request import generate_params
from handlers.hf.info import info, model_list
from handlers.hf.tokenize import tokenize
from handlers.runtime.problem import Problem
from handlers.served_model.served_model import ServedModel
from handlers.tgi_family.request.completion_request import CompletionParams
from handlers.tgi_family.request.request_limits import RequestLimits
from handlers.tgi_family.settings import TgiFamilySettings

_GENERATES: Final = frozenset({"generate", "generate_stream", "chat_completions", "completions"})


@final
class HfHandlers(AdmissionControl, Operations):
    """Answers every operation of the contract; streams where the client asked for one."""

    def __init__(self, shared: ServedModel, settings: TgiFamilySettings) -> None:
        super().__init__(shared.active_requests, to_problem, _GENERATES)
        self._shared = shared
        self._limits = limits = RequestLimits.of(settings, shared.settings, shared.model_info)
        compute_type = settings.compute_type or shared.model_info.device
        self._generate = Generate(shared, to_problem, limits, compute_type)
        self._chat = Chat(shared, to_problem, limits, compute_type)
        self._completions = Completions(shared, to_problem, limits, compute_type)
        self._started = int(time.time())

    @override
    async def generate(self, body: m.GenerateRequest, call: Call[GenerateHeaders]) -> m.GenerateResponse:
        return await self._generate.whole(generate_params(body), call)

    @override
    async def generate_stream(
        self, body: m.GenerateRequest, call: Call[GenerateStreamHeaders]
    ) -> EventStream[m.StreamEvent]:
        return self._generate.stream(generate_params(body), call)

    @override
    async def chat_completions(
        self, body: m.ChatCompletionRequest, call: Call[ChatCompletionsHeaders]
    ) -> Answer[m.ChatCompletionResponse] | EventStream[m.ChatCompletionEvent]:
        if body.stream:
            return self._chat.stream(body, call)
        return await self._chat.whole(body, call)

    @override
    async def completions(
        self, body: m.CompletionRequest, call: Call[CompletionsHeaders]
    ) -> m.CompletionResponse | EventStream[m.CompletionEvent]:
        if body.stream:
            return self._completions.stream(self._completion_params(body), call)
        return await self._completions.whole(self._completion_params(body), call)

    def _completion_params(self, body: m.CompletionRequest) -> CompletionParams:
        return replace(completion_params(body), adapter=self._shared.model_names.adapter_of(body.model))

    @override
    async def list_models(self, call: Call[NoHeaders]) -> m.ModelList:
        return model_list(self._shared.model_names.own, self._started)

    @override
    async def get_info(self, call: Call[NoHeaders]) -> m.Info:
        shared = self._shared
        return info(shared.settings, shared.model_info, self._limits)

    @override
    async def health_check(self, call: Call[NoHeaders]) -> None:
        if not (await self._shared.engine.health()).is_healthy:
            raise Problem(503, "unhealthy", "healthcheck")

    @override
    async def get_metrics(self, call: Call[NoHeaders]) -> str:
        return await self._shared.metrics.of_all()

    @override
    async def tokenize(self, body: m.TokenizeRequest, call: Call[NoHeaders]) -> Answer[m.TokenizeResponse]:
        shared = self._shared
        return await shared.workers.tokenize(len(body.inputs), tokenize, shared.tokenizer, body)
