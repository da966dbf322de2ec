"""The operation `/v1/chat/completions`."""

from functools import partial
from typing import Final, final

from typing_extensions import override

from generated.hf import models as m
from generated.operation import Answer
from handlers.chat.params import ChatParams
from handlers.chat.reading.result import ChatResult
from handlers.hf.chat_events import ChatEvents
from handlers.hf.chat_request import chat_params, includes_usage
from handlers.hf.chat_response import chat_completion
from handlers.hf.headers import costs
from handlers.service.timing import Timing
from handlers.tgi_family import chat as native
from handlers.tgi_family.headers import Headers
from handlers.wire.envelope import Envelope
from handlers.wire.missing import given_or
from handlers.wire.plain_answer import PlainAnswers

_PLAIN: Final = PlainAnswers(partial(chat_completion, with_logprobs=False))


@final
class Chat(native.Chat[m.ChatCompletionRequest, m.ChatCompletionResponse, m.ChatCompletionStreamResponse]):
    """Answers conversations."""

    @override
    def params(self, body: m.ChatCompletionRequest) -> ChatParams:
        return chat_params(body, self.service.limits)

    @override
    def num_answers(self, body: m.ChatCompletionRequest) -> int:
        return 1

    @override
    def wants_usage(self, body: m.ChatCompletionRequest) -> bool:
        return includes_usage(body)

    @override
    def answer(
        self, envelope: Envelope, body: m.ChatCompletionRequest, result: ChatResult
    ) -> Answer[m.ChatCompletionResponse]:
        if given_or(body.logprobs, False):
            return chat_completion(envelope, result, with_logprobs=True)
        return _PLAIN(envelope, result)

    @override
    def chunks(self, envelope: Envelope, body: m.ChatCompletionRequest) -> ChatEvents:
        return ChatEvents(envelope, with_logprobs=given_or(body.logprobs, False))

    @override
    def costs(self, timing: Timing) -> Headers:
        return costs(timing)
