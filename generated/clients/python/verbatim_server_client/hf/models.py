# Generated from specs/hf: mend the document or its overlay, never this file.
"""The parts of answers, events and errors."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from ..runtime.answer_part import AnswerPart


class Info(AnswerPart):
    model_id: str
    """The served model."""
    model_sha: str | None = None
    """Revision of the model."""
    model_dtype: Literal["float16", "bfloat16", "float32"]
    """Type of the weights."""
    model_device_type: str
    """Kind of device, such as cuda or cpu."""
    model_pipeline_tag: str
    """What the model is for."""
    max_concurrent_requests: Annotated[int, Field(ge=0)]
    """Sequences that may run or wait at once; a request beyond them is refused as one too many."""
    max_best_of: Annotated[int, Field(ge=0)]
    """Highest `best_of` of a request."""
    max_stop_sequences: Annotated[int, Field(ge=0)]
    """Most stop texts of a request."""
    max_input_length: Annotated[int, Field(ge=0)]
    """Longest prompt, in tokens."""
    max_total_tokens: Annotated[int, Field(ge=0)]
    """Longest prompt and text together, in tokens."""
    waiting_served_ratio: float | None = None
    """Never sent; it tunes a scheduler that is not this server's."""
    max_batch_total_tokens: Annotated[int, Field(ge=0)]
    """Tokens that the cache holds, of all running sequences together."""
    max_waiting_tokens: Annotated[int | None, Field(ge=0)] = None
    """Never sent; it tunes a scheduler that is not this server's."""
    validation_workers: Annotated[int, Field(ge=0)]
    """Threads that tokenize long prompts."""
    max_client_batch_size: Annotated[int, Field(ge=0)]
    """Most prompts of one request of /v1/completions."""
    version: str
    """Version of the server."""
    sha: str | None = None
    """Commit that the server was built from."""
    docker_label: str | None = None
    """Label of the container image."""


class Usage(AnswerPart):
    prompt_tokens: Annotated[int, Field(ge=0)]
    """Tokens of the prompt, as the model read it."""
    completion_tokens: Annotated[int, Field(ge=0)]
    """Tokens generated, the end token counted."""
    total_tokens: Annotated[int, Field(ge=0)]
    """Both together."""


class ErrorResponse(AnswerPart):
    error: str
    """What went wrong, in words."""
    error_type: str
    """The kind: `validation`, `template_error`, `tool_error`, `generation`, `overloaded`, `incomplete_generation`, `unavailable`, `unauthorized` or another short name."""


class Token(AnswerPart):
    id: Annotated[int, Field(ge=0)]
    """The token's id in the model's vocabulary."""
    text: str
    """What the token adds to the text. Empty while a character is not complete."""
    logprob: float | None = None
    """Natural logarithm of the probability that the model gave the token, before temperature and penalties. Absent where it was 0."""
    special: bool
    """Whether it is a special token, such as the one that ends a text; those are left out of `generated_text`."""


class PrefillToken(AnswerPart):
    id: Annotated[int, Field(ge=0)]
    """The token's id in the model's vocabulary."""
    text: str
    """The token's part of the prompt."""
    logprob: float | None = None
    """Natural logarithm of the token's probability after those before it. Absent for the first, and where it was 0."""


class AnswerFunctionCall(AnswerPart):
    name: str
    """The function that is called, which is one of `tools`."""
    arguments: str
    """The arguments as JSON text."""
    description: str | None = None
    """Never sent; a call describes no function."""


class TopLogprob(AnswerPart):
    token: str
    """The token decoded by itself."""
    logprob: float
    """Natural logarithm of the token's probability; -9999 stands for 0."""


class DeltaFunction(AnswerPart):
    name: str | None = None
    """In the first piece of a call."""
    arguments: str
    """A piece of the arguments' JSON text."""


class CompletionChoice(AnswerPart):
    text: str
    """The continuation, without the prompt and the stop text."""
    index: Annotated[int, Field(ge=0)]
    """Which of the prompts, from 0."""
    finish_reason: Literal["stop", "length"]
    """`stop`: the end or a stop text; `length`: the token bound."""


class CompletionChunkChoice(AnswerPart):
    text: str
    """What the continuation gains; it may be empty."""
    index: Annotated[int, Field(ge=0)]
    """Which of the prompts, from 0."""
    finish_reason: Literal["stop", "length"] | None = None
    """`stop`: the end or a stop text; `length`: the token bound."""


