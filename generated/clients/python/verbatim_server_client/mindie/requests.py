# Generated from specs/mindie: mend the document or its overlay, never this file.
"""The parts of requests: dictionaries of these forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict


class MessageFunction(TypedDict, closed=True):
    name: str
    """The function that was called."""
    arguments: str
    """JSON text."""


class ChatTemplateKwargs(TypedDict):
    """Variables of the chat template."""

    enable_thinking: NotRequired[bool]
    """Whether the model thinks before it answers."""


class FunctionParameters(TypedDict):
    """JSON Schema of the arguments."""

    type: NotRequired[str]
    """The arguments' JSON type, which is an object."""
    properties: NotRequired[Mapping[str, Any]]
    """A JSON Schema for each argument, by its name."""
    required: NotRequired[Sequence[str]]
    """The names of the arguments that no call may leave out."""
    additionalProperties: NotRequired[bool]
    """Whether there may be arguments that `properties` does not name. Default: `false`."""


class NamedFunction(TypedDict):
    name: str
    """The name of one of `tools`; any other is refused."""


class MediaUrl(TypedDict, closed=True):
    url: str
    """Where the medium is, or the medium itself in base64."""


class InputAudio(TypedDict, closed=True):
    data: str
    """The sound in base64."""
    format: Literal["mp3", "wav", "flac"]
    """What the sound is said to be. Its content decides."""


class TextFormat(TypedDict):
    type: Literal["text"]


class JsonObjectFormat(TypedDict):
    """Any JSON object."""

    type: Literal["json_object"]


class NamedSchema(TypedDict):
    name: str
    """A name for the schema. It has no effect. At least 1 characters, at most 64 characters."""
    schema: Mapping[str, Any]
    """The JSON Schema that the text must satisfy. One with a keyword that cannot be held to is refused."""


class ContentPart(TypedDict, closed=True):
    """Text, or a medium for models that see or hear."""

    type: NotRequired[Literal["text", "image_url", "video_url", "audio_url", "input_audio"]]
    """Which of the other members holds the content. If it is absent, the first that is there."""
    text: NotRequired[str]
    """The text, if the part is one. At least 1 characters."""
    image_url: NotRequired[str | MediaUrl]
    """A JPG or PNG of at most 40 MB: its URL, or the picture in base64."""
    video_url: NotRequired[str | MediaUrl]
    """URL of an MP4, AVI or WMV of at most 512 MB."""
    audio_url: NotRequired[str | MediaUrl]
    """URL of an MP3, WAV or FLAC of at most 40 MB."""
    input_audio: NotRequired[InputAudio]
    """Sound, in base64."""


class MessageToolCall(TypedDict, closed=True):
    id: str
    """The id that the call had in the answer."""
    type: Literal["function"]
    function: MessageFunction
    """The function that was called, and with what."""


class FunctionDefinition(TypedDict):
    name: str
    """What the model calls the function: letters, digits, Chinese characters, blanks, `_` and `-`. Matches `^[a-zA-Z0-9_ 一-龥-]{1,64}$`."""
    strict: NotRequired[bool]
    """Hold the arguments to the schema also where the model may choose whether to call. Default: `false`."""
    description: NotRequired[str]
    """What it does and when to call it."""
    parameters: NotRequired[FunctionParameters]


class NamedToolChoice(TypedDict):
    """One call of one function."""

    type: Literal["function"]
    function: NamedFunction
    """The function that the model has to call."""


class JsonSchemaFormat(TypedDict):
    """JSON that fits a schema."""

    type: Literal["json_schema"]
    json_schema: NamedSchema
    """The schema, and its name."""


class Tool(TypedDict):
    type: Literal["function"]
    function: FunctionDefinition
    """The function that the model may call."""


class SystemMessage(TypedDict, closed=True):
    """Instructions."""

    role: Literal["system"]
    content: str | Sequence[ContentPart]
    """The instructions. All messages together have 1 to 4,194,304 characters."""


class UserMessage(TypedDict, closed=True):
    """What the user says or shows."""

    role: Literal["user"]
    content: str | Sequence[ContentPart]
    """A text, or parts of text; pictures, films and audio are refused by models that read text alone."""


class AssistantMessage(TypedDict, closed=True):
    """What the model said before."""

    role: Literal["assistant"]
    tool_calls: NotRequired[Sequence[MessageToolCall] | None]
    """The functions that the model called."""
    content: NotRequired[str | Sequence[ContentPart] | None]
    """Null where there are calls alone."""
    reasoning_content: NotRequired[str | None]
    """What the model thought, as its answer told it; templates know what to do with it."""


