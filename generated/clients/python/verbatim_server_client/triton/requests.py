# Generated from specs/triton: mend the document or its overlay, never this file.
"""The parts of requests: dictionaries of these forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict


class RepositoryIndexRequest(TypedDict):
    ready: NotRequired[bool]
    """Leave out models that take no requests. Default: `false`."""


MaxTokens: TypeAlias = int


MinTokens: TypeAlias = int


EndToken: TypeAlias = int


Temperature: TypeAlias = float


TopK: TypeAlias = int


TopP: TypeAlias = float


RepetitionPenalty: TypeAlias = float


Penalty: TypeAlias = float


Seed: TypeAlias = int


NumSequences: TypeAlias = int


BeamWidth: TypeAlias = int


GuideType: TypeAlias = Literal["json", "json_schema", "regex", "ebnf_grammar", "structural_tag"]


SamplingText: TypeAlias = str


class StructuredOutputs(TypedDict, closed=True):
    """What the text must be; one member, no more."""

    json: NotRequired[str | Mapping[str, Any] | bool]
    """A JSON Schema, or its text."""
    regex: NotRequired[str]
    """A regular expression for the whole text."""
    choice: NotRequired[Sequence[str]]
    """One of these texts. At least 1 items."""
    grammar: NotRequired[str]
    """A grammar in GBNF."""
    json_object: NotRequired[Literal[True]]
    """Any JSON object."""
    structural_tag: NotRequired[str]
    """A structural tag of xgrammar's as JSON text."""


class Parameters(TypedDict, closed=True):
    """Parameters by name. Which there are is for the model's specification to say."""

    text_input: NotRequired[str | Sequence[str]]
    """The text to go on from. A request needs it, here or in `parameters`."""
    stream: NotRequired[bool | Sequence[bool]]
    """Answer with an event a token. `generate` answers once, and refuses true. Default: `false`."""
    exclude_input_in_output: NotRequired[bool | Sequence[bool]]
    """Leave the input out of `text_output`. True where `stream` is, else false; a stream cannot have false."""
    sampling_parameters: NotRequired[str | Sequence[str]]
    """A JSON object as text, after SamplingOptions. If it is there, it alone says how to sample and when to stop."""
    max_tokens: NotRequired[int | Sequence[int]]
    """Tokens to generate at most. The end of the context ends the text, too."""
    min_tokens: NotRequired[int | Sequence[int]]
    """No end before so many tokens."""
    stop_words: NotRequired[str | Sequence[str]]
    """Texts that end the text, and are left out of it. Empty ones stand for none."""
    bad_words: NotRequired[str | Sequence[str]]
    """Texts that never come. Empty ones stand for none."""
    end_id: NotRequired[int | Sequence[int]]
    """The token that ends the text, in place of the model's own; -1 for none."""
    pad_id: NotRequired[int | Sequence[int]]
    """Changes nothing: nothing is padded here."""
    temperature: NotRequired[float | Sequence[float]]
    """0 takes the likeliest token each time."""
    top_k: NotRequired[int | Sequence[int]]
    """Draw from so many of the likeliest tokens; 0 and -1 stand for all."""
    top_p: NotRequired[float | Sequence[float]]
    """Draw from the likeliest tokens that make up this probability."""
    repetition_penalty: NotRequired[float | Sequence[float]]
    """Divides the scores of tokens that stand in input or output; 1 stands for none."""
    presence_penalty: NotRequired[float | Sequence[float]]
    """Taken from the scores of tokens that stand in the output."""
    frequency_penalty: NotRequired[float | Sequence[float]]
    """Taken from a token's score once for each time that it stands in the output."""
    seed: NotRequired[int | Sequence[int]]
    """Equal seeds draw equal texts; one is drawn if there is none."""
    num_return_sequences: NotRequired[int | Sequence[int]]
    """Texts to generate; `n` by another name. With beams, at most and by default `beam_width`."""
    beam_width: NotRequired[int | Sequence[int]]
    """Hypotheses of a beam search; 1 searches none. A search draws nothing, so `temperature` must be 0 or absent."""
    length_penalty: NotRequired[float | Sequence[float]]
    """Of beam search: above 0 favours long texts. Without beams it changes nothing."""
    embedding_bias_words: NotRequired[str | Sequence[str]]
    """Texts whose tokens get what `embedding_bias_weights` says, added to their scores."""
    embedding_bias_weights: NotRequired[float | Sequence[float]]
    """One for each of `embedding_bias_words`."""
    guided_decoding_guide_type: NotRequired[
        Literal["json", "json_schema", "regex", "ebnf_grammar", "structural_tag"]
        | Sequence[Literal["json", "json_schema", "regex", "ebnf_grammar", "structural_tag"]]
    ]
    """What the text must be."""
    guided_decoding_guide: NotRequired[str | Sequence[str]]
    """The schema, expression, grammar or tag; none for any JSON value."""
    return_finish_reason: NotRequired[bool | Sequence[bool]]
    """Tell why the text ended. Default: `false`."""
    return_cumulative_logprob: NotRequired[bool | Sequence[bool]]
    """Tell the log-probability of the text. Default: `false`."""
    return_logprobs: NotRequired[bool | Sequence[bool]]
    """Tell the log-probabilities of the tokens, as many as `logprobs` says. Default: `false`."""
    return_log_probs: NotRequired[bool | Sequence[bool]]
    """Tell `cum_log_probs` and `output_log_probs`. Default: `false`."""
    return_num_input_tokens: NotRequired[bool | Sequence[bool]]
    """Tell how many tokens the input has. Default: `false`."""
    return_num_output_tokens: NotRequired[bool | Sequence[bool]]
    """Tell how many tokens were generated. Default: `false`."""
    return_context_logits: NotRequired[Literal[False] | Sequence[Literal[False]]]
    """Not told by this server."""
    return_generation_logits: NotRequired[Literal[False] | Sequence[Literal[False]]]
    """Not told by this server."""
    return_perf_metrics: NotRequired[Literal[False] | Sequence[Literal[False]]]
    """Not told by this server."""
    n: NotRequired[int]
    """Texts to generate."""
    min_p: NotRequired[float]
    """Leave out tokens that are less likely than this share of the likeliest one's probability."""
    stop: NotRequired[str]
    """A text that ends the text, and is left out of it."""
    logprobs: NotRequired[int]
    """Tokens to tell of for each place, beside the one that came."""
    ignore_eos: NotRequired[bool]
    """Go on after the model's end token."""
    include_stop_str_in_output: NotRequired[bool]
    """Keep the text in `text_output` that ended it."""
    skip_special_tokens: NotRequired[bool]
    """Leave special tokens out of `text_output`; so it is if absent."""
    structured_outputs: NotRequired[str]
    """A JSON object as text, after StructuredOutputs."""


