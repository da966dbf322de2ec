# Generated from specs/openai: mend the document or its overlay, never this file.
"""The component schemas, and the parameters of operations."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import MISSING, BaseModel, ConfigDict, Field, StrictBool, StrictStr, StringConstraints
from typing_extensions import TypeAliasType

from generated.json_types import StrictFloat, StrictInt


class ImageUrl(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    url: StrictStr
    """
    Where the picture is, or the picture itself as a data URL.
    """
    detail: Literal["auto", "low", "high", "original"] | None = None
    """
    How closely to look.
    """


class InputAudio(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    data: StrictStr
    """
    The sound in base64.
    """
    format: Literal["wav", "mp3"]


class InputFile(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    file_data: StrictStr | None = None
    """
    The file in base64.
    """
    file_id: StrictStr | None = None
    """
    The id of an uploaded file.
    """
    filename: StrictStr | None = None


class ChatCompletionRequestMessageContentPartRefusal(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    type: Literal["refusal"]
    refusal: StrictStr
    """
    The words in which the model refused.
    """


class PromptCacheBreakpoint(BaseModel):
    """
    Where OpenAI's cache may end a prefix. It has no effect here.
    """

    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    mode: Literal["explicit"]
    ttl: Literal["30m", "12h"] | None = None


class PromptCacheOptions(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    mode: Literal["implicit", "explicit"] | None = None
    ttl: Literal["30m"] | None = None


class ChatCompletionStreamOptions(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    include_obfuscation: StrictBool | None = None
    """
    Pad events to one length. It has no effect here.
    """
    include_usage: StrictBool | None = False
    """
    Send one more event before the end that has no choices and the token counts; `usage` is null on all others.
    """


class NamedFunction(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    name: Annotated[StrictStr, Field(examples=["get_weather"], pattern="^[a-zA-Z0-9_-]{1,64}$")]


class ResponseFormatText(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    type: Literal["text"]


class ResponseFormatJsonObject(BaseModel):
    """
    Any JSON object.
    """

    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    type: Literal["json_object"]


class JsonSchemaFormat(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    name: Annotated[StrictStr, Field(examples=["person"], pattern="^[a-zA-Z0-9_-]{1,64}$")]
    description: StrictStr | None = None
    """
    What the form is for.
    """
    schema_: Annotated[dict[str, Any] | None, Field(alias="schema")] = None
    """
    A JSON Schema. Null is any JSON object.
    """
    strict: StrictBool | None = False
    """
    The schema keeps to the subset that OpenAI names strict, or the request is refused. The answer is valid either way.
    """


Bias = TypeAliasType("Bias", Annotated[StrictInt, Field(ge=-100, le=100)])


MetadataValue = TypeAliasType("MetadataValue", Annotated[StrictStr, Field(max_length=512)])


StopText = TypeAliasType("StopText", Annotated[StrictStr, Field(min_length=1)])


StopTexts = TypeAliasType("StopTexts", Annotated[list[StopText], Field(max_length=4, min_length=1)])


class CalledFunction(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    name: StrictStr
    arguments: StrictStr
    """
    JSON text, as the model wrote it.
    """


Byte = TypeAliasType("Byte", Annotated[StrictInt, Field(ge=0, le=255)])


class PromptTokensDetails(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    cached_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens that were not computed again.
    """
    audio_tokens: Literal[0]


