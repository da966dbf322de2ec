# Generated from specs/aleph_alpha: mend the document or its overlay, never this file.
"""The parts of answers, events and errors."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from ..runtime.answer_part import AnswerPart


class ChatAnswerMessage(AnswerPart):
    role: Literal["assistant"]
    content: str
    """The answer's text, without special tokens and stop texts."""


class ChatDelta(AnswerPart):
    role: Literal["assistant"] | None = None
    """In an answer's first chunk alone."""
    content: str | None = None
    """Empty in an answer's first chunk; absent in its last."""


TokenByte = TypeAliasType("TokenByte", Annotated[int, Field(ge=0, le=255)])


class ChatUsage(AnswerPart):
    completion_tokens: Annotated[int, Field(ge=0)]
    """Tokens generated over all answers, end tokens counted."""
    prompt_tokens: Annotated[int, Field(ge=0)]
    """Tokens of the conversation as the model read it, counted once for all answers."""
    total_tokens: Annotated[int, Field(ge=0)]
    """Tokens of the prompt and of the answers together."""


Datum = TypeAliasType("Datum", Annotated[int, Field(ge=0)])


class StreamSummary(AnswerPart):
    type: Literal["stream_summary"]
    index: Annotated[int, Field(ge=0)]
    """Which of the completions has ended, from 0."""
    model_version: str
    """The name of the served model, then `@` and its revision if it has one."""
    finish_reason: Literal["maximum_tokens", "end_of_text", "stop_sequence_reached"]
    """What ended the completion."""


class EvaluationResult(AnswerPart):
    log_probability: float
    """Of the expected completion; natural logarithm."""
    log_perplexity: float
    """The same without its sign."""
    log_perplexity_per_token: float
    """`log_perplexity` divided by `token_count`."""
    log_perplexity_per_character: float
    """`log_perplexity` divided by `character_count`."""
    correct_greedy: bool
    """Whether the most likely tokens are the expected ones."""
    token_count: Annotated[int, Field(ge=0)]
    """Tokens of the expected completion."""
    character_count: Annotated[int, Field(ge=0)]
    """Characters of the expected completion, which are Unicode code points."""
    completion: str
    """The most likely token in each place of the expected completion."""


TokenId = TypeAliasType("TokenId", Annotated[int, Field(ge=0)])


class TokenizationResponse(AnswerPart):
    tokens: list[str] | None = None
    """The tokens as the vocabulary writes them, in order; there only if `tokens` is true."""
    token_ids: list[TokenId] | None = None
    """The tokens' ids, in order; there only if `token_ids` is true."""


class DetokenizationResponse(AnswerPart):
    result: str
    """The text of the tokens, special ones included."""


class AvailableModel(AnswerPart):
    name: str
    """What to send as `model`."""
    description: str
    """A phrase for people: the name, and who serves it."""
    max_context_size: Annotated[int, Field(ge=0)]
    """Tokens that prompt and completion may have together."""
    hostings: list[str]
    """Where a request may be sent to be processed. Empty; there is this server alone."""
    image_support: bool
    """Whether prompts may hold images. Always false."""
    qa_support: bool
    """Whether the model takes requests of the former question answering. Always false."""
    summarization_support: bool
    """Whether the model takes requests of the former summarization. Always false."""
    embedding_types: list[str]
    """The kinds of embeddings that the model gives. Empty; this contract serves none."""
    maximum_completion_tokens: Annotated[int | None, Field(ge=0)]
    """Tokens that a completion can have at most, which is after a prompt of one token."""
    aligned: bool
    """Whether the model was trained to follow instructions."""