class Model(AnswerPart):
    id: str
    """The model's name."""
    object: Literal["model"]
    created: Annotated[int, Field(ge=0)]
    """When the server started; Unix time in seconds."""
    owned_by: str
    """Who serves the model; always `verbatim`."""


class TextToken(AnswerPart):
    id: Annotated[int, Field(ge=0)]
    """The token."""
    text: str
    """The part of the text that it covers."""
    start: Annotated[int, Field(ge=0)]
    """Where that part begins, in bytes of UTF-8."""
    stop: Annotated[int, Field(ge=0)]
    """Where it ends, in bytes of UTF-8."""
    special: bool
    """Whether the tokenizer marks it as special."""


class CompletionResponse(AnswerPart):
    id: Annotated[str, Field(min_length=1)]
    """Unique."""
    object: Literal["text_completion"]
    created: Annotated[int, Field(ge=0)]
    """When the answer began; Unix time in seconds."""
    model: str
    """The name of the served model, whatever name the request had."""
    usage: Usage
    """What the request cost, in tokens, over all its prompts."""
    choices: Annotated[list[CompletionChoice], Field(min_length=1)]
    """One continuation of each prompt, in the prompts' order."""


class CompletionStreamResponse(AnswerPart):
    id: Annotated[str, Field(min_length=1)]
    """The chunks of one answer share it."""
    object: Literal["text_completion"]
    created: Annotated[int, Field(ge=0)]
    """When the answer began; Unix time in seconds."""
    model: str
    """The name of the served model, whatever name the request had."""
    choices: list[CompletionChunkChoice]
    """What the continuation of one prompt gains."""


class StreamDetails(AnswerPart):
    """How the text came about, on the last event where details are asked for."""

    finish_reason: Literal["length", "eos_token", "stop_sequence"]
    """Why the text ends."""
    generated_tokens: Annotated[int, Field(ge=0)]
    """Tokens generated, the end token counted."""
    seed: Annotated[int | None, Field(ge=0, le=18446744073709551615)] = None
    """The seed that was used; absent where nothing was drawn at random."""


class BestOfSequence(AnswerPart):
    generated_text: str
    """The text of this sequence; with `return_full_text`, after the prompt."""
    finish_reason: Literal["length", "eos_token", "stop_sequence"]
    """Why the text ends."""
    generated_tokens: Annotated[int, Field(ge=0)]
    """Tokens generated, the end token counted."""
    seed: Annotated[int | None, Field(ge=0, le=18446744073709551615)] = None
    """The seed that was used; absent where nothing was drawn at random."""
    prefill: list[PrefillToken]
    """The prompt's tokens; empty unless `decoder_input_details` is true."""
    tokens: Annotated[list[Token], Field(min_length=1)]
    """The generated tokens in their order, the end token included."""


class AnswerToolCall(AnswerPart):
    id: str
    """Unique; repeat it as `tool_call_id` of the message that holds what the function returned."""
    type: Literal["function"]
    function: AnswerFunctionCall
    """The function that is called, and with what."""


class TokenLogprob(AnswerPart):
    token: str
    """What the token adds to the text. Empty while a character is not complete."""
    logprob: float
    """Natural logarithm of the token's probability; -9999 stands for 0."""
    top_logprobs: list[TopLogprob]
    """The likeliest tokens in its place, the best first; empty unless `top_logprobs` asks for them."""


class DeltaToolCall(AnswerPart):
    id: str | None = None
    """In the first piece of a call."""
    index: Annotated[int, Field(ge=0)]
    """Which of the answer's calls, from 0."""
    type: Literal["function"] | None = None
    """In the first piece of a call."""
    function: DeltaFunction
    """The function's name in the first piece of a call, then pieces of its arguments."""


CompletionEvent = TypeAliasType("CompletionEvent", CompletionStreamResponse | ErrorResponse)
"""A piece of a continuation, or the error after which only `[DONE]` comes."""


class ModelList(AnswerPart):
    object: Literal["list"]
    data: Annotated[list[Model], Field(min_length=1)]
    """The one model that is served."""


TokenizeResponse = TypeAliasType("TokenizeResponse", list[TextToken])


class StreamResponse(AnswerPart):
    generated_text: str | None = None
    """The whole text, on the last event."""
    token: Token
    """The token that the event tells of."""
    details: StreamDetails | None = None


