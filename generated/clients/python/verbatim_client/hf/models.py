# Generated from specs/hf: mend the document or its overlay, never this file.
"""What answers, events and errors consist of."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field
from typing_extensions import TypeAliasType

from verbatim_client.runtime.answer_part import AnswerPart


class Info(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    model_id: str
    """
    The served model.
    """
    model_sha: str | None = None
    """
    Revision of the model.
    """
    model_dtype: Literal["float16", "bfloat16", "float32"]
    """
    Type of the weights.
    """
    model_device_type: str
    """
    Kind of device, such as cuda or cpu.
    """
    model_pipeline_tag: str
    """
    What the model is for.
    """
    max_concurrent_requests: Annotated[int, Field(ge=0)]
    max_best_of: Annotated[int, Field(ge=0)]
    max_stop_sequences: Annotated[int, Field(ge=0)]
    max_input_length: Annotated[int, Field(ge=0)]
    """
    Longest prompt, in tokens.
    """
    max_total_tokens: Annotated[int, Field(ge=0)]
    """
    Longest prompt and text together, in tokens.
    """
    waiting_served_ratio: float | None = None
    max_batch_total_tokens: Annotated[int, Field(ge=0)]
    max_waiting_tokens: Annotated[int | None, Field(ge=0)] = None
    validation_workers: Annotated[int, Field(ge=0)]
    max_client_batch_size: Annotated[int, Field(ge=0)]
    version: str
    """
    Version of the server.
    """
    sha: str | None = None
    """
    Commit that the server was built from.
    """
    docker_label: str | None = None
    """
    Label of the container image.
    """


class Usage(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    prompt_tokens: Annotated[int, Field(ge=0)]
    completion_tokens: Annotated[int, Field(ge=0)]
    total_tokens: Annotated[int, Field(ge=0)]


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
    The kind: `validation`, `template_error`, `tool_error`, `generation`, `overloaded`, `incomplete_generation`, `unavailable`, `unauthorized` or another short name.
    """