class SamplingOptions(TypedDict, closed=True):
    """How to sample and when to stop, under vLLM's names. A null counts as absent, and the text of a number or of a boolean as what it says."""

    n: NotRequired[int]
    """Texts to generate."""
    max_tokens: NotRequired[int]
    """Tokens to generate at most."""
    min_tokens: NotRequired[int]
    """No end before so many tokens."""
    stop: NotRequired[str | Sequence[str]]
    """Texts that end the text. Empty ones stand for none. Default: `[]`."""
    stop_token_ids: NotRequired[Sequence[int]]
    """Tokens that end the text, beside the model's own. Default: `[]`."""
    ignore_eos: NotRequired[bool]
    """Go on after the model's end token. Default: `false`."""
    include_stop_str_in_output: NotRequired[bool]
    """Keep the text that ended the text. Default: `false`."""
    skip_special_tokens: NotRequired[bool]
    """Leave special tokens out of the text. Default: `true`."""
    temperature: NotRequired[float]
    """1 if absent; 0 in a beam search."""
    top_k: NotRequired[int]
    """0 and -1 stand for all."""
    top_p: NotRequired[float]
    """1 stands for all."""
    min_p: NotRequired[float]
    """0 stands for all."""
    repetition_penalty: NotRequired[float]
    """1 stands for none."""
    presence_penalty: NotRequired[float]
    """0 stands for none."""
    frequency_penalty: NotRequired[float]
    """0 stands for none."""
    seed: NotRequired[int]
    """One is drawn if there is none."""
    logprobs: NotRequired[int]
    """Tokens to tell of for each place."""
    logit_bias: NotRequired[Mapping[str, float]]
    """What is added to the scores of tokens, by their ids. Default: `{}`."""
    allowed_token_ids: NotRequired[Sequence[int]]
    """The only tokens that may come, the end token too. At least 1 items."""
    bad_words: NotRequired[Sequence[str]]
    """Texts that never come. Empty ones stand for none. At most 64 items. Default: `[]`."""
    structured_outputs: NotRequired[str | StructuredOutputs]
    """What the text must be, as an object or its JSON text."""


