"""The operation `/v1/chat/completions`."""

from functools import partial
from typing import Final, final

from typing_extensions import override

from generated.operation import Answer
from generated.tgi import models as m
from handlers.chat.params import ChatParams
from handlers.chat.reading.result import ChatResult
from handlers.service.timing import Timing
from handlers.tgi.chat_events import ChatEvents
from handlers.tgi.chat_request import chat_params
from handlers.tgi.chat_response import chat_completion
from handlers.tgi_family import chat as native
from handlers.tgi_family.headers import Headers, compute_time_header, cost_headers
from handlers.wire.envelope import Envelope
from handlers.wire.plain_answer import PlainAnswers

_PLAIN: Final = PlainAnswers(partial(chat_completion, with_logprobs=False))


@final
class Chat(native.Chat[m.ChatRequest, m.ChatCompletion, m.ChatCompletionChunk]):
    """Answers conversations."""

    @override
    def params(self, body: m.ChatRequest) -> ChatParams:
        return chat_params(body, self.service.limits)

    @override
    def num_answers(self, body: m.ChatRequest) -> int:
        return body.n or 1

    @override
    def wants_usage(self, body: m.ChatRequest) -> bool:
        return body.stream_options is not None and body.stream_options.include_usage

    @override
    def answer(self, envelope: Envelope, body: m.ChatRequest, result: ChatResult) -> Answer[m.ChatCompletion]:
        if body.logprobs is True:
            return chat_completion(envelope, result, with_logprobs=True)
        return _PLAIN(envelope, result)

    @override
    def chunks(self, envelope: Envelope, body: m.ChatRequest) -> ChatEvents:
        return ChatEvents(envelope, with_logprobs=body.logprobs is True)

    @override
    def costs(self, timing: Timing) -> Headers:
        return {**cost_headers(timing), **compute_time_header(timing)}
