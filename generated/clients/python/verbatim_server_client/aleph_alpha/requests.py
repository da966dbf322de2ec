# Generated from specs/aleph_alpha: mend the document or its overlay, never this file.
"""The parts of requests: dictionaries of these forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict


class ChatMessage(TypedDict, closed=True):
    role: Literal["system", "user", "assistant"]
    """Who speaks. A message of the system can only come first; after it user and assistant alternate, and the user begins and ends."""
    content: str
    """What is said."""
    name: NotRequired[str | None]
    """Not supported; ignored."""


class StreamOptions(TypedDict):
    include_usage: NotRequired[bool | None]
    """Send the token counts before the end, in a chunk without choices. Default: `false`."""


class TokenizationRequest(TypedDict):
    model: str
    """The name of the served model, or an alias of it; any other is refused."""
    prompt: str
    """The text to turn into tokens. No special tokens are added."""
    tokens: bool
    """Whether to tell the tokens as the vocabulary writes them."""
    token_ids: bool
    """Whether to tell their ids."""


class DetokenizationRequest(TypedDict):
    model: str
    """The name of the served model, or an alias of it; any other is refused."""
    token_ids: Sequence[int]
    """Token ids of the served model. One outside of the vocabulary is refused."""


class ChatRequest(TypedDict):
    messages: Sequence[ChatMessage]
    """The conversation so far: at most one system message, which is the first; then user and assistant by turns, the user first and last. At least 1 items."""
    model: str
    """The name of a model that can chat."""
    frequency_penalty: NotRequired[float | None]
    """Lowers a token's score for each time that it stands in the answer already. At least -2, at most 2."""
    logprobs: NotRequired[bool | None]
    """Tell the log-probabilities of the answer's tokens."""
    top_logprobs: NotRequired[int | None]
    """Tell also those of as many of the most likely tokens. At least 0, at most 20."""
    max_tokens: NotRequired[int | None]
    """Tokens to generate at most; as many as the context has room for if absent. At least 1."""
    n: NotRequired[int | None]
    """How many answers. At least 1. Default: `1`."""
    presence_penalty: NotRequired[float | None]
    """Lowers a token's score once if it stands in the answer already. At least -2, at most 2."""
    seed: NotRequired[int | None]
    """Not supported; ignored."""
    service_tier: NotRequired[str | None]
    """Not supported; ignored."""
    temperature: NotRequired[float | None]
    """Divides the scores before a token is drawn; 0 takes the most likely token. At least 0, at most 2. Default: `1`."""
    top_p: NotRequired[float | None]
    """Draw from the most likely tokens that make up this probability. At least 0, at most 1. Default: `1`."""
    user: NotRequired[str | None]
    """Not supported; ignored."""
    logit_bias: NotRequired[Mapping[str, float] | None]
    """What is added to the scores of single tokens before one is drawn, from -100 to 100 by token id. Null changes none."""
    stream_options: NotRequired[StreamOptions | None]
    """Options of a stream; without one they have no effect."""
    stop: NotRequired[str | Sequence[str] | None]
    """Texts that end the answer; it does not hold them."""
    response_format: NotRequired[None]
    """Not supported; refused."""
    tools: NotRequired[None]
    """Not supported; refused."""
    tool_choice: NotRequired[None]
    """Not supported; refused."""
    parallel_tool_calls: NotRequired[None]
    """Not supported; refused."""
    maximum_tokens: NotRequired[int | None]
    """The same as max_tokens. At least 1."""
    top_k: NotRequired[int | None]
    """Draw from as many of the most likely tokens; 0 stands for all. At least 0."""
    steering_concepts: NotRequired[Sequence[str] | None]
    """Directions to steer the model in. There are none here. At most 0 items."""


class TextItem(TypedDict):
    type: Literal["text"]
    data: str
    """The text. The tokenizer's own special tokens are put before it only if it is the first item."""
    controls: NotRequired[Sequence[Mapping[str, Any]]]
    """How much attention parts of the item get."""


class TokensItem(TypedDict):
    type: Literal["token_ids"]
    data: Sequence[int]
    """Token ids of the served model, taken as they are. One outside of the vocabulary is refused."""
    controls: NotRequired[Sequence[Mapping[str, Any]]]
    """How much attention parts of the item get."""


class ImageItem(TypedDict):
    type: Literal["image"]
    data: str
    """The image, base64."""
    controls: NotRequired[Sequence[Mapping[str, Any]]]
    """How much attention parts of the item get."""


