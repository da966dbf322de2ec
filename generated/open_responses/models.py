# Generated from specs/open_responses: mend the document or its overlay, never this file.
"""The component schemas, and the parameters of operations."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import MISSING, BaseModel, ConfigDict, Field, StrictBool, StrictStr, StringConstraints
from typing_extensions import TypeAliasType

from verbatim_kit.runtime.json_types import OnlyFalse, StrictFloat, StrictInt


class IncompleteDetails(BaseModel):
    """
    Why a response is incomplete.
    """

    reason: StrictStr
    """
    Why no more came.
    """


class InputTextContent(BaseModel):
    """
    A text that the model is given.
    """

    type: Literal["input_text"]
    """
    The kind of the part.
    """
    text: StrictStr
    """
    The text.
    """


class UrlCitationBody(BaseModel):
    """
    A source on the web that an answer used.
    """

    type: Literal["url_citation"]
    """
    The kind of the annotation.
    """
    url: StrictStr
    """
    The address of the source.
    """
    start_index: StrictInt
    """
    Where in the text the cited words begin.
    """
    end_index: StrictInt
    """
    Where in the text they end.
    """
    title: StrictStr
    """
    The name of the source.
    """


Annotation = TypeAliasType("Annotation", UrlCitationBody)
"""
A note on a range of the output's text.
"""


Byte = TypeAliasType("Byte", Annotated[StrictInt, Field(ge=0, le=255)])


class TopLogProb(BaseModel):
    """
    A token that was likely at a place, with its log-probability.
    """

    token: StrictStr
    """
    The token as text.
    """
    logprob: Annotated[StrictFloat, Field(le=0.0)]
    """
    The natural logarithm of the token's probability; -9999 stands for 0.
    """
    bytes: list[Byte]
    """
    The token in UTF-8.
    """


class LogProb(BaseModel):
    """
    A token with its log-probability.
    """

    token: StrictStr
    """
    The token as text.
    """
    logprob: Annotated[StrictFloat, Field(le=0.0)]
    """
    The natural logarithm of the token's probability; -9999 stands for 0.
    """
    bytes: list[Byte]
    """
    The token in UTF-8.
    """
    top_logprobs: list[TopLogProb]
    """
    The likeliest tokens at its place.
    """


class OutputTextContent(BaseModel):
    """
    A text that the model wrote.
    """

    type: Literal["output_text"]
    """
    The kind of the part.
    """
    text: StrictStr
    """
    The text.
    """
    annotations: list[Annotation]
    """
    Notes on the text.
    """
    logprobs: list[LogProb]
    """
    One entry for each token, if asked for.
    """


class TextContent(BaseModel):
    """
    A text.
    """

    type: Literal["text"]
    text: StrictStr
    """
    The text.
    """


class SummaryTextContent(BaseModel):
    """
    A summary of thoughts.
    """

    type: Literal["summary_text"]
    """
    The kind of the part.
    """
    text: StrictStr
    """
    The thoughts so far, in short.
    """


class ReasoningTextContent(BaseModel):
    """
    Thoughts as the model wrote them.
    """

    type: Literal["reasoning_text"]
    """
    The kind of the part.
    """
    text: StrictStr
    """
    The thoughts.
    """


class RefusalContent(BaseModel):
    """
    A refusal by the model.
    """

    type: Literal["refusal"]
    """
    The kind of the part.
    """
    refusal: StrictStr
    """
    Why the model will not answer.
    """


class InputImageContent(BaseModel):
    """
    An image that the model is given.
    """

    type: Literal["input_image"]
    """
    The kind of the part.
    """
    image_url: StrictStr | None
    """
    The address of the image, or the image itself as a data URL in base64.
    """
    detail: Literal["low", "high", "auto"]
    """
    How closely to look at it.
    """


class InputFileContent(BaseModel):
    """
    A file that the model is given.
    """

    type: Literal["input_file"]
    """
    The kind of the part.
    """
    filename: StrictStr | MISSING = MISSING
    """
    The name of the file.
    """
    file_url: StrictStr | MISSING = MISSING
    """
    The address of the file.
    """


class InputVideoContent(BaseModel):
    """
    A video that the model is given.
    """

    type: Literal["input_video"]
    """
    The kind of the part.
    """
    video_url: StrictStr
    """
    The address of the video, or the video itself in base64.
    """


class Message(BaseModel):
    """
    A message from or to the model.
    """

    type: Literal["message"]
    """
    The kind of the item.
    """
    id: StrictStr
    """
    The item's own id.
    """
    status: Literal["in_progress", "completed", "incomplete"]
    """
    How far the item is.
    """
    role: Literal["user", "assistant", "system", "developer"]
    """
    Who speaks.
    """
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
    """
    What is said.
    """
    phase: Literal["commentary", "final_answer"] | MISSING = MISSING
    """
    Whether an assistant's message comments on its way to the answer or is the answer. Clients send it back as they got it.
    """


class FunctionCall(BaseModel):
    """
    A call of a function that the model made.
    """

    type: Literal["function_call"]
    """
    The kind of the item.
    """
    id: StrictStr
    """
    The item's own id.
    """
    call_id: StrictStr
    """
    The id by which the function's output refers to the call.
    """
    name: StrictStr
    """
    The function that is called.
    """
    arguments: StrictStr
    """
    The arguments as JSON text.
    """
    status: Literal["in_progress", "completed", "incomplete"]
    """
    How far the item is.
    """


class FunctionCallOutput(BaseModel):
    """
    What a function returned.
    """

    type: Literal["function_call_output"]
    """
    The kind of the item.
    """
    id: StrictStr
    """
    The item's own id.
    """
    call_id: StrictStr
    """
    The id of the call.
    """
    output: StrictStr | list[InputTextContent | InputImageContent | InputFileContent]
    """
    What the function returned: JSON text, or parts.
    """
    status: Literal["in_progress", "completed", "incomplete"]
    """
    How far the item is.
    """


class ReasoningBody(BaseModel):
    """
    What the model thought.
    """

    type: Literal["reasoning"]
    """
    The kind of the item.
    """
    id: StrictStr
    """
    The item's own id.
    """
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
        | MISSING
    ) = MISSING
    """
    The thoughts.
    """
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
    """
    The thoughts in short.
    """
    encrypted_content: StrictStr | MISSING = MISSING
    """
    The thoughts in a form that only their server can read.
    """
    status: Literal["in_progress", "completed", "incomplete"] | MISSING = MISSING
    """
    How far the item is.
    """


class CompactionBody(BaseModel):
    """
    What stands for a part of a conversation that was compacted.
    """

    type: Literal["compaction"]
    """
    The kind of the item.
    """
    id: StrictStr
    """
    The item's own id.
    """
    encrypted_content: StrictStr
    """
    What compaction made, for its server to read.
    """
    created_by: StrictStr | MISSING = MISSING
    """
    Who made the item.
    """


class Error(BaseModel):
    """
    An error that a response ended with.
    """

    code: StrictStr
    """
    A name of the error for programs.
    """
    message: StrictStr
    """
    The error in words.
    """


class FunctionTool(BaseModel):
    """
    A function of the client's that the model may call.
    """

    type: Literal["function"]
    """
    The kind of the tool.
    """
    name: StrictStr
    """
    The function's name.
    """
    description: StrictStr | None
    """
    What the function does, by which the model decides whether to call it.
    """
    parameters: dict[str, Any] | None
    """
    The JSON Schema of the arguments.
    """
    strict: StrictBool
    """
    Whether arguments must follow the schema.
    """


Tool = TypeAliasType("Tool", FunctionTool)
"""
A tool that the model may use.
"""


class FunctionToolChoice(BaseModel):
    type: Literal["function"]
    name: StrictStr | MISSING = MISSING
    """
    The function's name.
    """


class AllowedToolChoice(BaseModel):
    type: Literal["allowed_tools"]
    tools: list[FunctionToolChoice]
    """
    The tools that may be called.
    """
    mode: Literal["none", "auto", "required"]
    """
    How to choose among them.
    """


class TextResponseFormat(BaseModel):
    type: Literal["text"]


class JsonObjectResponseFormat(BaseModel):
    type: Literal["json_object"]


class JsonSchemaResponseFormat(BaseModel):
    type: Literal["json_schema"]
    name: StrictStr
    """
    The name of the format.
    """
    description: StrictStr | None
    """
    What the format is for.
    """
    strict: StrictBool
    """
    Whether the text must follow the schema.
    """
    schema_: Annotated[dict[str, Any], Field(alias="schema")]
    """
    The JSON Schema that the text follows.
    """


class TextField(BaseModel):
    format: TextResponseFormat | JsonObjectResponseFormat | JsonSchemaResponseFormat
    """
    The format of the text.
    """
    verbosity: Literal["low", "medium", "high"] | MISSING = MISSING
    """
    How long the text was to be.
    """


class Reasoning(BaseModel):
    """
    How the model was to think.
    """

    effort: Literal["none", "low", "medium", "high", "xhigh"] | None
    """
    How much to think, as the request says.
    """
    summary: Literal["concise", "detailed", "auto"] | None
    """
    How to summarize thoughts, as the request says.
    """


class InputTokensDetails(BaseModel):
    """
    What the tokens of the input are.
    """

    cached_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens that came from a cache.
    """


