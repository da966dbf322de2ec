# Generated from specs/tokens: mend the document or its overlay, never this file.
"""The parts of requests: dictionaries of these forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict


class ContentPart(TypedDict, closed=True):
    """A file in the prompt."""

    type: Literal["image_url", "audio_url", "video_url"]
    """What the file is."""
    url: str
    """A data URL in base64, or a URL that the server may fetch. At least 1 characters."""
    uuid: NotRequired[str | None]
    """A name by which vLLM remembers the file. Without effect, as files are known by their content."""


class StreamOptions(TypedDict, closed=True):
    """What a stream tells besides tokens."""

    include_usage: NotRequired[bool | None]
    """End with an event that has the token counts. Default: `false`."""
    continuous_usage_stats: NotRequired[bool | None]
    """Have the counts so far in every event; only with `include_usage`. Default: `false`."""


class Watermark(TypedDict, closed=True):
    """The green-list watermark of Kirchenbauer and others (arXiv 2301.10226, algorithm 2)."""

    gamma: NotRequired[float]
    """The share of the vocabulary that is favoured. More than 0, less than 1. Default: `0.5`."""
    delta: NotRequired[float]
    """What is added to the scores of favoured tokens. Default: `2`."""


class StructuredOutputs(TypedDict, closed=True):
    """One of the forms."""

    json: NotRequired[Mapping[str, Any] | str | None]
    """A JSON Schema, or the JSON text of one."""
    json_object: NotRequired[bool | None]
    """Any JSON object."""
    regex: NotRequired[str | None]
    """A regular expression of the whole text."""
    choice: NotRequired[Sequence[str] | None]
    """One of these texts. At least 1 items, at most 1024 items."""
    grammar: NotRequired[str | None]
    """A context-free grammar in xgrammar's GBNF."""
    structural_tag: NotRequired[str | None]
    """The JSON text of one of xgrammar's structural tags."""
    disable_any_whitespace: NotRequired[bool]
    """Keeps vLLM from white space between JSON values. Without effect; this server writes little. Default: `false`."""
    disable_additional_properties: NotRequired[Literal[False]]
    """Forbid properties that a schema does not list. A schema says it itself. Default: `false`."""
    whitespace_pattern: NotRequired[None]
    """White space between JSON values."""
    field_backend: NotRequired[str | None]
    """The library that vLLM chose for the form, as its `/render` answers it. Without effect."""
    field_backend_was_auto: NotRequired[bool]
    """Whether vLLM chose it by itself. Without effect. Default: `false`."""


class AbortRequest(TypedDict, closed=True):
    request_ids: Sequence[str]
    """The names, each the `request_id` of a request or of its answer."""