class ModelSettings(AnswerPart):
    name: str
    """What to send as `model`."""
    status: Literal["available", "unavailable"]
    """Whether the model takes requests. A server that answers has loaded its model, so that it is `available`."""
    description: str
    """A phrase for people: the name, and who serves it."""
    multimodal: bool
    """Whether prompts may hold images. Always false."""
    max_context_size: Annotated[int, Field(ge=0)]
    """Tokens that prompt and completion may have together."""
    completion_type: Literal["none", "full"]
    """Whether `/complete` takes the model, which it does; always `full`."""
    embedding_type: Literal["none", "raw", "semantic", "instructable"]
    """The kind of embeddings that the model gives. Always `none`."""
    maximum_completion_tokens: Annotated[int | None, Field(ge=0)]
    """Tokens that a completion can have at most, which is after a prompt of one token."""
    aligned: bool
    """Whether the model was trained to follow instructions."""
    chat: bool
    """Whether `/chat/completions` takes it."""
    prompt_template: str | None
    """A template for instructions in `/complete`. Null; the chat template of the model is applied in `/chat/completions`."""
    model_card: str | None
    """Where to read about the model."""


class Error(AnswerPart):
    error: str
    """What is wrong."""
    code: str
    """The same for a program, in capitals."""


class TopLogprob(AnswerPart):
    token: str
    """The token as text. Bytes that are no whole character are told as U+FFFD."""
    logprob: float
    """Natural logarithm of the token's probability; -9999.0 where there is none."""
    bytes: list[TokenByte]
    """The token as UTF-8."""


class TextItem(AnswerPart):
    type: Literal["text"]
    data: str
    """The text. The tokenizer's own special tokens are put before it only if it is the first item."""
    controls: Annotated[list[dict[str, Any]] | None, Field(max_length=0)] = None
    """How much attention parts of the item get."""


class TokensItem(AnswerPart):
    type: Literal["token_ids"]
    data: list[Datum]
    """Token ids of the served model, taken as they are. One outside of the vocabulary is refused."""
    controls: Annotated[list[dict[str, Any]] | None, Field(max_length=0)] = None
    """How much attention parts of the item get."""


class ImageItem(AnswerPart):
    type: Literal["image"]
    data: str
    """The image, base64."""
    controls: Annotated[list[dict[str, Any]] | None, Field(max_length=0)] = None
    """How much attention parts of the item get."""


class StreamChunk(AnswerPart):
    type: Literal["stream_chunk"]
    index: Annotated[int, Field(ge=0)]
    """Which of the completions gains, from 0."""
    log_probs: list[dict[str, float | None]] | None = None
    """One a token; none for a first token that nothing precedes."""
    completion: str
    """What the text gains; it may be empty where tokens are told. With `echo` the first piece begins with the prompt."""
    raw_completion: str | None = None
    """The same with special tokens and stop texts. There only if `raw_completion` asks for it."""
    completion_tokens: list[str] | None = None
    """One a token. A text that is no whole character shows as U+FFFD."""


class EvaluationResponse(AnswerPart):
    model_version: str
    """The name of the served model, then `@` and its revision if it has one."""
    message: str | None = None
    """A warning or a hint."""
    result: EvaluationResult
    """How likely the expected completion is."""
    num_tokens_prompt_total: Annotated[int, Field(ge=0)]
    """Of the prompt and the expected completion."""


AvailableModels = TypeAliasType("AvailableModels", list[AvailableModel])


ModelSettingsList = TypeAliasType("ModelSettingsList", list[ModelSettings])


class TokenLogprob(AnswerPart):
    token: str
    """The token as text. Bytes that are no whole character are told as U+FFFD."""
    logprob: float
    """Natural logarithm; -9999.0 where there is none."""
    bytes: list[TokenByte]
    """The token as UTF-8."""
    top_logprobs: list[TopLogprob]
    """The most likely tokens in its place, the best first."""


class CompletionResult(AnswerPart):
    index: Annotated[int, Field(ge=0)]
    """The completion's place in the list, from 0."""
    log_probs: list[dict[str, float | None]] | None = None
    """One a token; none for a first token that nothing precedes."""
    completion: str
    """The text, without special tokens and stop texts; with `echo` the prompt stands before it."""
    raw_completion: str | None = None
    """The text with special tokens and stop texts. There only if `raw_completion` asks for it."""
    completion_tokens: list[str] | None = None
    """One a token. A text that is no whole character shows as U+FFFD."""
    finish_reason: Literal["maximum_tokens", "end_of_text", "stop_sequence_reached"]
    """What ended the completion."""


