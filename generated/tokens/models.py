# Generated from specs/tokens: mend the document or its overlay, never this file.
"""The component schemas, and the parameters of operations."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import MISSING, BaseModel, ConfigDict, Field, StrictBool, StrictStr, StringConstraints
from typing_extensions import TypeAliasType

from verbatim_kit.runtime.json_types import OnlyFalse, StrictFloat, StrictInt

TokenId = TypeAliasType("TokenId", Annotated[StrictInt, Field(ge=0)])


class ContentPart(BaseModel):
    """
    A file in the prompt.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["image_url", "audio_url", "video_url"]
    """
    What the file is.
    """
    url: Annotated[StrictStr, Field(min_length=1)]
    """
    A data URL in base64, or a URL that the server may fetch.
    """
    uuid: StrictStr | None = None
    """
    A name by which vLLM remembers the file. Without effect, as files are known by their content.
    """


TokenOffsetItem = TypeAliasType("TokenOffsetItem", Annotated[StrictInt, Field(ge=0)])


TokenOffset = TypeAliasType(
    "TokenOffset", Annotated[list[TokenOffsetItem], Field(max_length=2, min_length=2)]
)


class StreamOptions(BaseModel):
    """
    What a stream tells besides tokens.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    include_usage: StrictBool | None = False
    """
    End with an event that has the token counts.
    """
    continuous_usage_stats: StrictBool | None = False
    """
    Have the counts so far in every event; only with `include_usage`.
    """


StopText = TypeAliasType("StopText", Annotated[StrictStr, Field(min_length=1)])


BadWord = TypeAliasType("BadWord", Annotated[StrictStr, Field(min_length=1)])


ChoiceText = TypeAliasType("ChoiceText", Annotated[StrictStr, Field(min_length=1)])


class PlaceholderRange(BaseModel):
    offset: Annotated[StrictInt, Field(ge=0)]
    """
    The place of a file's first token in the prompt.
    """
    length: Annotated[StrictInt, Field(ge=1)]
    """
    How many tokens stand for the file.
    """


class PromptLogprob(BaseModel):
    logprob: Annotated[StrictFloat, Field(le=0.0)]
    """
    Its log-probability.
    """
    rank: Annotated[StrictInt | None, Field(ge=1)]
    """
    1 for the likeliest token; null for one that is not among those asked for.
    """
    decoded_token: StrictStr
    """
    The token as text.
    """


class PromptTokensDetails(BaseModel):
    cached_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens of the prompt that were in the cache.
    """


class Error(BaseModel):
    message: StrictStr
    """
    What to mend.
    """
    type: StrictStr
    """
    The kind of error.
    """
    param: StrictStr | None
    """
    The field at fault, where one is.
    """
    code: StrictInt
    """
    The status.
    """


class Model(BaseModel):
    id: StrictStr
    """
    Its name in requests.
    """
    object: Literal["model"]
    """
    Always this.
    """
    created: Annotated[StrictInt, Field(ge=0)]
    """
    Unix time, in seconds, of the server's start.
    """
    owned_by: StrictStr
    """
    Always `verbatim`.
    """
    root: StrictStr
    """
    The model that an adapter adapts; its own name otherwise.
    """
    parent: StrictStr | None
    """
    The model that an adapter adapts; null for a model.
    """
    max_model_len: Annotated[StrictInt, Field(ge=1)]
    """
    Tokens of prompt and output together.
    """


class Watermark(BaseModel):
    """
    The green-list watermark of Kirchenbauer and others (arXiv 2301.10226, algorithm 2).
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    gamma: Annotated[StrictFloat, Field(gt=0.0, lt=1.0)] = 0.5
    """
    The share of the vocabulary that is favoured.
    """
    delta: StrictFloat = 2
    """
    What is added to the scores of favoured tokens.
    """


class SequenceStart(BaseModel):
    """
    How a sequence began.
    """

    queue_s: Annotated[StrictFloat, Field(ge=0.0)]
    """
    Seconds until the request first ran.
    """
    cached_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens of the prompt that were in the cache.
    """


Stop = TypeAliasType("Stop", Annotated[list[StopText], Field(max_length=64)])
"""
Texts that end a sequence; the tokens that make them stay in it.
"""


