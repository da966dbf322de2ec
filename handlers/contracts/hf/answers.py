"""TGI's answers in the form of Hugging Face's document: nothing is null, and what is missing is left out."""

from typing import TypeVar

import orjson
from pydantic import MISSING, BaseModel

from engine.port.events import TokenEvent
from generated.hf import models as m
from handlers.contracts.tgi.generate.tokens import finite
from verbatim_kit.runtime.operation import EncodedEvent

ModelT = TypeVar("ModelT", bound=BaseModel)


def without_nulls(model: type[ModelT], answer: BaseModel) -> ModelT:
    """Return the answer as the model: without nulls, and without the fields that TGI's own document adds."""
    return model.model_validate(answer.model_dump(exclude_none=True))


def chat_chunk(chunk: BaseModel) -> m.ChatCompletionStreamResponse:
    """Return the chunk; a tool call's kind comes once, as its id does."""
    answer = without_nulls(m.ChatCompletionStreamResponse, chunk)
    for choice in answer.choices:
        for call in () if choice.delta.tool_calls is MISSING else choice.delta.tool_calls:
            call.type = MISSING if call.id is MISSING else call.type
    return answer


def encode_token(index: int, event: TokenEvent) -> EncodedEvent:
    """`m.StreamResponse` of a token before the last as JSON text."""
    logprob = finite(event.logprob)
    return EncodedEvent(
        b'{"token":{"id":%d,"text":%b%b,"special":%b}}'
        % (
            event.token_id,
            orjson.dumps(event.token_text),
            b"" if logprob is None else b',"logprob":%b' % orjson.dumps(logprob),
            b"true" if event.is_special else b"false",
        )
    )
