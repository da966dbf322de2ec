# Generated from specs/open_responses: mend the document or its overlay, never this file.
"""The parts of answers, events and errors."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from ..runtime.answer_part import AnswerPart


class IncompleteDetails(AnswerPart):
    """Why a response is incomplete."""

    reason: str
    """Why no more came."""


class InputTextContent(AnswerPart):
    """A text that the model is given."""

    type: Literal["input_text"]
    """The kind of the part."""
    text: str
    """The text."""


class UrlCitationBody(AnswerPart):
    """A source on the web that an answer used."""

    type: Literal["url_citation"]
    """The kind of the annotation."""
    url: str
    """The address of the source."""
    start_index: int
    """Where in the text the cited words begin."""
    end_index: int
    """Where in the text they end."""
    title: str
    """The name of the source."""


Annotation = TypeAliasType("Annotation", UrlCitationBody)
"""A note on a range of the output's text."""


Byte = TypeAliasType("Byte", Annotated[int, Field(ge=0, le=255)])


class TopLogProb(AnswerPart):
    """A token that was likely at a place, with its log-probability."""

    token: str
    """The token as text."""
    logprob: Annotated[float, Field(le=0.0)]
    """The natural logarithm of the token's probability; -9999 stands for 0."""
    bytes: list[Byte]
    """The token in UTF-8."""


class LogProb(AnswerPart):
    """A token with its log-probability."""

    token: str
    """The token as text."""
    logprob: Annotated[float, Field(le=0.0)]
    """The natural logarithm of the token's probability; -9999 stands for 0."""
    bytes: list[Byte]
    """The token in UTF-8."""
    top_logprobs: list[TopLogProb]
    """The likeliest tokens at its place."""


class OutputTextContent(AnswerPart):
    """A text that the model wrote."""

    type: Literal["output_text"]
    """The kind of the part."""
    text: str
    """The text."""
    annotations: list[Annotation]
    """Notes on the text."""
    logprobs: list[LogProb]
    """One entry for each token, if asked for."""


class TextContent(AnswerPart):
    """A text."""

    type: Literal["text"]
    text: str
    """The text."""


class SummaryTextContent(AnswerPart):
    """A summary of thoughts."""

    type: Literal["summary_text"]
    """The kind of the part."""
    text: str
    """The thoughts so far, in short."""


class ReasoningTextContent(AnswerPart):
    """Thoughts as the model wrote them."""

    type: Literal["reasoning_text"]
    """The kind of the part."""
    text: str
    """The thoughts."""


class RefusalContent(AnswerPart):
    """A refusal by the model."""

    type: Literal["refusal"]
    """The kind of the part."""
    refusal: str
    """Why the model will not answer."""


class InputImageContent(AnswerPart):
    """An image that the model is given."""

    type: Literal["input_image"]
    """The kind of the part."""
    image_url: str | None
    """The address of the image, or the image itself as a data URL in base64."""
    detail: Literal["low", "high", "auto"]
    """How closely to look at it."""


class InputFileContent(AnswerPart):
    """A file that the model is given."""

    type: Literal["input_file"]
    """The kind of the part."""
    filename: str | None = None
    """The name of the file."""
    file_url: str | None = None
    """The address of the file."""


class InputVideoContent(AnswerPart):
    """A video that the model is given."""

    type: Literal["input_video"]
    """The kind of the part."""
    video_url: str
    """The address of the video, or the video itself in base64."""


class Message(AnswerPart):
    """A message from or to the model."""

    type: Literal["message"]
    """The kind of the item."""
    id: str
    """The item's own id."""
    status: Literal["in_progress", "completed", "incomplete"]
    """How far the item is."""
    role: Literal["user", "assistant", "system", "developer"]
    """Who speaks."""
    content: list[
        InputTextContent
        | OutputTextContent
        | TextContent
        | SummaryTextContent
        | ReasoningTextContent
        | RefusalContent
        | InputImageContent
        | InputFileContent
        | InputVideoContent
    ]
    """What is said."""
    phase: Literal["commentary", "final_answer"] | None = None
    """Whether an assistant's message comments on its way to the answer or is the answer. Clients send it back as they got it."""


class FunctionCall(AnswerPart):
    """A call of a function that the model made."""

    type: Literal["function_call"]
    """The kind of the item."""
    id: str
    """The item's own id."""
    call_id: str
    """The id by which the function's output refers to the call."""
    name: str
    """The function that is called."""
    arguments: str
    """The arguments as JSON text."""
    status: Literal["in_progress", "completed", "incomplete"]
    """How far the item is."""


