"""The contract's nine operations."""

import time
from functools import partial
from typing import Final, final

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
from handlers.active_requests.admission import AdmissionControl
from handlers.contracts.hf.answers import chat_chunk, encode_token, without_nulls
from handlers.contracts.hf.chat import chat_params, chat_plan
from handlers.contracts.hf.completions import completion_params
from handlers.contracts.hf.generate import generate_params
from handlers.contracts.hf.info import info
from handlers.contracts.hf.tokenize import tokenize
from handlers.contracts.tgi.chat.operation import Chat
from handlers.contracts.tgi.completions.operation import Completions
from handlers.contracts.tgi.errors import error_table
from handlers.contracts.tgi.generate.operation import Generate
from handlers.contracts.tgi.headers import AnswerHeaders
from handlers.contracts.tgi.info import model_list
from handlers.contracts.tgi.request_limits import RequestLimits
from handlers.contracts.tgi.settings import TgiSettings
from handlers.served_model.served_model import ServedModel
from verbatim_kit.runtime.operation import Answer, Call, EventStream
from verbatim_kit.runtime.problem import Problem

to_problem: Final = error_table(invalid=400, failed=422, incomplete=422, adapter_field="model").to_problem


_GENERATES: Final = frozenset({"generate", "generate_stream", "chat_completions", "completions"})


def _milliseconds(seconds: float) -> float:
    """Return a time with fractions, because the document declares it as a number."""
    return round(seconds * 1000, 3)


@final
class HfHandlers(AdmissionControl, Operations):
    """Answers every operation of the contract; streams where the client asked for one."""

    def __init__(self, shared: ServedModel, settings: TgiSettings) -> None:
        super().__init__(shared.active_requests, to_problem, _GENERATES)
        self._shared = shared
        self._limits = limits = RequestLimits.of(settings, shared.settings, shared.model_info)
        headers = AnswerHeaders(settings.compute_type or shared.model_info.device, _milliseconds)
        self._generate = Generate(
            shared,
            to_problem,
            limits,
            headers,
            answer=partial(without_nulls, m.GenerateResponse),
            event=partial(without_nulls, m.StreamResponse),
            write_token=encode_token,
        )
        self._chat = Chat(
            shared,
            to_problem,
            limits,
            headers,
            params=chat_params,
            answer=partial(without_nulls, m.ChatCompletionResponse),
            chunk=chat_chunk,
        )
        self._completions = Completions(
            shared,
            to_problem,
            limits,
            headers,
            answer=partial(without_nulls, m.CompletionResponse),
            chunk=partial(without_nulls, m.CompletionStreamResponse),
        )
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
            return self._chat.stream(chat_plan(body), call)
        return await self._chat.whole(chat_plan(body), call)

    @override
    async def completions(
        self, body: m.CompletionRequest, call: Call[CompletionsHeaders]
    ) -> m.CompletionResponse | EventStream[m.CompletionEvent]:
        params = completion_params(body, self._shared.model_names)
        if body.stream:
            return self._completions.stream(params, call)
        return await self._completions.whole(params, call)

    @override
    async def list_models(self, call: Call[NoHeaders]) -> m.ModelList:
        return without_nulls(m.ModelList, model_list(self._shared.model_names.own, self._started))

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