class Token(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: Annotated[int, Field(ge=0)]
    text: str
    logprob: float | None = None
    special: bool


class PrefillToken(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: Annotated[int, Field(ge=0)]
    text: str
    logprob: float | None = None


class AnswerFunctionCall(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    name: str
    arguments: str
    """
    The arguments as JSON text.
    """
    description: str | None = None
    """
    Never sent; a call describes no function.
    """


class TopLogprob(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    token: str
    logprob: float


class DeltaFunction(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    name: str | None = None
    """
    In the first piece of a call.
    """
    arguments: str
    """
    A piece of the arguments' JSON text.
    """


class CompletionChoice(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    text: str
    index: Annotated[int, Field(ge=0)]
    finish_reason: Literal["stop", "length"]
    """
    `stop`: the end or a stop text; `length`: the token bound.
    """


class CompletionChunkChoice(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    text: str
    index: Annotated[int, Field(ge=0)]
    finish_reason: Literal["stop", "length"] | None = None
    """
    `stop`: the end or a stop text; `length`: the token bound.
    """


class Model(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: str
    """
    The model's name.
    """
    object: Literal["model"]
    created: Annotated[int, Field(ge=0)]
    """
    When the server started; Unix time in seconds.
    """
    owned_by: str


class TextToken(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: Annotated[int, Field(ge=0)]
    """
    The token.
    """
    text: str
    """
    The part of the text that it covers.
    """
    start: Annotated[int, Field(ge=0)]
    """
    Where that part begins, in bytes of UTF-8.
    """
    stop: Annotated[int, Field(ge=0)]
    """
    Where it ends, in bytes of UTF-8.
    """
    special: bool
    """
    Whether the tokenizer marks it as special.
    """


class CompletionResponse(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: Annotated[str, Field(min_length=1)]
    object: Literal["text_completion"]
    created: Annotated[int, Field(ge=0)]
    model: str
    usage: Usage
    choices: Annotated[list[CompletionChoice], Field(min_length=1)]


class CompletionStreamResponse(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: Annotated[str, Field(min_length=1)]
    """
    The chunks of one answer share it.
    """
    object: Literal["text_completion"]
    created: Annotated[int, Field(ge=0)]
    model: str
    choices: list[CompletionChunkChoice]


class StreamDetails(AnswerPart):
    """
    How the text came about, on the last event where details are asked for.
    """

    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    finish_reason: Literal["length", "eos_token", "stop_sequence"]
    """
    Why the text ends.
    """
    generated_tokens: Annotated[int, Field(ge=0)]
    seed: Annotated[int | None, Field(ge=0, le=18446744073709551615)] = None


class BestOfSequence(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    generated_text: str
    finish_reason: Literal["length", "eos_token", "stop_sequence"]
    """
    Why the text ends.
    """
    generated_tokens: Annotated[int, Field(ge=0)]
    seed: Annotated[int | None, Field(ge=0, le=18446744073709551615)] = None
    prefill: list[PrefillToken]
    tokens: Annotated[list[Token], Field(min_length=1)]


class AnswerToolCall(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: str
    type: Literal["function"]
    function: AnswerFunctionCall


class TokenLogprob(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    token: str
    logprob: float
    top_logprobs: list[TopLogprob]


class DeltaToolCall(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: str | None = None
    """
    In the first piece of a call.
    """
    index: Annotated[int, Field(ge=0)]
    type: Literal["function"] | None = None
    """
    In the first piece of a call.
    """
    function: DeltaFunction


CompletionEvent = TypeAliasType("CompletionEvent", CompletionStreamResponse | ErrorResponse)
"""
A piece of a continuation, or the error after which only `[DONE]` comes.
"""


class ModelList(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    object: Literal["list"]
    data: Annotated[list[Model], Field(min_length=1)]


TokenizeResponse = TypeAliasType("TokenizeResponse", list[TextToken])


class StreamResponse(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    generated_text: str | None = None
    """
    The whole text, on the last event.
    """
    token: Token
    details: StreamDetails | None = None


class Details(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    finish_reason: Literal["length", "eos_token", "stop_sequence"]
    """
    Why the text ends.
    """
    generated_tokens: Annotated[int, Field(ge=0)]
    """
    Generated tokens, the end token counted.
    """
    seed: Annotated[int | None, Field(ge=0, le=18446744073709551615)] = None
    """
    The seed that was used; absent when nothing was drawn at random.
    """
    prefill: list[PrefillToken]
    """
    The tokens of the prompt, where decoder_input_details asks for them.
    """
    tokens: Annotated[list[Token], Field(min_length=1)]
    """
    The tokens of the text.
    """
    best_of_sequences: Annotated[list[BestOfSequence] | None, Field(min_length=1)] = None
    """
    The other sequences.
    """


StreamEvent = TypeAliasType("StreamEvent", StreamResponse | ErrorResponse)
"""
A token, or the error in which a failed stream ends.
"""


class AnswerMessage(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    role: Literal["assistant"]
    content: str | None = None
    """
    Absent where the model does nothing but call tools.
    """
    tool_calls: Annotated[list[AnswerToolCall] | None, Field(min_length=1)] = None
    tool_call_id: str | None = None
    """
    Never sent; it is of messages that answer a call.
    """


class ChatLogprobs(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    content: list[TokenLogprob]


class Delta(AnswerPart):
    """
    What is new since the chunk before.
    """

    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    role: Literal["assistant"] | None = None
    """
    In the first chunk of a choice.
    """
    content: str | None = None
    tool_calls: Annotated[list[DeltaToolCall] | None, Field(min_length=1)] = None
    tool_call_id: str | None = None
    """
    Never sent; it is of messages that answer a call.
    """


class GenerateResponse(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    generated_text: str
    """
    The text that was generated.
    """
    details: Details | None = None


class ChatChoice(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    index: Annotated[int, Field(ge=0)]
    message: AnswerMessage
    finish_reason: Literal["stop", "length", "tool_calls"]
    """
    `stop`: the end or a stop text; `length`: the token bound; `tool_calls`: the model called tools.
    """
    logprobs: ChatLogprobs | None = None


class ChatChunkChoice(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    index: Annotated[int, Field(ge=0)]
    delta: Delta
    finish_reason: Literal["stop", "length", "tool_calls"] | None = None
    """
    `stop`: the end or a stop text; `length`: the token bound; `tool_calls`: the model called tools.
    """
    logprobs: ChatLogprobs | None = None


class ChatCompletionResponse(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: Annotated[str, Field(min_length=1)]
    object: Literal["chat.completion"]
    created: Annotated[int, Field(ge=0)]
    model: str
    system_fingerprint: str
    usage: Usage
    choices: Annotated[list[ChatChoice], Field(min_length=1)]


class ChatCompletionStreamResponse(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: Annotated[str, Field(min_length=1)]
    """
    The chunks of one answer share it.
    """
    object: Literal["chat.completion.chunk"]
    created: Annotated[int, Field(ge=0)]
    model: str
    system_fingerprint: str
    usage: Usage | None = None
    choices: list[ChatChunkChoice]


ChatCompletionEvent = TypeAliasType("ChatCompletionEvent", ChatCompletionStreamResponse | ErrorResponse)
"""
A piece of the answer, or the error after which only `[DONE]` comes.
"""