class StructuredOutputs(BaseModel):
    """
    One of the forms.
    """

    model_config = ConfigDict(
        extra="forbid",
        arbitrary_types_allowed=True,
    )
    json_: Annotated[dict[str, Any] | StrictStr | None, Field(alias="json")] = None
    """
    A JSON Schema, or the JSON text of one.
    """
    json_object: StrictBool | None = None
    """
    Any JSON object.
    """
    regex: StrictStr | None = None
    """
    A regular expression of the whole text.
    """
    choice: Annotated[list[ChoiceText] | None, Field(max_length=1024, min_length=1)] = None
    """
    One of these texts.
    """
    grammar: StrictStr | None = None
    """
    A context-free grammar in xgrammar's GBNF.
    """
    structural_tag: StrictStr | None = None
    """
    The JSON text of one of xgrammar's structural tags.
    """
    disable_any_whitespace: StrictBool = False
    """
    Keeps vLLM from white space between JSON values. Without effect; this server writes little.
    """
    disable_additional_properties: OnlyFalse = False
    """
    Forbid properties that a schema does not list. A schema says it itself.
    """
    whitespace_pattern: Annotated[None, Field(None)] = None
    """
    White space between JSON values.
    """
    field_backend: Annotated[StrictStr | None, Field(alias="_backend")] = None
    """
    The library that vLLM chose for the form, as its `/render` answers it. Without effect.
    """
    field_backend_was_auto: Annotated[StrictBool, Field(alias="_backend_was_auto")] = False
    """
    Whether vLLM chose it by itself. Without effect.
    """