class CompletionTokensDetails(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    reasoning_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens of thoughts.
    """
    audio_tokens: Literal[0]
    accepted_prediction_tokens: Literal[0]
    rejected_prediction_tokens: Literal[0]


class CalledFunctionChunk(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    name: StrictStr | MISSING = MISSING
    """
    In the first piece of a call.
    """
    arguments: StrictStr | MISSING = MISSING
    """
    A piece of the arguments' JSON text.
    """


Texts = TypeAliasType("Texts", Annotated[list[StrictStr], Field(max_length=2048, min_length=1)])


TokenId = TypeAliasType("TokenId", Annotated[StrictInt, Field(ge=0)])


CompletionTokenLogprob = TypeAliasType("CompletionTokenLogprob", Annotated[StrictFloat | None, Field(le=0.0)])
"""
Null for the first token of a prompt, which nothing precedes.
"""


TextOffset = TypeAliasType("TextOffset", Annotated[StrictInt, Field(ge=0)])


EmbeddingText = TypeAliasType("EmbeddingText", Annotated[StrictStr, Field(min_length=1)])


EmbeddingTexts = TypeAliasType(
    "EmbeddingTexts", Annotated[list[EmbeddingText], Field(max_length=2048, min_length=1)]
)


EmbeddingTokenIds = TypeAliasType(
    "EmbeddingTokenIds", Annotated[list[TokenId], Field(max_length=2048, min_length=1)]
)


EmbeddingVector = TypeAliasType("EmbeddingVector", Annotated[list[StrictFloat], Field(min_length=1)])


EmbeddingBase64 = TypeAliasType("EmbeddingBase64", Annotated[StrictStr, Field(min_length=1)])


class EmbeddingUsage(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    prompt_tokens: Annotated[StrictInt, Field(ge=0)]
    total_tokens: Annotated[StrictInt, Field(ge=0)]


class Model(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: StrictStr
    object: Literal["model"]
    created: Annotated[StrictInt, Field(ge=0, le=9223372036854775807)]
    """
    Seconds since 1970.
    """
    owned_by: StrictStr


class Error(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    message: StrictStr
    """
    What went wrong, in words.
    """
    type: StrictStr
    """
    The kind: `invalid_request_error`, `rate_limit_error`, `server_error` or `service_unavailable_error`.
    """
    param: StrictStr | None
    """
    The field at fault.
    """
    code: StrictStr | None
    """
    A name to act on: `unknown_parameter`, `missing_required_parameter`, `invalid_type`, `invalid_value`, `unsupported_parameter`, `unsupported_value`, `context_length_exceeded`, `model_not_found`, `invalid_api_key`, `rate_limit_exceeded` or another.
    """


class RetrieveModelArguments(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    model: Annotated[StrictStr, Field(min_length=1)]
    """
    The name of the model, which may hold slashes.
    """


class ChatCompletionRequestMessageContentPartText(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    type: Literal["text"]
    text: StrictStr
    prompt_cache_breakpoint: PromptCacheBreakpoint | None | MISSING = MISSING


class ChatCompletionRequestMessageContentPartImage(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    type: Literal["image_url"]
    image_url: ImageUrl
    prompt_cache_breakpoint: PromptCacheBreakpoint | None | MISSING = MISSING


class ChatCompletionRequestMessageContentPartAudio(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    type: Literal["input_audio"]
    input_audio: InputAudio
    prompt_cache_breakpoint: PromptCacheBreakpoint | None | MISSING = MISSING


class ChatCompletionRequestMessageContentPartFile(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    type: Literal["file"]
    file: InputFile
    prompt_cache_breakpoint: PromptCacheBreakpoint | None | MISSING = MISSING


class FunctionObject(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    name: Annotated[StrictStr, Field(examples=["get_weather"], pattern="^[a-zA-Z0-9_-]{1,64}$")]
    description: StrictStr | None = None
    """
    When to call it and what it does.
    """
    parameters: dict[str, Any] | None = None
    """
    JSON Schema of the arguments. Null is a function without parameters.
    """
    strict: StrictBool | None = False
    """
    Hold the arguments to the schema also where the model may choose whether to call.
    """


class ChatCompletionNamedToolChoice(BaseModel):
    """
    Names one function.
    """

    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    type: Literal["function"]
    function: NamedFunction


class ResponseFormatJsonSchema(BaseModel):
    """
    JSON that is valid against a schema.
    """

    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    type: Literal["json_schema"]
    json_schema: JsonSchemaFormat


Metadata = TypeAliasType(
    "Metadata",
    Annotated[
        dict[Annotated[str, StringConstraints(max_length=64, strict=True)], MetadataValue] | None,
        Field(max_length=16),
    ],
)
"""
Up to 16 notes of the client's own. They have no effect here.
"""


class ChatCompletionMessageToolCall(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    id: StrictStr
    type: Literal["function"]
    function: CalledFunction


class CompletionUsage(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    prompt_tokens: Annotated[StrictInt, Field(ge=0)]
    completion_tokens: Annotated[StrictInt, Field(ge=0)]
    total_tokens: Annotated[StrictInt, Field(ge=0)]
    prompt_tokens_details: PromptTokensDetails | MISSING = MISSING
    completion_tokens_details: CompletionTokensDetails | MISSING = MISSING


class ChatCompletionMessageToolCallChunk(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    index: Annotated[StrictInt, Field(ge=0)]
    """
    Which of the answer's calls.
    """
    id: StrictStr | MISSING = MISSING
    """
    In the first piece of a call.
    """
    type: Literal["function"] | MISSING = MISSING
    """
    In the first piece of a call.
    """
    function: CalledFunctionChunk | MISSING = MISSING


TokenIds = TypeAliasType("TokenIds", Annotated[list[TokenId], Field(min_length=1)])


TokenIdLists = TypeAliasType("TokenIdLists", Annotated[list[TokenIds], Field(max_length=2048, min_length=1)])


class CompletionLogprobs(BaseModel):
    """
    Null unless asked for. All lists have an item for each token.
    """

    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    tokens: list[StrictStr]
    token_logprobs: list[CompletionTokenLogprob]
    top_logprobs: list[dict[str, Any] | None]
    text_offset: list[TextOffset]
    """
    Where each token begins, in characters of prompt and text.
    """


class CompletionStreamChoice(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    index: Annotated[StrictInt, Field(ge=0)]
    text: StrictStr
    logprobs: CompletionLogprobs | None
    finish_reason: Literal["stop", "length"] | None
    """
    Null until the text ends.
    """


EmbeddingTokenIdLists = TypeAliasType(
    "EmbeddingTokenIdLists", Annotated[list[TokenIds], Field(max_length=2048, min_length=1)]
)


class Embedding(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    object: Literal["embedding"]
    index: Annotated[StrictInt, Field(ge=0)]
    embedding: EmbeddingVector | EmbeddingBase64


class ListModelsResponse(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    object: Literal["list"]
    data: list[Model]


class ErrorResponse(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    error: Error


TextContentParts = TypeAliasType(
    "TextContentParts", Annotated[list[ChatCompletionRequestMessageContentPartText], Field(min_length=1)]
)


class ChatCompletionTool(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    type: Literal["function"]
    function: FunctionObject


class ChatCompletionAllowedTools(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    mode: Literal["auto", "required"]
    tools: Annotated[list[ChatCompletionNamedToolChoice], Field(min_length=1)]


class ChatCompletionResponseMessage(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    role: Literal["assistant"]
    content: StrictStr | None
    """
    Null where there are calls alone.
    """
    refusal: None
    """
    This server does not tell refusals from other answers.
    """
    tool_calls: Annotated[list[ChatCompletionMessageToolCall] | MISSING, Field(min_length=1)] = MISSING
    """
    Absent where there is no call.
    """


class ChatCompletionTopLogprob(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    token: StrictStr
    logprob: Annotated[StrictFloat, Field(le=0.0)]
    bytes: list[Byte] | None
    """
    The token in UTF-8. A character may be spread over several tokens; their bytes joined are the text. Null for a token that stands for no text.
    """


class ChatCompletionStreamResponseDelta(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    role: Literal["assistant"] | MISSING = MISSING
    """
    In the first piece of an answer.
    """
    content: StrictStr | None | MISSING = MISSING
    refusal: None | MISSING = MISSING
    tool_calls: Annotated[list[ChatCompletionMessageToolCallChunk] | MISSING, Field(min_length=1)] = MISSING


class CompletionChoice(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    index: Annotated[StrictInt, Field(ge=0)]
    text: StrictStr
    logprobs: CompletionLogprobs | None
    finish_reason: Literal["stop", "length"]
    """
    `stop`: the model ended or a stop text came; `length`: the token bound.
    """


class CreateCompletionStreamResponse(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: Annotated[StrictStr, Field(min_length=1)]
    """
    Unique.
    """
    object: Literal["text_completion"]
    created: Annotated[StrictInt, Field(ge=0, le=9223372036854775807)]
    """
    Seconds since 1970.
    """
    model: StrictStr
    system_fingerprint: StrictStr | MISSING = MISSING
    """
    Changes with what an equal seed could be answered differently by.
    """
    choices: list[CompletionStreamChoice]
    """
    Empty in the event that tells the token counts.
    """
    usage: CompletionUsage | None | MISSING = MISSING
    """
    With `include_usage`, null on all events but the last; absent without it.
    """


class CreateEmbeddingResponse(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    object: Literal["list"]
    data: Annotated[list[Embedding], Field(min_length=1)]
    model: StrictStr
    usage: EmbeddingUsage


UserContentParts = TypeAliasType(
    "UserContentParts",
    Annotated[
        list[
            Annotated[
                ChatCompletionRequestMessageContentPartText
                | ChatCompletionRequestMessageContentPartImage
                | ChatCompletionRequestMessageContentPartAudio
                | ChatCompletionRequestMessageContentPartFile,
                Field(discriminator="type"),
            ]
        ],
        Field(min_length=1),
    ],
)


AssistantContentParts = TypeAliasType(
    "AssistantContentParts",
    Annotated[
        list[
            Annotated[
                ChatCompletionRequestMessageContentPartText | ChatCompletionRequestMessageContentPartRefusal,
                Field(discriminator="type"),
            ]
        ],
        Field(min_length=1),
    ],
)


class PredictionContent(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    type: Literal["content"]
    content: StrictStr | TextContentParts


class ChatCompletionAllowedToolsChoice(BaseModel):
    """
    Restricts the choice to some of the tools.
    """

    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    type: Literal["allowed_tools"]
    allowed_tools: ChatCompletionAllowedTools


class ChatCompletionTokenLogprob(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    token: StrictStr
    logprob: Annotated[StrictFloat, Field(le=0.0)]
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


class CreateCompletionRequest(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    model: Annotated[StrictStr, Field(examples=["verbatim-demo"])]
    """
    A name that /v1/models lists.
    """
    prompt: StrictStr | Texts | TokenIds | TokenIdLists
    """
    One prompt or several, as text or as token ids.
    """
    best_of: Annotated[StrictInt | None, Field(ge=1, le=20)] = None
    """
    Generate this many and answer with the `n` whose tokens are likeliest on average. Null is `n`.
    """
    echo: StrictBool | None = False
    """
    Put the prompt in front of the text.
    """
    frequency_penalty: Annotated[StrictFloat | None, Field(ge=-2.0, le=2.0)] = 0
    """
    Lowers a token's score for each time that it stands in the text already.
    """
    logit_bias: (
        dict[Annotated[str, StringConstraints(pattern=r"^(0|[1-9][0-9]{0,9})$", strict=True)], Bias] | None
    ) = None
    """
    What is added to the scores of single tokens; the extremes forbid or force one.
    """
    logprobs: Annotated[StrictInt | None, Field(ge=0, le=5)] = None
    """
    Tell the log-probability of each token, and of this many of the most likely ones at its place; with `echo`, of the prompt's tokens too.
    """
    max_tokens: Annotated[StrictInt | None, Field(ge=0)] = 16
    """
    At most this many tokens. 0 tells of the prompt alone.
    """
    n: Annotated[StrictInt | None, Field(examples=[1], ge=1, le=128)] = 1
    """
    How many texts to generate for each prompt.
    """
    presence_penalty: Annotated[StrictFloat | None, Field(ge=-2.0, le=2.0)] = 0
    """
    Lowers the score of every token that stands in the text already.
    """
    seed: Annotated[StrictInt | None, Field(ge=-9223372036854775808, le=9223372036854775807)] = None
    """
    Equal requests with equal seeds are answered alike by equal systems (`system_fingerprint`).
    """
    stop: StopText | StopTexts | None | MISSING = MISSING
    """
    Texts that end an answer; they are not part of it.
    """
    stream: StrictBool | None = False
    """
    Answer with server-sent events.
    """
    stream_options: ChatCompletionStreamOptions | None = None
    suffix: Annotated[None, Field(None)] = None
    """
    What comes after the text. The models served here do not look ahead.
    """
    temperature: Annotated[StrictFloat | None, Field(ge=0.0, le=2.0)] = 1
    """
    Spread of the draws; 0 always takes the most likely token.
    """
    top_p: Annotated[StrictFloat | None, Field(ge=0.0, le=1.0)] = 1
    """
    Draw from the most likely tokens that make up this probability; 0 leaves the likeliest alone.
    """
    user: StrictStr | None = None
    """
    A name for the end user. It has no effect here.
    """


class CreateCompletionResponse(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: Annotated[StrictStr, Field(min_length=1)]
    """
    Unique.
    """
    object: Literal["text_completion"]
    created: Annotated[StrictInt, Field(ge=0, le=9223372036854775807)]
    """
    Seconds since 1970.
    """
    model: StrictStr
    system_fingerprint: StrictStr | MISSING = MISSING
    """
    Changes with what an equal seed could be answered differently by.
    """
    choices: Annotated[list[CompletionChoice], Field(min_length=1)]
    """
    The texts of the first prompt, then those of the second, and so on.
    """
    usage: CompletionUsage


CompletionStreamEvent = TypeAliasType("CompletionStreamEvent", CreateCompletionStreamResponse | ErrorResponse)


class CreateEmbeddingRequest(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    model: Annotated[StrictStr, Field(examples=["verbatim-demo"])]
    """
    A name that /v1/models lists.
    """
    input: EmbeddingText | EmbeddingTexts | EmbeddingTokenIds | EmbeddingTokenIdLists
    """
    One text or several, as text or as token ids.
    """
    dimensions: Annotated[StrictInt | None, Field(ge=1)] = None
    """
    Cut the vectors to this length and normalise them again. Null is the model's own.
    """
    encoding_format: Literal["float", "base64"] | None = "float"
    """
    Numbers, or little-endian float32 in base64.
    """
    user: StrictStr | None = None
    """
    A name for the end user. It has no effect here.
    """


class ChatCompletionRequestDeveloperMessage(BaseModel):
    """
    Instructions, under their newer name.
    """

    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    role: Literal["developer"]
    content: StrictStr | TextContentParts
    name: StrictStr | None = None


class ChatCompletionRequestSystemMessage(BaseModel):
    """
    Instructions.
    """

    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    role: Literal["system"]
    content: StrictStr | TextContentParts
    name: StrictStr | None = None


class ChatCompletionRequestToolMessage(BaseModel):
    """
    What a function returned.
    """

    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    role: Literal["tool"]
    content: StrictStr | TextContentParts
    tool_call_id: StrictStr
    """
    The call that it answers.
    """


class ChatCompletionLogprobs(BaseModel):
    """
    Null unless asked for.
    """

    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    content: list[ChatCompletionTokenLogprob] | None
    refusal: None


class ChatCompletionStreamChoice(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    index: Annotated[StrictInt, Field(ge=0)]
    delta: ChatCompletionStreamResponseDelta
    logprobs: ChatCompletionLogprobs | None
    finish_reason: Literal["stop", "length", "tool_calls"] | None
    """
    Null until the answer ends.
    """


class ChatCompletionRequestUserMessage(BaseModel):
    """
    What the user says, shows or sends.
    """

    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    role: Literal["user"]
    content: StrictStr | UserContentParts
    name: StrictStr | None = None


class ChatCompletionRequestAssistantMessage(BaseModel):
    """
    What the model said before. It has content, a refusal or tool calls.
    """

    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    role: Literal["assistant"]
    content: StrictStr | AssistantContentParts | None = None
    audio: Annotated[None, Field(None)] = None
    """
    An earlier spoken answer. This server has given none.
    """
    function_call: Annotated[None, Field(deprecated=True)] = None
    """
    Replaced by `tool_calls`.
    """
    name: StrictStr | None = None
    refusal: StrictStr | None = None
    """
    The words in which the model refused.
    """
    tool_calls: list[ChatCompletionMessageToolCall] | None = None
    """
    The functions that the model called.
    """


class ChatCompletionChoice(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    index: Annotated[StrictInt, Field(ge=0)]
    message: ChatCompletionResponseMessage
    logprobs: ChatCompletionLogprobs | None
    finish_reason: Literal["stop", "length", "tool_calls"]
    """
    `stop`: the model ended or a stop text came; `length`: the token bound; `tool_calls`: it calls.
    """


class CreateChatCompletionStreamResponse(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: Annotated[StrictStr, Field(min_length=1)]
    """
    Unique.
    """
    object: Literal["chat.completion.chunk"]
    created: Annotated[StrictInt, Field(ge=0, le=9223372036854775807)]
    """
    Seconds since 1970.
    """
    model: StrictStr
    system_fingerprint: StrictStr | MISSING = MISSING
    """
    Changes with what an equal seed could be answered differently by.
    """
    service_tier: Literal["default"] | MISSING = MISSING
    """
    Present where the request names a tier.
    """
    choices: list[ChatCompletionStreamChoice]
    """
    Empty in the event that tells the token counts.
    """
    usage: CompletionUsage | None | MISSING = MISSING
    """
    With `include_usage`, null on all events but the last; absent without it.
    """


class CreateChatCompletionResponse(BaseModel):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    id: Annotated[StrictStr, Field(min_length=1)]
    """
    Unique.
    """
    object: Literal["chat.completion"]
    created: Annotated[StrictInt, Field(ge=0, le=9223372036854775807)]
    """
    Seconds since 1970.
    """
    model: StrictStr
    system_fingerprint: StrictStr | MISSING = MISSING
    """
    Changes with what an equal seed could be answered differently by.
    """
    service_tier: Literal["default"] | MISSING = MISSING
    """
    Present where the request names a tier.
    """
    choices: Annotated[list[ChatCompletionChoice], Field(min_length=1)]
    usage: CompletionUsage


ChatCompletionStreamEvent = TypeAliasType(
    "ChatCompletionStreamEvent", CreateChatCompletionStreamResponse | ErrorResponse
)


class CreateChatCompletionRequest(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
    )
    model: Annotated[StrictStr, Field(examples=["verbatim-demo"])]
    """
    A name that /v1/models lists.
    """
    messages: Annotated[
        list[
            Annotated[
                ChatCompletionRequestDeveloperMessage
                | ChatCompletionRequestSystemMessage
                | ChatCompletionRequestUserMessage
                | ChatCompletionRequestAssistantMessage
                | ChatCompletionRequestToolMessage,
                Field(discriminator="role"),
            ]
        ],
        Field(min_length=1),
    ]
    """
    The conversation so far.
    """
    audio: Annotated[None, Field(None)] = None
    """
    How spoken answers sound. This server does not speak.
    """
    frequency_penalty: Annotated[StrictFloat | None, Field(ge=-2.0, le=2.0)] = 0
    """
    Lowers a token's score for each time that it stands in the answer already.
    """
    function_call: Annotated[None, Field(deprecated=True)] = None
    """
    Replaced by `tool_choice`.
    """
    functions: Annotated[None, Field(deprecated=True)] = None
    """
    Replaced by `tools`.
    """
    logit_bias: (
        dict[Annotated[str, StringConstraints(pattern=r"^(0|[1-9][0-9]{0,9})$", strict=True)], Bias] | None
    ) = None
    """
    What is added to the scores of single tokens; the extremes forbid or force one.
    """
    logprobs: StrictBool | None = False
    """
    Tell the log-probability of each token of the answer.
    """
    max_completion_tokens: Annotated[StrictInt | None, Field(ge=1)] = None
    """
    At most this many tokens of thoughts and answer together. Null fills the context.
    """
    max_tokens: Annotated[StrictInt | None, Field(deprecated=True, ge=1)] = None
    """
    The old name of `max_completion_tokens`; both may stand if they are equal.
    """
    metadata: Metadata | MISSING = MISSING
    modalities: list[Literal["text"]] | None = None
    """
    What the answer may consist of, which is text.
    """
    moderation: Annotated[None, Field(None)] = None
    """
    Moderation of what is asked and answered. There is none here.
    """
    n: Annotated[StrictInt | None, Field(examples=[1], ge=1, le=128)] = 1
    """
    How many answers to generate.
    """
    parallel_tool_calls: StrictBool | None = True
    """
    Whether one answer may hold several calls.
    """
    prediction: PredictionContent | None = None
    """
    What much of the answer will be. It is not used.
    """
    presence_penalty: Annotated[StrictFloat | None, Field(ge=-2.0, le=2.0)] = 0
    """
    Lowers the score of every token that stands in the answer already.
    """
    prompt_cache_key: StrictStr | None = None
    """
    Groups requests that share a beginning. What is shared is found without it.
    """
    prompt_cache_options: PromptCacheOptions | None = None
    """
    How OpenAI caches prompts. It has no effect here.
    """
    prompt_cache_retention: Literal["in_memory", "24h"] | None = None
    """
    How long OpenAI caches prompts. It has no effect here.
    """
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None | MISSING = (
        MISSING
    )
    """
    How much to think; the model's chat template is told.
    """
    response_format: ResponseFormatText | ResponseFormatJsonObject | ResponseFormatJsonSchema | None = None
    """
    The form that the answer must have. Null is text.
    """
    safety_identifier: Annotated[StrictStr | None, Field(max_length=64)] = None
    """
    A name for the end user. It has no effect here.
    """
    seed: Annotated[StrictInt | None, Field(ge=-9223372036854775808, le=9223372036854775807)] = None
    """
    Equal requests with equal seeds are answered alike by equal systems (`system_fingerprint`).
    """
    service_tier: Literal["auto", "default", "flex", "scale", "priority", "fast"] | None | MISSING = MISSING
    """
    How OpenAI schedules the request. All are `default` here.
    """
    stop: StopText | StopTexts | None | MISSING = MISSING
    """
    Texts that end an answer; they are not part of it.
    """
    store: StrictBool | None = False
    """
    Keep the answer for later retrieval. Nothing is kept here.
    """
    stream: StrictBool | None = False
    """
    Answer with server-sent events.
    """
    stream_options: ChatCompletionStreamOptions | None = None
    temperature: Annotated[StrictFloat | None, Field(ge=0.0, le=2.0)] = 1
    """
    Spread of the draws; 0 always takes the most likely token.
    """
    tool_choice: (
        ChatCompletionAllowedToolsChoice
        | ChatCompletionNamedToolChoice
        | Literal["none", "auto", "required"]
        | None
    ) = None
    """
    Null stands for `auto` where there are tools.
    """
    tools: Annotated[list[ChatCompletionTool] | None, Field(max_length=128)] = None
    """
    Functions that the model may call.
    """
    top_logprobs: Annotated[StrictInt | None, Field(ge=0, le=20)] = None
    """
    With `logprobs`, tell also of this many of the most likely tokens at each place.
    """
    top_p: Annotated[StrictFloat | None, Field(ge=0.0, le=1.0)] = 1
    """
    Draw from the most likely tokens that make up this probability; 0 leaves the likeliest alone.
    """
    user: Annotated[StrictStr | None, Field(deprecated=True)] = None
    """
    A name for the end user. It has no effect here.
    """
    verbosity: Literal["low", "medium", "high"] | None = None
    """
    How long answers should be; the model's chat template is told.
    """
    web_search_options: Annotated[None, Field(None)] = None
    """
    How the model searches the web. It does not.
    """