class FunctionCallOutput(AnswerPart):
    """What a function returned."""

    type: Literal["function_call_output"]
    """The kind of the item."""
    id: str
    """The item's own id."""
    call_id: str
    """The id of the call."""
    output: str | list[InputTextContent | InputImageContent | InputFileContent]
    """What the function returned: JSON text, or parts."""
    status: Literal["in_progress", "completed", "incomplete"]
    """How far the item is."""


class ReasoningBody(AnswerPart):
    """What the model thought."""

    type: Literal["reasoning"]
    """The kind of the item."""
    id: str
    """The item's own id."""
    content: (
        list[
            InputTextContent
            | OutputTextContent
            | TextContent
            | SummaryTextContent
            | ReasoningTextContent
            | RefusalContent
            | InputImageContent
            | InputFileContent
        ]
        | None
    ) = None
    """The thoughts."""
    summary: list[
        InputTextContent
        | OutputTextContent
        | TextContent
        | SummaryTextContent
        | ReasoningTextContent
        | RefusalContent
        | InputImageContent
        | InputFileContent
    ]
    """The thoughts in short."""
    encrypted_content: str | None = None
    """The thoughts in a form that only their server can read."""
    status: Literal["in_progress", "completed", "incomplete"] | None = None
    """How far the item is."""


class CompactionBody(AnswerPart):
    """What stands for a part of a conversation that was compacted."""

    type: Literal["compaction"]
    """The kind of the item."""
    id: str
    """The item's own id."""
    encrypted_content: str
    """What compaction made, for its server to read."""
    created_by: str | None = None
    """Who made the item."""


class Error(AnswerPart):
    """An error that a response ended with."""

    code: str
    """A name of the error for programs."""
    message: str
    """The error in words."""


class FunctionTool(AnswerPart):
    """A function of the client's that the model may call."""

    type: Literal["function"]
    """The kind of the tool."""
    name: str
    """The function's name."""
    description: str | None
    """What the function does, by which the model decides whether to call it."""
    parameters: dict[str, Any] | None
    """The JSON Schema of the arguments."""
    strict: bool
    """Whether arguments must follow the schema."""


Tool = TypeAliasType("Tool", FunctionTool)
"""A tool that the model may use."""


class FunctionToolChoice(AnswerPart):
    type: Literal["function"]
    name: str | None = None
    """The function's name."""


class AllowedToolChoice(AnswerPart):
    type: Literal["allowed_tools"]
    tools: list[FunctionToolChoice]
    """The tools that may be called."""
    mode: Literal["none", "auto", "required"]
    """How to choose among them."""


class TextResponseFormat(AnswerPart):
    type: Literal["text"]


class JsonObjectResponseFormat(AnswerPart):
    type: Literal["json_object"]


class JsonSchemaResponseFormat(AnswerPart):
    type: Literal["json_schema"]
    name: str
    """The name of the format."""
    description: str | None
    """What the format is for."""
    strict: bool
    """Whether the text must follow the schema."""
    schema_: Annotated[dict[str, Any], Field(alias="schema")]
    """The JSON Schema that the text follows."""


class TextField(AnswerPart):
    format: TextResponseFormat | JsonObjectResponseFormat | JsonSchemaResponseFormat
    """The format of the text."""
    verbosity: Literal["low", "medium", "high"] | None = None
    """How long the text was to be."""


class Reasoning(AnswerPart):
    """How the model was to think."""

    effort: Literal["none", "low", "medium", "high", "xhigh"] | None
    """How much to think, as the request says."""
    summary: Literal["concise", "detailed", "auto"] | None
    """How to summarize thoughts, as the request says."""


class InputTokensDetails(AnswerPart):
    """What the tokens of the input are."""

    cached_tokens: Annotated[int, Field(ge=0)]
    """Tokens that came from a cache."""


class OutputTokensDetails(AnswerPart):
    """What the tokens of the output are."""

    reasoning_tokens: Annotated[int, Field(ge=0)]
    """Tokens of thoughts."""


class Usage(AnswerPart):
    """How many tokens a response took."""

    input_tokens: Annotated[int, Field(ge=0)]
    """Tokens of the input."""
    output_tokens: Annotated[int, Field(ge=0)]
    """Tokens that the model wrote."""
    total_tokens: int
    """Both together."""
    input_tokens_details: InputTokensDetails
    """What the tokens of the input are."""
    output_tokens_details: OutputTokensDetails
    """What the tokens of the output are."""


