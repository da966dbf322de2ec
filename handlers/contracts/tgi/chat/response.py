"""Whole chat answers."""

from collections.abc import Sequence

from engine.port.events import TokenEvent
from generated.tgi import models as m
from handlers.chat.reading.logprobs import bounded
from handlers.chat.reading.result import ChatChoice, ChatResult
from handlers.chat.tools import ToolCall
from handlers.contracts.tgi.openai_form import SERVER_NAME, usage
from handlers.served_model.envelope import Envelope


def chat_completion(envelope: Envelope, result: ChatResult, *, with_logprobs: bool) -> m.ChatCompletion:
    return m.ChatCompletion(
        id=envelope.id,
        object="chat.completion",
        created=envelope.created,
        model=envelope.model,
        system_fingerprint=SERVER_NAME,
        choices=[_choice(choice, with_logprobs) for choice in result.choices],
        usage=usage(result.usage.num_prompt_tokens, result.usage.num_completion_tokens),
    )


def _choice(choice: ChatChoice, with_logprobs: bool) -> m.ChatCompletionComplete:
    return m.ChatCompletionComplete(
        index=choice.index,
        message=_message(choice),
        logprobs=logprobs(choice.events) if with_logprobs else None,
        finish_reason=choice.finish.value,
    )


def _message(choice: ChatChoice) -> m.TextMessage | m.ToolCallMessage:
    if not choice.tool_calls:
        return m.TextMessage(role="assistant", content=choice.content)
    calls = [_tool_call(call) for call in choice.tool_calls]
    return m.ToolCallMessage(role="assistant", tool_calls=calls, content=choice.content or None)


def _tool_call(call: ToolCall) -> m.ToolCall:
    function = m.FunctionCall(name=call.name, arguments=call.arguments)
    return m.ToolCall(id=call.id, type="function", function=function)


def logprobs(events: Sequence[TokenEvent]) -> m.ChatCompletionLogprobs:
    """Return the log-probabilities of every generated token, the end token included."""
    return m.ChatCompletionLogprobs(content=[_logprob(event) for event in events])


def _logprob(event: TokenEvent) -> m.ChatCompletionLogprob:
    return m.ChatCompletionLogprob(
        token=event.token_text,
        logprob=bounded(event.logprob),
        top_logprobs=[
            m.ChatCompletionTopLogprob(token=top.text, logprob=bounded(top.logprob))
            for top in event.top_logprobs
        ],
    )
