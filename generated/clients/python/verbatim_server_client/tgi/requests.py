# Generated from specs/tgi: mend the document or its overlay, never this file.
"""The parts of requests: dictionaries of these forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict


class FunctionName(TypedDict):
    name: str
    """The name of one of `tools`; any other is refused."""


class StreamOptions(TypedDict):
    include_usage: NotRequired[bool]
    """
    Send one more chunk before `data: [DONE]`, with an empty list of choices and the token counts of the
    whole request. Every other chunk then has a null `usage`. Default: `false`.
    """


class Url(TypedDict, closed=True):
    url: str
    """Where the picture is, or the picture itself as a data URL."""


class MessageFunctionCall(TypedDict, closed=True):
    name: str
    """The function that was called."""
    arguments: str | Mapping[str, Any]
    """The arguments as JSON text or as an object."""


class TextChunk(TypedDict, closed=True):
    type: Literal["text"]
    text: str
    """The text."""


class ImageUrlChunk(TypedDict, closed=True):
    type: Literal["image_url"]
    image_url: Url
    """The picture. A model that reads text alone refuses it."""


class RegexGrammar(TypedDict):
    type: Literal["regex"]
    value: str
    """A regular expression that the whole text must match."""


class JsonSchemaConfig(TypedDict):
    name: NotRequired[str | None]
    """A name for the schema. It has no effect."""
    schema: Mapping[str, Any]
    """The JSON Schema (https://json-schema.org/) that the text must satisfy."""
    strict: NotRequired[bool | None]
    """Without effect; the schema is always followed to the letter."""


class JsonSchemaFormat(TypedDict):
    type: Literal["json_schema"]
    json_schema: JsonSchemaConfig
    """The schema, and its name."""


class JsonObjectFormat(TypedDict):
    type: Literal["json_object"]
    value: NotRequired[Mapping[str, Any] | str]
    """The JSON Schema (https://json-schema.org/) that the text must satisfy, as an object or as JSON text."""


class TextFormat(TypedDict):
    type: Literal["text"]


class FunctionDefinition(TypedDict):
    """A function that the model may call."""

    name: str
    """What the model calls the function. At least 1 characters."""
    description: NotRequired[str | None]
    """What the function does and when to call it, for the model to read."""
    parameters: NotRequired[Mapping[str, Any] | None]
    """JSON Schema of the arguments; absent where the function takes none."""
    arguments: NotRequired[Mapping[str, Any] | None]
    """The other name of `parameters`; send one of the two."""


class NamedToolChoice(TypedDict):
    type: NotRequired[Literal["function"]]
    """Default: `"function"`."""
    function: FunctionName
    """The function that the model has to call."""


class Tool(TypedDict):
    function: FunctionDefinition
    type: Literal["function"]


class MessageToolCall(TypedDict, closed=True):
    id: str
    """The id that the call had in the answer."""
    type: Literal["function"]
    function: MessageFunctionCall
    """The function that was called, and with what."""


class JsonGrammar(TypedDict):
    type: Literal["json", "json_object"]
    """The text is JSON that satisfies `value`. Both words mean the same."""
    value: Mapping[str, Any] | str
    """The JSON Schema (https://json-schema.org/) that the text must satisfy, as an object or as JSON text."""


class JsonSchemaGrammar(TypedDict):
    type: Literal["json_schema"]
    value: JsonSchemaConfig
    """The schema, and its name."""


class CompletionRequest(TypedDict):
    frequency_penalty: NotRequired[float | None]
    """
    From -2 to 2. A positive value lowers the score of a token the more often it has appeared, so that the
    model repeats itself less. At least -2, at most 2.
    """
    max_tokens: NotRequired[int | None]
    """Upper bound on the tokens of each continuation. Null fills the context. At least 1, at most 2147483647. Default: `32`."""
    model: NotRequired[str | None]
    """Any name is accepted, and answered by the served model."""
    prompt: str | Sequence[str]
    """One prompt, or several that are answered in the same order, at most `max_client_batch_size` of /info."""
    repetition_penalty: NotRequired[float | None]
    """Penalty on tokens that have appeared; 1.0 stands for none. More than 0."""
    seed: NotRequired[int | None]
    """Seed of the random draws, the same for every prompt; with null each prompt draws its own. At least 0, at most 18446744073709551615."""
    suffix: NotRequired[str | None]
    """The text after the gap that the answer fills. It needs a model whose vocabulary has tokens for fill in the middle, and is refused for others; an empty text is none."""
    temperature: NotRequired[float | None]
    """High values make the text more varied, low ones more predictable; 0 always takes the most likely token. Null counts as 1. Change this or `top_p`, rather than both. At least 0."""
    top_p: NotRequired[float | None]
    """
    Nucleus sampling: draw only from the most likely tokens that together reach this probability.
    With 0.1 these are the tokens of the top tenth of the probability mass. More than 0, at most 1.
    """
    stop: NotRequired[str | Sequence[str] | None]
    """Texts that end the text and are cut off it, at most 4 of them. Null stands for none."""
    presence_penalty: NotRequired[float | None]
    """From -2 to 2. A positive value lowers the score of every token that has appeared at all, so that the model moves on to something new. At least -2, at most 2."""
    top_k: NotRequired[int | None]
    """Draw only from this many of the most likely tokens. At least 1, at most 2147483647."""
    typical_p: NotRequired[float | None]
    """
    Probability mass to keep in typical decoding.
    Source: https://arxiv.org/abs/2202.00666 More than 0, at most 1.
    """


class ContentMessage(TypedDict, closed=True):
    """What someone said, or what a tool returned."""

    role: str
    """Who speaks: `system`, `user`, `assistant` or `tool`, or what else the model's template knows."""
    content: str | Sequence[TextChunk | ImageUrlChunk]
    """A text, or parts of text and pictures. A model that reads text alone refuses pictures."""
    name: NotRequired[str | None]
    """The speaker, or the function that answers, for templates that show it."""
    tool_calls: NotRequired[Sequence[MessageToolCall] | None]
    """The calls that an assistant made beside what it said."""
    tool_call_id: NotRequired[str | None]
    """On a message of the role `tool`, the call that it answers."""


class ToolCallsMessage(TypedDict, closed=True):
    """An assistant's tool calls without words."""

    role: str
    """Who speaks, which is the `assistant`."""
    content: NotRequired[str | Sequence[TextChunk | ImageUrlChunk] | None]
    """Text beside the calls; null where there is none."""
    name: NotRequired[str | None]
    """The speaker, for templates that show it."""
    tool_calls: Sequence[MessageToolCall]
    """The calls that the model made."""


class GenerateParameters(TypedDict):
    adapter_id: NotRequired[str | None]
    """Name of a loaded LoRA adapter to apply; any other is refused."""
    best_of: NotRequired[int | None]
    """Generate this many sequences and answer with the one of highest mean log-probability. 0 counts as 1. At most `max_best_of` of /info; more than 1 needs sampling, no `seed` and no stream. At least 0."""
    decoder_input_details: NotRequired[bool]
    """Return ids and log-probabilities of the prompt's tokens. Default: `false`."""
    details: NotRequired[bool]
    """Return how the text came about: tokens, log-probabilities, finish reason. Default: `false`."""
    do_sample: NotRequired[bool]
    """Draw tokens at random instead of always taking the most likely one. A temperature, top_p or typical_p other than 1, and any top_k, imply it. Default: `false`."""
    frequency_penalty: NotRequired[float | None]
    """From -2 to 2; 0 stands for none. A positive value lowers the score of a token the more often it has appeared, so that the model repeats itself less. At least -2, at most 2."""
    grammar: NotRequired[JsonGrammar | RegexGrammar | JsonSchemaGrammar | None]
    """The form that the text must have; null leaves it free."""
    max_new_tokens: NotRequired[int | None]
    """Upper bound on the tokens to generate. Null fills the context. At least 1, at most 2147483647. Default: `100`."""
    repetition_penalty: NotRequired[float | None]
    """
    Penalty on tokens that have appeared; 1.0 stands for none.
    Source: https://arxiv.org/pdf/1909.05858.pdf More than 0.
    """
    return_full_text: NotRequired[bool | None]
    """Put the prompt in front of the generated text. Null counts as false."""
    seed: NotRequired[int | None]
    """Seed of the random draws; null draws one, which the details tell. At least 0, at most 18446744073709551615."""
    stop: NotRequired[Sequence[str]]
    """Generation ends as soon as one of these texts appears, which stays in the output. At most 4 items. Default: `[]`."""
    temperature: NotRequired[float | None]
    """Divides the logits before sampling. More than 0."""
    top_k: NotRequired[int | None]
    """Draw only from this many of the most likely tokens. At least 1, at most 2147483647."""
    top_n_tokens: NotRequired[int | None]
    """Return this many of the most likely tokens at each position; none if 0 or null. At least 0, at most 2147483647."""
    top_p: NotRequired[float | None]
    """Nucleus sampling: draw only from the most likely tokens that together reach this probability. More than 0, at most 1."""
    truncate: NotRequired[int | None]
    """Keep this many of the prompt's tokens, those at its end; at most max_input_tokens of /info. At least 1."""
    typical_p: NotRequired[float | None]
    """
    Probability mass to keep in typical decoding.
    Source: https://arxiv.org/abs/2202.00666 More than 0, at most 1.
    """
    watermark: NotRequired[bool]
    """Mark the text as in https://arxiv.org/abs/2301.10226. Default: `false`."""


class GenerateRequest(TypedDict):
    inputs: str
    """The prompt. At least 1 characters."""
    parameters: NotRequired[GenerateParameters]
    """How to generate. Absent and empty mean the same, which is the defaults."""


class ChatRequest(TypedDict):
    frequency_penalty: NotRequired[float | None]
    """
    From -2 to 2. A positive value lowers the score of a token the more often it has appeared, so that the
    model repeats itself less. At least -2, at most 2.
    """
    guideline: NotRequired[str | None]
    """Extra text that the chat template may use."""
    logprobs: NotRequired[bool | None]
    """Return the log-probability of each generated token."""
    max_tokens: NotRequired[int | None]
    """Upper bound on the tokens of the answer. Null fills the context. `max_completion_tokens` is its other name; send one of the two. At least 1, at most 2147483647."""
    messages: Sequence[ContentMessage | ToolCallsMessage]
    """The conversation so far, oldest message first. At least 1 items."""
    model: NotRequired[str | None]
    """Any name is accepted, and answered by the served model."""
    n: NotRequired[int | None]
    """How many answers to generate; every one of them costs tokens. Null counts as 1. At least 1, at most 16."""
    presence_penalty: NotRequired[float | None]
    """
    From -2 to 2. A positive value lowers the score of every token that has appeared at all, so that the
    model moves on to something new. At least -2, at most 2.
    """
    response_format: NotRequired[
        JsonGrammar
        | RegexGrammar
        | JsonSchemaGrammar
        | JsonSchemaFormat
        | JsonObjectFormat
        | TextFormat
        | None
    ]
    """What form the answer must have; null leaves it free. Excludes `tools`."""
    seed: NotRequired[int | None]
    """Seed of the random draws; null draws one, which is not told. At least 0, at most 18446744073709551615."""
    stream_options: NotRequired[StreamOptions | None]
    """What else a stream tells. It has no effect where `stream` is false."""
    temperature: NotRequired[float | None]
    """High values make the text more varied, low ones more predictable; 0 always takes the most likely token. Null counts as 1. Change this or `top_p`, rather than both. At least 0."""
    tool_choice: NotRequired[Literal["auto", "none", "required"] | NamedToolChoice | str | None]
    """Whether functions are to be called, and which. Null counts as `auto`."""
    tool_prompt: NotRequired[str | None]
    """Text to put under the last message where tools are offered."""
    tools: NotRequired[Sequence[Tool] | None]
    """The functions that the model may call. Functions are the only kind of tool."""
    top_logprobs: NotRequired[int | None]
    """
    How many of the most likely tokens, 0 to 5, to return at each position with their log-probabilities.
    Needs `logprobs` to be true. At least 0, at most 5.
    """
    top_p: NotRequired[float | None]
    """
    Nucleus sampling: draw only from the most likely tokens that together reach this probability.
    With 0.1 these are the tokens of the top tenth of the probability mass. More than 0, at most 1.
    """
    stop: NotRequired[str | Sequence[str] | None]
    """Texts that end the text and are cut off it, at most 4 of them. Null stands for none."""
    logit_bias: NotRequired[Mapping[str, float] | None]
    """A number from -100 to 100 for each token id, which is added to that token's score before sampling: small values nudge, the extremes forbid or force a token."""
    max_completion_tokens: NotRequired[int | None]
    """The other name of `max_tokens`; send one of the two. At least 1, at most 2147483647."""
    repetition_penalty: NotRequired[float | None]
    """Penalty on tokens that have appeared; 1.0 stands for none. More than 0."""
    top_k: NotRequired[int | None]
    """Draw only from this many of the most likely tokens. At least 1, at most 2147483647."""
    typical_p: NotRequired[float | None]
    """
    Probability mass to keep in typical decoding.
    Source: https://arxiv.org/abs/2202.00666 More than 0, at most 1.
    """


class CompatGenerateRequest(TypedDict):
    inputs: str
    """The prompt. At least 1 characters."""
    parameters: NotRequired[GenerateParameters]
    """How to generate. Absent and empty mean the same, which is the defaults."""