class GenerateRequest(TypedDict, closed=True):
    """Members beside these are inputs of the model or parameters, as the model's specification says."""

    id: NotRequired[str]
    """A name for the request that the answer repeats."""
    parameters: NotRequired[Parameters]
    text_input: NotRequired[str | Sequence[str]]
    """The text to go on from. A request needs it, here or in `parameters`."""
    stream: NotRequired[bool | Sequence[bool]]
    """Answer with an event a token. `generate` answers once, and refuses true. Default: `false`."""
    exclude_input_in_output: NotRequired[bool | Sequence[bool]]
    """Leave the input out of `text_output`. True where `stream` is, else false; a stream cannot have false."""
    sampling_parameters: NotRequired[str | Sequence[str]]
    """A JSON object as text, after SamplingOptions. If it is there, it alone says how to sample and when to stop."""
    max_tokens: NotRequired[int | Sequence[int]]
    """Tokens to generate at most. The end of the context ends the text, too."""
    min_tokens: NotRequired[int | Sequence[int]]
    """No end before so many tokens."""
    stop_words: NotRequired[str | Sequence[str]]
    """Texts that end the text, and are left out of it. Empty ones stand for none."""
    bad_words: NotRequired[str | Sequence[str]]
    """Texts that never come. Empty ones stand for none."""
    end_id: NotRequired[int | Sequence[int]]
    """The token that ends the text, in place of the model's own; -1 for none."""
    pad_id: NotRequired[int | Sequence[int]]
    """Changes nothing: nothing is padded here."""
    temperature: NotRequired[float | Sequence[float]]
    """0 takes the likeliest token each time."""
    top_k: NotRequired[int | Sequence[int]]
    """Draw from so many of the likeliest tokens; 0 and -1 stand for all."""
    top_p: NotRequired[float | Sequence[float]]
    """Draw from the likeliest tokens that make up this probability."""
    repetition_penalty: NotRequired[float | Sequence[float]]
    """Divides the scores of tokens that stand in input or output; 1 stands for none."""
    presence_penalty: NotRequired[float | Sequence[float]]
    """Taken from the scores of tokens that stand in the output."""
    frequency_penalty: NotRequired[float | Sequence[float]]
    """Taken from a token's score once for each time that it stands in the output."""
    seed: NotRequired[int | Sequence[int]]
    """Equal seeds draw equal texts; one is drawn if there is none."""
    num_return_sequences: NotRequired[int | Sequence[int]]
    """Texts to generate; `n` by another name. With beams, at most and by default `beam_width`."""
    beam_width: NotRequired[int | Sequence[int]]
    """Hypotheses of a beam search; 1 searches none. A search draws nothing, so `temperature` must be 0 or absent."""
    length_penalty: NotRequired[float | Sequence[float]]
    """Of beam search: above 0 favours long texts. Without beams it changes nothing."""
    embedding_bias_words: NotRequired[str | Sequence[str]]
    """Texts whose tokens get what `embedding_bias_weights` says, added to their scores."""
    embedding_bias_weights: NotRequired[float | Sequence[float]]
    """One for each of `embedding_bias_words`."""
    guided_decoding_guide_type: NotRequired[
        Literal["json", "json_schema", "regex", "ebnf_grammar", "structural_tag"]
        | Sequence[Literal["json", "json_schema", "regex", "ebnf_grammar", "structural_tag"]]
    ]
    """What the text must be."""
    guided_decoding_guide: NotRequired[str | Sequence[str]]
    """The schema, expression, grammar or tag; none for any JSON value."""
    return_finish_reason: NotRequired[bool | Sequence[bool]]
    """Tell why the text ended. Default: `false`."""
    return_cumulative_logprob: NotRequired[bool | Sequence[bool]]
    """Tell the log-probability of the text. Default: `false`."""
    return_logprobs: NotRequired[bool | Sequence[bool]]
    """Tell the log-probabilities of the tokens, as many as `logprobs` says. Default: `false`."""
    return_log_probs: NotRequired[bool | Sequence[bool]]
    """Tell `cum_log_probs` and `output_log_probs`. Default: `false`."""
    return_num_input_tokens: NotRequired[bool | Sequence[bool]]
    """Tell how many tokens the input has. Default: `false`."""
    return_num_output_tokens: NotRequired[bool | Sequence[bool]]
    """Tell how many tokens were generated. Default: `false`."""
    return_context_logits: NotRequired[Literal[False] | Sequence[Literal[False]]]
    """Not told by this server."""
    return_generation_logits: NotRequired[Literal[False] | Sequence[Literal[False]]]
    """Not told by this server."""
    return_perf_metrics: NotRequired[Literal[False] | Sequence[Literal[False]]]
    """Not told by this server."""
    n: NotRequired[int]
    """Texts to generate."""
    min_p: NotRequired[float]
    """Leave out tokens that are less likely than this share of the likeliest one's probability."""
    stop: NotRequired[str]
    """A text that ends the text, and is left out of it."""
    logprobs: NotRequired[int]
    """Tokens to tell of for each place, beside the one that came."""
    ignore_eos: NotRequired[bool]
    """Go on after the model's end token."""
    include_stop_str_in_output: NotRequired[bool]
    """Keep the text in `text_output` that ended it."""
    skip_special_tokens: NotRequired[bool]
    """Leave special tokens out of `text_output`; so it is if absent."""
    structured_outputs: NotRequired[str]
    """A JSON object as text, after StructuredOutputs."""