class ToolMessage(TypedDict, closed=True):
    """What a function returned."""

    role: Literal["tool"]
    content: str | Sequence[ContentPart]
    """What the function returned: a text, or parts of text."""
    tool_call_id: str
    """The call that it answers. At least 1 characters."""


class ChatRequest(TypedDict):
    model: str
    """The name under which the server has its model."""
    messages: Sequence[SystemMessage | UserMessage | AssistantMessage | ToolMessage]
    """The conversation so far. Its texts together have from 1 to 4194304 characters, and as tokens they leave room for an answer. At least 1 items."""
    presence_penalty: NotRequired[float]
    """Lowers the score of every token that stands in the answer already. Best not with another penalty. At least -2, at most 2. Default: `0.0`."""
    frequency_penalty: NotRequired[float]
    """Lowers a token's score for each time that it stands in the answer already. Best not with another penalty. At least -2, at most 2. Default: `0.0`."""
    repetition_penalty: NotRequired[float]
    """Divides the scores of tokens that stand in prompt or answer; 1 stands for none. Best not with another penalty. More than 0, at most 2. Default: `1.0`."""
    temperature: NotRequired[float]
    """0 takes the likeliest tokens. Calls of functions may fail to come if it is high. At least 0, at most 2. Default: `1.0`."""
    top_p: NotRequired[float]
    """Draw from the likeliest tokens that make up this probability. More than 1e-06, at most 1. Default: `1.0`."""
    top_k: NotRequired[int]
    """Draw from this many of the likeliest tokens; 0, or as many as the vocabulary has, stands for all. At least 0, at most 2147483647."""
    seed: NotRequired[int | None]
    """Equal requests with equal seeds are answered alike. One is drawn if it is absent. At least 0, at most 18446744073709551615."""
    stop: NotRequired[str | Sequence[str] | None]
    """Texts that end the answer; they are not part of it. A list of them has at most 32768 characters. Not with `tools`, and not where thoughts are told from the answer."""
    stop_token_ids: NotRequired[Sequence[Any] | None]
    """Tokens that end the answer; they are not part of it. Items that are no 32-bit integers are passed over. Not with `tools`."""
    include_stop_str_in_output: NotRequired[bool]
    """Keep what ended the answer in it. It has no effect without `stop` and `stop_token_ids`. Not with `tools`, and not where thoughts are told from the answer. Default: `false`."""
    skip_special_tokens: NotRequired[bool]
    """Leave special tokens out of the text. Default: `true`."""
    ignore_eos: NotRequired[bool]
    """Go on after the model's end token. Default: `false`."""
    max_tokens: NotRequired[int]
    """Most tokens of the answer. The server has a bound of its own, and the smaller of the two holds. More than 0, at most 2147483647."""
    use_beam_search: NotRequired[bool]
    """Search for the likeliest answers instead of drawing. Not with `stop`, `stop_token_ids` or `tools`. Default: `false`."""
    best_of: NotRequired[int | None]
    """Answers to generate where there is no beam search; all of them are told. More than 1 needs a `temperature` above 0. Not with `tools`. At least 1, at most 128. Default: `1`."""
    n: NotRequired[int | None]
    """Answers to tell where `best_of` is absent or null, or with beam search. More than 1 needs a `temperature` above 0 unless they are searched for. Not with `tools`. At least 1, at most 128. Default: `1`."""
    logprobs: NotRequired[bool]
    """Tell the log-probability of each token of the answer. Not with `tools`. Default: `false`."""
    top_logprobs: NotRequired[int | None]
    """Tell this many of the likeliest tokens in each place. If it is there and `logprobs` is not, `logprobs` is true. Not with `tools`. At least 0, at most 20. Default: `0`."""
    chat_template_kwargs: NotRequired[ChatTemplateKwargs]
    tools: NotRequired[Sequence[Tool]]
    """Functions that the model may call."""
    tool_choice: NotRequired[NamedToolChoice | Literal["none", "auto", "required"] | None]
    """What is asked of the model about the functions. Default: `"auto"`."""
    response_format: NotRequired[TextFormat | JsonObjectFormat | JsonSchemaFormat | None]
    """The form that the answer must have. Null is any."""
