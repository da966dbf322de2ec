# Generated from specs/hf: mend the document or its overlay, never this file.
"""The parts of requests: dictionaries of these forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict


class RegexGrammar(TypedDict):
    type: Literal["regex"]
    value: str
    """A regular expression that the whole text must match."""


class TextPart(TypedDict, closed=True):
    type: Literal["text"]
    text: str
    """The text."""


class ImageUrl(TypedDict, closed=True):
    url: str
    """Where the picture is, or the picture itself as a data URL."""


class FunctionCall(TypedDict, closed=True):
    name: str
    """The function that was called."""
    arguments: NotRequired[str]
    """The arguments as JSON text; without it, none."""
    description: NotRequired[str | None]
    """Without effect; older servers sent it, and clients send it back."""


class StreamOptions(TypedDict):
    include_usage: NotRequired[bool]
    """Send one more chunk before `data: [DONE]`, without choices and with the token counts. Default: `false`."""


class FunctionName(TypedDict):
    name: str
    """The name of one of `tools`; any other is refused."""


class FunctionDefinition(TypedDict):
    name: str
    """What the model calls the function. At least 1 characters."""
    description: NotRequired[str]
    """What the function does and when to call it, for the model to read."""
    parameters: NotRequired[Mapping[str, Any]]
    """JSON Schema of the arguments; absent where the function takes none."""


class TextFormat(TypedDict):
    type: Literal["text"]


class NamedSchema(TypedDict):
    name: str
    """A name for the schema. It has no effect."""
    description: NotRequired[str]
    """Without effect; it tells people what the form is for."""
    schema: NotRequired[Mapping[str, Any]]
    """The JSON Schema that the answer must satisfy; without it any JSON object."""
    strict: NotRequired[bool]
    """Without effect; the schema is always followed to the letter."""


class JsonObjectFormat(TypedDict):
    type: Literal["json_object"]
    value: NotRequired[str | Mapping[str, Any]]
    """The JSON Schema (https://json-schema.org/) that the text must satisfy, as JSON text or as an object."""


class TokenizeRequest(TypedDict):
    inputs: str
    """The text."""
    add_special_tokens: NotRequired[bool]
    """Add the tokenizer's special tokens. Default: `true`."""


class JsonGrammar(TypedDict):
    type: Literal["json"]
    value: str | Mapping[str, Any]
    """The JSON Schema (https://json-schema.org/) that the text must satisfy, as JSON text or as an object."""


class ImagePart(TypedDict, closed=True):
    type: Literal["image_url"]
    image_url: ImageUrl
    """The picture. A model that reads text alone refuses it."""


class ToolCall(TypedDict, closed=True):
    id: str
    """The id that the call had in the answer."""
    type: Literal["function"]
    function: FunctionCall
    """The function that was called, and with what."""


class NamedToolChoice(TypedDict):
    type: NotRequired[Literal["function"]]
    """Default: `"function"`."""
    function: FunctionName
    """The function that the model has to call."""


class Tool(TypedDict):
    type: Literal["function"]
    function: FunctionDefinition
    """The function that the model may call."""


class JsonSchemaFormat(TypedDict):
    type: Literal["json_schema"]
    json_schema: NamedSchema
    """The schema, and its name."""


class CompletionRequest(TypedDict):
    model: str
    """Any name is accepted, and answered by the served model."""
    max_tokens: NotRequired[int]
    """Upper bound on the tokens of each continuation. A prompt that leaves less room in the context is refused. At least 1. Default: `16`."""
    temperature: NotRequired[float]
    """High values make the text more varied; 0 always takes the likeliest token. Without it 1. At least 0, at most 2."""
    top_p: NotRequired[float]
    """Draw only from the likeliest tokens that together have this probability; 0 leaves one. Without it all may be drawn, as with 1. At least 0, at most 1."""
    seed: NotRequired[int]
    """Seed of the random draws, the same for every prompt; without it each prompt draws its own. At least 0, at most 18446744073709551615."""
    suffix: NotRequired[str]
    """The text after the gap that the answer fills. It needs a model whose vocabulary has tokens for fill in the middle, and is refused for others; an empty text is none."""
    prompt: str | Sequence[str]
    """One prompt, or several that are answered in the same order, at most `max_client_batch_size` of /info."""
    stop: NotRequired[str | Sequence[str]]
    """Texts that end the answer and are cut off it."""


class GenerateParameters(TypedDict):
    max_new_tokens: NotRequired[int]
    """Upper bound on the tokens to generate. At least 1. Default: `20`."""
    temperature: NotRequired[float]
    """High values make the text more varied; 0 always takes the likeliest token. Implies do_sample. At least 0."""
    top_p: NotRequired[float]
    """Draw from the likeliest tokens that together have this probability; 0 leaves one. Less than 1 implies do_sample. At least 0, at most 1."""
    top_k: NotRequired[int]
    """Draw only from this many of the likeliest tokens; 0 sets no such limit. Any other implies do_sample. At least 0."""
    repetition_penalty: NotRequired[float]
    """Penalty on tokens that have appeared; 1.0 stands for none. More than 0."""
    do_sample: NotRequired[bool]
    """Draw tokens at random instead of always taking the likeliest. Default: `false`."""
    seed: NotRequired[int]
    """Seed of the random draws; without it one is drawn, which the details tell. At least 0, at most 18446744073709551615."""
    stop: NotRequired[Sequence[str]]
    """Generation ends as soon as one of these texts appears, which stays in the output. At most `max_stop_sequences` of /info."""
    watermark: NotRequired[bool]
    """Mark the text. Default: `false`."""
    return_full_text: NotRequired[bool]
    """Put the prompt in front of the text. Default: `false`."""
    decoder_input_details: NotRequired[bool]
    """Tell of the prompt's tokens. Not on a stream. Default: `false`."""
    details: NotRequired[bool]
    """Tell of the tokens and how the text came about. Default: `false`."""
    truncate: NotRequired[int]
    """Keep this many of the prompt's tokens, those at its end; at most `max_input_length` of /info. At least 1."""
    typical_p: NotRequired[float]
    """Probability mass to keep in typical decoding. Less than 1 implies do_sample. More than 0, at most 1."""
    best_of: NotRequired[int]
    """Generate this many sequences and answer with the one of highest mean log-probability. At most `max_best_of` of /info; more than 1 needs sampling, no `seed` and no stream. At least 1."""
    grammar: NotRequired[JsonGrammar | RegexGrammar]
    """A rule that the text must follow."""


class Message(TypedDict, closed=True):
    role: Literal["system", "user", "assistant", "tool"]
    """Who speaks: instructions are of the system, what a function returned is of the tool."""
    content: NotRequired[str | Sequence[TextPart | ImagePart] | None]
    """A text, or parts of text. Null where an assistant's message has nothing but calls."""
    tool_calls: NotRequired[Sequence[ToolCall] | None]
    """Calls that an assistant's message makes."""
    tool_call_id: NotRequired[str | None]
    """The call that a tool's message answers."""
    name: NotRequired[str | None]
    """The speaker, or the function that answers."""


class GenerateRequest(TypedDict):
    inputs: str
    """The prompt. At least 1 characters."""
    parameters: NotRequired[GenerateParameters]
    """How to generate. Absent and empty mean the same, which is the defaults."""


class ChatCompletionRequest(TypedDict):
    model: str
    """Any name is accepted, and answered by the served model."""
    frequency_penalty: NotRequired[float]
    """Lowers a token's score for each time that it stands in the answer already. A negative value raises it; 0 changes nothing, as if it were absent. At least -2.0, at most 2.0."""
    logprobs: NotRequired[bool]
    """Tell the log-probability of each generated token. Absent counts as false."""
    max_tokens: NotRequired[int]
    """Upper bound on the tokens of the answer; without it the context is filled. At least 1."""
    presence_penalty: NotRequired[float]
    """Lowers the score of every token that stands in the answer already, once. A negative value raises it; 0 changes nothing, as if it were absent. At least -2.0, at most 2.0."""
    seed: NotRequired[int]
    """Seed of the random draws; without it one is drawn, and not told. At least 0, at most 18446744073709551615."""
    temperature: NotRequired[float]
    """0 always takes the likeliest token; without it 1. At least 0, at most 2."""
    tool_prompt: NotRequired[str]
    """Text to put under the last message where tools are offered."""
    top_logprobs: NotRequired[int]
    """Likeliest tokens to tell at each position; needs `logprobs`. At least 0, at most 5."""
    top_p: NotRequired[float]
    """Draw only from the likeliest tokens that together have this probability; 0 leaves one. Without it all may be drawn, as with 1. At least 0, at most 1."""
    messages: Sequence[Message]
    """The conversation, oldest message first. At least 1 items."""
    response_format: NotRequired[TextFormat | JsonSchemaFormat | JsonObjectFormat]
    """What form the answer must have. Excludes `tools`, unless tool_choice is `none`."""
    stop: NotRequired[str | Sequence[str]]
    """Texts that end the answer and are cut off it."""
    stream_options: NotRequired[StreamOptions]
    """What else a stream tells. It is refused if it asks for counts and `stream` is false."""
    tool_choice: NotRequired[Literal["auto", "none", "required"] | NamedToolChoice]
    """`auto`: the model chooses between an answer and calls. `none`: it answers. `required`: it calls at least one. The object: it calls that function."""
    tools: NotRequired[Sequence[Tool]]
    """Functions that the model may call."""
