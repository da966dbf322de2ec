# Generated from specs/open_responses: mend the document or its overlay, never this file.
"""The parts of requests: dictionaries of these forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict


class InputVideoContent(TypedDict):
    """A video that the model is given."""

    type: Literal["input_video"]
    """The kind of the part. Default: `"input_video"`."""
    video_url: str
    """The address of the video, or the video itself in base64."""


class TextResponseFormat(TypedDict):
    type: Literal["text"]
    """Default: `"text"`."""


class ItemReferenceParam(TypedDict, closed=True):
    """An item that the server knows by its id."""

    type: NotRequired[Literal["item_reference"] | None]
    """The kind of the item."""
    id: str
    """The id of the item. At least 1 characters."""


class ReasoningSummaryContentParam(TypedDict, closed=True):
    type: Literal["summary_text"]
    """The kind of the part. Default: `"summary_text"`."""
    text: str
    """The summary. At most 10485760 characters."""


class CompactionSummaryItemParam(TypedDict, closed=True):
    """What stands for a part of a conversation that was compacted."""

    id: NotRequired[str | None]
    """The item's own id."""
    type: Literal["compaction"]
    """The kind of the item. Default: `"compaction"`."""
    encrypted_content: str
    """What compaction made. At most 10485760 characters."""


class InputTextContentParam(TypedDict, closed=True):
    """A text that the model is given."""

    type: Literal["input_text"]
    """The kind of the part. Default: `"input_text"`."""
    text: str
    """The text. At most 10485760 characters."""


class InputImageContentParamAutoParam(TypedDict, closed=True):
    """An image that the model is given."""

    type: Literal["input_image"]
    """The kind of the part. Default: `"input_image"`."""
    image_url: NotRequired[str | None]
    """The address of the image, or the image itself as a data URL in base64."""
    detail: NotRequired[Literal["low", "high", "auto"] | None]
    """How closely to look at it; `auto` if it is absent."""


class InputFileContentParam(TypedDict, closed=True):
    """A file that the model is given."""

    type: Literal["input_file"]
    """The kind of the part. Default: `"input_file"`."""
    filename: NotRequired[str | None]
    """The name of the file."""
    file_data: NotRequired[str | None]
    """The file in base64."""
    file_url: NotRequired[str | None]
    """The address of the file."""


class UserMessageItemParam(TypedDict, closed=True):
    id: NotRequired[str | None]
    """The item's own id."""
    type: NotRequired[Literal["message"]]
    """The kind of the item. Default: `"message"`."""
    role: Literal["user"]
    """Who speaks. Default: `"user"`."""
    content: Sequence[InputTextContentParam | InputImageContentParamAutoParam | InputFileContentParam] | str
    """A text, or parts."""
    status: NotRequired[str | None]
    """How far the item is."""


class SystemMessageItemParam(TypedDict, closed=True):
    id: NotRequired[str | None]
    """The item's own id."""
    type: NotRequired[Literal["message"]]
    """The kind of the item. Default: `"message"`."""
    role: Literal["system"]
    """Who speaks. Default: `"system"`."""
    content: Sequence[InputTextContentParam] | str
    """A text, or parts."""
    status: NotRequired[str | None]
    """How far the item is."""


class DeveloperMessageItemParam(TypedDict, closed=True):
    id: NotRequired[str | None]
    """The item's own id."""
    type: NotRequired[Literal["message"]]
    """The kind of the item. Default: `"message"`."""
    role: Literal["developer"]
    """Who speaks. Default: `"developer"`."""
    content: Sequence[InputTextContentParam] | str
    """A text, or parts."""
    status: NotRequired[str | None]
    """How far the item is."""


class UrlCitationParam(TypedDict):
    type: Literal["url_citation"]
    """The kind of the annotation. Default: `"url_citation"`."""
    start_index: int
    """Where in the text the cited words begin. At least 0."""
    end_index: int
    """Where in the text they end. At least 0."""
    url: str
    """The address of the source."""
    title: str
    """The name of the source."""


class OutputTextContentParam(TypedDict, closed=True):
    type: Literal["output_text"]
    """The kind of the part. Default: `"output_text"`."""
    text: str
    """The text. At most 10485760 characters."""
    annotations: NotRequired[Sequence[UrlCitationParam]]
    """Notes on the text."""