class CompletionRequest(TypedDict):
    model: str
    """The name of the served model, or an alias of it; any other is refused."""
    prompt: str | Sequence[TextItem | TokensItem | ImageItem]
    """A text, or items that follow each other. An empty one begins a text."""
    hosting: NotRequired[str | None]
    """Where the request may be processed."""
    maximum_tokens: NotRequired[int | None]
    """Tokens to generate at most; as many as the context has room for if absent. 0 tells of the prompt. At least 0."""
    minimum_tokens: NotRequired[int | None]
    """No end before as many tokens. At least 0. Default: `0`."""
    echo: NotRequired[bool | None]
    """Begin the completion with the prompt. Default: `false`."""
    temperature: NotRequired[float | None]
    """Divides the scores before a token is drawn; 0 takes the most likely token. At least 0. Default: `0`."""
    top_k: NotRequired[int | None]
    """Draw from as many of the most likely tokens; 0 stands for all. At least 0. Default: `0`."""
    top_p: NotRequired[float | None]
    """Draw from the most likely tokens that make up this probability; 0 stands for all. At least 0, at most 1. Default: `0`."""
    presence_penalty: NotRequired[float | None]
    """Lowers a token's score once if it stands in the completion already. At least -100, at most 100. Default: `0`."""
    frequency_penalty: NotRequired[float | None]
    """Lowers a token's score for each time that it stands in the completion already. At least -100, at most 100. Default: `0`."""
    sequence_penalty: NotRequired[float | None]
    """Lowers the scores of tokens that would repeat a sequence. At least 0, at most 0. Default: `0`."""
    sequence_penalty_min_length: NotRequired[int | None]
    """Tokens that make a sequence at least. At least 2. Default: `2`."""
    repetition_penalties_include_prompt: NotRequired[bool | None]
    """Whether what stands in the prompt is penalised. Default: `false`."""
    repetition_penalties_include_completion: NotRequired[bool | None]
    """Whether what stands in the completion is penalised. Default: `true`."""
    use_multiplicative_presence_penalty: NotRequired[bool | None]
    """Whether that penalty divides instead of being taken off. Default: `false`."""
    use_multiplicative_frequency_penalty: NotRequired[bool | None]
    """Whether that penalty divides instead of being taken off. Default: `false`."""
    use_multiplicative_sequence_penalty: NotRequired[bool | None]
    """Whether that penalty divides instead of being taken off. Default: `false`."""
    penalty_exceptions: NotRequired[Sequence[str] | None]
    """Texts whose tokens are not penalised. At most 0 items."""
    penalty_exceptions_include_stop_sequences: NotRequired[bool | None]
    """Whether `stop_sequences` are such texts; true if absent."""
    best_of: NotRequired[int | None]
    """Generate as many, and tell the `n` most likely. It is above `n`, and not for streams. At least 1, at most 100."""
    n: NotRequired[int | None]
    """How many completions. At least 1. Default: `1`."""
    logit_bias: NotRequired[Mapping[str, float] | None]
    """What is added to the scores of single tokens before one is drawn, from -100 to 100 by token id. Null changes none."""
    log_probs: NotRequired[int | None]
    """Tell the tokens' log-probabilities, and those of as many of the most likely in each place. At least 0, at most 20."""
    stop_sequences: NotRequired[Sequence[str] | None]
    """Texts that end the completion; it does not hold them. At most 64 items."""
    tokens: NotRequired[bool | None]
    """Tell the tokens as texts. Default: `false`."""
    raw_completion: NotRequired[bool | None]
    """Tell the text as the model made it, special tokens included. Default: `false`."""
    disable_optimizations: NotRequired[bool | None]
    """Leave prompt and completion as they are. Default: `false`."""
    completion_bias_inclusion: NotRequired[Sequence[str] | None]
    """The only texts that may be generated. At most 0 items."""
    completion_bias_inclusion_first_token_only: NotRequired[bool | None]
    """Whether that binds the first token alone. Default: `false`."""
    completion_bias_exclusion: NotRequired[Sequence[str] | None]
    """Texts that are not generated."""
    completion_bias_exclusion_first_token_only: NotRequired[bool | None]
    """Whether that binds the first token alone. Default: `false`."""
    contextual_control_threshold: NotRequired[float | None]
    """How similar a token must be to share a control."""
    control_log_additive: NotRequired[bool | None]
    """How controls are applied. Default: `true`."""
    steering_concepts: NotRequired[Sequence[str] | None]
    """Directions to steer the model in. At most 0 items."""
    penalty_bias: NotRequired[None]
    """A text whose tokens are penalised as well. Refused."""


class EvaluationRequest(TypedDict):
    model: str
    """The name of the served model, or an alias of it; any other is refused."""
    prompt: str | Sequence[TextItem | TokensItem | ImageItem]
    """A text, or items that follow each other. An empty one begins a text."""
    completion_expected: str
    """The text whose likelihood is asked for. At least 1 characters."""
    hosting: NotRequired[str | None]
    """Where the request may be processed."""
    contextual_control_threshold: NotRequired[float | None]
    """How similar a token must be to share a control."""
    control_log_additive: NotRequired[bool | None]
    """How controls are applied. Default: `true`."""