class ResponseResource(AnswerPart):
    """A response, with what was asked and what came of it."""

    id: str
    """The response's own id."""
    object: Literal["response"]
    """The kind of the object."""
    created_at: Annotated[int, Field(ge=0)]
    """When it was created, in seconds since 1970."""
    completed_at: Annotated[int | None, Field(ge=0)]
    """When it was completed, in seconds since 1970; null if it is not."""
    status: Literal["queued", "in_progress", "completed", "incomplete", "failed"]
    """How far it is."""
    incomplete_details: IncompleteDetails | None
    """Why it is incomplete; null unless it is."""
    model: str
    """The model that answers."""
    previous_response_id: str | None
    """The response that it continues, if any."""
    instructions: str | None
    """As in the request."""
    output: list[
        Annotated[
            Message | FunctionCall | FunctionCallOutput | ReasoningBody | CompactionBody,
            Field(discriminator="type"),
        ]
    ]
    """The items that the model wrote."""
    error: Error | None
    """Why it failed; null unless it has."""
    tools: list[Tool]
    """The tools that the model could use."""
    tool_choice: FunctionToolChoice | AllowedToolChoice | Literal["none", "auto", "required"]
    """Whether tools were to be called, and which."""
    truncation: Literal["auto", "disabled"]
    """Whether an input that exceeds the context is shortened."""
    parallel_tool_calls: bool
    """Whether the model may make several calls in one answer."""
    text: TextField
    """The form of the text."""
    top_p: float
    """As in the request."""
    presence_penalty: float
    """As in the request."""
    frequency_penalty: float
    """As in the request."""
    top_logprobs: Annotated[int, Field(ge=0)]
    """As in the request."""
    temperature: float
    """As in the request."""
    reasoning: Reasoning
    """As in the request."""
    usage: Usage | None
    """How many tokens it took, if known."""
    max_output_tokens: Annotated[int | None, Field(ge=0)]
    """As in the request."""
    max_tool_calls: int | None
    """As in the request."""
    store: bool
    """Whether it is stored."""
    background: bool
    """Whether it runs in the background."""
    service_tier: str
    """The service tier that it got."""
    metadata: dict[str, str]
    """As in the request."""
    safety_identifier: str | None
    """As in the request."""
    prompt_cache_key: str | None
    """As in the request."""


class ResponseCreatedStreamingEvent(AnswerPart):
    """The response was created."""

    type: Literal["response.created"]
    """The kind of the event."""
    sequence_number: Annotated[int, Field(ge=0)]
    """The number of the event in its stream."""
    response: ResponseResource
    """The response at this time."""


class ResponseQueuedStreamingEvent(AnswerPart):
    """The response waits."""

    type: Literal["response.queued"]
    """The kind of the event."""
    sequence_number: Annotated[int, Field(ge=0)]
    """The number of the event in its stream."""
    response: ResponseResource
    """The response at this time."""


class ResponseInProgressStreamingEvent(AnswerPart):
    """The response is being answered."""

    type: Literal["response.in_progress"]
    """The kind of the event."""
    sequence_number: Annotated[int, Field(ge=0)]
    """The number of the event in its stream."""
    response: ResponseResource
    """The response at this time."""


class ResponseCompletedStreamingEvent(AnswerPart):
    """The response is complete."""

    type: Literal["response.completed"]
    """The kind of the event."""
    sequence_number: Annotated[int, Field(ge=0)]
    """The number of the event in its stream."""
    response: ResponseResource
    """The response at this time."""


class ResponseFailedStreamingEvent(AnswerPart):
    """The response failed."""

    type: Literal["response.failed"]
    """The kind of the event."""
    sequence_number: Annotated[int, Field(ge=0)]
    """The number of the event in its stream."""
    response: ResponseResource
    """The response at this time."""


class ResponseIncompleteStreamingEvent(AnswerPart):
    """The response is incomplete."""

    type: Literal["response.incomplete"]
    """The kind of the event."""
    sequence_number: Annotated[int, Field(ge=0)]
    """The number of the event in its stream."""
    response: ResponseResource
    """The response at this time."""


