# Generated from specs/tokens: mend the document or its overlay, never this file.
"""Parts of requests and answers as a client has them; None is absent or null."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, field


class ContentPart(Struct, omit_defaults=True):
    type: str | None = None
    url: str | None = None
    uuid: str | None = None


class StreamOptions(Struct, omit_defaults=True):
    include_usage: bool | None = None
    continuous_usage_stats: bool | None = None


class PlaceholderRange(Struct, omit_defaults=True):
    offset: int | None = None
    length: int | None = None


class PromptLogprob(Struct, omit_defaults=True):
    logprob: float | None = None
    rank: int | None = None
    decoded_token: str | None = None


class PromptTokensDetails(Struct, omit_defaults=True):
    cached_tokens: int | None = None


class Error(Struct, omit_defaults=True):
    message: str | None = None
    type: str | None = None
    param: str | None = None
    code: int | None = None


class Watermark(Struct, omit_defaults=True):
    gamma: float | None = None
    delta: float | None = None


class SequenceStart(Struct, omit_defaults=True):
    queue_s: float | None = None
    cached_tokens: int | None = None


class StructuredOutputs(Struct, omit_defaults=True):
    json: Mapping[str, Any] | str | None = None
    json_object: bool | None = None
    regex: str | None = None
    choice: Sequence[str] | None = None
    grammar: str | None = None
    structural_tag: str | None = None
    disable_any_whitespace: bool | None = None
    disable_additional_properties: bool | None = None
    whitespace_pattern: None = None
    field_backend: str | None = field(name="_backend", default=None)
    field_backend_was_auto: bool | None = field(name="_backend_was_auto", default=None)


class TopLogprob(Struct, omit_defaults=True):
    token_id: int | None = None
    logprob: float | None = None
    rank: int | None = None


class Usage(Struct, omit_defaults=True):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    total_tokens: int | None = None
    prompt_tokens_details: PromptTokensDetails | None = None


class SamplingParams(Struct, omit_defaults=True):
    n: int | None = None
    max_tokens: int | None = None
    min_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    repetition_penalty: float | None = None
    seed: int | None = None
    stop: Sequence[str] | str | None = None
    stop_token_ids: Sequence[int] | None = None
    ignore_eos: bool | None = None
    logprobs: int | None = None
    prompt_logprobs: int | None = None
    logprob_token_ids: Sequence[int] | None = None
    logit_bias: Mapping[str, Any] | None = None
    allowed_token_ids: Sequence[int] | None = None
    bad_words: Sequence[str] | None = None
    structured_outputs: StructuredOutputs | None = None
    detokenize: bool | None = None
    skip_special_tokens: bool | None = None
    spaces_between_special_tokens: bool | None = None
    include_stop_str_in_output: bool | None = None
    flat_logprobs: bool | None = None
    skip_reading_prefix_cache: bool | None = None
    stream_interval: None = None
    thinking_token_budget: int | None = None
    repetition_detection: None = None
    extra_args: None = None
    output_kind: int | None = None
    skip_clone: bool | None = None
    output_text_buffer_length: int | None = None
    watermarking: None = None
    prompt_logprob_token_ids: None = None
    prompt_logprob_start: None = None
    routed_experts_prompt_start: int | None = None
    trace_decode_token_ids: None = None
    typical_p: float | None = None
    watermark: Watermark | None = None
    banned_token_ids: Sequence[int] | None = None


class ScoredToken(Struct, omit_defaults=True):
    token_id: int | None = None
    logprob: float | None = None
    rank: int | None = None
    top_logprobs: Sequence[TopLogprob] | None = None


class GenerateRequest(Struct, omit_defaults=True):
    request_id: str | None = None
    token_ids: Sequence[int] | None = None
    sampling_params: SamplingParams | None = None
    model: str | None = None
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    cache_salt: str | None = None
    priority: int | None = None
    output_mode: str | None = None
    token_offsets: Sequence[Sequence[int]] | None = None
    reasoning_ended: bool | None = None
    reasoning_parser_kwargs: Mapping[str, Any] | None = None
    return_token_ids: bool | None = None
    features: None = None
    content_parts: Sequence[ContentPart] | None = None
    kv_transfer_params: None = None
    ec_transfer_params: None = None


class TokenLogprobs(Struct, omit_defaults=True):
    content: Sequence[ScoredToken] | None = None


class GenerateStreamChoice(Struct, omit_defaults=True):
    index: int | None = None
    token_ids: Sequence[int] | None = None
    finish_reason: str | None = None
    stop_reason: str | int | None = None
    logprobs: TokenLogprobs | None = None
    start: SequenceStart | None = None


class GenerateStreamResponse(Struct, omit_defaults=True):
    request_id: str | None = None
    choices: Sequence[GenerateStreamChoice] | None = None
    usage: Usage | None = None
    prompt_token_ids: Sequence[int] | None = None
    mm_placeholders: Mapping[str, Any] | None = None
    prompt_logprobs: Sequence[Mapping[str, Any] | None] | None = None