class AbortRequest(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    request_ids: list[StrictStr]
    """
    The names, each the `request_id` of a request or of its answer.
    """


class TopLogprob(BaseModel):
    token_id: Annotated[StrictInt, Field(ge=0)]
    """
    The token.
    """
    logprob: Annotated[StrictFloat, Field(le=0.0)]
    """
    Its log-probability.
    """
    rank: Annotated[StrictInt | None, Field(ge=1)]
    """
    1 for the likeliest token; null for one that is not among those asked for.
    """


class Usage(BaseModel):
    prompt_tokens: Annotated[StrictInt, Field(ge=1)]
    """
    Tokens of the prompt.
    """
    completion_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens of all sequences.
    """
    total_tokens: Annotated[StrictInt, Field(ge=1)]
    """
    The sum.
    """
    prompt_tokens_details: PromptTokensDetails
    """
    More on the prompt's.
    """


class ErrorResponse(BaseModel):
    error: Error
    """
    What went wrong.
    """


class ModelList(BaseModel):
    object: Literal["list"]
    """
    Always this.
    """
    data: Annotated[list[Model], Field(min_length=1)]
    """
    The models.
    """


class SamplingParams(BaseModel):
    """
    How tokens are drawn, and when a sequence ends.
    """

    model_config = ConfigDict(
        extra="forbid",
        arbitrary_types_allowed=True,
    )
    n: Annotated[StrictInt, Field(ge=1)] = 1
    """
    Sequences that continue the prompt.
    """
    max_tokens: Annotated[StrictInt | None, Field(ge=1)] = None
    """
    Tokens of a sequence at most; null fills the context.
    """
    min_tokens: Annotated[StrictInt, Field(ge=0)] = 0
    """
    No end before this many tokens.
    """
    temperature: Annotated[StrictFloat, Field(ge=0.0)] = 1
    """
    0 takes the most likely token.
    """
    top_p: Annotated[StrictFloat, Field(gt=0.0, le=1.0)] = 1
    """
    Draw from the most likely tokens that make up this probability.
    """
    top_k: Annotated[StrictInt, Field(ge=-1)] = 0
    """
    Draw from this many of the most likely tokens; -1 and 0 stand for all.
    """
    min_p: Annotated[StrictFloat, Field(ge=0.0, le=1.0)] = 0
    """
    Leave out tokens that are less likely than this share of the likeliest one's probability.
    """
    presence_penalty: StrictFloat = 0
    """
    Lowers a token's score if it has been generated.
    """
    frequency_penalty: StrictFloat = 0
    """
    Lowers a token's score for each time that it has been generated.
    """
    repetition_penalty: Annotated[StrictFloat, Field(gt=0.0)] = 1
    """
    Divides the scores of tokens that stand in prompt or output; 1 stands for none.
    """
    seed: Annotated[StrictInt | None, Field(ge=-9223372036854775808, le=18446744073709551615)] = None
    """
    Equal requests with equal seeds are answered alike; null and -1 draw one.
    """
    stop: StopText | Stop | None = None
    """
    Texts that end a sequence; the tokens that make them stay in it.
    """
    stop_token_ids: list[TokenId] | None = None
    """
    Tokens that end a sequence, beside the model's own.
    """
    ignore_eos: StrictBool = False
    """
    Go on after the model's end token.
    """
    logprobs: Annotated[StrictInt | None, Field(ge=0, le=100)] = None
    """
    Tell the log-probability of each token, and those of as many of the likeliest.
    """
    prompt_logprobs: Annotated[StrictInt | None, Field(ge=0, le=100)] = None
    """
    The same of the prompt's tokens.
    """
    logprob_token_ids: Annotated[list[TokenId] | None, Field(max_length=1024)] = None
    """
    Tokens whose log-probabilities to tell in place of the likeliest ones'; only with `logprobs`.
    """
    logit_bias: (
        dict[Annotated[str, StringConstraints(pattern=r"^[0-9]+$", strict=True)], StrictFloat] | None
    ) = None
    """
    By token id, what is added to the token's score.
    """
    allowed_token_ids: Annotated[list[TokenId] | None, Field(min_length=1)] = None
    """
    The only tokens that may come, end tokens too.
    """
    bad_words: list[BadWord] | None = None
    """
    Texts whose tokens are never completed.
    """
    structured_outputs: StructuredOutputs | None = None
    """
    The form that the text of the tokens must have.
    """
    detokenize: StrictBool = True
    """
    Whether vLLM decodes the tokens. Without effect, as answers have no text.
    """
    skip_special_tokens: StrictBool = True
    """
    Leave special tokens out of the text that `stop` is looked for in.
    """
    spaces_between_special_tokens: StrictBool = True
    """
    How vLLM writes special tokens as text. Without effect.
    """
    include_stop_str_in_output: StrictBool = False
    """
    Whether a text keeps what stopped it. Without effect on token ids.
    """
    flat_logprobs: OnlyFalse = False
    """
    Another form of log-probabilities in vLLM's own process.
    """
    skip_reading_prefix_cache: StrictBool | None = None
    """
    Compute the whole prompt. Without effect; a `cache_salt` of its own does it.
    """
    stream_interval: Annotated[None, Field(None)] = None
    """
    How many tokens an event has. Events are sent as tokens come.
    """
    thinking_token_budget: Annotated[StrictInt | None, Field(ge=0)] = None
    """
    The most tokens of thoughts. When they are spent, the tokens that end a thought follow, and then the answer. The model's chat template says which these are; a model that does not think has nothing to bound.
    """
    repetition_detection: Annotated[None, Field(None)] = None
    """
    An end of sequences that repeat themselves.
    """
    extra_args: Annotated[None, Field(None)] = None
    """
    Arguments of extensions of vLLM.
    """
    output_kind: Annotated[StrictInt, Field(ge=0, le=2)] = 0
    """
    How vLLM's front divides an answer, as its `/render` answers it. Without effect; `stream` says it.
    """
    skip_clone: StrictBool = False
    """
    Whether vLLM's process may change its copy, as its `/render` answers it. Without effect.
    """
    output_text_buffer_length: Annotated[StrictInt, Field(ge=0)] = 0
    """
    Characters that vLLM holds back for `stop`, as its `/render` answers it. Without effect.
    """
    watermarking: Annotated[None, Field(None)] = None
    """
    Options of vLLM's own watermark.
    """
    prompt_logprob_token_ids: Annotated[None, Field(None)] = None
    """
    Tokens whose log-probabilities to tell of the prompt.
    """
    prompt_logprob_start: Annotated[None, Field(None)] = None
    """
    The place from which on to tell those of the prompt.
    """
    routed_experts_prompt_start: Annotated[StrictInt, Field(ge=0)] = 0
    """
    The place from which on vLLM tells which experts the prompt took. Without effect, as no answer tells them.
    """
    trace_decode_token_ids: Annotated[None, Field(None)] = None
    """
    Tokens that vLLM is to write, for its traces.
    """
    typical_p: Annotated[StrictFloat, Field(gt=0.0, le=1.0)] = 1
    """
    Draw from the tokens of most typical surprise that make up this probability.
    """
    watermark: Watermark | None = None
    """
    Marks the sequence by the tokens that are favoured.
    """
    banned_token_ids: list[TokenId] | None = None
    """
    Tokens that never come.
    """


class ScoredToken(BaseModel):
    token_id: Annotated[StrictInt, Field(ge=0)]
    """
    The token.
    """
    logprob: Annotated[StrictFloat, Field(le=0.0)]
    """
    Its log-probability.
    """
    rank: Annotated[StrictInt | None, Field(ge=1)]
    """
    1 for the likeliest token; null for one that is not among those asked for.
    """
    top_logprobs: list[TopLogprob]
    """
    The token itself, then the others that were asked for, the likeliest first.
    """


class GenerateRequest(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    request_id: Annotated[StrictStr | MISSING, Field(max_length=512, min_length=1)] = MISSING
    """
    The name that the answer has; drawn if absent.
    """
    token_ids: Annotated[list[TokenId], Field(min_length=1)]
    """
    The tokens to continue, with one placeholder for each of `content_parts`. Nothing is put before them.
    """
    sampling_params: SamplingParams
    model: StrictStr | None = None
    """
    The served model by any of its names; null stands for it too.
    """
    stream: StrictBool | None = False
    """
    Answer with server-sent events.
    """
    stream_options: StreamOptions | None = None
    """
    Options of streams; without effect on a whole answer.
    """
    cache_salt: Annotated[StrictStr | None, Field(max_length=1024, min_length=1)] = None
    """
    The prompt's computation is shared only with requests of the same salt.
    """
    priority: Annotated[StrictInt, Field(ge=-9223372036854775808, le=9223372036854775807)] = 0
    """
    Lower runs first.
    """
    output_mode: Literal["tokens"] = "tokens"
    """
    Answers have token ids alone.
    """
    token_offsets: list[TokenOffset] | None = None
    """
    Where the tokens stand in a text, as vLLM's `/render` answers it. Without effect.
    """
    reasoning_ended: StrictBool | None = None
    """
    Whether the prompt has no open thoughts, as vLLM's `/render` answers it. Without effect.
    """
    reasoning_parser_kwargs: dict[str, Any] | None = None
    """
    Options of vLLM's parser of thoughts. Without effect.
    """
    return_token_ids: StrictBool | None = None
    """
    Answer with the prompt's tokens too, once files have taken the places of their placeholders.
    """
    features: Annotated[None, Field(None)] = None
    """
    Images as a model's processor leaves them. This server takes them as files, by `content_parts`.
    """
    content_parts: list[ContentPart] | None = None
    """
    The files in the prompt, in the order of their placeholders, for models that read any.
    """
    kv_transfer_params: Annotated[None, Field(None)] = None
    """
    Where another server has the prompt's keys and values. This server takes none over.
    """
    ec_transfer_params: Annotated[None, Field(None)] = None
    """
    Where another server has encoded images. This server takes none over.
    """


class TokenLogprobs(BaseModel):
    content: list[ScoredToken]
    """
    An entry a token.
    """


class GenerateStreamChoice(BaseModel):
    index: Annotated[StrictInt, Field(ge=0)]
    """
    Which of the sequences, from 0.
    """
    token_ids: Annotated[list[TokenId], Field(min_length=1)]
    """
    The new tokens.
    """
    finish_reason: Literal["stop", "length"] | None
    """
    Null until the sequence ends.
    """
    stop_reason: StrictStr | StrictInt | None | MISSING = MISSING
    """
    As in a whole answer; with `finish_reason` alone.
    """
    logprobs: TokenLogprobs | MISSING = MISSING
    """
    Log-probabilities of the new tokens; absent unless the request asks for them.
    """
    start: SequenceStart | MISSING = MISSING
    """
    With a sequence's first tokens, and absent from then on.
    """


class GenerateStreamResponse(BaseModel):
    request_id: StrictStr
    """
    The request's name.
    """
    choices: list[GenerateStreamChoice]
    """
    What sequences gain; empty in the event that tells the token counts.
    """
    usage: Usage | MISSING = MISSING
    """
    The token counts, if the request asks for them.
    """
    prompt_token_ids: list[TokenId] | MISSING = MISSING
    """
    As in a whole answer; in the first event.
    """
    mm_placeholders: dict[Literal["image", "audio", "video"], list[PlaceholderRange]] | None | MISSING = (
        MISSING
    )
    """
    As in a whole answer; in the first event.
    """
    prompt_logprobs: list[dict[str, PromptLogprob] | None] | None | MISSING = MISSING
    """
    In the first event, if the request asks for them.
    """


class GenerateChoice(BaseModel):
    index: Annotated[StrictInt, Field(ge=0)]
    """
    Which of the sequences, from 0.
    """
    token_ids: list[TokenId]
    """
    All tokens of the sequence, the end token too.
    """
    finish_reason: Literal["stop", "length"]
    """
    `stop` of an end token, a stop or a complete form; `length` of the bound.
    """
    stop_reason: StrictStr | StrictInt | None
    """
    The stop text or the stop token of the request that ended the sequence; null if another did.
    """
    logprobs: TokenLogprobs | None
    """
    Log-probabilities of the tokens; null unless the request asks for them.
    """


GenerateStreamEvent = TypeAliasType("GenerateStreamEvent", GenerateStreamResponse | ErrorResponse)


class GenerateResponse(BaseModel):
    request_id: StrictStr
    """
    The request's name.
    """
    choices: list[GenerateChoice]
    """
    The sequences by index.
    """
    usage: Usage
    """
    The token counts.
    """
    prompt_logprobs: list[dict[str, PromptLogprob] | None] | None
    """
    An entry a token of the prompt; null unless the request asks for them.
    """
    prompt_token_ids: list[TokenId] | MISSING = MISSING
    """
    The prompt's tokens, with those that stand for files; with `return_token_ids` alone.
    """
    mm_placeholders: dict[Literal["image", "audio", "video"], list[PlaceholderRange]] | None | MISSING = (
        MISSING
    )
    """
    By kind, where the tokens of files stand; null in a prompt without files. With `return_token_ids` alone.
    """