class RefusalContentParam(TypedDict, closed=True):
    type: Literal["refusal"]
    """The kind of the part. Default: `"refusal"`."""
    refusal: str
    """The refusal. At most 10485760 characters."""


class AssistantMessageItemParam(TypedDict, closed=True):
    id: NotRequired[str | None]
    """The item's own id."""
    type: NotRequired[Literal["message"]]
    """The kind of the item. Default: `"message"`."""
    role: Literal["assistant"]
    """Who speaks. Default: `"assistant"`."""
    content: Sequence[OutputTextContentParam | RefusalContentParam] | str
    """A text, or parts."""
    phase: NotRequired[Literal["commentary", "final_answer"]]
    """Whether an assistant's message comments on its way to the answer or is the answer. Clients send it back as they got it."""
    status: NotRequired[str | None]
    """How far the item is."""


class FunctionCallItemParam(TypedDict, closed=True):
    id: NotRequired[str | None]
    """The item's own id."""
    call_id: str
    """The id by which call and output know each other. At least 1 characters, at most 64 characters."""
    type: Literal["function_call"]
    """The kind of the item. Default: `"function_call"`."""
    name: str
    """The function that is called. At least 1 characters, at most 64 characters, matches `^[a-zA-Z0-9_-]+$`."""
    arguments: str
    """The arguments as JSON text."""
    status: NotRequired[Literal["in_progress", "completed", "incomplete"] | None]
    """How far the item is."""


class FunctionCallOutputItemParam(TypedDict, closed=True):
    """What a function returned."""

    id: NotRequired[str | None]
    """The item's own id."""
    call_id: str
    """The id by which call and output know each other. At least 1 characters, at most 64 characters."""
    type: Literal["function_call_output"]
    """The kind of the item. Default: `"function_call_output"`."""
    output: (
        Sequence[
            InputTextContentParam
            | InputImageContentParamAutoParam
            | InputFileContentParam
            | InputVideoContent
        ]
        | str
    )
    """What the function returned: JSON text, or parts."""
    status: NotRequired[Literal["in_progress", "completed", "incomplete"] | None]
    """How far the item is."""


class EmptyModelParam(TypedDict):
    """The JSON Schema of the arguments."""


class FunctionToolParam(TypedDict, closed=True):
    name: str
    """How the model calls it. At least 1 characters, at most 64 characters, matches `^[a-zA-Z0-9_-]+$`."""
    description: NotRequired[str | None]
    """What it does, for the model to read."""
    parameters: NotRequired[EmptyModelParam | None]
    """The JSON Schema of the arguments; null for a function without any."""
    strict: NotRequired[bool]
    """Whether arguments always follow the schema. If false, they are only certain to be an object. Default: `true`."""
    type: Literal["function"]
    """Default: `"function"`."""


ResponsesToolParam: TypeAlias = FunctionToolParam


class SpecificFunctionParam(TypedDict, closed=True):
    type: Literal["function"]
    """The kind of the tool. Default: `"function"`."""
    name: str
    """The function's name."""


SpecificToolChoiceParam: TypeAlias = SpecificFunctionParam


class AllowedToolsParam(TypedDict, closed=True):
    type: Literal["allowed_tools"]
    """The kind of the choice. Default: `"allowed_tools"`."""
    tools: Sequence[SpecificToolChoiceParam]
    """The tools that may be called. At least 1 items, at most 128 items."""
    mode: NotRequired[Literal["auto", "required"]]
    """Whether at least one of them must be called. Default: `"auto"`."""


class JsonSchemaResponseFormatParam(TypedDict, closed=True):
    type: Literal["json_schema"]
    """The kind of the format."""
    description: NotRequired[str]
    """What the format is for."""
    name: str
    """A name of at most 64 letters, digits, underscores and hyphens. Matches `^[a-zA-Z0-9_-]{1,64}$`."""
    schema: Mapping[str, Any]
    """The JSON Schema of the text."""
    strict: NotRequired[bool | None]
    """Whether the text must follow the schema."""


class TextParam(TypedDict, closed=True):
    format: NotRequired[TextResponseFormat | JsonSchemaResponseFormatParam | None]
    """The format of the text."""
    verbosity: NotRequired[Literal["low", "medium", "high"]]
    """How long the text is to be, for chat templates that read it."""


class StreamOptionsParam(TypedDict, closed=True):
    """Options of a stream."""

    include_obfuscation: NotRequired[bool]
    """No effect."""


