# Generated from specs/tgi: mend the document or its overlay, never this file.
"""The parts of answers, events and errors."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from ..runtime.answer_part import AnswerPart


class ChatCompletionTopLogprob(AnswerPart):
    logprob: float
    """Natural logarithm of the token's probability; -9999 stands for 0."""
    token: str
    """The token decoded by itself."""


class CompletionComplete(AnswerPart):
    finish_reason: Literal["stop", "length"]
    """`stop`: the end or a stop text; `length`: the token bound."""
    index: Annotated[int, Field(ge=0, le=2147483647)]
    """Which of the prompts, from 0."""
    logprobs: list[float] | None
    """Always null; completions tell no log-probabilities."""
    text: str
    """The continuation, without the prompt and the stop text."""


class ErrorResponse(AnswerPart):
    error: str
    """What went wrong, in words."""
    error_type: str
    """The kind: `validation`, `template_error`, `tool_error`, `generation`, `overloaded`, `incomplete_generation`, `healthcheck`, `unavailable`, `unauthorized` or another short name."""


class Function(AnswerPart):
    arguments: str
    """A piece of the arguments' JSON text."""
    name: str | None = None
    """In the first piece of a call; null after it."""


class Info(AnswerPart):
    docker_label: str | None
    """The label of the container image. Always null."""
    max_best_of: Annotated[int, Field(examples=[2], ge=0)]
    """Highest `best_of` of a request."""
    max_client_batch_size: Annotated[int, Field(examples=[4], ge=0)]
    """Most prompts of one request of /v1/completions."""
    max_concurrent_requests: Annotated[int, Field(examples=[128], ge=0)]
    """Limits of the server: requests that run or wait at once."""
    max_input_tokens: Annotated[int, Field(examples=[1024], ge=0)]
    """Longest prompt, in tokens."""
    max_stop_sequences: Annotated[int, Field(examples=[4], ge=0)]
    """Most stop texts of a request."""
    max_total_tokens: Annotated[int, Field(examples=[2048], ge=0)]
    """Longest prompt and text together, in tokens."""
    model_id: Annotated[str, Field(examples=["bigscience/bloom-560m"])]
    """The model: its name on the Hub, or its folder."""
    model_pipeline_tag: Annotated[str | None, Field(examples=["text-generation"])]
    """What the model is for; always `text-generation`."""
    model_sha: Annotated[str | None, Field(examples=["e985a63cdc139290c5f700ff1929f0b5942cced2"])]
    """The revision of the model, null where it has none."""
    router: Annotated[str, Field(examples=["text-generation-router"])]
    """The program that answers."""
    sha: str | None
    """The commit that the server was built from. Always null."""
    validation_workers: Annotated[int, Field(examples=[2], ge=0)]
    """Threads that tokenize long prompts."""
    version: Annotated[str, Field(examples=["0.5.0"])]
    """The version of the server."""


class ModelInfo(AnswerPart):
    created: Annotated[int, Field(examples=[1706270835], ge=0, le=9223372036854775807)]
    """When the server started; Unix time in seconds."""
    id: Annotated[str, Field(examples=["gpt2"])]
    """The name of the served model."""
    object: Annotated[Literal["model"], Field(examples=["model"])]
    owned_by: Annotated[str, Field(examples=["openai"])]
    """Who serves the model; always `verbatim`."""


class PrefillToken(AnswerPart):
    id: Annotated[int, Field(examples=[0], ge=0, le=2147483647)]
    """The token's id in the model's vocabulary."""
    logprob: Annotated[float | None, Field(examples=[-0.34])]
    """Natural logarithm of the token's probability after those before it. Null for the first, and where the probability was 0."""
    text: Annotated[str, Field(examples=["test"])]
    """The token's part of the prompt."""


class SimpleToken(AnswerPart):
    id: Annotated[int, Field(examples=[0], ge=0, le=2147483647)]
    """The token's id in the model's vocabulary."""
    start: Annotated[int, Field(examples=[0], ge=0)]
    """Where the token's text begins, in bytes of the prompt as UTF-8."""
    stop: Annotated[int, Field(examples=[2], ge=0)]
    """Where the token's text ends, in bytes of the prompt as UTF-8; the byte before is its last."""
    text: Annotated[str, Field(examples=["test"])]
    """The part of the prompt that the token covers. Tokens that share a character all show it."""


