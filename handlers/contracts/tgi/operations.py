"""The contract's ten operations."""

import time
from dataclasses import replace
from typing import Final, TypeVar, final

from typing_extensions import override

from generated.tgi import models as m
from generated.tgi.operations import (
    ChatCompletionsHeaders,
    CompatGenerateHeaders,
    CompletionsHeaders,
    GenerateHeaders,
    GenerateStreamHeaders,
    NoHeaders,
    Operations,
)
from handlers.active_requests.admission import AdmissionControl
from handlers.contracts.tgi.chat.operation import Chat
from handlers.contracts.tgi.chat.request import chat_params, chat_plan
from handlers.contracts.tgi.completions.operation import Completions
from handlers.contracts.tgi.completions.request import completion_params
from handlers.contracts.tgi.errors import to_problem
from handlers.contracts.tgi.generate.events import encode_token
from handlers.contracts.tgi.generate.operation import Generate
from handlers.contracts.tgi.generate.request import generate_params
from handlers.contracts.tgi.headers import AnswerHeaders
from handlers.contracts.tgi.info import info, model_list
from handlers.contracts.tgi.request_limits import RequestLimits
from handlers.contracts.tgi.settings import TgiSettings
from handlers.contracts.tgi.tokenize import tokenize
from handlers.served_model.served_model import ServedModel
from verbatim_kit.runtime.operation import Answer, Call, EventStream
from verbatim_kit.runtime.problem import Problem

_GENERATES: Final = frozenset(
    {"compat_generate", "generate", "generate_stream", "chat_completions", "completions"}
)


ModelT = TypeVar("ModelT")


def _as_is(model: ModelT) -> ModelT:
    """Return an answer in the form in which it was written, which is this contract's."""
    return model


@final
class TgiHandlers(AdmissionControl, Operations):
    """Answers every operation of the contract; streams where the client asked for one."""

    def __init__(self, shared: ServedModel, settings: TgiSettings) -> None:
        super().__init__(shared.active_requests, to_problem, _GENERATES)
        self._shared = shared
        self._limits = limits = RequestLimits.of(settings, shared.settings, shared.model_info)
        headers = AnswerHeaders(settings.compute_type or shared.model_info.device)
        timed = replace(headers, has_compute_time=True)
        self._generate: Generate[m.GenerateResponse, m.StreamResponse] = Generate(
            shared, to_problem, limits, timed, answer=_as_is, event=_as_is, write_token=encode_token
        )
        self._chat: Chat[m.ChatRequest, m.ChatCompletion, m.ChatCompletionChunk] = Chat(
            shared, to_problem, limits, timed, params=chat_params, answer=_as_is, chunk=_as_is
        )
        self._completions: Completions[m.CompletionFinal, m.Chunk] = Completions(
            shared, to_problem, limits, headers, answer=_as_is, chunk=_as_is
        )
        self._started = int(time.time())

    @override
    async def compat_generate(
        self, body: m.CompatGenerateRequest, call: Call[CompatGenerateHeaders]
    ) -> m.CompatGenerateResponse | EventStream[m.StreamEvent]:
        if body.stream:
            return self._generate.stream(generate_params(body), call)
        return [await self._generate.whole(generate_params(body), call)]

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
        self, body: m.ChatRequest, call: Call[ChatCompletionsHeaders]
    ) -> Answer[m.ChatCompletion] | EventStream[m.ChatCompletionEvent]:
        if body.stream:
            return self._chat.stream(chat_plan(body), call)
        return await self._chat.whole(chat_plan(body), call)

    @override
    async def completions(
        self, body: m.CompletionRequest, call: Call[CompletionsHeaders]
    ) -> m.CompletionFinal | EventStream[m.CompletionEvent]:
        params = completion_params(body, self._shared.model_names)
        if body.stream:
            return self._completions.stream(params, call)
        return await self._completions.whole(params, call)

    @override
    async def tokenize(self, body: m.GenerateRequest, call: Call[NoHeaders]) -> Answer[m.TokenizeResponse]:
        shared = self._shared
        return await shared.workers.tokenize(len(body.inputs), tokenize, shared.tokenizer, body.inputs)

    @override
    async def get_model_info(self, call: Call[NoHeaders]) -> m.Info:
        shared = self._shared
        return info(shared.settings, shared.model_info, self._limits)

    @override
    async def openai_get_model_info(self, call: Call[NoHeaders]) -> m.ModelList:
        return model_list(self._shared.model_names.own, self._started)

    @override
    async def health(self, call: Call[NoHeaders]) -> None:
        if not (await self._shared.engine.health()).is_healthy:
            raise Problem(503, "unhealthy", "healthcheck")

    @override
    async def metrics(self, call: Call[NoHeaders]) -> str:
        return await self._shared.metrics.of_all()
