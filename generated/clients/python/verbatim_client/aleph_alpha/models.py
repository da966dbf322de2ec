# Generated from specs/aleph_alpha: mend the document or its overlay, never this file.
"""What answers, events and errors consist of."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field
from typing_extensions import TypeAliasType

from verbatim_client.runtime.answer_part import AnswerPart


class ChatAnswerMessage(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    role: Literal["assistant"]
    content: str


class ChatDelta(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    role: Literal["assistant"] | None = None
    """
    In an answer's first chunk alone.
    """
    content: str | None = None
    """
    Empty in an answer's first chunk; absent in its last.
    """


TokenByte = TypeAliasType("TokenByte", Annotated[int, Field(ge=0, le=255)])


class ChatUsage(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    completion_tokens: Annotated[int, Field(ge=0)]
    prompt_tokens: Annotated[int, Field(ge=0)]
    total_tokens: Annotated[int, Field(ge=0)]


Datum = TypeAliasType("Datum", Annotated[int, Field(ge=0)])


class StreamSummary(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["stream_summary"]
    index: Annotated[int, Field(ge=0)]
    model_version: str
    finish_reason: Literal["maximum_tokens", "end_of_text", "stop_sequence_reached"]


class EvaluationResult(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    log_probability: float
    """
    Of the expected completion; natural logarithm.
    """
    log_perplexity: float
    """
    The same without its sign.
    """
    log_perplexity_per_token: float
    log_perplexity_per_character: float
    correct_greedy: bool
    """
    Whether the most likely tokens are the expected ones.
    """
    token_count: Annotated[int, Field(ge=0)]
    character_count: Annotated[int, Field(ge=0)]
    completion: str
    """
    The most likely token in each place of the expected completion.
    """


TokenId = TypeAliasType("TokenId", Annotated[int, Field(ge=0)])


class TokenizationResponse(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    tokens: list[str] | None = None
    token_ids: list[TokenId] | None = None


class DetokenizationResponse(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    result: str


class AvailableModel(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    name: str
    description: str
    max_context_size: Annotated[int, Field(ge=0)]
    hostings: list[str]
    image_support: bool
    qa_support: bool
    summarization_support: bool
    embedding_types: list[str]
    maximum_completion_tokens: Annotated[int | None, Field(ge=0)]
    aligned: bool
    """
    Whether the model was trained to follow instructions.
    """


class ModelSettings(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    name: str
    status: Literal["available", "unavailable"]
    description: str
    multimodal: bool
    max_context_size: Annotated[int, Field(ge=0)]
    completion_type: Literal["none", "full"]
    embedding_type: Literal["none", "raw", "semantic", "instructable"]
    maximum_completion_tokens: Annotated[int | None, Field(ge=0)]
    aligned: bool
    """
    Whether the model was trained to follow instructions.
    """
    chat: bool
    """
    Whether `/chat/completions` takes it.
    """
    prompt_template: str | None
    model_card: str | None
    """
    Where to read about the model.
    """


class Error(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    error: str
    """
    What is wrong.
    """
    code: str
    """
    The same for a program, in capitals.
    """


class TopLogprob(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    token: str
    logprob: float
    bytes: list[TokenByte]
    """
    The token as UTF-8.
    """


class TextItem(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["text"]
    data: str
    controls: Annotated[list[dict[str, Any]] | None, Field(max_length=0)] = None
    """
    How much attention parts of the item get.
    """


class TokensItem(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["token_ids"]
    data: list[Datum]
    controls: Annotated[list[dict[str, Any]] | None, Field(max_length=0)] = None
    """
    How much attention parts of the item get.
    """


class ImageItem(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["image"]
    data: str
    """
    The image, base64.
    """
    controls: Annotated[list[dict[str, Any]] | None, Field(max_length=0)] = None
    """
    How much attention parts of the item get.
    """


class StreamChunk(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["stream_chunk"]
    index: Annotated[int, Field(ge=0)]
    log_probs: list[dict[str, float | None]] | None = None
    """
    One a token; none for a first token that nothing precedes.
    """
    completion: str
    raw_completion: str | None = None
    completion_tokens: list[str] | None = None
    """
    One a token. A text that is no whole character shows as U+FFFD.
    """


class EvaluationResponse(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    model_version: str
    message: str | None = None
    """
    A warning or a hint.
    """
    result: EvaluationResult
    num_tokens_prompt_total: Annotated[int, Field(ge=0)]
    """
    Of the prompt and the expected completion.
    """


AvailableModels = TypeAliasType("AvailableModels", list[AvailableModel])


ModelSettingsList = TypeAliasType("ModelSettingsList", list[ModelSettings])


class TokenLogprob(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    token: str
    logprob: float
    """
    Natural logarithm; -9999.0 where there is none.
    """
    bytes: list[TokenByte]
    """
    The token as UTF-8.
    """
    top_logprobs: list[TopLogprob]
    """
    The most likely tokens in its place, the best first.
    """


class CompletionResult(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    index: Annotated[int, Field(ge=0)]
    log_probs: list[dict[str, float | None]] | None = None
    """
    One a token; none for a first token that nothing precedes.
    """
    completion: str
    raw_completion: str | None = None
    completion_tokens: list[str] | None = None
    """
    One a token. A text that is no whole character shows as U+FFFD.
    """
    finish_reason: Literal["maximum_tokens", "end_of_text", "stop_sequence_reached"]


class CompletionSummary(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["completion_summary"]
    optimized_prompt: (
        list[Annotated[TextItem | TokensItem | ImageItem, Field(discriminator="type")]] | None
    ) = None
    """
    The prompt after optimisation, if there was any.
    """
    num_tokens_prompt_total: Annotated[int, Field(ge=0)]
    num_tokens_generated: Annotated[int, Field(ge=0)]


class ChatLogprobs(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    content: list[TokenLogprob]


class CompletionResponse(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    completions: Annotated[list[CompletionResult], Field(min_length=1)]
    model_version: str
    optimized_prompt: (
        list[Annotated[TextItem | TokensItem | ImageItem, Field(discriminator="type")]] | None
    ) = None
    """
    The prompt after optimisation, if there was any.
    """
    num_tokens_prompt_total: Annotated[int, Field(ge=0)]
    """
    Over all completions that were generated.
    """
    num_tokens_generated: Annotated[int, Field(ge=0)]
    """
    Over all completions that were generated.
    """


CompletionStreamEvent = TypeAliasType(
    "CompletionStreamEvent", StreamChunk | StreamSummary | CompletionSummary | Error
)


class ChatCompletionChoice(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    finish_reason: Literal["stop", "length", "content_filter"]
    """
    `length`: max_tokens, or the context is full. `content_filter`: a reason that is none of the others.
    """
    index: Annotated[int, Field(ge=0)]
    message: ChatAnswerMessage
    logprobs: ChatLogprobs | None


class ChatChunkChoice(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    finish_reason: Literal["stop", "length", "content_filter"] | None
    """
    In an answer's last chunk.
    """
    index: Annotated[int, Field(ge=0)]
    delta: ChatDelta
    logprobs: ChatLogprobs | None


class ChatCompletion(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: str
    choices: Annotated[list[ChatCompletionChoice], Field(min_length=1)]
    created: Annotated[int, Field(ge=0)]
    """
    Unix time in seconds.
    """
    model: str
    system_fingerprint: str
    """
    Equal where the same model runs in the same way.
    """
    object: Literal["chat.completion"]
    usage: ChatUsage


class ChatCompletionChunk(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: str
    """
    The same in all chunks of an answer.
    """
    choices: list[ChatChunkChoice]
    created: Annotated[int, Field(ge=0)]
    """
    Unix time in seconds.
    """
    model: str
    system_fingerprint: str | None
    """
    In the chunk that ends an answer, and in that of the token counts.
    """
    object: Literal["chat.completion.chunk"]
    usage: ChatUsage | None
    """
    In the last chunk, if stream_options asks for it.
    """


ChatStreamEvent = TypeAliasType("ChatStreamEvent", ChatCompletionChunk | Error)