class OutputTokensDetails(BaseModel):
    """
    What the tokens of the output are.
    """

    reasoning_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens of thoughts.
    """


class Usage(BaseModel):
    """
    How many tokens a response took.
    """

    input_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens of the input.
    """
    output_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens that the model wrote.
    """
    total_tokens: StrictInt
    """
    Both together.
    """
    input_tokens_details: InputTokensDetails
    """
    What the tokens of the input are.
    """
    output_tokens_details: OutputTokensDetails
    """
    What the tokens of the output are.
    """


class ResponseResource(BaseModel):
    """
    A response, with what was asked and what came of it.
    """

    id: StrictStr
    """
    The response's own id.
    """
    object: Literal["response"]
    """
    The kind of the object.
    """
    created_at: Annotated[StrictInt, Field(ge=0)]
    """
    When it was created, in seconds since 1970.
    """
    completed_at: Annotated[StrictInt | None, Field(ge=0)]
    """
    When it was completed, in seconds since 1970; null if it is not.
    """
    status: Literal["queued", "in_progress", "completed", "incomplete", "failed"]
    """
    How far it is.
    """
    incomplete_details: IncompleteDetails | None
    """
    Why it is incomplete; null unless it is.
    """
    model: StrictStr
    """
    The model that answers.
    """
    previous_response_id: StrictStr | None
    """
    The response that it continues, if any.
    """
    instructions: StrictStr | None
    """
    As in the request.
    """
    output: list[
        Annotated[
            Message | FunctionCall | FunctionCallOutput | ReasoningBody | CompactionBody,
            Field(discriminator="type"),
        ]
    ]
    """
    The items that the model wrote.
    """
    error: Error | None
    """
    Why it failed; null unless it has.
    """
    tools: list[Tool]
    """
    The tools that the model could use.
    """
    tool_choice: FunctionToolChoice | AllowedToolChoice | Literal["none", "auto", "required"]
    """
    Whether tools were to be called, and which.
    """
    truncation: Literal["auto", "disabled"]
    """
    Whether an input that exceeds the context is shortened.
    """
    parallel_tool_calls: StrictBool
    """
    Whether the model may make several calls in one answer.
    """
    text: TextField
    """
    The form of the text.
    """
    top_p: StrictFloat
    """
    As in the request.
    """
    presence_penalty: StrictFloat
    """
    As in the request.
    """
    frequency_penalty: StrictFloat
    """
    As in the request.
    """
    top_logprobs: Annotated[StrictInt, Field(ge=0)]
    """
    As in the request.
    """
    temperature: StrictFloat
    """
    As in the request.
    """
    reasoning: Reasoning
    """
    As in the request.
    """
    usage: Usage | None
    """
    How many tokens it took, if known.
    """
    max_output_tokens: Annotated[StrictInt | None, Field(ge=0)]
    """
    As in the request.
    """
    max_tool_calls: StrictInt | None
    """
    As in the request.
    """
    store: StrictBool
    """
    Whether it is stored.
    """
    background: StrictBool
    """
    Whether it runs in the background.
    """
    service_tier: StrictStr
    """
    The service tier that it got.
    """
    metadata: dict[str, StrictStr]
    """
    As in the request.
    """
    safety_identifier: StrictStr | None
    """
    As in the request.
    """
    prompt_cache_key: StrictStr | None
    """
    As in the request.
    """


class ResponseCreatedStreamingEvent(BaseModel):
    """
    The response was created.
    """

    type: Literal["response.created"]
    """
    The kind of the event.
    """
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The number of the event in its stream.
    """
    response: ResponseResource
    """
    The response at this time.
    """


