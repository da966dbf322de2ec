"""Whole chat answers."""

from collections.abc import Container, Sequence
from typing import Literal, TypeAlias

from engine.port.events import FinishReason, TokenEvent
from engine.port.text.tokenizer import Tokenizer
from generated.openai import models as m
from handlers.chat.delta import ChatFinish
from handlers.chat.reading.logprobs import ScoredToken, TokenScore, scored_tokens
from handlers.chat.reading.result import ChatChoice, ChatResult
from handlers.chat.tools import ToolCall
from handlers.contracts.openai.answers.token_details import id_text
from handlers.contracts.openai.answers.usage import usage
from handlers.contracts.openai.custom_tool import input_of
from handlers.contracts.openai.settings import ReasoningField
from handlers.served_model.envelope import Envelope

FinishWord: TypeAlias = Literal["stop", "length", "tool_calls", "function_call"]


class ChatAnswer:
    """Writes the choices of one answer.

    stop_token_ids: the stop tokens of the request.
    shows_logprobs, shows_ids: the parts of the choices that the client wants to see.
    reasoning_fields: the fields that have the reasoning; none if the client does not want to see it.
    names_ids: whether a token of the log-probabilities is written as its id.
    custom_tools: the names of the custom tools, whose calls have a text.
    has_functions: whether the request has the older `functions`, so that a call is a `function_call`.
    names_tokens: whether log-probabilities are of tokens that the request names; the generated token stands
        before those.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        stop_token_ids: Container[int],
        *,
        shows_logprobs: bool,
        reasoning_fields: Sequence[ReasoningField] = (),
        shows_ids: bool = False,
        names_ids: bool = False,
        names_tokens: bool = False,
        custom_tools: Container[str] = (),
        has_functions: bool = False,
    ) -> None:
        self._tokenizer = tokenizer
        self._stop_token_ids = stop_token_ids
        self._shows_logprobs = shows_logprobs
        self.reasoning_fields = reasoning_fields
        self.shows_ids = shows_ids
        self._names_ids = names_ids
        self._names_tokens = names_tokens
        self.custom_tools = custom_tools
        self.has_functions = has_functions

    def choice(self, choice: ChatChoice) -> m.ChatCompletionChoice:
        written = m.ChatCompletionChoice(
            index=choice.index,
            message=self._message(choice),
            logprobs=self.logprobs(choice.answer_events),
            finish_reason=self.finish_reason(choice.finish),
            stop_reason=self.stop_reason(choice.events[-1]),
        )
        if self.shows_ids:
            written.token_ids = [event.token_id for event in choice.events]
        return written

    def logprobs(self, events: Sequence[TokenEvent]) -> m.ChatCompletionLogprobs | None:
        """Return the log-probabilities of the tokens of content and calls, not of thoughts."""
        if not self._shows_logprobs:
            return None
        scored = scored_tokens(events, self._tokenizer)
        return m.ChatCompletionLogprobs(content=[self._token(token) for token in scored], refusal=None)

    def stop_reason(self, last: TokenEvent) -> str | int | None:
        return stop_reason(last, self._stop_token_ids)

    def finish_reason(self, finish: ChatFinish) -> FinishWord:
        if self.has_functions and finish is ChatFinish.TOOL_CALLS:
            return "function_call"
        return finish.value

    def _token(self, token: ScoredToken) -> m.ChatCompletionTokenLogprob:
        return m.ChatCompletionTokenLogprob(
            token=self._text(token),
            logprob=token.logprob,
            bytes=list(token.bytes),
            top_logprobs=[
                m.ChatCompletionTopLogprob(token=self._text(top), logprob=top.logprob, bytes=list(top.bytes))
                for top in self._top(token)
            ],
        )

    def _top(self, token: ScoredToken) -> Sequence[TokenScore]:
        if not self._names_tokens:
            return token.top
        return (token, *(one for one in token.top if one.token_id != token.token_id))

    def _text(self, token: TokenScore) -> str:
        return id_text(token.token_id) if self._names_ids else token.text

    def _message(self, choice: ChatChoice) -> m.ChatCompletionResponseMessage:
        message = m.ChatCompletionResponseMessage(
            role="assistant", content=choice.content or (None if choice.tool_calls else ""), refusal=None
        )
        if choice.tool_calls and self.has_functions:
            call = choice.tool_calls[0]
            message.function_call = m.CalledFunction(name=call.name, arguments=call.arguments)
        elif choice.tool_calls:
            message.tool_calls = [
                self._tool_call(call, is_last=call is choice.tool_calls[-1], finish=choice.finish)
                for call in choice.tool_calls
            ]
        if choice.reasoning:
            for name in self.reasoning_fields:
                setattr(message, name, choice.reasoning)
        return message

    def _tool_call(
        self, call: ToolCall, *, is_last: bool, finish: ChatFinish
    ) -> m.ChatCompletionMessageToolCall | m.ChatCompletionMessageCustomToolCall:
        if call.name not in self.custom_tools:
            function = m.CalledFunction(name=call.name, arguments=call.arguments)
            return m.ChatCompletionMessageToolCall(id=call.id, type="function", function=function)
        text = input_of(call.arguments, is_cut=is_last and finish is ChatFinish.LENGTH)
        custom = m.CalledCustomTool(name=call.name, input=text)
        return m.ChatCompletionMessageCustomToolCall(id=call.id, type="custom", custom=custom)


def chat_completion(
    envelope: Envelope, result: ChatResult, *, fingerprint: str, answer: ChatAnswer
) -> m.CreateChatCompletionResponse:
    """Return the whole answer. answer: writes the choices."""
    return m.CreateChatCompletionResponse(
        id=envelope.id,
        object="chat.completion",
        created=envelope.created,
        model=envelope.model,
        system_fingerprint=fingerprint,
        choices=[answer.choice(choice) for choice in result.choices],
        usage=usage(result.usage),
    )


def stop_reason(last: TokenEvent, stop_token_ids: Container[int]) -> str | int | None:
    """Return the stop text or token id of the request that ended a text, from the text's last event.

    None where something else did, such as a grammar whose end was reached.
    """
    if last.stop_match is not None:
        return last.stop_match
    is_stop = last.finish is FinishReason.STOP and last.token_id in stop_token_ids
    return last.token_id if is_stop else None