class StreamDetails(AnswerPart):
    finish_reason: Annotated[Literal["length", "eos_token", "stop_sequence"], Field(examples=["length"])]
    """What ended the text."""
    generated_tokens: Annotated[int, Field(examples=[1], ge=0, le=2147483647)]
    """Tokens generated, the end token counted."""
    input_length: Annotated[int, Field(examples=[1], ge=0, le=2147483647)]
    """Tokens of the prompt."""
    seed: Annotated[int | None, Field(examples=[42], ge=0, le=18446744073709551615)]
    """The seed that was used; null when no token was drawn at random."""


class TextMessage(AnswerPart):
    content: Annotated[str, Field(examples=["My name is David and I"])]
    """The answer's text. If the model thinks, its thoughts stand in it too."""
    role: Annotated[str, Field(examples=["user"])]
    """Who speaks; always `assistant`."""


class Token(AnswerPart):
    id: Annotated[int, Field(examples=[0], ge=0, le=2147483647)]
    """The token's id in the model's vocabulary."""
    logprob: Annotated[float | None, Field(examples=[-0.34])]
    """Natural logarithm of the probability that the model gave the token, before temperature and penalties; null stands for a probability of 0."""
    special: Annotated[bool, Field(examples=[False])]
    """Whether it is a special token, such as the one that ends a text; those are left out of `generated_text`."""
    text: Annotated[str, Field(examples=["test"])]
    """What the token adds to the text, empty while a character is not complete; in `top_tokens`, the token decoded by itself."""


TokenizeResponse = TypeAliasType("TokenizeResponse", list[SimpleToken])


class Usage(AnswerPart):
    completion_tokens: Annotated[int, Field(ge=0, le=2147483647)]
    """Tokens generated over all sequences, end tokens counted."""
    prompt_tokens: Annotated[int, Field(ge=0, le=2147483647)]
    """Tokens of the prompts, as the model read them; one prompt counts once, however many answers it has."""
    total_tokens: Annotated[int, Field(ge=0, le=2147483647)]
    """Both together."""


class FunctionCall(AnswerPart):
    name: Annotated[str, Field(examples=["get_weather"])]
    """The function that is called, which is one of `tools`."""
    arguments: Annotated[str, Field(examples=['{"city": "Paris"}'])]
    """The arguments as JSON text."""


class CompletionChunkChoice(AnswerPart):
    finish_reason: Literal["stop", "length"] | None
    """Null until the last chunk of a choice."""
    index: Annotated[int, Field(ge=0, le=2147483647)]
    """Which of the prompts, from 0."""
    logprobs: list[float] | None
    """Always null; completions tell no log-probabilities."""
    text: str
    """What the continuation gains; it may be empty."""


class ModelList(AnswerPart):
    object: Literal["list"]
    data: Annotated[list[ModelInfo], Field(min_length=1)]
    """The one model that is served."""


class StreamErrorDetail(AnswerPart):
    message: Annotated[str, Field(examples=["Request failed during generation: out of memory"])]
    """What went wrong, for people to read."""
    http_status_code: Annotated[int, Field(examples=[424], ge=400, le=599)]
    """The status that the answer would have had, had it not begun."""
    type: Annotated[str, Field(examples=["generation"])]
    """The kind of error, the same as `error_type`."""


class BestOfSequence(AnswerPart):
    finish_reason: Annotated[Literal["length", "eos_token", "stop_sequence"], Field(examples=["length"])]
    """What ended the sequence."""
    generated_text: Annotated[str, Field(examples=["test"])]
    """The text of this sequence; with `return_full_text`, after the prompt."""
    generated_tokens: Annotated[int, Field(examples=[1], ge=0, le=2147483647)]
    """Tokens generated, the end token counted."""
    prefill: list[PrefillToken]
    """The prompt's tokens; empty unless `decoder_input_details` is true."""
    seed: Annotated[int | None, Field(examples=[42], ge=0, le=18446744073709551615)]
    """The seed that was used; null when no token was drawn at random."""
    tokens: Annotated[list[Token], Field(min_length=1)]
    """The generated tokens in their order, the end token included."""
    top_tokens: Annotated[list[list[Token]] | None, Field(min_length=1)] = None
    """For each generated token the most likely ones in its place, the best first. There only if `top_n_tokens` is above 0."""


