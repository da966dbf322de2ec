"""The contract's eight operations."""

from functools import cache
from typing import Final, final

from pydantic_core import from_json
from typing_extensions import override

from generated.aleph_alpha import models as m
from generated.aleph_alpha.operations import NoHeaders, Operations
from handlers.active_requests.admission import AdmissionControl
from handlers.contracts.aleph_alpha.chat.operation import Chat
from handlers.contracts.aleph_alpha.completions.operation import Completions
from handlers.contracts.aleph_alpha.contract import AlephAlphaContract
from handlers.contracts.aleph_alpha.errors import to_problem
from handlers.contracts.aleph_alpha.evaluation import Evaluations
from handlers.contracts.aleph_alpha.models import Models
from handlers.contracts.aleph_alpha.nice import NiceRequest
from handlers.contracts.aleph_alpha.tokens import detokenize, tokenize
from handlers.served_model.served_model import ServedModel
from verbatim_kit.errors import mapped_errors
from verbatim_kit.runtime.operation import Answer, Call, EventStream

_GENERATES: Final = frozenset({"chat_completions", "complete", "evaluate"})


@final
class AlephAlphaHandlers(AdmissionControl, Operations):
    """Answers every operation of the contract; streams where the client asked for one."""

    def __init__(self, shared: ServedModel) -> None:
        super().__init__(shared.active_requests, to_problem, _GENERATES)
        self._shared = shared
        self._chat = Chat(shared)
        self._completions = Completions(shared)
        self._evaluations = Evaluations(shared)
        self._models = Models(shared)

    @override
    async def chat_completions(
        self, arguments: m.ChatCompletionsArguments, body: m.ChatRequest, call: Call[NoHeaders]
    ) -> m.ChatCompletion | EventStream[m.ChatStreamEvent]:
        if body.stream:
            return self._chat.stream(NiceRequest(body, arguments.nice), call)
        return await self._chat.whole(NiceRequest(body, arguments.nice), call)

    @override
    async def complete(
        self, arguments: m.CompleteArguments, body: m.CompletionRequest, call: Call[NoHeaders]
    ) -> m.CompletionResponse | EventStream[m.CompletionStreamEvent]:
        if body.stream:
            return self._completions.stream(NiceRequest(body, arguments.nice), call)
        return await self._completions.whole(NiceRequest(body, arguments.nice), call)

    @override
    async def evaluate(
        self, arguments: m.EvaluateArguments, body: m.EvaluationRequest, call: Call[NoHeaders]
    ) -> m.EvaluationResponse:
        return await self._evaluations.whole(NiceRequest(body, arguments.nice), call)

    @override
    async def tokenize(
        self, body: m.TokenizationRequest, call: Call[NoHeaders]
    ) -> Answer[m.TokenizationResponse]:
        shared = self._shared
        with mapped_errors(to_problem):
            shared.model_names.resolve(body.model)
            return await shared.workers.tokenize(len(body.prompt), tokenize, body, shared.tokenizer)

    @override
    async def detokenize(
        self, body: m.DetokenizationRequest, call: Call[NoHeaders]
    ) -> m.DetokenizationResponse:
        shared = self._shared
        with mapped_errors(to_problem):
            shared.model_names.resolve(body.model)
            return await shared.workers.tokenize(len(body.token_ids), detokenize, body, shared.tokenizer)

    @override
    async def models_available(self, call: Call[NoHeaders]) -> m.AvailableModels:
        return self._models.available()

    @override
    async def model_settings(self, call: Call[NoHeaders]) -> m.ModelSettingsList:
        return self._models.settings()

    @override
    async def version(self, call: Call[NoHeaders]) -> str:
        return _version()


@cache
def _version() -> str:
    """Return the version of the contract's document."""
    version: str = from_json(AlephAlphaContract().document())["info"]["version"]
    return version
