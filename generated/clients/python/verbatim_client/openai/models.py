# Generated from specs/openai: mend the document or its overlay, never this file.
"""What answers, events and errors consist of."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StringConstraints
from typing_extensions import TypeAliasType

from verbatim_client.runtime.answer_part import AnswerPart


class ResponseFormatText(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["text"]


MetadataValue = TypeAliasType("MetadataValue", Annotated[str, Field(max_length=512)])


class CalledFunction(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    name: str
    arguments: str
    """
    JSON text, as the model wrote it.
    """


Byte = TypeAliasType("Byte", Annotated[int, Field(ge=0, le=255)])


class PromptTokensDetails(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    cached_tokens: Annotated[int, Field(ge=0)]
    """
    Tokens that were not computed again.
    """
    audio_tokens: Literal[0]


class CompletionTokensDetails(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    reasoning_tokens: Annotated[int, Field(ge=0)]
    """
    Tokens of thoughts.
    """
    audio_tokens: Literal[0]
    accepted_prediction_tokens: Literal[0]
    rejected_prediction_tokens: Literal[0]


class CalledFunctionChunk(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    name: str | None = None
    """
    In the first piece of a call.
    """
    arguments: str | None = None
    """
    A piece of the arguments' JSON text.
    """


CompletionTokenLogprob = TypeAliasType("CompletionTokenLogprob", Annotated[float | None, Field(le=0.0)])
"""
Null for the first token of a prompt, which nothing precedes.
"""


Logprob = TypeAliasType("Logprob", Annotated[float, Field(le=0.0)])


TextOffset = TypeAliasType("TextOffset", Annotated[int, Field(ge=0)])


class TextResponseFormatJsonObject(AnswerPart):
    """
    Any JSON object.
    """

    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["json_object"]


class TextResponseFormatJsonSchema(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["json_schema"]
    name: Annotated[str, Field(pattern="^[a-zA-Z0-9_-]{1,64}$")]
    """
    A name for the form.
    """
    description: str | None = None
    """
    What the form is for.
    """
    schema_: Annotated[dict[str, Any], Field(alias="schema")]
    """
    The JSON Schema that the text follows. A keyword that cannot be enforced is refused.
    """
    strict: bool | None = False
    """
    The schema keeps to the subset that OpenAI names strict, or the request is refused. The text is valid either way.
    """


class ResponseFunctionTool(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["function"]
    name: Annotated[str, Field(pattern="^[a-zA-Z0-9_-]{1,128}$")]
    """
    What the model calls it.
    """
    description: str | None = None
    """
    What it does, told to the model.
    """
    parameters: dict[str, Any] | None = None
    """
    JSON Schema of the arguments, an object; null for a function without arguments.
    """
    strict: bool | None = True
    """
    Whether arguments always follow the schema; with false they are only certain to be a JSON object. Null counts as true.
    """


class ResponseFunctionChoice(AnswerPart):
    """
    Exactly one call, of this function.
    """

    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["function"]
    name: str


class ResponseAllowedTools(AnswerPart):
    """
    Calls of these functions alone.
    """

    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["allowed_tools"]
    mode: Literal["auto", "required"]
    tools: Annotated[list[ResponseFunctionChoice], Field(min_length=1)]


class ResponseReasoningSettings(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None
    summary: Literal["auto", "concise", "detailed"] | None


class ResponseError(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    code: Literal["server_error"]
    message: str


class ResponseIncompleteDetails(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    reason: Literal["max_output_tokens"]


class ResponseInputTokensDetails(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    cached_tokens: Annotated[int, Field(ge=0)]
    """
    Tokens of the input that were not computed again.
    """
    cache_write_tokens: Literal[0]
    """
    Tokens charged for being put into the cache; none are.
    """


class ResponseOutputTokensDetails(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    reasoning_tokens: Annotated[int, Field(ge=0)]
    """
    Those of the answer's tokens that were thoughts.
    """


class ResponseSummaryText(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["summary_text"]
    text: str


class ResponseReasoningText(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["reasoning_text"]
    text: str


class ResponseTopLogprob(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    token: str
    bytes: list[Byte]
    logprob: Annotated[float, Field(le=0.0)]


class ResponseFunctionCall(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: str
    type: Literal["function_call"]
    call_id: str
    """
    Repeat it in the item that holds the function's answer.
    """
    name: str
    arguments: str
    """
    JSON text.
    """
    status: Literal["in_progress", "completed", "incomplete"]


class ResponseReasoningTextDeltaEvent(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["response.reasoning_text.delta"]
    sequence_number: Annotated[int, Field(ge=0)]
    item_id: str
    output_index: Annotated[int, Field(ge=0)]
    content_index: Annotated[int, Field(ge=0)]
    delta: str
    """
    What the thoughts gain.
    """


class ResponseReasoningTextDoneEvent(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["response.reasoning_text.done"]
    sequence_number: Annotated[int, Field(ge=0)]
    item_id: str
    output_index: Annotated[int, Field(ge=0)]
    content_index: Annotated[int, Field(ge=0)]
    text: str
    """
    The whole thoughts.
    """


class ResponseFunctionCallArgumentsDeltaEvent(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["response.function_call_arguments.delta"]
    sequence_number: Annotated[int, Field(ge=0)]
    item_id: str
    output_index: Annotated[int, Field(ge=0)]
    delta: str
    """
    What the arguments' JSON text gains.
    """


class ResponseFunctionCallArgumentsDoneEvent(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["response.function_call_arguments.done"]
    sequence_number: Annotated[int, Field(ge=0)]
    item_id: str
    output_index: Annotated[int, Field(ge=0)]
    name: str
    arguments: str


class ResponseErrorEvent(AnswerPart):
    """
    The stream broke for a reason that is not the response's.
    """

    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["error"]
    sequence_number: Literal[0]
    """
    The count is lost with what broke.
    """
    code: str | None
    message: str
    param: str | None


EmbeddingVector = TypeAliasType("EmbeddingVector", Annotated[list[float], Field(min_length=1)])


EmbeddingBase64 = TypeAliasType("EmbeddingBase64", Annotated[str, Field(min_length=1)])


class EmbeddingUsage(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    prompt_tokens: Annotated[int, Field(ge=0)]
    total_tokens: Annotated[int, Field(ge=0)]


class Model(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: str
    object: Literal["model"]
    created: Annotated[int, Field(ge=0, le=9223372036854775807)]
    """
    Seconds since 1970.
    """
    owned_by: str
    max_model_len: Annotated[int | None, Field(ge=1)] = None
    """
    Tokens of prompt and answer together.
    """
    root: str | None = None
    """
    Where the weights come from.
    """
    parent: str | None = None
    """
    The model that an adapter adapts; null for a model.
    """


class Error(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    message: str
    """
    What went wrong, in words.
    """
    type: str
    """
    The kind: `invalid_request_error`, `rate_limit_error`, `server_error` or `service_unavailable_error`.
    """
    param: str | None
    """
    The field at fault.
    """
    code: str | None
    """
    A name to act on: `unknown_parameter`, `missing_required_parameter`, `invalid_type`, `invalid_value`, `unsupported_parameter`, `unsupported_value`, `context_length_exceeded`, `model_not_found`, `invalid_api_key`, `rate_limit_exceeded` or another.
    """


Metadata = TypeAliasType(
    "Metadata",
    Annotated[dict[Annotated[str, StringConstraints(max_length=64)], MetadataValue], Field(max_length=16)],
)
"""
Up to 16 notes of the client's own. They have no effect here.
"""


class ChatCompletionMessageToolCall(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: str
    type: Literal["function"]
    function: CalledFunction


class CompletionUsage(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    prompt_tokens: Annotated[int, Field(ge=0)]
    completion_tokens: Annotated[int, Field(ge=0)]
    total_tokens: Annotated[int, Field(ge=0)]
    prompt_tokens_details: PromptTokensDetails | None = None
    completion_tokens_details: CompletionTokensDetails | None = None


class ChatCompletionMessageToolCallChunk(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    index: Annotated[int, Field(ge=0)]
    """
    Which of the answer's calls.
    """
    id: str | None = None
    """
    In the first piece of a call.
    """
    type: Literal["function"] | None = None
    """
    In the first piece of a call.
    """
    function: CalledFunctionChunk | None = None


class CompletionLogprobs(AnswerPart):
    """
    Null unless asked for. All lists have an item for each token.
    """

    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    tokens: list[str]
    token_logprobs: list[CompletionTokenLogprob]
    top_logprobs: list[dict[str, Any] | None]
    text_offset: list[TextOffset]
    """
    Where each token begins, in characters of prompt and text.
    """


class CompletionStreamChoice(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    index: Annotated[int, Field(ge=0)]
    text: str
    logprobs: CompletionLogprobs | None
    finish_reason: Literal["stop", "length"] | None
    """
    Null until the text ends.
    """
    stop_reason: str | int | None = None
    """
    The stop text, or the id of the stop token, that ended the text; null if something else did.
    """


class ResponseTextSettings(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    format: Annotated[
        ResponseFormatText | TextResponseFormatJsonObject | TextResponseFormatJsonSchema,
        Field(discriminator="type"),
    ]
    verbosity: Literal["low", "medium", "high"] | None


class ResponseUsage(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    input_tokens: Annotated[int, Field(ge=0)]
    input_tokens_details: ResponseInputTokensDetails
    output_tokens: Annotated[int, Field(ge=0)]
    output_tokens_details: ResponseOutputTokensDetails
    total_tokens: Annotated[int, Field(ge=0)]


class ResponseReasoningItem(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: str
    type: Literal["reasoning"]
    summary: list[ResponseSummaryText]
    """
    Empty; the thoughts are told whole.
    """
    content: list[ResponseReasoningText]
    encrypted_content: None
    status: Literal["in_progress", "completed", "incomplete"]


class ResponseLogprob(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    token: str
    bytes: list[Byte]
    """
    The token in UTF-8; of several tokens that share a character, each has its bytes of it.
    """
    logprob: Annotated[float, Field(le=0.0)]
    """
    -9999 stands for a probability of 0.
    """
    top_logprobs: list[ResponseTopLogprob]


class ResponseTextDeltaEvent(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["response.output_text.delta"]
    sequence_number: Annotated[int, Field(ge=0)]
    item_id: str
    output_index: Annotated[int, Field(ge=0)]
    content_index: Annotated[int, Field(ge=0)]
    delta: str
    """
    What the text gains.
    """
    logprobs: list[ResponseLogprob]
    """
    Of the tokens that the piece is made of, if `include` asks for them; else empty.
    """


class ResponseTextDoneEvent(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["response.output_text.done"]
    sequence_number: Annotated[int, Field(ge=0)]
    item_id: str
    output_index: Annotated[int, Field(ge=0)]
    content_index: Annotated[int, Field(ge=0)]
    text: str
    """
    The whole text.
    """
    logprobs: list[ResponseLogprob]


class Embedding(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    object: Literal["embedding"]
    index: Annotated[int, Field(ge=0)]
    embedding: EmbeddingVector | EmbeddingBase64


class ListModelsResponse(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    object: Literal["list"]
    data: Annotated[list[Model], Field(min_length=1)]


class ErrorResponse(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    error: Error


class ChatCompletionResponseMessage(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    role: Literal["assistant"]
    content: str | None
    """
    Null where there are calls alone.
    """
    refusal: None
    """
    This server does not tell refusals from other answers.
    """
    tool_calls: Annotated[list[ChatCompletionMessageToolCall] | None, Field(min_length=1)] = None
    """
    Absent where there is no call.
    """
    reasoning: str | None = None
    """
    What the model thought; absent where it does not think.
    """
    reasoning_content: str | None = None
    """
    The same under its older name.
    """


class ChatCompletionTopLogprob(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    token: str
    logprob: Annotated[float, Field(le=0.0)]
    bytes: list[Byte] | None
    """
    The token in UTF-8. A character may be spread over several tokens; their bytes joined are the text. Null for a token that stands for no text.
    """


class ChatCompletionStreamResponseDelta(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    role: Literal["assistant"] | None = None
    """
    In the first piece of an answer.
    """
    content: str | None = None
    refusal: Annotated[None, Field(None)] = None
    tool_calls: Annotated[list[ChatCompletionMessageToolCallChunk] | None, Field(min_length=1)] = None
    reasoning: str | None = None
    """
    What the model thought; absent where it does not think.
    """
    reasoning_content: str | None = None
    """
    The same under its older name.
    """


class CompletionChoice(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    index: Annotated[int, Field(ge=0)]
    text: str
    logprobs: CompletionLogprobs | None
    finish_reason: Literal["stop", "length"]
    """
    `stop`: the model ended or a stop text came; `length`: the token bound.
    """
    stop_reason: str | int | None = None
    """
    The stop text, or the id of the stop token, that ended the text; null if something else did.
    """


class CreateCompletionStreamResponse(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: Annotated[str, Field(min_length=1)]
    """
    Unique.
    """
    object: Literal["text_completion"]
    created: Annotated[int, Field(ge=0, le=9223372036854775807)]
    """
    Seconds since 1970.
    """
    model: str
    system_fingerprint: str | None = None
    """
    Changes with what an equal seed could be answered differently by.
    """
    choices: list[CompletionStreamChoice]
    """
    Empty in the event that tells the token counts.
    """
    usage: CompletionUsage | None = None
    """
    With `include_usage`, null on all events but the last; absent without it.
    """


class ResponseOutputText(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["output_text"]
    text: str
    annotations: Annotated[list[dict[str, Any]], Field(max_length=0)]
    """
    Empty; no tool of the server's finds sources.
    """
    logprobs: list[ResponseLogprob]
    """
    One entry a token, if `include` asks for them; else empty.
    """


class ResponseContentPartAddedEvent(AnswerPart):
    """
    A message's text or the thoughts begin.
    """

    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["response.content_part.added"]
    sequence_number: Annotated[int, Field(ge=0)]
    item_id: str
    output_index: Annotated[int, Field(ge=0)]
    content_index: Annotated[int, Field(ge=0)]
    part: Annotated[ResponseOutputText | ResponseReasoningText, Field(discriminator="type")]


class ResponseContentPartDoneEvent(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["response.content_part.done"]
    sequence_number: Annotated[int, Field(ge=0)]
    item_id: str
    output_index: Annotated[int, Field(ge=0)]
    content_index: Annotated[int, Field(ge=0)]
    part: Annotated[ResponseOutputText | ResponseReasoningText, Field(discriminator="type")]


class CreateEmbeddingResponse(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    object: Literal["list"]
    data: Annotated[list[Embedding], Field(min_length=1)]
    model: str
    usage: EmbeddingUsage


class ChatCompletionTokenLogprob(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    token: str
    logprob: Annotated[float, Field(le=0.0)]
    """
    Natural logarithm of the token's probability.
    """
    bytes: list[Byte] | None
    """
    The token in UTF-8. A character may be spread over several tokens; their bytes joined are the text. Null for a token that stands for no text.
    """
    top_logprobs: list[ChatCompletionTopLogprob]
    """
    The most likely tokens at this place, in their order; empty unless asked for.
    """


class CreateCompletionResponse(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: Annotated[str, Field(min_length=1)]
    """
    Unique.
    """
    object: Literal["text_completion"]
    created: Annotated[int, Field(ge=0, le=9223372036854775807)]
    """
    Seconds since 1970.
    """
    model: str
    system_fingerprint: str | None = None
    """
    Changes with what an equal seed could be answered differently by.
    """
    choices: Annotated[list[CompletionChoice], Field(min_length=1)]
    """
    The texts of the first prompt, then those of the second, and so on.
    """
    usage: CompletionUsage


CompletionStreamEvent = TypeAliasType("CompletionStreamEvent", CreateCompletionStreamResponse | ErrorResponse)


class ResponseOutputMessage(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: str
    type: Literal["message"]
    role: Literal["assistant"]
    status: Literal["in_progress", "completed", "incomplete"]
    content: list[ResponseOutputText]


class ChatCompletionLogprobs(AnswerPart):
    """
    Null unless asked for.
    """

    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    content: list[ChatCompletionTokenLogprob] | None
    refusal: None


class ChatCompletionStreamChoice(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    index: Annotated[int, Field(ge=0)]
    delta: ChatCompletionStreamResponseDelta
    logprobs: ChatCompletionLogprobs | None
    finish_reason: Literal["stop", "length", "tool_calls"] | None
    """
    Null until the answer ends.
    """
    stop_reason: str | int | None = None
    """
    The stop text, or the id of the stop token, that ended the text; null if something else did.
    """


class ResponseOutputItemAddedEvent(AnswerPart):
    """
    An item begins.
    """

    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["response.output_item.added"]
    sequence_number: Annotated[int, Field(ge=0)]
    output_index: Annotated[int, Field(ge=0)]
    item: Annotated[
        ResponseReasoningItem | ResponseOutputMessage | ResponseFunctionCall, Field(discriminator="type")
    ]


class ResponseOutputItemDoneEvent(AnswerPart):
    """
    An item is whole, or has been cut short.
    """

    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["response.output_item.done"]
    sequence_number: Annotated[int, Field(ge=0)]
    output_index: Annotated[int, Field(ge=0)]
    item: Annotated[
        ResponseReasoningItem | ResponseOutputMessage | ResponseFunctionCall, Field(discriminator="type")
    ]


class ChatCompletionChoice(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    index: Annotated[int, Field(ge=0)]
    message: ChatCompletionResponseMessage
    logprobs: ChatCompletionLogprobs | None
    finish_reason: Literal["stop", "length", "tool_calls"]
    """
    `stop`: the model ended or a stop text came; `length`: the token bound; `tool_calls`: it calls.
    """
    stop_reason: str | int | None = None
    """
    The stop text, or the id of the stop token, that ended the text; null if something else did.
    """


class CreateChatCompletionStreamResponse(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: Annotated[str, Field(min_length=1)]
    """
    Unique.
    """
    object: Literal["chat.completion.chunk"]
    created: Annotated[int, Field(ge=0, le=9223372036854775807)]
    """
    Seconds since 1970.
    """
    model: str
    system_fingerprint: str | None = None
    """
    Changes with what an equal seed could be answered differently by.
    """
    service_tier: Literal["default"] | None = None
    """
    Present where the request names a tier.
    """
    choices: list[ChatCompletionStreamChoice]
    """
    Empty in the event that tells the token counts.
    """
    usage: CompletionUsage | None = None
    """
    With `include_usage`, null on all events but the last; absent without it.
    """


class Response(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: str
    """
    Unique; `resp_` and a number in hexadecimal digits.
    """
    object: Literal["response"]
    created_at: Annotated[int, Field(ge=0, le=9223372036854775807)]
    """
    Seconds since 1970.
    """
    completed_at: Annotated[int | None, Field(ge=0)]
    """
    When the answer was whole, in seconds since 1970; null if it is not.
    """
    status: Literal["in_progress", "completed", "incomplete", "failed"]
    background: Literal[False]
    error: ResponseError | None
    """
    Why it failed; null unless it has.
    """
    incomplete_details: ResponseIncompleteDetails | None
    """
    Why it is incomplete; null unless it is.
    """
    instructions: str | None
    max_output_tokens: Annotated[int | None, Field(ge=0)]
    max_tool_calls: int | None
    metadata: Metadata
    model: str
    """
    What /v1/models calls it.
    """
    output: list[
        Annotated[
            ResponseReasoningItem | ResponseOutputMessage | ResponseFunctionCall, Field(discriminator="type")
        ]
    ]
    """
    In the order in which the model wrote them: thoughts, texts, calls.
    """
    parallel_tool_calls: bool
    previous_response_id: None
    prompt_cache_key: str | None
    reasoning: ResponseReasoningSettings
    safety_identifier: str | None
    service_tier: Literal["default"]
    store: Literal[False]
    temperature: float
    text: ResponseTextSettings
    tool_choice: ResponseFunctionChoice | ResponseAllowedTools | Literal["none", "auto", "required"]
    tools: list[ResponseFunctionTool]
    top_logprobs: Annotated[int, Field(ge=0)]
    top_p: float
    truncation: Literal["disabled"]
    usage: ResponseUsage | None
    """
    Null while the response is in progress, or if it failed before it could be counted.
    """
    user: str | None


class ResponseCreatedEvent(AnswerPart):
    """
    The response as it begins, without output.
    """

    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["response.created"]
    sequence_number: Annotated[int, Field(ge=0)]
    response: Response


class ResponseInProgressEvent(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["response.in_progress"]
    sequence_number: Annotated[int, Field(ge=0)]
    response: Response


class ResponseCompletedEvent(AnswerPart):
    """
    The whole response, the same as without a stream.
    """

    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["response.completed"]
    sequence_number: Annotated[int, Field(ge=0)]
    response: Response


class ResponseIncompleteEvent(AnswerPart):
    """
    The response as far as its bound of tokens, or the context, let it come.
    """

    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["response.incomplete"]
    sequence_number: Annotated[int, Field(ge=0)]
    response: Response


class ResponseFailedEvent(AnswerPart):
    """
    The response as far as it came before it failed; its `error` says why.
    """

    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["response.failed"]
    sequence_number: Annotated[int, Field(ge=0)]
    response: Response


class CreateChatCompletionResponse(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: Annotated[str, Field(min_length=1)]
    """
    Unique.
    """
    object: Literal["chat.completion"]
    created: Annotated[int, Field(ge=0, le=9223372036854775807)]
    """
    Seconds since 1970.
    """
    model: str
    system_fingerprint: str | None = None
    """
    Changes with what an equal seed could be answered differently by.
    """
    service_tier: Literal["default"] | None = None
    """
    Present where the request names a tier.
    """
    choices: Annotated[list[ChatCompletionChoice], Field(min_length=1)]
    usage: CompletionUsage


ChatCompletionStreamEvent = TypeAliasType(
    "ChatCompletionStreamEvent", CreateChatCompletionStreamResponse | ErrorResponse
)


ResponseStreamEvent = TypeAliasType(
    "ResponseStreamEvent",
    Annotated[
        ResponseCreatedEvent
        | ResponseInProgressEvent
        | ResponseOutputItemAddedEvent
        | ResponseContentPartAddedEvent
        | ResponseReasoningTextDeltaEvent
        | ResponseReasoningTextDoneEvent
        | ResponseTextDeltaEvent
        | ResponseTextDoneEvent
        | ResponseFunctionCallArgumentsDeltaEvent
        | ResponseFunctionCallArgumentsDoneEvent
        | ResponseContentPartDoneEvent
        | ResponseOutputItemDoneEvent
        | ResponseCompletedEvent
        | ResponseIncompleteEvent
        | ResponseFailedEvent
        | ResponseErrorEvent,
        Field(discriminator="type"),
    ],
)
"""
What a stream is made of. `sequence_number` counts the events from 0; `output_index` is the place of an item in the response's `output`, `content_index` that of a part in its item.
"""