class ChatCompletionLogprob(AnswerPart):
    logprob: float
    """Natural logarithm of the probability that the model gave the token, before temperature and penalties; -9999 stands for 0."""
    token: str
    """What the token adds to the text. Empty while a character is not complete."""
    top_logprobs: list[ChatCompletionTopLogprob]
    """The most likely tokens in its place, the best first; empty unless `top_logprobs` asks for them."""


class ChatCompletionLogprobs(AnswerPart):
    content: list[ChatCompletionLogprob]
    """One entry a generated token, the end token included."""


class Chunk(AnswerPart):
    choices: list[CompletionChunkChoice]
    """What the continuation of one prompt gains."""
    created: Annotated[int, Field(examples=[1706270835], ge=0, le=9223372036854775807)]
    """When the answer began; Unix time in seconds."""
    id: Annotated[str, Field(examples=["cmpl-6f1d2c"], min_length=1)]
    """Unique; the chunks of one answer share it."""
    model: str
    """The name of the served model, whatever name the request had."""
    system_fingerprint: str
    """The version of the server."""
    object: Literal["text_completion"]
    usage: Usage | None = None
    """In the last chunk of each continuation."""


class CompletionFinal(AnswerPart):
    choices: Annotated[list[CompletionComplete], Field(min_length=1)]
    """One continuation of each prompt, in the prompts' order."""
    created: Annotated[int, Field(examples=[1706270835], ge=0, le=9223372036854775807)]
    """When the answer began; Unix time in seconds."""
    id: Annotated[str, Field(examples=["cmpl-6f1d2c"], min_length=1)]
    """Unique; the chunks of one answer share it."""
    model: Annotated[str, Field(examples=["mistralai/Mistral-7B-Instruct-v0.2"])]
    """The name of the served model, whatever name the request had."""
    system_fingerprint: str
    """The version of the server."""
    usage: Usage
    """What the request cost, in tokens, over all its prompts."""
    object: Literal["text_completion"]


class DeltaToolCall(AnswerPart):
    function: Function
    """The function's name in the first piece of a call, and a piece of its arguments."""
    id: str | None
    """In the first piece of a call; null after it."""
    index: Annotated[int, Field(ge=0, le=2147483647)]
    """Which of the answer's calls, from 0."""
    type: Literal["function"]


class Details(AnswerPart):
    best_of_sequences: Annotated[list[BestOfSequence] | None, Field(min_length=1)] = None
    """The other sequences of a `best_of` above 1; absent where there are none."""
    finish_reason: Annotated[Literal["length", "eos_token", "stop_sequence"], Field(examples=["length"])]
    """What ended the sequence."""
    generated_tokens: Annotated[int, Field(examples=[1], ge=0, le=2147483647)]
    """Tokens generated, the end token counted."""
    prefill: list[PrefillToken]
    """The prompt's tokens; empty unless `decoder_input_details` is true."""
    seed: Annotated[int | None, Field(examples=[42], ge=0, le=18446744073709551615)]
    """The seed that was used; null when no token was drawn at random."""
    tokens: Annotated[list[Token], Field(min_length=1)]
    """The generated tokens in their order, the end token included."""
    top_tokens: Annotated[list[list[Token]] | None, Field(min_length=1)] = None
    """For each generated token the most likely ones in its place, the best first. There only if `top_n_tokens` is above 0."""


class GenerateResponse(AnswerPart):
    details: Details | None = None
    """How the text came about. There only if `details` or `decoder_input_details` is true."""
    generated_text: Annotated[str, Field(examples=["test"])]
    """The text, its stop text included; with `return_full_text`, after the prompt."""


class StreamResponse(AnswerPart):
    details: StreamDetails | None
    """How the text came about, on the last event if `details` is true; else null."""
    generated_text: Annotated[str | None, Field(examples=["test"])]
    """The whole text, on the last event; null before it."""
    index: Annotated[int, Field(ge=0, le=2147483647)]
    """Counts the events of the stream, from 1."""
    token: Token
    """The token that the event tells of."""
    top_tokens: Annotated[list[Token] | None, Field(min_length=1)] = None
    """The most likely tokens in the token's place, the best first. There only if `top_n_tokens` is above 0."""


class ToolCall(AnswerPart):
    function: FunctionCall
    """The function that is called, and with what."""
    id: str
    """Unique; repeat it as `tool_call_id` of the message that holds what the function returned."""
    type: Literal["function"]