class ResponseOutputItemAddedStreamingEvent(AnswerPart):
    """An item of the output begins."""

    type: Literal["response.output_item.added"]
    """The kind of the event."""
    sequence_number: Annotated[int, Field(ge=0)]
    """The number of the event in its stream."""
    output_index: Annotated[int, Field(ge=0)]
    """The place of the item in the response's `output`."""
    item: Annotated[
        Message | FunctionCall | FunctionCallOutput | ReasoningBody | CompactionBody,
        Field(discriminator="type"),
    ]
    """An item: a message, a call, its output, thoughts or another part of a response."""


class ResponseOutputItemDoneStreamingEvent(AnswerPart):
    """An item of the output is done."""

    type: Literal["response.output_item.done"]
    """The kind of the event."""
    sequence_number: Annotated[int, Field(ge=0)]
    """The number of the event in its stream."""
    output_index: Annotated[int, Field(ge=0)]
    """The place of the item in the response's `output`."""
    item: Annotated[
        Message | FunctionCall | FunctionCallOutput | ReasoningBody | CompactionBody,
        Field(discriminator="type"),
    ]
    """An item: a message, a call, its output, thoughts or another part of a response."""


class ResponseReasoningSummaryPartAddedStreamingEvent(AnswerPart):
    """A part of a summary of thoughts begins."""

    type: Literal["response.reasoning_summary_part.added"]
    """The kind of the event."""
    sequence_number: Annotated[int, Field(ge=0)]
    """The number of the event in its stream."""
    item_id: str
    """The id of the item."""
    output_index: Annotated[int, Field(ge=0)]
    """The place of the item in the response's `output`."""
    summary_index: Annotated[int, Field(ge=0)]
    """The place of the part in the item's `summary`."""
    part: (
        InputTextContent
        | OutputTextContent
        | TextContent
        | SummaryTextContent
        | ReasoningTextContent
        | RefusalContent
        | InputImageContent
        | InputFileContent
    )
    """A part of an item's content."""


class ResponseReasoningSummaryPartDoneStreamingEvent(AnswerPart):
    """A part of a summary of thoughts is done."""

    type: Literal["response.reasoning_summary_part.done"]
    """The kind of the event."""
    sequence_number: Annotated[int, Field(ge=0)]
    """The number of the event in its stream."""
    item_id: str
    """The id of the item."""
    output_index: Annotated[int, Field(ge=0)]
    """The place of the item in the response's `output`."""
    summary_index: Annotated[int, Field(ge=0)]
    """The place of the part in the item's `summary`."""
    part: (
        InputTextContent
        | OutputTextContent
        | TextContent
        | SummaryTextContent
        | ReasoningTextContent
        | RefusalContent
        | InputImageContent
        | InputFileContent
    )
    """A part of an item's content."""


class ResponseContentPartAddedStreamingEvent(AnswerPart):
    """A part of an item's content begins."""

    type: Literal["response.content_part.added"]
    """The kind of the event."""
    sequence_number: Annotated[int, Field(ge=0)]
    """The number of the event in its stream."""
    item_id: str
    """The id of the item."""
    output_index: Annotated[int, Field(ge=0)]
    """The place of the item in the response's `output`."""
    content_index: Annotated[int, Field(ge=0)]
    """The place of the part in the item's `content`."""
    part: (
        InputTextContent
        | OutputTextContent
        | TextContent
        | SummaryTextContent
        | ReasoningTextContent
        | RefusalContent
        | InputImageContent
        | InputFileContent
    )
    """A part of an item's content."""


class ResponseContentPartDoneStreamingEvent(AnswerPart):
    """A part of an item's content is done."""

    type: Literal["response.content_part.done"]
    """The kind of the event."""
    sequence_number: Annotated[int, Field(ge=0)]
    """The number of the event in its stream."""
    item_id: str
    """The id of the item."""
    output_index: Annotated[int, Field(ge=0)]
    """The place of the item in the response's `output`."""
    content_index: Annotated[int, Field(ge=0)]
    """The place of the part in the item's `content`."""
    part: (
        InputTextContent
        | OutputTextContent
        | TextContent
        | SummaryTextContent
        | ReasoningTextContent
        | RefusalContent
        | InputImageContent
        | InputFileContent
    )
    """A part of an item's content."""


class ResponseOutputTextDeltaStreamingEvent(AnswerPart):
    """A text gains a piece."""

    type: Literal["response.output_text.delta"]
    """The kind of the event."""
    sequence_number: Annotated[int, Field(ge=0)]
    """The number of the event in its stream."""
    item_id: str
    """The id of the item."""
    output_index: Annotated[int, Field(ge=0)]
    """The place of the item in the response's `output`."""
    content_index: Annotated[int, Field(ge=0)]
    """The place of the part in the item's `content`."""
    delta: str
    """What the text gains."""
    logprobs: list[LogProb]
    """Log-probabilities of the tokens, if they are asked for."""
    obfuscation: str | None = None
    """Characters that only pad the event."""


