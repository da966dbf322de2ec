"""The operation `/v1/chat/completions`."""

from functools import partial
from typing import Final, final

from msgspec.structs import replace
from typing_extensions import override

from generated.operation import Answer, EncodedEvent
from generated.tgi import models as m
from handlers.active_requests.active_request import ActiveRequest
from handlers.active_requests.timing import Timing
from handlers.chat.core import PreparedChat
from handlers.chat.media import PartContents
from handlers.chat.reading.result import ChatResult
from handlers.concurrency.limit import HeldPermits
from handlers.operations.chat_operation import ChatWriter
from handlers.tgi.chat.events import ChatEvents
from handlers.tgi.chat.request import chat_params
from handlers.tgi.chat.response import chat_completion
from handlers.tgi_family import chat as family
from handlers.tgi_family.headers import Headers, compute_time_header, cost_headers
from handlers.wire.plain_answer import PlainAnswers

_PLAIN: Final = PlainAnswers(partial(chat_completion, with_logprobs=False))


@final
class Chat(family.Chat[m.ChatRequest, Answer[m.ChatCompletion], m.ChatCompletionChunk | EncodedEvent]):
    """Answers conversations."""

    @override
    def permits(self, active: ActiveRequest, plan: m.ChatRequest) -> HeldPermits:
        return active.permits("n", plan.n or 1)

    @override
    async def prepare(self, plan: m.ChatRequest) -> PreparedChat:
        return await self.shared.media.prepare(self._prepare, plan)

    def _prepare(self, body: m.ChatRequest, contents: PartContents) -> PreparedChat:
        adapter = self.shared.model_names.adapter_of(body.model)
        return self.prepared(replace(chat_params(body, self.limits), adapter=adapter), contents)

    @override
    def answer(
        self, plan: m.ChatRequest, prepared: PreparedChat, result: ChatResult
    ) -> Answer[m.ChatCompletion]:
        envelope = self.shared.envelope("chatcmpl", prepared.request.request_id)
        if plan.logprobs is True:
            return chat_completion(envelope, result, with_logprobs=True)
        return _PLAIN(envelope, result)

    @override
    def writer(
        self, plan: m.ChatRequest, prepared: PreparedChat
    ) -> ChatWriter[m.ChatCompletionChunk | EncodedEvent]:
        chunks = ChatEvents(
            self.shared.envelope("chatcmpl", prepared.request.request_id), with_logprobs=plan.logprobs is True
        )
        return ChatWriter(
            prepared.outputs(),
            chunks,
            includes_usage=plan.stream_options is not None and plan.stream_options.include_usage,
        )

    @override
    def costs(self, timing: Timing) -> Headers:
        return {**cost_headers(timing), **compute_time_header(timing)}
