# Generated from specs/tokens: mend the document or its overlay, never this file.
"""The parts of answers, events and errors."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from ..runtime.answer_part import AnswerPart

TokenId = TypeAliasType("TokenId", Annotated[int, Field(ge=0)])


class PlaceholderRange(AnswerPart):
    offset: Annotated[int, Field(ge=0)]
    """The place of a file's first token in the prompt."""
    length: Annotated[int, Field(ge=1)]
    """How many tokens stand for the file."""


class PromptLogprob(AnswerPart):
    logprob: Annotated[float, Field(le=0.0)]
    """Its log-probability."""
    rank: Annotated[int | None, Field(ge=1)]
    """1 for the likeliest token; null for one that is not among those asked for."""
    decoded_token: str
    """The token as text."""


class PromptTokensDetails(AnswerPart):
    cached_tokens: Annotated[int, Field(ge=0)]
    """Tokens of the prompt that were in the cache."""


class Error(AnswerPart):
    message: str
    """What to mend."""
    type: str
    """The kind of error."""
    param: str | None
    """The field at fault, where one is."""
    code: int
    """The status."""


class Model(AnswerPart):
    id: str
    """Its name in requests."""
    object: Literal["model"]
    """Always this."""
    created: Annotated[int, Field(ge=0)]
    """Unix time, in seconds, of the server's start."""
    owned_by: str
    """Always `verbatim`."""
    root: str
    """The model that an adapter adapts; its own name otherwise."""
    parent: str | None
    """The model that an adapter adapts; null for a model."""
    max_model_len: Annotated[int, Field(ge=1)]
    """Tokens of prompt and output together."""


class SequenceStart(AnswerPart):
    """How a sequence began."""

    queue_s: Annotated[float, Field(ge=0.0)]
    """Seconds until the request first ran."""
    cached_tokens: Annotated[int, Field(ge=0)]
    """Tokens of the prompt that were in the cache."""


class TopLogprob(AnswerPart):
    token_id: Annotated[int, Field(ge=0)]
    """The token."""
    logprob: Annotated[float, Field(le=0.0)]
    """Its log-probability."""
    rank: Annotated[int | None, Field(ge=1)]
    """1 for the likeliest token; null for one that is not among those asked for."""


class Usage(AnswerPart):
    prompt_tokens: Annotated[int, Field(ge=1)]
    """Tokens of the prompt."""
    completion_tokens: Annotated[int, Field(ge=0)]
    """Tokens of all sequences."""
    total_tokens: Annotated[int, Field(ge=1)]
    """The sum."""
    prompt_tokens_details: PromptTokensDetails
    """More on the prompt's."""


class ErrorResponse(AnswerPart):
    error: Error
    """What went wrong."""


class ModelList(AnswerPart):
    object: Literal["list"]
    """Always this."""
    data: Annotated[list[Model], Field(min_length=1)]
    """The models."""


class ScoredToken(AnswerPart):
    token_id: Annotated[int, Field(ge=0)]
    """The token."""
    logprob: Annotated[float, Field(le=0.0)]
    """Its log-probability."""
    rank: Annotated[int | None, Field(ge=1)]
    """1 for the likeliest token; null for one that is not among those asked for."""
    top_logprobs: list[TopLogprob]
    """The token itself, then the others that were asked for, the likeliest first."""


class TokenLogprobs(AnswerPart):
    content: list[ScoredToken]
    """An entry a token."""


class GenerateStreamChoice(AnswerPart):
    index: Annotated[int, Field(ge=0)]
    """Which of the sequences, from 0."""
    token_ids: Annotated[list[TokenId], Field(min_length=1)]
    """The new tokens."""
    finish_reason: Literal["stop", "length"] | None
    """Null until the sequence ends."""
    stop_reason: str | int | None = None
    """As in a whole answer; with `finish_reason` alone."""
    logprobs: TokenLogprobs | None = None
    """Log-probabilities of the new tokens; absent unless the request asks for them."""
    start: SequenceStart | None = None
    """With a sequence's first tokens, and absent from then on."""


class GenerateStreamResponse(AnswerPart):
    request_id: str
    """The request's name."""
    choices: list[GenerateStreamChoice]
    """What sequences gain; empty in the event that tells the token counts."""
    usage: Usage | None = None
    """The token counts, if the request asks for them."""
    prompt_token_ids: list[TokenId] | None = None
    """As in a whole answer; in the first event."""
    mm_placeholders: dict[Literal["image", "audio", "video"], list[PlaceholderRange]] | None = None
    """As in a whole answer; in the first event."""
    prompt_logprobs: list[dict[str, PromptLogprob] | None] | None = None
    """In the first event, if the request asks for them."""


class GenerateChoice(AnswerPart):
    index: Annotated[int, Field(ge=0)]
    """Which of the sequences, from 0."""
    token_ids: list[TokenId]
    """All tokens of the sequence, the end token too."""
    finish_reason: Literal["stop", "length"]
    """`stop` of an end token, a stop or a complete form; `length` of the bound."""
    stop_reason: str | int | None
    """The stop text or the stop token of the request that ended the sequence; null if another did."""
    logprobs: TokenLogprobs | None
    """Log-probabilities of the tokens; null unless the request asks for them."""


GenerateStreamEvent = TypeAliasType("GenerateStreamEvent", GenerateStreamResponse | ErrorResponse)


class GenerateResponse(AnswerPart):
    request_id: str
    """The request's name."""
    choices: list[GenerateChoice]
    """The sequences by index."""
    usage: Usage
    """The token counts."""
    prompt_logprobs: list[dict[str, PromptLogprob] | None] | None
    """An entry a token of the prompt; null unless the request asks for them."""
    prompt_token_ids: list[TokenId] | None = None
    """The prompt's tokens, with those that stand for files; with `return_token_ids` alone."""
    mm_placeholders: dict[Literal["image", "audio", "video"], list[PlaceholderRange]] | None = None
    """By kind, where the tokens of files stand; null in a prompt without files. With `return_token_ids` alone."""