class ResponseQueuedStreamingEvent(BaseModel):
    """
    The response waits.
    """

    type: Literal["response.queued"]
    """
    The kind of the event.
    """
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The number of the event in its stream.
    """
    response: ResponseResource
    """
    The response at this time.
    """


class ResponseInProgressStreamingEvent(BaseModel):
    """
    The response is being answered.
    """

    type: Literal["response.in_progress"]
    """
    The kind of the event.
    """
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The number of the event in its stream.
    """
    response: ResponseResource
    """
    The response at this time.
    """


class ResponseCompletedStreamingEvent(BaseModel):
    """
    The response is complete.
    """

    type: Literal["response.completed"]
    """
    The kind of the event.
    """
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The number of the event in its stream.
    """
    response: ResponseResource
    """
    The response at this time.
    """


class ResponseFailedStreamingEvent(BaseModel):
    """
    The response failed.
    """

    type: Literal["response.failed"]
    """
    The kind of the event.
    """
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The number of the event in its stream.
    """
    response: ResponseResource
    """
    The response at this time.
    """


class ResponseIncompleteStreamingEvent(BaseModel):
    """
    The response is incomplete.
    """

    type: Literal["response.incomplete"]
    """
    The kind of the event.
    """
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The number of the event in its stream.
    """
    response: ResponseResource
    """
    The response at this time.
    """


class ResponseOutputItemAddedStreamingEvent(BaseModel):
    """
    An item of the output begins.
    """

    type: Literal["response.output_item.added"]
    """
    The kind of the event.
    """
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The number of the event in its stream.
    """
    output_index: Annotated[StrictInt, Field(ge=0)]
    """
    The place of the item in the response's `output`.
    """
    item: Annotated[
        Message | FunctionCall | FunctionCallOutput | ReasoningBody | CompactionBody,
        Field(discriminator="type"),
    ]
    """
    An item: a message, a call, its output, thoughts or another part of a response.
    """


class ResponseOutputItemDoneStreamingEvent(BaseModel):
    """
    An item of the output is done.
    """

    type: Literal["response.output_item.done"]
    """
    The kind of the event.
    """
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The number of the event in its stream.
    """
    output_index: Annotated[StrictInt, Field(ge=0)]
    """
    The place of the item in the response's `output`.
    """
    item: Annotated[
        Message | FunctionCall | FunctionCallOutput | ReasoningBody | CompactionBody,
        Field(discriminator="type"),
    ]
    """
    An item: a message, a call, its output, thoughts or another part of a response.
    """


class ResponseReasoningSummaryPartAddedStreamingEvent(BaseModel):
    """
    A part of a summary of thoughts begins.
    """

    type: Literal["response.reasoning_summary_part.added"]
    """
    The kind of the event.
    """
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The number of the event in its stream.
    """
    item_id: StrictStr
    """
    The id of the item.
    """
    output_index: Annotated[StrictInt, Field(ge=0)]
    """
    The place of the item in the response's `output`.
    """
    summary_index: Annotated[StrictInt, Field(ge=0)]
    """
    The place of the part in the item's `summary`.
    """
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
    """
    A part of an item's content.
    """