class Details(AnswerPart):
    finish_reason: Literal["length", "eos_token", "stop_sequence"]
    """Why the text ends."""
    generated_tokens: Annotated[int, Field(ge=0)]
    """Generated tokens, the end token counted."""
    seed: Annotated[int | None, Field(ge=0, le=18446744073709551615)] = None
    """The seed that was used; absent when nothing was drawn at random."""
    prefill: list[PrefillToken]
    """The tokens of the prompt, where decoder_input_details asks for them."""
    tokens: Annotated[list[Token], Field(min_length=1)]
    """The tokens of the text."""
    best_of_sequences: Annotated[list[BestOfSequence] | None, Field(min_length=1)] = None
    """The other sequences."""


StreamEvent = TypeAliasType("StreamEvent", StreamResponse | ErrorResponse)
"""A token, or the error in which a failed stream ends."""


class AnswerMessage(AnswerPart):
    role: Literal["assistant"]
    content: str | None = None
    """Absent where the model does nothing but call tools."""
    tool_calls: Annotated[list[AnswerToolCall] | None, Field(min_length=1)] = None
    """The functions that the model calls; absent where it calls none."""
    tool_call_id: str | None = None
    """Never sent; it is of messages that answer a call."""


class ChatLogprobs(AnswerPart):
    content: list[TokenLogprob]
    """One entry a generated token, the end token included."""


class Delta(AnswerPart):
    """What is new since the chunk before."""

    role: Literal["assistant"] | None = None
    """In the first chunk of a choice."""
    content: str | None = None
    """What the text gains."""
    tool_calls: Annotated[list[DeltaToolCall] | None, Field(min_length=1)] = None
    """Pieces of the functions' calls."""
    tool_call_id: str | None = None
    """Never sent; it is of messages that answer a call."""


class GenerateResponse(AnswerPart):
    generated_text: str
    """The text that was generated."""
    details: Details | None = None
    """How the text came about. There only if `details` or `decoder_input_details` is true."""


class ChatChoice(AnswerPart):
    index: Annotated[int, Field(ge=0)]
    """The answer's place in the list, which is 0."""
    message: AnswerMessage
    """The answer."""
    finish_reason: Literal["stop", "length", "tool_calls"]
    """`stop`: the end or a stop text; `length`: the token bound; `tool_calls`: the model called tools."""
    logprobs: ChatLogprobs | None = None
    """Log-probabilities of the generated tokens. There only if `logprobs` is true."""


class ChatChunkChoice(AnswerPart):
    index: Annotated[int, Field(ge=0)]
    """The answer's place in the list, which is 0."""
    delta: Delta
    finish_reason: Literal["stop", "length", "tool_calls"] | None = None
    """`stop`: the end or a stop text; `length`: the token bound; `tool_calls`: the model called tools."""
    logprobs: ChatLogprobs | None = None
    """Of the tokens that the chunk brings. There only if `logprobs` is true."""


class ChatCompletionResponse(AnswerPart):
    id: Annotated[str, Field(min_length=1)]
    """Unique."""
    object: Literal["chat.completion"]
    created: Annotated[int, Field(ge=0)]
    """When the answer began; Unix time in seconds."""
    model: str
    """The name of the served model, whatever name the request had."""
    system_fingerprint: str
    """The version of the server."""
    usage: Usage
    """What the request cost, in tokens."""
    choices: Annotated[list[ChatChoice], Field(min_length=1)]
    """The answer, which is the only one."""


class ChatCompletionStreamResponse(AnswerPart):
    id: Annotated[str, Field(min_length=1)]
    """The chunks of one answer share it."""
    object: Literal["chat.completion.chunk"]
    created: Annotated[int, Field(ge=0)]
    """When the answer began; Unix time in seconds."""
    model: str
    """The name of the served model, whatever name the request had."""
    system_fingerprint: str
    """The version of the server."""
    usage: Usage | None = None
    """What the request cost, in tokens. There only in the last chunk, if `stream_options` asks for it."""
    choices: list[ChatChunkChoice]
    """What the answer gains. Empty in the chunk that tells the token counts."""


ChatCompletionEvent = TypeAliasType("ChatCompletionEvent", ChatCompletionStreamResponse | ErrorResponse)
"""A piece of the answer, or the error after which only `[DONE]` comes."""
