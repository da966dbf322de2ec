"""Whole chat answers."""

from collections.abc import Sequence

from pydantic import MISSING

from engine.port.events import TokenEvent
from generated.hf import models as m
from handlers.chat.reading.logprobs import bounded
from handlers.chat.reading.result import ChatChoice, ChatResult
from handlers.chat.tools import ToolCall
from handlers.hf.usage import usage
from handlers.tgi_family.server_name import SERVER_NAME
from handlers.wire.envelope import Envelope


def chat_completion(
    envelope: Envelope, result: ChatResult, *, with_logprobs: bool
) -> m.ChatCompletionResponse:
    return m.ChatCompletionResponse(
        id=envelope.id,
        object="chat.completion",
        created=envelope.created,
        model=envelope.model,
        system_fingerprint=SERVER_NAME,
        choices=[_choice(choice, with_logprobs) for choice in result.choices],
        usage=usage(result.usage.num_prompt_tokens, result.usage.num_completion_tokens),
    )


def _choice(choice: ChatChoice, with_logprobs: bool) -> m.ChatChoice:
    return m.ChatChoice(
        index=choice.index,
        message=_message(choice),
        finish_reason=choice.finish.value,
        logprobs=logprobs(choice.events) if with_logprobs else MISSING,
    )


def _message(choice: ChatChoice) -> m.AnswerMessage:
    if not choice.tool_calls:
        return m.AnswerMessage(role="assistant", content=choice.content)
    calls = [_tool_call(call) for call in choice.tool_calls]
    return m.AnswerMessage(role="assistant", content=choice.content or MISSING, tool_calls=calls)


def _tool_call(call: ToolCall) -> m.AnswerToolCall:
    function = m.AnswerFunctionCall(name=call.name, arguments=call.arguments)
    return m.AnswerToolCall(id=call.id, type="function", function=function)


def logprobs(events: Sequence[TokenEvent]) -> m.ChatLogprobs:
    """Return the log-probabilities of every generated token, the end token included."""
    return m.ChatLogprobs(content=[_logprob(event) for event in events])


def _logprob(event: TokenEvent) -> m.TokenLogprob:
    return m.TokenLogprob(
        token=event.token_text,
        logprob=bounded(event.logprob),
        top_logprobs=[
            m.TopLogprob(token=top.text, logprob=bounded(top.logprob)) for top in event.top_logprobs
        ],
    )