class ResponseReasoningSummaryPartDoneStreamingEvent(BaseModel):
    """
    A part of a summary of thoughts is done.
    """

    type: Literal["response.reasoning_summary_part.done"]
    """
    The kind of the event.
    """
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The number of the event in its stream.
    """
    item_id: StrictStr
    """
    The id of the item.
    """
    output_index: Annotated[StrictInt, Field(ge=0)]
    """
    The place of the item in the response's `output`.
    """
    summary_index: Annotated[StrictInt, Field(ge=0)]
    """
    The place of the part in the item's `summary`.
    """
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
    """
    A part of an item's content.
    """


class ResponseContentPartAddedStreamingEvent(BaseModel):
    """
    A part of an item's content begins.
    """

    type: Literal["response.content_part.added"]
    """
    The kind of the event.
    """
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The number of the event in its stream.
    """
    item_id: StrictStr
    """
    The id of the item.
    """
    output_index: Annotated[StrictInt, Field(ge=0)]
    """
    The place of the item in the response's `output`.
    """
    content_index: Annotated[StrictInt, Field(ge=0)]
    """
    The place of the part in the item's `content`.
    """
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
    """
    A part of an item's content.
    """


class ResponseContentPartDoneStreamingEvent(BaseModel):
    """
    A part of an item's content is done.
    """

    type: Literal["response.content_part.done"]
    """
    The kind of the event.
    """
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The number of the event in its stream.
    """
    item_id: StrictStr
    """
    The id of the item.
    """
    output_index: Annotated[StrictInt, Field(ge=0)]
    """
    The place of the item in the response's `output`.
    """
    content_index: Annotated[StrictInt, Field(ge=0)]
    """
    The place of the part in the item's `content`.
    """
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
    """
    A part of an item's content.
    """


class ResponseOutputTextDeltaStreamingEvent(BaseModel):
    """
    A text gains a piece.
    """

    type: Literal["response.output_text.delta"]
    """
    The kind of the event.
    """
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The number of the event in its stream.
    """
    item_id: StrictStr
    """
    The id of the item.
    """
    output_index: Annotated[StrictInt, Field(ge=0)]
    """
    The place of the item in the response's `output`.
    """
    content_index: Annotated[StrictInt, Field(ge=0)]
    """
    The place of the part in the item's `content`.
    """
    delta: StrictStr
    """
    What the text gains.
    """
    logprobs: list[LogProb]
    """
    Log-probabilities of the tokens, if they are asked for.
    """
    obfuscation: StrictStr | MISSING = MISSING
    """
    Characters that only pad the event.
    """


class ResponseOutputTextDoneStreamingEvent(BaseModel):
    """
    A text is done.
    """

    type: Literal["response.output_text.done"]
    """
    The kind of the event.
    """
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The number of the event in its stream.
    """
    item_id: StrictStr
    """
    The id of the item.
    """
    output_index: Annotated[StrictInt, Field(ge=0)]
    """
    The place of the item in the response's `output`.
    """
    content_index: Annotated[StrictInt, Field(ge=0)]
    """
    The place of the part in the item's `content`.
    """
    text: StrictStr
    """
    The whole text.
    """
    logprobs: list[LogProb]
    """
    Log-probabilities of the tokens, if they are asked for.
    """


class ResponseRefusalDeltaStreamingEvent(BaseModel):
    """
    A refusal gains a piece.
    """

    type: Literal["response.refusal.delta"]
    """
    The kind of the event.
    """
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The number of the event in its stream.
    """
    item_id: StrictStr
    """
    The id of the item.
    """
    output_index: Annotated[StrictInt, Field(ge=0)]
    """
    The place of the item in the response's `output`.
    """
    content_index: Annotated[StrictInt, Field(ge=0)]
    """
    The place of the part in the item's `content`.
    """
    delta: StrictStr
    """
    What the refusal gains.
    """


class ResponseRefusalDoneStreamingEvent(BaseModel):
    """
    A refusal is done.
    """

    type: Literal["response.refusal.done"]
    """
    The kind of the event.
    """
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The number of the event in its stream.
    """
    item_id: StrictStr
    """
    The id of the item.
    """
    output_index: Annotated[StrictInt, Field(ge=0)]
    """
    The place of the item in the response's `output`.
    """
    content_index: Annotated[StrictInt, Field(ge=0)]
    """
    The place of the part in the item's `content`.
    """
    refusal: StrictStr
    """
    The whole refusal.
    """


class ResponseReasoningDeltaStreamingEvent(BaseModel):
    """
    Thoughts gain a piece.
    """

    type: Literal["response.reasoning.delta"]
    """
    The kind of the event.
    """
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The number of the event in its stream.
    """
    item_id: StrictStr
    """
    The id of the item.
    """
    output_index: Annotated[StrictInt, Field(ge=0)]
    """
    The place of the item in the response's `output`.
    """
    content_index: Annotated[StrictInt, Field(ge=0)]
    """
    The place of the part in the item's `content`.
    """
    delta: StrictStr
    """
    What the thoughts gain.
    """
    obfuscation: StrictStr | MISSING = MISSING
    """
    Characters that only pad the event.
    """


class ResponseReasoningDoneStreamingEvent(BaseModel):
    """
    Thoughts are done.
    """

    type: Literal["response.reasoning.done"]
    """
    The kind of the event.
    """
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The number of the event in its stream.
    """
    item_id: StrictStr
    """
    The id of the item.
    """
    output_index: Annotated[StrictInt, Field(ge=0)]
    """
    The place of the item in the response's `output`.
    """
    content_index: Annotated[StrictInt, Field(ge=0)]
    """
    The place of the part in the item's `content`.
    """
    text: StrictStr
    """
    The whole thoughts.
    """


class ResponseReasoningSummaryDeltaStreamingEvent(BaseModel):
    """
    A summary of thoughts gains a piece.
    """

    type: Literal["response.reasoning_summary_text.delta"]
    """
    The kind of the event.
    """
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The number of the event in its stream.
    """
    item_id: StrictStr
    """
    The id of the item.
    """
    output_index: Annotated[StrictInt, Field(ge=0)]
    """
    The place of the item in the response's `output`.
    """
    summary_index: Annotated[StrictInt, Field(ge=0)]
    """
    The place of the part in the item's `summary`.
    """
    delta: StrictStr
    """
    What the summary gains.
    """
    obfuscation: StrictStr | MISSING = MISSING
    """
    Characters that only pad the event.
    """


