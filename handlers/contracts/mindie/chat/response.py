"""Whole chat answers."""

from collections.abc import Sequence

from engine.port.events import TokenEvent
from engine.port.text.tokenizer import Tokenizer
from generated.mindie import models as m
from handlers.chat.reading.logprobs import ScoredToken, TokenScore, scored_tokens
from handlers.chat.reading.result import ChatChoice, ChatResult
from handlers.chat.tools import ToolCall
from handlers.chat.usage import ChatUsage
from handlers.contracts.mindie.step_times import StepTimes
from handlers.served_model.envelope import Envelope


def logprobs(events: Sequence[TokenEvent], tokenizer: Tokenizer) -> m.Logprobs:
    return m.Logprobs(content=[_token(token) for token in scored_tokens(events, tokenizer)])


def _token(token: ScoredToken) -> m.TokenLogprob:
    return m.TokenLogprob(
        token=token.text,
        logprob=token.logprob,
        bytes=list(token.bytes),
        top_logprobs=[_top(top) for top in token.top],
    )


def _top(score: TokenScore) -> m.TopLogprob:
    return m.TopLogprob(token=score.text, logprob=score.logprob, bytes=list(score.bytes))


def usage(counts: ChatUsage, times: StepTimes) -> m.Usage:
    counted = m.Usage(
        prompt_tokens=counts.num_prompt_tokens,
        prompt_tokens_details=m.PromptTokensDetails(cached_tokens=counts.num_cached_tokens),
        completion_tokens=counts.num_completion_tokens,
        total_tokens=counts.num_prompt_tokens + counts.num_completion_tokens,
        batch_size=times.batch_sizes,
        queue_wait_time=times.waits_us,
    )
    if counts.num_reasoning_tokens:
        counted.completion_tokens_details = m.CompletionTokensDetails(
            reasoning_tokens=counts.num_reasoning_tokens
        )
    return counted


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