class CompletionSummary(AnswerPart):
    type: Literal["completion_summary"]
    optimized_prompt: (
        list[Annotated[TextItem | TokensItem | ImageItem, Field(discriminator="type")]] | None
    ) = None
    """The prompt after optimisation, if there was any."""
    num_tokens_prompt_total: Annotated[int, Field(ge=0)]
    """Tokens of the prompt, counted once for each completion that was generated."""
    num_tokens_generated: Annotated[int, Field(ge=0)]
    """Tokens generated over all completions; 0 if the request asks for none."""


class ChatLogprobs(AnswerPart):
    content: list[TokenLogprob]
    """One entry a token of the answer, in order."""


class CompletionResponse(AnswerPart):
    completions: Annotated[list[CompletionResult], Field(min_length=1)]
    """As many as `n` asks for; of more that `best_of` had generated, the likeliest first."""
    model_version: str
    """The name of the served model, then `@` and its revision if it has one."""
    optimized_prompt: (
        list[Annotated[TextItem | TokensItem | ImageItem, Field(discriminator="type")]] | None
    ) = None
    """The prompt after optimisation, if there was any."""
    num_tokens_prompt_total: Annotated[int, Field(ge=0)]
    """Over all completions that were generated."""
    num_tokens_generated: Annotated[int, Field(ge=0)]
    """Over all completions that were generated."""


CompletionStreamEvent = TypeAliasType(
    "CompletionStreamEvent", StreamChunk | StreamSummary | CompletionSummary | Error
)


class ChatCompletionChoice(AnswerPart):
    finish_reason: Literal["stop", "length", "content_filter"]
    """`length`: max_tokens, or the context is full. `content_filter`: a reason that is none of the others."""
    index: Annotated[int, Field(ge=0)]
    """The answer's place in the list, from 0."""
    message: ChatAnswerMessage
    """The answer."""
    logprobs: ChatLogprobs | None
    """Log-probabilities of the answer's tokens; null unless `logprobs` or `top_logprobs` asks for them."""


class ChatChunkChoice(AnswerPart):
    finish_reason: Literal["stop", "length", "content_filter"] | None
    """In an answer's last chunk."""
    index: Annotated[int, Field(ge=0)]
    """Which of the answers, from 0."""
    delta: ChatDelta
    """What the answer gains."""
    logprobs: ChatLogprobs | None
    """Of the tokens whose text the chunk brings; null unless `logprobs` or `top_logprobs` asks for them."""


class ChatCompletion(AnswerPart):
    id: str
    """Unique; a UUID."""
    choices: Annotated[list[ChatCompletionChoice], Field(min_length=1)]
    """The answers, as many as `n` asks for."""
    created: Annotated[int, Field(ge=0)]
    """Unix time in seconds."""
    model: str
    """The name under which the model is served, whichever alias the request had."""
    system_fingerprint: str
    """Equal where the same model runs in the same way."""
    object: Literal["chat.completion"]
    usage: ChatUsage
    """What the request cost, in tokens."""


class ChatCompletionChunk(AnswerPart):
    id: str
    """The same in all chunks of an answer."""
    choices: list[ChatChunkChoice]
    """What one of the answers gains. Empty in the chunk that tells the token counts."""
    created: Annotated[int, Field(ge=0)]
    """Unix time in seconds."""
    model: str
    """The name under which the model is served, whichever alias the request had."""
    system_fingerprint: str | None
    """In the chunk that ends an answer, and in that of the token counts."""
    object: Literal["chat.completion.chunk"]
    usage: ChatUsage | None
    """In the last chunk, if stream_options asks for it."""


ChatStreamEvent = TypeAliasType("ChatStreamEvent", ChatCompletionChunk | Error)