class ResponseReasoningSummaryDoneStreamingEvent(BaseModel):
    """
    A summary of thoughts is done.
    """

    type: Literal["response.reasoning_summary_text.done"]
    """
    The kind of the event.
    """
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The number of the event in its stream.
    """
    item_id: StrictStr
    """
    The id of the item.
    """
    output_index: Annotated[StrictInt, Field(ge=0)]
    """
    The place of the item in the response's `output`.
    """
    summary_index: Annotated[StrictInt, Field(ge=0)]
    """
    The place of the part in the item's `summary`.
    """
    text: StrictStr
    """
    The whole summary.
    """


class ResponseOutputTextAnnotationAddedStreamingEvent(BaseModel):
    """
    A text gains an annotation.
    """

    type: Literal["response.output_text.annotation.added"]
    """
    The kind of the event.
    """
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The number of the event in its stream.
    """
    item_id: StrictStr
    """
    The id of the item.
    """
    output_index: Annotated[StrictInt, Field(ge=0)]
    """
    The place of the item in the response's `output`.
    """
    content_index: Annotated[StrictInt, Field(ge=0)]
    """
    The place of the part in the item's `content`.
    """
    annotation_index: Annotated[StrictInt, Field(ge=0)]
    """
    The place of the annotation in the part.
    """
    annotation: Annotation | None
    """
    A note on a range of the output's text.
    """


class ResponseFunctionCallArgumentsDeltaStreamingEvent(BaseModel):
    """
    The arguments of a call gain a piece.
    """

    type: Literal["response.function_call_arguments.delta"]
    """
    The kind of the event.
    """
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The number of the event in its stream.
    """
    item_id: StrictStr
    """
    The id of the item.
    """
    output_index: Annotated[StrictInt, Field(ge=0)]
    """
    The place of the item in the response's `output`.
    """
    delta: StrictStr
    """
    What the arguments gain.
    """
    obfuscation: StrictStr | MISSING = MISSING
    """
    Characters that only pad the event.
    """


class ResponseFunctionCallArgumentsDoneStreamingEvent(BaseModel):
    """
    The arguments of a call are done.
    """

    type: Literal["response.function_call_arguments.done"]
    """
    The kind of the event.
    """
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The number of the event in its stream.
    """
    item_id: StrictStr
    """
    The id of the item.
    """
    output_index: Annotated[StrictInt, Field(ge=0)]
    """
    The place of the item in the response's `output`.
    """
    arguments: StrictStr
    """
    The whole arguments.
    """


class ErrorPayload(BaseModel):
    """
    An error inside a stream.
    """

    type: StrictStr
    """
    The class of the error.
    """
    code: StrictStr | None
    """
    A name of the error for programs, if it has one.
    """
    message: StrictStr
    """
    The error in words.
    """
    param: StrictStr | None
    """
    The field at fault, if it is one's.
    """
    headers: dict[str, StrictStr] | MISSING = MISSING
    """
    Headers that came with the error, if any.
    """


