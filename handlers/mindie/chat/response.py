"""Whole chat answers."""

from engine.port.text.tokenizer import Tokenizer
from generated.mindie import models as m
from handlers.chat.reading.result import ChatChoice, ChatResult
from handlers.chat.tools import ToolCall
from handlers.mindie.logprobs import logprobs
from handlers.mindie.step_times import StepTimes
from handlers.mindie.usage import usage
from handlers.wire.envelope import Envelope


def chat_completion(
    envelope: Envelope, result: ChatResult, tokenizer: Tokenizer, *, shows_logprobs: bool
) -> m.ChatCompletion:
    times = StepTimes(len(result.choices))
    for choice in result.choices:
        for event in choice.events:
            times.add(event)
    return m.ChatCompletion(
        id=envelope.id,
        object="chat.completion",
        created=envelope.created,
        model=envelope.model,
        choices=[_choice(choice, tokenizer if shows_logprobs else None) for choice in result.choices],
        usage=usage(result.usage, times),
        prefill_time=times.prefill_ms,
        decode_time_arr=times.decodes_ms,
    )


def _choice(choice: ChatChoice, tokenizer: Tokenizer | None) -> m.Choice:
    return m.Choice(
        index=choice.index,
        message=_message(choice),
        logprobs=None if tokenizer is None else logprobs(choice.answer_events, tokenizer),
        finish_reason=choice.finish.value,
    )


def _message(choice: ChatChoice) -> m.AnswerMessage:
    calls = [_tool_call(call) for call in choice.tool_calls]
    message = m.AnswerMessage(role="assistant", content=choice.content, tool_calls=calls)
    if choice.reasoning:
        message.reasoning_content = choice.reasoning
    return message


def _tool_call(call: ToolCall) -> m.ToolCall:
    function = m.CalledFunction(name=call.name, arguments=call.arguments)
    return m.ToolCall(id=call.id, type="function", function=function)
