"""The operation `/v1/chat/completions`."""

from functools import partial
from typing import Final, final

from msgspec.structs import replace
from typing_extensions import override

from generated.hf import models as m
from generated.operation import Answer, EncodedEvent
from handlers.active_requests.active_request import ActiveRequest
from handlers.active_requests.timing import Timing
from handlers.chat.core import PreparedChat
from handlers.chat.media import PartContents
from handlers.chat.reading.result import ChatResult
from handlers.concurrency.limit import HeldPermits
from handlers.hf.chat.events import ChatEvents
from handlers.hf.chat.request import chat_params, includes_usage
from handlers.hf.chat.response import chat_completion
from handlers.hf.headers import costs
from handlers.operations.chat_operation import ChatWriter
from handlers.tgi_family import chat as family
from handlers.tgi_family.headers import Headers
from handlers.wire.missing import given_or
from handlers.wire.plain_answer import PlainAnswers

_PLAIN: Final = PlainAnswers(partial(chat_completion, with_logprobs=False))


@final
class Chat(
    family.Chat[
        m.ChatCompletionRequest,
        Answer[m.ChatCompletionResponse],
        m.ChatCompletionStreamResponse | EncodedEvent,
    ]
):
    """Answers conversations."""

    @override
    def permits(self, active: ActiveRequest, plan: m.ChatCompletionRequest) -> HeldPermits:
        return active.permits("n", 1)

    @override
    async def prepare(self, plan: m.ChatCompletionRequest) -> PreparedChat:
        return await self.shared.media.prepare(self._prepare, plan)

    def _prepare(self, body: m.ChatCompletionRequest, contents: PartContents) -> PreparedChat:
        adapter = self.shared.model_names.adapter_of(body.model)
        return self.prepared(replace(chat_params(body, self.limits), adapter=adapter), contents)

    @override
    def answer(
        self, plan: m.ChatCompletionRequest, prepared: PreparedChat, result: ChatResult
    ) -> Answer[m.ChatCompletionResponse]:
        envelope = self.shared.envelope("chatcmpl", prepared.request.request_id)
        if given_or(plan.logprobs, False):
            return chat_completion(envelope, result, with_logprobs=True)
        return _PLAIN(envelope, result)

    @override
    def writer(
        self, plan: m.ChatCompletionRequest, prepared: PreparedChat
    ) -> ChatWriter[m.ChatCompletionStreamResponse | EncodedEvent]:
        chunks = ChatEvents(
            self.shared.envelope("chatcmpl", prepared.request.request_id),
            with_logprobs=given_or(plan.logprobs, False),
        )
        return ChatWriter(prepared.outputs(), chunks, includes_usage=includes_usage(plan))

    @override
    def costs(self, timing: Timing) -> Headers:
        return costs(timing)