class ResponseOutputTextDoneStreamingEvent(AnswerPart):
    """A text is done."""

    type: Literal["response.output_text.done"]
    """The kind of the event."""
    sequence_number: Annotated[int, Field(ge=0)]
    """The number of the event in its stream."""
    item_id: str
    """The id of the item."""
    output_index: Annotated[int, Field(ge=0)]
    """The place of the item in the response's `output`."""
    content_index: Annotated[int, Field(ge=0)]
    """The place of the part in the item's `content`."""
    text: str
    """The whole text."""
    logprobs: list[LogProb]
    """Log-probabilities of the tokens, if they are asked for."""


class ResponseRefusalDeltaStreamingEvent(AnswerPart):
    """A refusal gains a piece."""

    type: Literal["response.refusal.delta"]
    """The kind of the event."""
    sequence_number: Annotated[int, Field(ge=0)]
    """The number of the event in its stream."""
    item_id: str
    """The id of the item."""
    output_index: Annotated[int, Field(ge=0)]
    """The place of the item in the response's `output`."""
    content_index: Annotated[int, Field(ge=0)]
    """The place of the part in the item's `content`."""
    delta: str
    """What the refusal gains."""


class ResponseRefusalDoneStreamingEvent(AnswerPart):
    """A refusal is done."""

    type: Literal["response.refusal.done"]
    """The kind of the event."""
    sequence_number: Annotated[int, Field(ge=0)]
    """The number of the event in its stream."""
    item_id: str
    """The id of the item."""
    output_index: Annotated[int, Field(ge=0)]
    """The place of the item in the response's `output`."""
    content_index: Annotated[int, Field(ge=0)]
    """The place of the part in the item's `content`."""
    refusal: str
    """The whole refusal."""


class ResponseReasoningDeltaStreamingEvent(AnswerPart):
    """Thoughts gain a piece."""

    type: Literal["response.reasoning.delta"]
    """The kind of the event."""
    sequence_number: Annotated[int, Field(ge=0)]
    """The number of the event in its stream."""
    item_id: str
    """The id of the item."""
    output_index: Annotated[int, Field(ge=0)]
    """The place of the item in the response's `output`."""
    content_index: Annotated[int, Field(ge=0)]
    """The place of the part in the item's `content`."""
    delta: str
    """What the thoughts gain."""
    obfuscation: str | None = None
    """Characters that only pad the event."""


class ResponseReasoningDoneStreamingEvent(AnswerPart):
    """Thoughts are done."""

    type: Literal["response.reasoning.done"]
    """The kind of the event."""
    sequence_number: Annotated[int, Field(ge=0)]
    """The number of the event in its stream."""
    item_id: str
    """The id of the item."""
    output_index: Annotated[int, Field(ge=0)]
    """The place of the item in the response's `output`."""
    content_index: Annotated[int, Field(ge=0)]
    """The place of the part in the item's `content`."""
    text: str
    """The whole thoughts."""


class ResponseReasoningSummaryDeltaStreamingEvent(AnswerPart):
    """A summary of thoughts gains a piece."""

    type: Literal["response.reasoning_summary_text.delta"]
    """The kind of the event."""
    sequence_number: Annotated[int, Field(ge=0)]
    """The number of the event in its stream."""
    item_id: str
    """The id of the item."""
    output_index: Annotated[int, Field(ge=0)]
    """The place of the item in the response's `output`."""
    summary_index: Annotated[int, Field(ge=0)]
    """The place of the part in the item's `summary`."""
    delta: str
    """What the summary gains."""
    obfuscation: str | None = None
    """Characters that only pad the event."""


class ResponseReasoningSummaryDoneStreamingEvent(AnswerPart):
    """A summary of thoughts is done."""

    type: Literal["response.reasoning_summary_text.done"]
    """The kind of the event."""
    sequence_number: Annotated[int, Field(ge=0)]
    """The number of the event in its stream."""
    item_id: str
    """The id of the item."""
    output_index: Annotated[int, Field(ge=0)]
    """The place of the item in the response's `output`."""
    summary_index: Annotated[int, Field(ge=0)]
    """The place of the part in the item's `summary`."""
    text: str
    """The whole summary."""