class SamplingParams(TypedDict, closed=True):
    """How tokens are drawn, and when a sequence ends."""

    n: NotRequired[int]
    """Sequences that continue the prompt. At least 1. Default: `1`."""
    max_tokens: NotRequired[int | None]
    """Tokens of a sequence at most; null fills the context. At least 1."""
    min_tokens: NotRequired[int]
    """No end before this many tokens. At least 0. Default: `0`."""
    temperature: NotRequired[float]
    """0 takes the most likely token. At least 0. Default: `1`."""
    top_p: NotRequired[float]
    """Draw from the most likely tokens that make up this probability. More than 0, at most 1. Default: `1`."""
    top_k: NotRequired[int]
    """Draw from this many of the most likely tokens; -1 and 0 stand for all. At least -1. Default: `0`."""
    min_p: NotRequired[float]
    """Leave out tokens that are less likely than this share of the likeliest one's probability. At least 0, at most 1. Default: `0`."""
    presence_penalty: NotRequired[float]
    """Lowers a token's score if it has been generated. Default: `0`."""
    frequency_penalty: NotRequired[float]
    """Lowers a token's score for each time that it has been generated. Default: `0`."""
    repetition_penalty: NotRequired[float]
    """Divides the scores of tokens that stand in prompt or output; 1 stands for none. More than 0. Default: `1`."""
    seed: NotRequired[int | None]
    """Equal requests with equal seeds are answered alike; null and -1 draw one. At least -9223372036854775808, at most 18446744073709551615."""
    stop: NotRequired[str | Sequence[str] | None]
    """Texts that end a sequence; the tokens that make them stay in it."""
    stop_token_ids: NotRequired[Sequence[int] | None]
    """Tokens that end a sequence, beside the model's own."""
    ignore_eos: NotRequired[bool]
    """Go on after the model's end token. Default: `false`."""
    logprobs: NotRequired[int | None]
    """Tell the log-probability of each token, and those of as many of the likeliest. At least 0, at most 100."""
    prompt_logprobs: NotRequired[int | None]
    """The same of the prompt's tokens. At least 0, at most 100."""
    logprob_token_ids: NotRequired[Sequence[int] | None]
    """Tokens whose log-probabilities to tell in place of the likeliest ones'; only with `logprobs`. At most 1024 items."""
    logit_bias: NotRequired[Mapping[str, float] | None]
    """By token id, what is added to the token's score."""
    allowed_token_ids: NotRequired[Sequence[int] | None]
    """The only tokens that may come, end tokens too. At least 1 items."""
    bad_words: NotRequired[Sequence[str] | None]
    """Texts whose tokens are never completed."""
    structured_outputs: NotRequired[StructuredOutputs | None]
    """The form that the text of the tokens must have."""
    detokenize: NotRequired[bool]
    """Whether vLLM decodes the tokens. Without effect, as answers have no text. Default: `true`."""
    skip_special_tokens: NotRequired[bool]
    """Leave special tokens out of the text that `stop` is looked for in. Default: `true`."""
    spaces_between_special_tokens: NotRequired[bool]
    """How vLLM writes special tokens as text. Without effect. Default: `true`."""
    include_stop_str_in_output: NotRequired[bool]
    """Whether a text keeps what stopped it. Without effect on token ids. Default: `false`."""
    flat_logprobs: NotRequired[Literal[False]]
    """Another form of log-probabilities in vLLM's own process. Default: `false`."""
    skip_reading_prefix_cache: NotRequired[bool | None]
    """Compute the whole prompt. Without effect; a `cache_salt` of its own does it."""
    stream_interval: NotRequired[None]
    """How many tokens an event has. Events are sent as tokens come."""
    thinking_token_budget: NotRequired[int | None]
    """The most tokens of thoughts. When they are spent, the tokens that end a thought follow, and then the answer. The model's chat template says which these are; a model that does not think has nothing to bound. At least 0."""
    repetition_detection: NotRequired[None]
    """An end of sequences that repeat themselves."""
    extra_args: NotRequired[None]
    """Arguments of extensions of vLLM."""
    output_kind: NotRequired[int]
    """How vLLM's front divides an answer, as its `/render` answers it. Without effect; `stream` says it. At least 0, at most 2. Default: `0`."""
    skip_clone: NotRequired[bool]
    """Whether vLLM's process may change its copy, as its `/render` answers it. Without effect. Default: `false`."""
    output_text_buffer_length: NotRequired[int]
    """Characters that vLLM holds back for `stop`, as its `/render` answers it. Without effect. At least 0. Default: `0`."""
    watermarking: NotRequired[None]
    """Options of vLLM's own watermark."""
    prompt_logprob_token_ids: NotRequired[None]
    """Tokens whose log-probabilities to tell of the prompt."""
    prompt_logprob_start: NotRequired[None]
    """The place from which on to tell those of the prompt."""
    routed_experts_prompt_start: NotRequired[int]
    """The place from which on vLLM tells which experts the prompt took. Without effect, as no answer tells them. At least 0. Default: `0`."""
    trace_decode_token_ids: NotRequired[None]
    """Tokens that vLLM is to write, for its traces."""
    typical_p: NotRequired[float]
    """Draw from the tokens of most typical surprise that make up this probability. More than 0, at most 1. Default: `1`."""
    watermark: NotRequired[Watermark | None]
    """Marks the sequence by the tokens that are favoured."""
    banned_token_ids: NotRequired[Sequence[int] | None]
    """Tokens that never come."""


class GenerateRequest(TypedDict, closed=True):
    request_id: NotRequired[str]
    """The name that the answer has; drawn if absent. At least 1 characters, at most 512 characters."""
    token_ids: Sequence[int]
    """The tokens to continue, with one placeholder for each of `content_parts`. Nothing is put before them. At least 1 items."""
    sampling_params: SamplingParams
    model: NotRequired[str | None]
    """The served model by any of its names; null stands for it too."""
    stream_options: NotRequired[StreamOptions | None]
    """Options of streams; without effect on a whole answer."""
    cache_salt: NotRequired[str | None]
    """The prompt's computation is shared only with requests of the same salt. At least 1 characters, at most 1024 characters."""
    priority: NotRequired[int]
    """Lower runs first. At least -9223372036854775808, at most 9223372036854775807. Default: `0`."""
    output_mode: NotRequired[Literal["tokens"]]
    """Answers have token ids alone. Default: `"tokens"`."""
    token_offsets: NotRequired[Sequence[Sequence[int]] | None]
    """Where the tokens stand in a text, as vLLM's `/render` answers it. Without effect."""
    reasoning_ended: NotRequired[bool | None]
    """Whether the prompt has no open thoughts, as vLLM's `/render` answers it. Without effect."""
    reasoning_parser_kwargs: NotRequired[Mapping[str, Any] | None]
    """Options of vLLM's parser of thoughts. Without effect."""
    return_token_ids: NotRequired[bool | None]
    """Answer with the prompt's tokens too, once files have taken the places of their placeholders."""
    features: NotRequired[None]
    """Images as a model's processor leaves them. This server takes them as files, by `content_parts`."""
    content_parts: NotRequired[Sequence[ContentPart] | None]
    """The files in the prompt, in the order of their placeholders, for models that read any."""
    kv_transfer_params: NotRequired[None]
    """Where another server has the prompt's keys and values. This server takes none over."""
    ec_transfer_params: NotRequired[None]
    """Where another server has encoded images. This server takes none over."""
