# Generated from specs/mindie: mend the document or its overlay, never this file.
"""The parts of answers, events and errors."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from ..runtime.answer_part import AnswerPart


class CalledFunction(AnswerPart):
    name: str
    """The function that is called, which is one of `tools`."""
    arguments: str
    """JSON text, as the model wrote it."""


Byte = TypeAliasType("Byte", Annotated[int, Field(ge=0, le=255)])


class PromptTokensDetails(AnswerPart):
    cached_tokens: Annotated[int, Field(ge=0)]
    """Tokens that were not computed again."""


BatchSize = TypeAliasType("BatchSize", Annotated[int, Field(ge=1)])


Microseconds = TypeAliasType("Microseconds", Annotated[int, Field(ge=0)])


Milliseconds = TypeAliasType("Milliseconds", Annotated[int, Field(ge=0)])


class CompletionTokensDetails(AnswerPart):
    """Absent where the model did not think."""

    reasoning_tokens: Annotated[int, Field(ge=1)]
    """Tokens of thoughts, over all answers."""


class CalledFunctionChunk(AnswerPart):
    name: str | None = None
    """In the first piece of a call."""
    arguments: str
    """A piece of the arguments' JSON text."""


class ErrorResponse(AnswerPart):
    error: str
    """What is wrong."""
    error_type: str
    """The kind of error."""


class ToolCall(AnswerPart):
    id: str
    """Unique; repeat it as `tool_call_id` of the message that holds what the function returned."""
    type: Literal["function"]
    function: CalledFunction
    """The function that is called, and with what."""


class Usage(AnswerPart):
    prompt_tokens: Annotated[int, Field(ge=0)]
    """Tokens of the conversation as the model read it, counted once for all answers."""
    prompt_tokens_details: PromptTokensDetails
    """What of the prompt was not computed again."""
    completion_tokens: Annotated[int, Field(ge=0)]
    """Tokens generated over all answers, thoughts and end tokens counted."""
    total_tokens: Annotated[int, Field(ge=0)]
    """Tokens of the prompt and of the answers together."""
    batch_size: Annotated[list[BatchSize], Field(min_length=1)]
    """For each generated token, the sequences of the step that made it."""
    queue_wait_time: Annotated[list[Microseconds], Field(min_length=1)]
    """For each generated token, the microseconds that its step was waited for."""
    completion_tokens_details: CompletionTokensDetails | None = None


class ToolCallChunk(AnswerPart):
    index: Annotated[int, Field(ge=0)]
    """Which of the answer's calls."""
    id: str | None = None
    """In the first piece of a call."""
    type: Literal["function"] | None = None
    """In the first piece of a call."""
    function: CalledFunctionChunk
    """The function's name in the first piece of a call, then pieces of its arguments."""


class AnswerMessage(AnswerPart):
    role: Literal["assistant"]
    content: str
    """The text, without thoughts and calls; empty where the model does nothing but call functions."""
    tool_calls: list[ToolCall]
    """The functions that the model calls."""
    reasoning_content: str | None = None
    """What the model thought; absent where it does not think."""


class TopLogprob(AnswerPart):
    token: str
    """The token as text. Bytes that are no whole character are told as U+FFFD."""
    logprob: Annotated[float, Field(le=0.0)]
    """Natural logarithm of the token's probability; -9999 stands for 0."""
    bytes: list[Byte]
    """The token in UTF-8. A character may be spread over several tokens."""


class Delta(AnswerPart):
    role: Literal["assistant"]
    content: str
    """What the text gains; on a server that repeats it, the text so far."""
    reasoning_content: str | None = None
    """What the model thought; absent where it does not think."""
    tool_calls: Annotated[list[ToolCallChunk] | None, Field(min_length=1)] = None
    """Pieces of the functions' calls."""


class TokenLogprob(AnswerPart):
    token: str
    """The token as text. Bytes that are no whole character are told as U+FFFD."""
    logprob: Annotated[float, Field(le=0.0)]
    """Natural logarithm of the token's probability."""
    bytes: list[Byte]
    """The token in UTF-8. A character may be spread over several tokens."""
    top_logprobs: list[TopLogprob]
    """The likeliest tokens in this place, in their order."""


class Logprobs(AnswerPart):
    content: list[TokenLogprob]
    """One entry a token of the text, in order."""


class ChunkChoice(AnswerPart):
    index: Annotated[int, Field(ge=0)]
    """Which of the answers, from 0."""
    delta: Delta
    """What the answer gains."""
    finish_reason: Literal["stop", "length", "tool_calls"] | None
    """Null until the answer ends."""
    logprobs: Logprobs | None = None
    """Of the tokens whose text the chunk brings, where asked for."""


class Choice(AnswerPart):
    index: Annotated[int, Field(ge=0)]
    """The answer's place in the list, from 0."""
    message: AnswerMessage
    """The answer."""
    logprobs: Logprobs | None
    """Null unless asked for."""
    finish_reason: Literal["stop", "length", "tool_calls"]
    """`stop`: the model ended or a stop came; `length`: the token bound; `tool_calls`: it calls."""


class ChatCompletionChunk(AnswerPart):
    id: str
    """The same in every chunk of an answer."""
    object: Literal["chat.completion.chunk"]
    created: Annotated[int, Field(ge=0, le=9223372036854775807)]
    """Seconds since 1970."""
    model: str
    """The name under which the model is served, whichever alias the request had."""
    full_text: str | None = None
    """The whole text, in the chunk that ends an answer, on a server that repeats the text so far in every chunk."""
    usage: Usage | None = None
    """Token counts and times of all answers, in the last chunk alone."""
    choices: list[ChunkChoice]
    """What one answer gains, or its end."""


class ChatCompletion(AnswerPart):
    id: str
    """Unique."""
    object: Literal["chat.completion"]
    created: Annotated[int, Field(ge=0, le=9223372036854775807)]
    """Seconds since 1970."""
    model: str
    """The name under which the model is served, whichever alias the request had."""
    choices: Annotated[list[Choice], Field(min_length=1)]
    """The answers, as many as `n` or `best_of` asks for."""
    usage: Usage
    """What the request cost, and what the engine measured of each token."""
    prefill_time: Annotated[int, Field(ge=0)]
    """Milliseconds that the first token took."""
    decode_time_arr: list[Milliseconds]
    """Milliseconds that each further token took."""


ChatCompletionEvent = TypeAliasType("ChatCompletionEvent", ChatCompletionChunk | ErrorResponse)