class ErrorStreamingEvent(BaseModel):
    """
    The stream ends with an error.
    """

    type: Literal["error"]
    """
    The kind of the event.
    """
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The number of the event in its stream.
    """
    error: ErrorPayload
    """
    The error.
    """


class ItemReferenceParam(BaseModel):
    """
    An item that the server knows by its id.
    """

    type: Literal["item_reference"] | None | MISSING = MISSING
    """
    The kind of the item.
    """
    id: Annotated[StrictStr, Field(min_length=1)]
    """
    The id of the item.
    """


class ReasoningSummaryContentParam(BaseModel):
    type: Literal["summary_text"]
    """
    The kind of the part.
    """
    text: Annotated[StrictStr, Field(max_length=10485760)]
    """
    The summary.
    """


class CompactionSummaryItemParam(BaseModel):
    """
    What stands for a part of a conversation that was compacted.
    """

    id: Annotated[StrictStr | None | MISSING, Field(examples=["cmp_123"])] = MISSING
    """
    The item's own id.
    """
    type: Literal["compaction"]
    """
    The kind of the item.
    """
    encrypted_content: Annotated[StrictStr, Field(max_length=10485760)]
    """
    What compaction made.
    """


class InputTextContentParam(BaseModel):
    """
    A text that the model is given.
    """

    type: Literal["input_text"]
    """
    The kind of the part.
    """
    text: Annotated[StrictStr, Field(max_length=10485760)]
    """
    The text.
    """


ImageUrl = TypeAliasType("ImageUrl", Annotated[StrictStr, Field(max_length=20971520)])
"""
The address of the image, or the image itself as a data URL in base64.
"""


class InputImageContentParamAutoParam(BaseModel):
    """
    An image that the model is given.
    """

    type: Literal["input_image"]
    """
    The kind of the part.
    """
    image_url: ImageUrl | None | MISSING = MISSING
    """
    The address of the image, or the image itself as a data URL in base64.
    """
    detail: Literal["low", "high", "auto"] | None | MISSING = MISSING
    """
    How closely to look at it; `auto` if it is absent.
    """


FileData = TypeAliasType("FileData", Annotated[StrictStr, Field(max_length=33554432)])
"""
The file in base64.
"""


class InputFileContentParam(BaseModel):
    """
    A file that the model is given.
    """

    type: Literal["input_file"]
    """
    The kind of the part.
    """
    filename: StrictStr | None | MISSING = MISSING
    """
    The name of the file.
    """
    file_data: FileData | None | MISSING = MISSING
    """
    The file in base64.
    """
    file_url: StrictStr | None | MISSING = MISSING
    """
    The address of the file.
    """


Content1 = TypeAliasType("Content1", Annotated[StrictStr, Field(max_length=10485760)])
"""
A text, or parts.
"""


class UserMessageItemParam(BaseModel):
    id: Annotated[StrictStr | None | MISSING, Field(examples=["msg_123"])] = MISSING
    """
    The item's own id.
    """
    type: Literal["message"] = "message"
    """
    The kind of the item.
    """
    role: Literal["user"]
    """
    Who speaks.
    """
    content: (
        list[
            Annotated[
                InputTextContentParam | InputImageContentParamAutoParam | InputFileContentParam,
                Field(discriminator="type"),
            ]
        ]
        | Content1
    )
    """
    A text, or parts.
    """
    status: StrictStr | None | MISSING = MISSING
    """
    How far the item is.
    """


class SystemMessageItemParam(BaseModel):
    id: Annotated[StrictStr | None | MISSING, Field(examples=["msg_123"])] = MISSING
    """
    The item's own id.
    """
    type: Literal["message"] = "message"
    """
    The kind of the item.
    """
    role: Literal["system"]
    """
    Who speaks.
    """
    content: list[InputTextContentParam] | Content1
    """
    A text, or parts.
    """
    status: StrictStr | None | MISSING = MISSING
    """
    How far the item is.
    """


class DeveloperMessageItemParam(BaseModel):
    id: Annotated[StrictStr | None | MISSING, Field(examples=["msg_123"])] = MISSING
    """
    The item's own id.
    """
    type: Literal["message"] = "message"
    """
    The kind of the item.
    """
    role: Literal["developer"]
    """
    Who speaks.
    """
    content: list[InputTextContentParam] | Content1
    """
    A text, or parts.
    """
    status: StrictStr | None | MISSING = MISSING
    """
    How far the item is.
    """


class UrlCitationParam(BaseModel):
    type: Literal["url_citation"]
    """
    The kind of the annotation.
    """
    start_index: Annotated[StrictInt, Field(ge=0)]
    """
    Where in the text the cited words begin.
    """
    end_index: Annotated[StrictInt, Field(ge=0)]
    """
    Where in the text they end.
    """
    url: StrictStr
    """
    The address of the source.
    """
    title: StrictStr
    """
    The name of the source.
    """


class OutputTextContentParam(BaseModel):
    type: Literal["output_text"]
    """
    The kind of the part.
    """
    text: Annotated[StrictStr, Field(max_length=10485760)]
    """
    The text.
    """
    annotations: list[UrlCitationParam] | MISSING = MISSING
    """
    Notes on the text.
    """


class RefusalContentParam(BaseModel):
    type: Literal["refusal"]
    """
    The kind of the part.
    """
    refusal: Annotated[StrictStr, Field(max_length=10485760)]
    """
    The refusal.
    """


Content5 = TypeAliasType("Content5", Annotated[StrictStr, Field(max_length=10485760)])
"""
A text, or parts.
"""


class AssistantMessageItemParam(BaseModel):
    id: Annotated[StrictStr | None | MISSING, Field(examples=["msg_123"])] = MISSING
    """
    The item's own id.
    """
    type: Literal["message"] = "message"
    """
    The kind of the item.
    """
    role: Literal["assistant"]
    """
    Who speaks.
    """
    content: (
        list[Annotated[OutputTextContentParam | RefusalContentParam, Field(discriminator="type")]] | Content5
    )
    """
    A text, or parts.
    """
    phase: Literal["commentary", "final_answer"] | MISSING = MISSING
    """
    Whether an assistant's message comments on its way to the answer or is the answer. Clients send it back as they got it.
    """
    status: StrictStr | None | MISSING = MISSING
    """
    How far the item is.
    """


class FunctionCallItemParam(BaseModel):
    id: Annotated[StrictStr | None | MISSING, Field(examples=["fc_123"])] = MISSING
    """
    The item's own id.
    """
    call_id: Annotated[StrictStr, Field(max_length=64, min_length=1)]
    """
    The id by which call and output know each other.
    """
    type: Literal["function_call"]
    """
    The kind of the item.
    """
    name: Annotated[StrictStr, Field(max_length=64, min_length=1, pattern="^[a-zA-Z0-9_-]+$")]
    """
    The function that is called.
    """
    arguments: StrictStr
    """
    The arguments as JSON text.
    """
    status: Literal["in_progress", "completed", "incomplete"] | None | MISSING = MISSING
    """
    How far the item is.
    """


Output = TypeAliasType("Output", Annotated[StrictStr, Field(max_length=10485760)])
"""
What the function returned: JSON text, or parts.
"""


class FunctionCallOutputItemParam(BaseModel):
    """
    What a function returned.
    """

    id: Annotated[StrictStr | None | MISSING, Field(examples=["fc_123"])] = MISSING
    """
    The item's own id.
    """
    call_id: Annotated[StrictStr, Field(max_length=64, min_length=1)]
    """
    The id by which call and output know each other.
    """
    type: Literal["function_call_output"]
    """
    The kind of the item.
    """
    output: (
        Output
        | list[
            Annotated[
                InputTextContentParam
                | InputImageContentParamAutoParam
                | InputFileContentParam
                | InputVideoContent,
                Field(discriminator="type"),
            ]
        ]
    )
    """
    What the function returned: JSON text, or parts.
    """
    status: Literal["in_progress", "completed", "incomplete"] | None | MISSING = MISSING
    """
    How far the item is.
    """


class EmptyModelParam(BaseModel):
    """
    The JSON Schema of the arguments.
    """

    model_config = ConfigDict(
        extra="allow",
    )


class FunctionToolParam(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    name: Annotated[StrictStr, Field(max_length=64, min_length=1, pattern="^[a-zA-Z0-9_-]+$")]
    """
    How the model calls it.
    """
    description: StrictStr | None | MISSING = MISSING
    """
    What it does, for the model to read.
    """
    parameters: EmptyModelParam | None | MISSING = MISSING
    """
    The JSON Schema of the arguments; null for a function without any.
    """
    strict: StrictBool = True
    """
    Whether arguments always follow the schema. If false, they are only certain to be an object.
    """
    type: Literal["function"]


ResponsesToolParam = TypeAliasType("ResponsesToolParam", FunctionToolParam)


class SpecificFunctionParam(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["function"]
    """
    The kind of the tool.
    """
    name: StrictStr
    """
    The function's name.
    """


SpecificToolChoiceParam = TypeAliasType("SpecificToolChoiceParam", SpecificFunctionParam)


class AllowedToolsParam(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["allowed_tools"]
    """
    The kind of the choice.
    """
    tools: Annotated[list[SpecificToolChoiceParam], Field(max_length=128, min_length=1)]
    """
    The tools that may be called.
    """
    mode: Literal["auto", "required"] = "auto"
    """
    Whether at least one of them must be called.
    """


MetadataParamAdditionalProperty = TypeAliasType(
    "MetadataParamAdditionalProperty", Annotated[StrictStr, Field(max_length=512)]
)


MetadataParam = TypeAliasType(
    "MetadataParam",
    Annotated[
        dict[Annotated[str, StringConstraints(max_length=64, strict=True)], MetadataParamAdditionalProperty],
        Field(max_length=16),
    ],
)
"""
Up to 16 notes of the client's own; keys have at most 64 characters, values at most 512.
"""


class JsonSchemaResponseFormatParam(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["json_schema"]
    """
    The kind of the format.
    """
    description: StrictStr | MISSING = MISSING
    """
    What the format is for.
    """
    name: Annotated[StrictStr, Field(pattern="^[a-zA-Z0-9_-]{1,64}$")]
    """
    A name of at most 64 letters, digits, underscores and hyphens.
    """
    schema_: Annotated[dict[str, Any], Field(alias="schema", title="JSON schema")]
    """
    The JSON Schema of the text.
    """
    strict: StrictBool | None | MISSING = MISSING
    """
    Whether the text must follow the schema.
    """


class TextParam(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    format: TextResponseFormat | JsonSchemaResponseFormatParam | None | MISSING = MISSING
    """
    The format of the text.
    """
    verbosity: Literal["low", "medium", "high"] | MISSING = MISSING
    """
    How long the text is to be, for chat templates that read it.
    """


class StreamOptionsParam(BaseModel):
    """
    Options of a stream.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    include_obfuscation: StrictBool | MISSING = MISSING
    """
    No effect.
    """