class ReasoningParam(TypedDict, closed=True):
    """How the model is to think."""

    effort: NotRequired[Literal["none", "low", "medium", "high", "xhigh"] | None]
    """How much to think."""
    summary: NotRequired[Literal["concise", "detailed", "auto"] | None]
    """No effect; the response repeats it."""


class ReasoningTextContentParam(TypedDict, closed=True):
    type: Literal["reasoning_text"]
    """The kind of the part."""
    text: str
    """The thoughts. At most 10485760 characters."""


class ReasoningItemParam(TypedDict, closed=True):
    id: NotRequired[str | None]
    """The item's own id."""
    type: Literal["reasoning"]
    """The kind of the item. Default: `"reasoning"`."""
    summary: Sequence[ReasoningSummaryContentParam]
    """The thoughts in short."""
    encrypted_content: NotRequired[str | None]
    """No effect: thoughts that only another server can read."""
    content: NotRequired[Sequence[ReasoningTextContentParam] | None]
    """The thoughts. Several texts are joined by empty lines; `summary` is read where there are none."""


class CreateResponseBody(TypedDict, closed=True):
    model: NotRequired[str | None]
    """The model to ask, or an adapter of it. Null stands for the served model. At least 1 characters."""
    input: (
        str
        | Sequence[
            UserMessageItemParam
            | SystemMessageItemParam
            | DeveloperMessageItemParam
            | AssistantMessageItemParam
            | FunctionCallItemParam
            | FunctionCallOutputItemParam
            | ReasoningItemParam
            | CompactionSummaryItemParam
            | ItemReferenceParam
        ]
    )
    """A text of the user's, or the items of a conversation."""
    previous_response_id: NotRequired[str | None]
    """A stored response to continue. Its `instructions` are not taken over."""
    include: NotRequired[Sequence[Literal["reasoning.encrypted_content", "message.output_text.logprobs"]]]
    """What to answer in addition. `reasoning.encrypted_content` has no effect, because thoughts are answered as they are and can be sent back."""
    tools: NotRequired[Sequence[ResponsesToolParam] | None]
    """The tools that the model may call."""
    tool_choice: NotRequired[
        SpecificToolChoiceParam | AllowedToolsParam | Literal["none", "auto", "required"] | None
    ]
    """Whether tools are to be called, and which."""
    metadata: NotRequired[Mapping[str, str] | None]
    """Up to 16 notes of the client's own, which the response repeats. They have no effect."""
    text: NotRequired[TextParam | None]
    """The form of the text."""
    temperature: NotRequired[float | None]
    """How random the choice of tokens is, from 0 to 2. At least 0, at most 2. Default: `1`."""
    top_p: NotRequired[float | None]
    """Choose among the likeliest tokens that together have this probability, from 0 to 1. At least 0, at most 1. Default: `1`."""
    presence_penalty: NotRequired[float | None]
    """Makes tokens that are in the text less likely. At least -2, at most 2."""
    frequency_penalty: NotRequired[float | None]
    """Makes tokens less likely the more often they are in the text. At least -2, at most 2."""
    parallel_tool_calls: NotRequired[bool | None]
    """Whether the model may make several calls in one answer."""
    stream_options: NotRequired[StreamOptionsParam | None]
    """Options of the stream."""
    background: NotRequired[Literal[False]]
    """Must be false. Nothing is answered in the background under this contract. Default: `false`."""
    max_output_tokens: NotRequired[int | None]
    """How many tokens the model may write."""
    max_tool_calls: NotRequired[int | None]
    """No effect: it bounds calls of tools that run on the server, and none do."""
    reasoning: NotRequired[ReasoningParam | None]
    """How the model is to think."""
    safety_identifier: NotRequired[str | None]
    """No effect; the response repeats it."""
    prompt_cache_key: NotRequired[str | None]
    """No effect; the response repeats it. Prompts share what is cached without it."""
    truncation: NotRequired[Literal["auto", "disabled"]]
    """Whether an input that exceeds the context is shortened."""
    instructions: NotRequired[str | None]
    """Instructions for the model."""
    store: NotRequired[bool]
    """Whether to store the response. The response says whether it is stored. Default: `true`."""
    service_tier: NotRequired[Literal["auto", "default", "flex", "priority"]]
    """No effect: every response says `default`."""
    top_logprobs: NotRequired[int | None]
    """How many of the likeliest tokens to list at each place; needs `message.output_text.logprobs` in `include`. At least 0."""
