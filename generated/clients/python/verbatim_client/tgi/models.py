# Generated from specs/tgi: mend the document or its overlay, never this file.
"""What answers, events and errors consist of."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field
from typing_extensions import TypeAliasType

from verbatim_client.runtime.answer_part import AnswerPart


class ChatCompletionTopLogprob(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    logprob: float
    token: str


class CompletionComplete(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    finish_reason: Literal["stop", "length"]
    """
    `stop`: the end or a stop text; `length`: the token bound.
    """
    index: Annotated[int, Field(ge=0, le=2147483647)]
    logprobs: list[float] | None
    text: str


class ErrorResponse(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    error: str
    """
    What went wrong, in words.
    """
    error_type: str
    """
    The kind: `validation`, `template_error`, `tool_error`, `generation`, `overloaded`, `incomplete_generation`, `healthcheck`, `unavailable`, `unauthorized` or another short name.
    """


class Function(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    arguments: str
    """
    A piece of the arguments' JSON text.
    """
    name: str | None = None
    """
    In the first piece of a call; null after it.
    """


class Info(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    docker_label: str | None
    max_best_of: Annotated[int, Field(examples=[2], ge=0)]
    max_client_batch_size: Annotated[int, Field(examples=[4], ge=0)]
    max_concurrent_requests: Annotated[int, Field(examples=[128], ge=0)]
    """
    Limits of the server: requests that run or wait at once.
    """
    max_input_tokens: Annotated[int, Field(examples=[1024], ge=0)]
    max_stop_sequences: Annotated[int, Field(examples=[4], ge=0)]
    max_total_tokens: Annotated[int, Field(examples=[2048], ge=0)]
    model_id: Annotated[str, Field(examples=["bigscience/bloom-560m"])]
    """
    The model: its name on the Hub, or its folder.
    """
    model_pipeline_tag: Annotated[str | None, Field(examples=["text-generation"])]
    model_sha: Annotated[str | None, Field(examples=["e985a63cdc139290c5f700ff1929f0b5942cced2"])]
    router: Annotated[str, Field(examples=["text-generation-router"])]
    """
    The program that answers.
    """
    sha: str | None
    validation_workers: Annotated[int, Field(examples=[2], ge=0)]
    version: Annotated[str, Field(examples=["0.5.0"])]


class ModelInfo(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    created: Annotated[int, Field(examples=[1706270835], ge=0, le=9223372036854775807)]
    id: Annotated[str, Field(examples=["gpt2"])]
    object: Annotated[Literal["model"], Field(examples=["model"])]
    owned_by: Annotated[str, Field(examples=["openai"])]


class PrefillToken(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: Annotated[int, Field(examples=[0], ge=0, le=2147483647)]
    logprob: Annotated[float | None, Field(examples=[-0.34])]
    text: Annotated[str, Field(examples=["test"])]


class SimpleToken(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: Annotated[int, Field(examples=[0], ge=0, le=2147483647)]
    start: Annotated[int, Field(examples=[0], ge=0)]
    stop: Annotated[int, Field(examples=[2], ge=0)]
    text: Annotated[str, Field(examples=["test"])]


class StreamDetails(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    finish_reason: Annotated[Literal["length", "eos_token", "stop_sequence"], Field(examples=["length"])]
    generated_tokens: Annotated[int, Field(examples=[1], ge=0, le=2147483647)]
    input_length: Annotated[int, Field(examples=[1], ge=0, le=2147483647)]
    seed: Annotated[int | None, Field(examples=[42], ge=0, le=18446744073709551615)]
    """
    The seed that was used; null when no token was drawn at random.
    """


class TextMessage(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    content: Annotated[str, Field(examples=["My name is David and I"])]
    role: Annotated[str, Field(examples=["user"])]


class Token(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: Annotated[int, Field(examples=[0], ge=0, le=2147483647)]
    logprob: Annotated[float | None, Field(examples=[-0.34])]
    special: Annotated[bool, Field(examples=[False])]
    text: Annotated[str, Field(examples=["test"])]


TokenizeResponse = TypeAliasType("TokenizeResponse", list[SimpleToken])


class Usage(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    completion_tokens: Annotated[int, Field(ge=0, le=2147483647)]
    prompt_tokens: Annotated[int, Field(ge=0, le=2147483647)]
    total_tokens: Annotated[int, Field(ge=0, le=2147483647)]


class FunctionCall(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    name: Annotated[str, Field(examples=["get_weather"])]
    arguments: Annotated[str, Field(examples=['{"city": "Paris"}'])]
    """
    The arguments as JSON text.
    """


class CompletionChunkChoice(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    finish_reason: Literal["stop", "length"] | None
    """
    Null until the last chunk of a choice.
    """
    index: Annotated[int, Field(ge=0, le=2147483647)]
    logprobs: list[float] | None
    text: str


class ModelList(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    object: Literal["list"]
    data: Annotated[list[ModelInfo], Field(min_length=1)]


class StreamErrorDetail(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    message: Annotated[str, Field(examples=["Request failed during generation: out of memory"])]
    http_status_code: Annotated[int, Field(examples=[424], ge=400, le=599)]
    """
    The status that the answer would have had, had it not begun.
    """
    type: Annotated[str, Field(examples=["generation"])]


class BestOfSequence(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    finish_reason: Annotated[Literal["length", "eos_token", "stop_sequence"], Field(examples=["length"])]
    generated_text: Annotated[str, Field(examples=["test"])]
    generated_tokens: Annotated[int, Field(examples=[1], ge=0, le=2147483647)]
    prefill: list[PrefillToken]
    seed: Annotated[int | None, Field(examples=[42], ge=0, le=18446744073709551615)]
    """
    The seed that was used; null when no token was drawn at random.
    """
    tokens: Annotated[list[Token], Field(min_length=1)]
    top_tokens: Annotated[list[list[Token]] | None, Field(min_length=1)] = None


class ChatCompletionLogprob(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    logprob: float
    token: str
    top_logprobs: list[ChatCompletionTopLogprob]


class ChatCompletionLogprobs(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    content: list[ChatCompletionLogprob]


class Chunk(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    choices: list[CompletionChunkChoice]
    created: Annotated[int, Field(examples=[1706270835], ge=0, le=9223372036854775807)]
    id: Annotated[str, Field(examples=["cmpl-6f1d2c"], min_length=1)]
    """
    Unique; the chunks of one answer share it.
    """
    model: str
    system_fingerprint: str
    object: Literal["text_completion"]
    usage: Usage | None = None
    """
    In the last chunk of each continuation.
    """


class CompletionFinal(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    choices: Annotated[list[CompletionComplete], Field(min_length=1)]
    created: Annotated[int, Field(examples=[1706270835], ge=0, le=9223372036854775807)]
    id: Annotated[str, Field(examples=["cmpl-6f1d2c"], min_length=1)]
    """
    Unique; the chunks of one answer share it.
    """
    model: Annotated[str, Field(examples=["mistralai/Mistral-7B-Instruct-v0.2"])]
    system_fingerprint: str
    usage: Usage
    object: Literal["text_completion"]


class DeltaToolCall(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    function: Function
    id: str | None
    """
    In the first piece of a call; null after it.
    """
    index: Annotated[int, Field(ge=0, le=2147483647)]
    type: Literal["function"]


class Details(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    best_of_sequences: Annotated[list[BestOfSequence] | None, Field(min_length=1)] = None
    finish_reason: Annotated[Literal["length", "eos_token", "stop_sequence"], Field(examples=["length"])]
    generated_tokens: Annotated[int, Field(examples=[1], ge=0, le=2147483647)]
    prefill: list[PrefillToken]
    seed: Annotated[int | None, Field(examples=[42], ge=0, le=18446744073709551615)]
    """
    The seed that was used; null when no token was drawn at random.
    """
    tokens: Annotated[list[Token], Field(min_length=1)]
    top_tokens: Annotated[list[list[Token]] | None, Field(min_length=1)] = None


class GenerateResponse(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    details: Details | None = None
    generated_text: Annotated[str, Field(examples=["test"])]


class StreamResponse(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    details: StreamDetails | None
    generated_text: Annotated[str | None, Field(examples=["test"])]
    """
    The whole text, on the last event; null before it.
    """
    index: Annotated[int, Field(ge=0, le=2147483647)]
    """
    Counts the events of the stream, from 1.
    """
    token: Token
    top_tokens: Annotated[list[Token] | None, Field(min_length=1)] = None


class ToolCall(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    function: FunctionCall
    id: str
    type: Literal["function"]


class ToolCallMessage(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    role: Annotated[str, Field(examples=["assistant"])]
    tool_calls: Annotated[list[ToolCall], Field(min_length=1)]
    content: str | None
    """
    What the model said beside its calls.
    """


class ChatCompletionDelta(AnswerPart):
    """
    What is new since the chunk before.
    """

    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    role: Annotated[str | None, Field(examples=["assistant"])] = None
    """
    In the first chunk of a choice.
    """
    content: Annotated[str | None, Field(examples=[" David"])] = None
    tool_calls: Annotated[list[DeltaToolCall] | None, Field(min_length=1)] = None


CompatGenerateResponse = TypeAliasType(
    "CompatGenerateResponse", Annotated[list[GenerateResponse], Field(max_length=1, min_length=1)]
)


StreamEvent = TypeAliasType("StreamEvent", StreamResponse | ErrorResponse)
"""
A token, or the error in which a failed stream ends.
"""


class StreamError(AnswerPart):
    """
    An error after the first event, in the shape that OpenAI's clients raise as an exception.
    """

    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    error: StreamErrorDetail
    error_type: Annotated[str, Field(examples=["generation"])]
    """
    As in ErrorResponse, where huggingface_hub reads it.
    """


class ChatCompletionChoice(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    delta: ChatCompletionDelta
    finish_reason: Literal["stop", "length", "tool_calls"] | None
    """
    Null until the last chunk of a choice.
    """
    index: Annotated[int, Field(ge=0, le=2147483647)]
    logprobs: ChatCompletionLogprobs | None


class ChatCompletionChunk(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    choices: list[ChatCompletionChoice]
    created: Annotated[int, Field(examples=[1706270835], ge=0, le=9223372036854775807)]
    id: Annotated[str, Field(examples=["cmpl-6f1d2c"], min_length=1)]
    """
    Unique; the chunks of one answer share it.
    """
    model: Annotated[str, Field(examples=["mistralai/Mistral-7B-Instruct-v0.2"])]
    system_fingerprint: str
    usage: Usage | None
    object: Literal["chat.completion.chunk"]


class ChatCompletionComplete(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    finish_reason: Literal["stop", "length", "tool_calls"]
    """
    `stop`: the end or a stop text; `length`: the token bound; `tool_calls`: the model called tools.
    """
    index: Annotated[int, Field(ge=0, le=2147483647)]
    logprobs: ChatCompletionLogprobs | None
    message: TextMessage | ToolCallMessage


ChatCompletionEvent = TypeAliasType("ChatCompletionEvent", ChatCompletionChunk | StreamError)
"""
A piece of the answer, or the error after which only `[DONE]` comes.
"""


CompletionEvent = TypeAliasType("CompletionEvent", Chunk | StreamError)
"""
A piece of a continuation, or the error after which only `[DONE]` comes.
"""


class ChatCompletion(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    choices: Annotated[list[ChatCompletionComplete], Field(min_length=1)]
    created: Annotated[int, Field(examples=[1706270835], ge=0, le=9223372036854775807)]
    id: Annotated[str, Field(examples=["cmpl-6f1d2c"], min_length=1)]
    """
    Unique; the chunks of one answer share it.
    """
    model: Annotated[str, Field(examples=["mistralai/Mistral-7B-Instruct-v0.2"])]
    system_fingerprint: str
    usage: Usage
    object: Literal["chat.completion"]