class ReasoningParam(BaseModel):
    """
    How the model is to think.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    effort: Literal["none", "low", "medium", "high", "xhigh"] | None | MISSING = MISSING
    """
    How much to think.
    """
    summary: Literal["concise", "detailed", "auto"] | None | MISSING = MISSING
    """
    No effect; the response repeats it.
    """


Input = TypeAliasType("Input", Annotated[StrictStr, Field(max_length=10485760)])
"""
A text of the user's, or the items of a conversation.
"""


MaxOutputTokens = TypeAliasType("MaxOutputTokens", Annotated[StrictInt, Field(ge=16)])
"""
How many tokens the model may write.
"""


MaxToolCalls = TypeAliasType("MaxToolCalls", Annotated[StrictInt, Field(ge=1)])
"""
No effect: it bounds calls of tools that run on the server, and none do.
"""


SafetyIdentifier = TypeAliasType("SafetyIdentifier", Annotated[StrictStr, Field(max_length=64)])
"""
No effect; the response repeats it.
"""


PromptCacheKey = TypeAliasType("PromptCacheKey", Annotated[StrictStr, Field(max_length=64)])
"""
No effect; the response repeats it. Prompts share what is cached without it.
"""


TopLogprobs = TypeAliasType("TopLogprobs", Annotated[StrictInt, Field(ge=0, le=20)])
"""
How many of the likeliest tokens to list at each place; needs `message.output_text.logprobs` in `include`.
"""


class ErrorDetail(BaseModel):
    message: StrictStr
    """
    The error in words.
    """
    type: Literal["server_error", "invalid_request", "not_found", "model_error", "too_many_requests"]
    """
    The class of the error.
    """
    param: StrictStr | None
    """
    The field at fault, if it is one's.
    """
    code: StrictStr | None
    """
    A name of the error for programs, if it has one.
    """


class WebSocketErrorDetail(BaseModel):
    type: StrictStr | MISSING = MISSING
    """
    The class of the error.
    """
    code: StrictStr
    """
    A name of the error for programs; its class, where it has none.
    """
    message: StrictStr
    """
    The error in words.
    """
    param: StrictStr | None | MISSING = MISSING
    """
    The field at fault, if it is one's.
    """


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
"""
What a stream is made of. `sequence_number` counts the events from 0. No answer here has refusals, annotations or summaries of thoughts, and none is queued.
"""


class ReasoningTextContentParam(BaseModel):
    type: Literal["reasoning_text"]
    """
    The kind of the part.
    """
    text: Annotated[StrictStr, Field(max_length=10485760)]
    """
    The thoughts.
    """


class ReasoningItemParam(BaseModel):
    id: Annotated[StrictStr | None | MISSING, Field(examples=["rs_123"])] = MISSING
    """
    The item's own id.
    """
    type: Literal["reasoning"]
    """
    The kind of the item.
    """
    summary: list[ReasoningSummaryContentParam]
    """
    The thoughts in short.
    """
    encrypted_content: StrictStr | None | MISSING = MISSING
    """
    No effect: thoughts that only another server can read.
    """
    content: list[ReasoningTextContentParam] | None = None
    """
    The thoughts. Several texts are joined by empty lines; `summary` is read where there are none.
    """


class WebSocketErrorEvent(BaseModel):
    """
    An error over a WebSocket.
    """

    type: Literal["error"]
    """
    The kind of the message.
    """
    status: StrictInt
    """
    The status that the error would have over HTTP.
    """
    error: WebSocketErrorDetail
    """
    What went wrong.
    """


class ErrorResponse(BaseModel):
    error: ErrorDetail
    """
    What went wrong.
    """


InputItems = TypeAliasType(
    "InputItems",
    Annotated[
        list[
            UserMessageItemParam
            | SystemMessageItemParam
            | DeveloperMessageItemParam
            | AssistantMessageItemParam
            | FunctionCallItemParam
            | FunctionCallOutputItemParam
            | ReasoningItemParam
            | CompactionSummaryItemParam
            | ItemReferenceParam
        ],
        Field(min_length=1),
    ],
)
"""
The items of a conversation in their order.
"""


class CreateResponseBody(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        arbitrary_types_allowed=True,
    )
    model: Annotated[StrictStr | None, Field(examples=["verbatim-demo"], min_length=1)] = None
    """
    The model to ask, or an adapter of it. Null stands for the served model.
    """
    input: Input | InputItems
    """
    A text of the user's, or the items of a conversation.
    """
    previous_response_id: Annotated[StrictStr | None | MISSING, Field(examples=["resp_123"])] = MISSING
    """
    A stored response to continue. Its `instructions` are not taken over.
    """
    include: list[Literal["reasoning.encrypted_content", "message.output_text.logprobs"]] | MISSING = MISSING
    """
    What to answer in addition. `reasoning.encrypted_content` has no effect, because thoughts are answered as they are and can be sent back.
    """
    tools: list[ResponsesToolParam] | None | MISSING = MISSING
    """
    The tools that the model may call.
    """
    tool_choice: (
        SpecificToolChoiceParam | AllowedToolsParam | Literal["none", "auto", "required"] | None | MISSING
    ) = MISSING
    """
    Whether tools are to be called, and which.
    """
    metadata: MetadataParam | None | MISSING = MISSING
    """
    Up to 16 notes of the client's own, which the response repeats. They have no effect.
    """
    text: TextParam | None | MISSING = MISSING
    """
    The form of the text.
    """
    temperature: Annotated[StrictFloat | None, Field(ge=0.0, le=2.0)] = 1
    """
    How random the choice of tokens is, from 0 to 2.
    """
    top_p: Annotated[StrictFloat | None, Field(ge=0.0, le=1.0)] = 1
    """
    Choose among the likeliest tokens that together have this probability, from 0 to 1.
    """
    presence_penalty: Annotated[StrictFloat | None, Field(ge=-2.0, le=2.0)] = None
    """
    Makes tokens that are in the text less likely.
    """
    frequency_penalty: Annotated[StrictFloat | None, Field(ge=-2.0, le=2.0)] = None
    """
    Makes tokens less likely the more often they are in the text.
    """
    parallel_tool_calls: StrictBool | None | MISSING = MISSING
    """
    Whether the model may make several calls in one answer.
    """
    stream: StrictBool = False
    """
    Whether to answer with server-sent events.
    """
    stream_options: StreamOptionsParam | None | MISSING = MISSING
    """
    Options of the stream.
    """
    background: OnlyFalse = False
    """
    Must be false. Nothing is answered in the background under this contract.
    """
    max_output_tokens: MaxOutputTokens | None | MISSING = MISSING
    """
    How many tokens the model may write.
    """
    max_tool_calls: MaxToolCalls | None | MISSING = MISSING
    """
    No effect: it bounds calls of tools that run on the server, and none do.
    """
    reasoning: ReasoningParam | None | MISSING = MISSING
    """
    How the model is to think.
    """
    safety_identifier: SafetyIdentifier | None | MISSING = MISSING
    """
    No effect; the response repeats it.
    """
    prompt_cache_key: PromptCacheKey | None | MISSING = MISSING
    """
    No effect; the response repeats it. Prompts share what is cached without it.
    """
    truncation: Literal["auto", "disabled"] = "disabled"
    """
    Whether an input that exceeds the context is shortened.
    """
    instructions: StrictStr | None | MISSING = MISSING
    """
    Instructions for the model.
    """
    store: StrictBool = True
    """
    Whether to store the response. The response says whether it is stored.
    """
    service_tier: Literal["auto", "default", "flex", "priority"] | MISSING = MISSING
    """
    No effect: every response says `default`.
    """
    top_logprobs: TopLogprobs | None | MISSING = MISSING
    """
    How many of the likeliest tokens to list at each place; needs `message.output_text.logprobs` in `include`.
    """