class ToolCallMessage(AnswerPart):
    role: Annotated[str, Field(examples=["assistant"])]
    """Who speaks; always `assistant`."""
    tool_calls: Annotated[list[ToolCall], Field(min_length=1)]
    """The functions that the model calls."""
    content: str | None
    """What the model said beside its calls."""


class ChatCompletionDelta(AnswerPart):
    """What is new since the chunk before."""

    role: Annotated[str | None, Field(examples=["assistant"])] = None
    """In the first chunk of a choice."""
    content: Annotated[str | None, Field(examples=[" David"])] = None
    """What the text gains."""
    tool_calls: Annotated[list[DeltaToolCall] | None, Field(min_length=1)] = None
    """Pieces of the functions' calls."""


CompatGenerateResponse = TypeAliasType(
    "CompatGenerateResponse", Annotated[list[GenerateResponse], Field(max_length=1, min_length=1)]
)


StreamEvent = TypeAliasType("StreamEvent", StreamResponse | ErrorResponse)
"""A token, or the error in which a failed stream ends."""


class StreamError(AnswerPart):
    """An error after the first event, in the shape that OpenAI's clients raise as an exception."""

    error: StreamErrorDetail
    """What went wrong."""
    error_type: Annotated[str, Field(examples=["generation"])]
    """As in ErrorResponse, where huggingface_hub reads it."""


class ChatCompletionChoice(AnswerPart):
    delta: ChatCompletionDelta
    finish_reason: Literal["stop", "length", "tool_calls"] | None
    """Null until the last chunk of a choice."""
    index: Annotated[int, Field(ge=0, le=2147483647)]
    """Which of the answers, from 0."""
    logprobs: ChatCompletionLogprobs | None
    """Of the tokens that the chunk brings; null unless `logprobs` is true."""


class ChatCompletionChunk(AnswerPart):
    choices: list[ChatCompletionChoice]
    """What one answer gains. Empty in the chunk that tells the token counts."""
    created: Annotated[int, Field(examples=[1706270835], ge=0, le=9223372036854775807)]
    """When the answer began; Unix time in seconds."""
    id: Annotated[str, Field(examples=["cmpl-6f1d2c"], min_length=1)]
    """Unique; the chunks of one answer share it."""
    model: Annotated[str, Field(examples=["mistralai/Mistral-7B-Instruct-v0.2"])]
    """The name of the served model, whatever name the request had."""
    system_fingerprint: str
    """The version of the server."""
    usage: Usage | None
    """What the request cost, in tokens; null but for the last chunk of a stream whose `stream_options` ask for it."""
    object: Literal["chat.completion.chunk"]


class ChatCompletionComplete(AnswerPart):
    finish_reason: Literal["stop", "length", "tool_calls"]
    """`stop`: the end or a stop text; `length`: the token bound; `tool_calls`: the model called tools."""
    index: Annotated[int, Field(ge=0, le=2147483647)]
    """The answer's place in the list, from 0."""
    logprobs: ChatCompletionLogprobs | None
    """Log-probabilities of the generated tokens; null unless `logprobs` is true."""
    message: TextMessage | ToolCallMessage
    """The answer."""


ChatCompletionEvent = TypeAliasType("ChatCompletionEvent", ChatCompletionChunk | StreamError)
"""A piece of the answer, or the error after which only `[DONE]` comes."""


CompletionEvent = TypeAliasType("CompletionEvent", Chunk | StreamError)
"""A piece of a continuation, or the error after which only `[DONE]` comes."""


class ChatCompletion(AnswerPart):
    choices: Annotated[list[ChatCompletionComplete], Field(min_length=1)]
    """The answers, as many as `n` asks for."""
    created: Annotated[int, Field(examples=[1706270835], ge=0, le=9223372036854775807)]
    """When the answer began; Unix time in seconds."""
    id: Annotated[str, Field(examples=["cmpl-6f1d2c"], min_length=1)]
    """Unique; the chunks of one answer share it."""
    model: Annotated[str, Field(examples=["mistralai/Mistral-7B-Instruct-v0.2"])]
    """The name of the served model, whatever name the request had."""
    system_fingerprint: str
    """The version of the server."""
    usage: Usage
    """What the request cost, in tokens, over all its answers."""
    object: Literal["chat.completion"]