class ResponseOutputTextAnnotationAddedStreamingEvent(AnswerPart):
    """A text gains an annotation."""

    type: Literal["response.output_text.annotation.added"]
    """The kind of the event."""
    sequence_number: Annotated[int, Field(ge=0)]
    """The number of the event in its stream."""
    item_id: str
    """The id of the item."""
    output_index: Annotated[int, Field(ge=0)]
    """The place of the item in the response's `output`."""
    content_index: Annotated[int, Field(ge=0)]
    """The place of the part in the item's `content`."""
    annotation_index: Annotated[int, Field(ge=0)]
    """The place of the annotation in the part."""
    annotation: Annotation | None
    """A note on a range of the output's text."""


class ResponseFunctionCallArgumentsDeltaStreamingEvent(AnswerPart):
    """The arguments of a call gain a piece."""

    type: Literal["response.function_call_arguments.delta"]
    """The kind of the event."""
    sequence_number: Annotated[int, Field(ge=0)]
    """The number of the event in its stream."""
    item_id: str
    """The id of the item."""
    output_index: Annotated[int, Field(ge=0)]
    """The place of the item in the response's `output`."""
    delta: str
    """What the arguments gain."""
    obfuscation: str | None = None
    """Characters that only pad the event."""


class ResponseFunctionCallArgumentsDoneStreamingEvent(AnswerPart):
    """The arguments of a call are done."""

    type: Literal["response.function_call_arguments.done"]
    """The kind of the event."""
    sequence_number: Annotated[int, Field(ge=0)]
    """The number of the event in its stream."""
    item_id: str
    """The id of the item."""
    output_index: Annotated[int, Field(ge=0)]
    """The place of the item in the response's `output`."""
    arguments: str
    """The whole arguments."""


class ErrorPayload(AnswerPart):
    """An error inside a stream."""

    type: str
    """The class of the error."""
    code: str | None
    """A name of the error for programs, if it has one."""
    message: str
    """The error in words."""
    param: str | None
    """The field at fault, if it is one's."""
    headers: dict[str, str] | None = None
    """Headers that came with the error, if any."""


class ErrorStreamingEvent(AnswerPart):
    """The stream ends with an error."""

    type: Literal["error"]
    """The kind of the event."""
    sequence_number: Annotated[int, Field(ge=0)]
    """The number of the event in its stream."""
    error: ErrorPayload
    """The error."""


class ErrorDetail(AnswerPart):
    message: str
    """The error in words."""
    type: Literal["server_error", "invalid_request", "not_found", "model_error", "too_many_requests"]
    """The class of the error."""
    param: str | None
    """The field at fault, if it is one's."""
    code: str | None
    """A name of the error for programs, if it has one."""


ResponseStreamingEvent = TypeAliasType(
    "ResponseStreamingEvent",
    Annotated[
        ResponseCreatedStreamingEvent
        | ResponseQueuedStreamingEvent
        | ResponseInProgressStreamingEvent
        | ResponseCompletedStreamingEvent
        | ResponseFailedStreamingEvent
        | ResponseIncompleteStreamingEvent
        | ResponseOutputItemAddedStreamingEvent
        | ResponseOutputItemDoneStreamingEvent
        | ResponseReasoningSummaryPartAddedStreamingEvent
        | ResponseReasoningSummaryPartDoneStreamingEvent
        | ResponseContentPartAddedStreamingEvent
        | ResponseContentPartDoneStreamingEvent
        | ResponseOutputTextDeltaStreamingEvent
        | ResponseOutputTextDoneStreamingEvent
        | ResponseRefusalDeltaStreamingEvent
        | ResponseRefusalDoneStreamingEvent
        | ResponseReasoningDeltaStreamingEvent
        | ResponseReasoningDoneStreamingEvent
        | ResponseReasoningSummaryDeltaStreamingEvent
        | ResponseReasoningSummaryDoneStreamingEvent
        | ResponseOutputTextAnnotationAddedStreamingEvent
        | ResponseFunctionCallArgumentsDeltaStreamingEvent
        | ResponseFunctionCallArgumentsDoneStreamingEvent
        | ErrorStreamingEvent,
        Field(discriminator="type"),
    ],
)
"""What a stream is made of. `sequence_number` counts the events from 0. No answer here has refusals, annotations or summaries of thoughts, and none is queued."""


class ErrorResponse(AnswerPart):
    error: ErrorDetail
    """What went wrong."""
