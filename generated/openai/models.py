# Generated from specs/openai: mend the document or its overlay, never this file.
"""The component schemas, and the parameters of operations."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import MISSING, BaseModel, ConfigDict, Field, StrictBool, StrictStr, StringConstraints
from typing_extensions import TypeAliasType

from verbatim_kit.runtime.json_types import OnlyFalse, OnlyTrue, StrictFloat, StrictInt
from verbatim_kit.runtime.upload import Upload


class RequestCalledCustomTool(BaseModel):
    name: StrictStr
    """
    The custom tool that was called.
    """
    input: StrictStr
    """
    The text, as the model wrote it.
    """


class RequestCalledFunction(BaseModel):
    name: StrictStr
    """
    The function that was called.
    """
    arguments: StrictStr
    """
    JSON text.
    """
    parsed_arguments: Any = None
    """
    The arguments as a library parsed them. It has no effect.
    """


class ChatCompletionRequestFunctionMessage(BaseModel):
    """
    What a function returned that an earlier message called by `function_call`. Replaced by `tool`.
    """

    role: Literal["function"]
    content: StrictStr | None
    """
    What the function returned.
    """
    name: StrictStr
    """
    The function that was called, which an earlier message names.
    """


class ImageUrl(BaseModel):
    url: StrictStr
    """
    Where the picture is, or the picture itself as a data URL.
    """
    detail: Literal["auto", "low", "high", "original"] | None = None
    """
    How closely to look. It has no effect here; the model's own processor decides.
    """


class InputAudio(BaseModel):
    data: StrictStr
    """
    The sound in base64.
    """
    format: Literal["wav", "mp3"]
    """
    How the sound is said to be encoded. Its content decides.
    """


class InputFile(BaseModel):
    file_data: StrictStr | None = None
    """
    The file in base64, alone or as a data URL.
    """
    file_id: StrictStr | None = None
    """
    Refused: a message cannot refer to a stored file.
    """
    filename: StrictStr | None = None
    """
    What the file is called.
    """


class ChatCompletionRequestMessageContentPartRefusal(BaseModel):
    type: Literal["refusal"]
    refusal: StrictStr
    """
    The words in which the model refused.
    """
    cache_control: dict[str, Any] | None = None
    """
    Where a cache may end a prefix. It has no effect here.
    """


class PromptCacheBreakpoint(BaseModel):
    """
    Where OpenAI's cache may end a prefix. It has no effect here.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    mode: Literal["explicit"]
    ttl: Literal["30m", "12h"] | None = None
    """
    How long OpenAI keeps the prefix. It has no effect here.
    """


class PromptCacheOptions(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    mode: Literal["implicit", "explicit"] | None = None
    """
    Whether OpenAI chooses what is cached. It has no effect here.
    """
    ttl: Literal["30m"] | None = None
    """
    How long OpenAI keeps a prefix. It has no effect here.
    """


class ChatCompletionStreamOptions(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    include_obfuscation: StrictBool | None = None
    """
    Pad events to one length. It has no effect here.
    """
    include_usage: StrictBool | None = False
    """
    Send one more event before the end that has no choices and the token counts; `usage` is null on all others.
    """
    continuous_usage_stats: StrictBool | None = None
    """
    Token counts so far in every event that has choices.
    """


class CustomToolGrammar(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    syntax: Literal["regex", "lark"]
    """
    `regex`: the input matches the expression. `lark`: the grammar makes the input.
    """
    definition: Annotated[StrictStr, Field(max_length=65536)]
    """
    The expression, or the grammar. One that cannot be enforced is refused, such as one with templates, anchors or lookaround.
    """


class NamedFunction(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    name: Annotated[StrictStr, Field(examples=["get_weather"], pattern="^[a-zA-Z0-9_-]{1,64}$")]
    """
    The name of one of `tools`; any other is refused.
    """


class ResponseFormatText(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["text"]


class JsonSchemaFormat(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    name: Annotated[StrictStr, Field(examples=["person"], pattern="^[a-zA-Z0-9_-]{1,64}$")]
    """
    A name for the schema. It has no effect.
    """
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


Bias = TypeAliasType("Bias", Annotated[StrictFloat, Field(ge=-100.0, le=100.0)])


MetadataValue = TypeAliasType("MetadataValue", Annotated[StrictStr, Field(max_length=512)])


StopText = TypeAliasType("StopText", Annotated[StrictStr, Field(min_length=1)])


StopTexts = TypeAliasType("StopTexts", Annotated[list[StopText], Field(max_length=64, min_length=0)])


class CalledCustomTool(BaseModel):
    name: StrictStr
    """
    The custom tool that is called, which is one of `tools`.
    """
    input: StrictStr
    """
    The text, without JSON around it.
    """


class CalledFunction(BaseModel):
    name: StrictStr
    """
    The function that is called, which is one of `tools`.
    """
    arguments: StrictStr
    """
    JSON text, as the model wrote it.
    """


Byte = TypeAliasType("Byte", Annotated[StrictInt, Field(ge=0, le=255)])


TokenCount = TypeAliasType("TokenCount", Annotated[StrictInt, Field(ge=0)])


class PromptTokensDetails(BaseModel):
    cached_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens that were not computed again.
    """
    audio_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens that stand for sound.
    """


class CompletionTokensDetails(BaseModel):
    reasoning_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens of thoughts.
    """
    audio_tokens: Literal[0]
    accepted_prediction_tokens: Literal[0]
    rejected_prediction_tokens: Literal[0]


class CalledCustomToolChunk(BaseModel):
    name: StrictStr | MISSING = MISSING
    """
    In the first piece of a call.
    """
    input: StrictStr | MISSING = MISSING
    """
    A piece of the text.
    """


class CalledFunctionChunk(BaseModel):
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


Logprob = TypeAliasType("Logprob", Annotated[StrictFloat, Field(le=0.0)])


TextOffset = TypeAliasType("TextOffset", Annotated[StrictInt, Field(ge=0)])


class ResponseConversation(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    id: Annotated[StrictStr, Field(min_length=1)]
    """
    The id of the conversation.
    """


class DeletedConversation(BaseModel):
    model_config = ConfigDict(
        arbitrary_types_allowed=True,
    )
    id: StrictStr
    """
    The id that it had.
    """
    object: Literal["conversation.deleted"]
    deleted: OnlyTrue


class ResponseInputTokens(BaseModel):
    object: Literal["response.input_tokens"]
    input_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens of the input, as the model reads it.
    """


class ResponseStreamOptions(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    include_obfuscation: StrictBool | None = None
    """
    Accepted, and without effect; events are not padded.
    """
    include_usage: StrictBool | None = None
    """
    It has no effect; the last event always has the token counts.
    """


class ResponseReasoningOptions(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None = None
    """
    How much to think; the model's chat template is told. Null leaves it to the template.
    """
    summary: Literal["auto", "concise", "detailed"] | None = None
    """
    Repeated by the response. Thoughts are told whole, in `content`; no summary is made of them.
    """
    generate_summary: Literal["auto", "concise", "detailed"] | None = None
    """
    The earlier name of `summary`.
    """
    context: Literal["auto", "current_turn", "all_turns"] | None = None
    """
    Which turns' thoughts OpenAI's models see again. Without effect; the chat template decides on the thoughts that the input holds.
    """
    mode: Literal["standard"] | None = None
    """
    How OpenAI's models think. It must be `standard`, which has no effect.
    """
    max_tokens: Annotated[StrictInt | None, Field(ge=0)] = None
    """
    The most tokens of thoughts. When they are spent, the model's own end of a thought follows, and then the answer. A model that does not think has nothing to bound.
    """


class TextResponseFormatJsonObject(BaseModel):
    """
    Any JSON object.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["json_object"]


class TextResponseFormatJsonSchema(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["json_schema"]
    name: Annotated[StrictStr, Field(pattern="^[a-zA-Z0-9_-]{1,64}$")]
    """
    A name for the form.
    """
    description: StrictStr | None = None
    """
    What the form is for.
    """
    schema_: Annotated[dict[str, Any], Field(alias="schema")]
    """
    The JSON Schema that the text follows. A keyword that cannot be enforced is refused.
    """
    strict: StrictBool | None = False
    """
    The schema keeps to the subset that OpenAI names strict, or the request is refused. The text is valid either way.
    """


class ResponseCustomToolGrammar(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["grammar"]
    syntax: Literal["regex", "lark"]
    """
    `regex`: the input matches the expression. `lark`: the grammar makes the input.
    """
    definition: Annotated[StrictStr, Field(max_length=65536)]
    """
    The expression, or the grammar. One that cannot be enforced is refused, such as one with templates, anchors or lookaround.
    """


class ResponseHostedTool(BaseModel):
    """
    A tool of OpenAI's own, which runs on its servers or which its models are trained on. The model is not told of it, since nothing here runs it.
    """

    model_config = ConfigDict(
        extra="allow",
    )
    type: Literal[
        "web_search",
        "web_search_2025_08_26",
        "web_search_preview",
        "web_search_preview_2025_03_11",
        "file_search",
        "code_interpreter",
        "image_generation",
        "local_shell",
        "shell",
        "apply_patch",
        "mcp",
        "computer",
        "computer_use_preview",
        "tool_search",
        "programmatic_tool_calling",
    ]
    """
    The kind of the tool.
    """


class ResponseFunctionTool(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["function"]
    name: Annotated[StrictStr, Field(pattern="^[a-zA-Z0-9_-]{1,128}$")]
    """
    What the model calls it.
    """
    description: StrictStr | None = None
    """
    What it does, told to the model.
    """
    parameters: dict[str, Any] | None = None
    """
    JSON Schema of the arguments, an object; null for a function without arguments.
    """
    strict: StrictBool | None = True
    """
    Whether arguments always follow the schema; with false they are only certain to be a JSON object. Null counts as true.
    """
    defer_loading: StrictBool | None | MISSING = MISSING
    """
    Without effect; the model is told of every tool from the start.
    """
    allowed_callers: list[Literal["direct", "programmatic"]] | None | MISSING = MISSING
    """
    Who may call it. The model calls directly, so that `direct` must be among them.
    """
    output_schema: dict[str, Any] | None | MISSING = MISSING
    """
    JSON Schema of what it answers, for programs that call it. Without effect.
    """
    async_: Annotated[StrictBool | None | MISSING, Field(alias="async")] = MISSING
    """
    Whether the result may come later. It has no effect.
    """


class ResponseFunctionChoice(BaseModel):
    """
    Exactly one call, of this function or custom tool.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["function", "custom"]
    """
    The kind of the tool.
    """
    name: StrictStr
    """
    The name of one of `tools`, or of one in a namespace; any other is refused.
    """


class ResponseHostedChoice(BaseModel):
    """
    Refused, since nothing here runs such a tool.
    """

    model_config = ConfigDict(
        extra="allow",
    )
    type: Literal[
        "web_search",
        "web_search_2025_08_26",
        "web_search_preview",
        "web_search_preview_2025_03_11",
        "file_search",
        "code_interpreter",
        "image_generation",
        "local_shell",
        "shell",
        "apply_patch",
        "mcp",
        "computer",
        "computer_use_preview",
        "tool_search",
        "programmatic_tool_calling",
        "computer_use",
    ]
    """
    The kind of the tool.
    """


class ResponseInputText(BaseModel):
    type: Literal["input_text"]
    text: StrictStr
    """
    The text.
    """
    prompt_cache_breakpoint: PromptCacheBreakpoint | None = None
    """
    Where OpenAI's cache may end a prefix. It has no effect here.
    """


class ResponseInputImage(BaseModel):
    """
    Refused by models that read text alone.
    """

    type: Literal["input_image"]
    image_url: StrictStr | None = None
    """
    Where the picture is, or the picture itself as a data URL.
    """
    prompt_cache_breakpoint: PromptCacheBreakpoint | None = None
    """
    Where OpenAI's cache may end a prefix. It has no effect here.
    """
    file_id: StrictStr | None = None
    """
    Refused: a message cannot refer to a stored file.
    """
    detail: Literal["auto", "low", "high", "original"] | None = None
    """
    How closely to look. It has no effect here; the model's own processor decides.
    """


class ResponseInputFile(BaseModel):
    """
    A file. It must be text in UTF-8; the model reads it under its name. PDF is refused.
    """

    type: Literal["input_file"]
    file_id: StrictStr | None = None
    """
    Refused: a message cannot refer to a stored file.
    """
    prompt_cache_breakpoint: PromptCacheBreakpoint | None = None
    """
    Where OpenAI's cache may end a prefix. It has no effect here.
    """
    file_url: StrictStr | None = None
    """
    Where the file is.
    """
    file_data: StrictStr | None = None
    """
    The file in base64, alone or as a data URL.
    """
    filename: StrictStr | None = None
    """
    What the file is called.
    """
    detail: Literal["auto", "low", "high"] | None = None
    """
    How closely to look. It has no effect on text.
    """


class ResponseOutputTextInput(BaseModel):
    type: Literal["output_text"]
    text: StrictStr
    """
    The text.
    """
    annotations: list[dict[str, Any]] | None = None
    """
    Without effect.
    """
    logprobs: list[dict[str, Any]] | None = None
    """
    Without effect.
    """
    parsed: Any = None
    """
    The text as a library parsed it. It has no effect.
    """


class ResponseRefusalInput(BaseModel):
    type: Literal["refusal"]
    refusal: StrictStr
    """
    Read as the assistant's text.
    """


class ResponseFunctionCallInput(BaseModel):
    """
    A call that the model made earlier.
    """

    type: Literal["function_call"]
    call_id: Annotated[StrictStr, Field(max_length=64, min_length=1)]
    """
    The id by which the function's answer refers to the call.
    """
    name: Annotated[StrictStr, Field(max_length=128, min_length=1)]
    """
    The function that was called.
    """
    arguments: StrictStr
    """
    JSON text, as the model wrote it.
    """
    namespace: StrictStr | None = None
    """
    The namespace of the function, if it is in one.
    """
    id: StrictStr | None = None
    """
    The id that the item had in its response. It is not looked at.
    """
    status: Literal["in_progress", "completed", "incomplete"] | None | MISSING = MISSING
    """
    As an answer told it; without effect.
    """
    parsed_arguments: Any = None
    """
    The arguments as a library parsed them. It has no effect.
    """


class ResponseCustomToolCallInput(BaseModel):
    """
    A call of a custom tool that the model made earlier.
    """

    type: Literal["custom_tool_call"]
    call_id: Annotated[StrictStr, Field(max_length=64, min_length=1)]
    """
    The id by which the tool's answer refers to the call.
    """
    name: Annotated[StrictStr, Field(max_length=128, min_length=1)]
    """
    The tool that was called.
    """
    input: StrictStr
    """
    The text, as the model wrote it.
    """
    namespace: StrictStr | None = None
    """
    The namespace of the tool, if it is in one.
    """
    id: StrictStr | None = None
    """
    The id that the item had in its response. It is not looked at.
    """
    status: Literal["in_progress", "completed", "incomplete"] | None | MISSING = MISSING
    """
    As an answer told it; without effect.
    """


class ResponseShellCallInput(BaseModel):
    """
    A call that another server's model made of one of OpenAI's tools that run at the client. It is read as a call of a function of that name.
    """

    type: Literal["local_shell_call", "shell_call", "apply_patch_call"]
    """
    The kind of the call, which names the tool.
    """
    call_id: StrictStr | None = None
    """
    The id by which the answer refers to the call; `id` in its place.
    """
    id: StrictStr | None = None
    """
    The id that the item had in its response.
    """
    action: dict[str, Any] | None = None
    """
    The command, which is the function's arguments.
    """
    operation: dict[str, Any] | None = None
    """
    The change of a file, which is the function's arguments.
    """


class ResponseShellCallOutput(BaseModel):
    """
    What such a tool answered.
    """

    type: Literal["local_shell_call_output", "shell_call_output", "apply_patch_call_output"]
    """
    The kind of the call that is answered.
    """
    call_id: StrictStr | None = None
    """
    Of a call that an earlier item of the input makes; `id` in its place.
    """
    id: StrictStr | None = None
    """
    The call's id where `call_id` is absent.
    """
    output: Any = None
    """
    A text; anything else is read as its JSON text.
    """


class ResponseHostedItem(BaseModel):
    """
    What a tool of another server's did. It has no effect; the words that the model made of it are items of their own.
    """

    model_config = ConfigDict(
        extra="allow",
    )
    type: Literal[
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "mcp_call",
        "mcp_list_tools",
        "mcp_approval_request",
        "mcp_approval_response",
        "tool_search_call",
        "tool_search_output",
        "program",
        "program_output",
    ]
    """
    The kind of the item.
    """


class ResponseCompactionItem(BaseModel):
    """
    Stands for the items before it, of which only messages of users, systems and developers are read. One that another server made is refused, since only that server can read it.
    """

    model_config = ConfigDict(
        extra="allow",
    )
    type: Literal["compaction", "compaction_summary", "context_compaction"]
    """
    The kind of the item.
    """
    encrypted_content: StrictStr
    """
    The summary, in the encoding of the server that made it.
    """


class ResponseSteeringItem(BaseModel):
    """
    `compaction_trigger` is refused; `/v1/responses/compact` does what it asks for. `configuration_update` is refused unless it changes nothing; each request has a configuration of its own.
    """

    model_config = ConfigDict(
        extra="allow",
    )
    type: Literal["compaction_trigger", "configuration_update"]
    """
    The kind of the item.
    """


class ResponseItemReference(BaseModel):
    """
    An item of a stored response, of its input or its output.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["item_reference"]
    id: Annotated[StrictStr, Field(min_length=1)]
    """
    The id of the item.
    """


class DeletedResponse(BaseModel):
    model_config = ConfigDict(
        arbitrary_types_allowed=True,
    )
    id: StrictStr
    """
    The id that it had.
    """
    object: Literal["response"]
    deleted: OnlyTrue


class ResponseStoredItem(BaseModel):
    """
    An item as it was sent, with an id of its own; the content of a message is always parts.
    """

    model_config = ConfigDict(
        extra="allow",
    )
    id: StrictStr
    """
    The id by which it can be referred to.
    """
    type: StrictStr
    """
    Its kind, as in a request.
    """


class ResponseReasoningSettings(BaseModel):
    effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None
    """
    As in the request.
    """
    summary: Literal["auto", "concise", "detailed"] | None
    """
    As in the request, under either of its names. It has no effect.
    """


class ResponseError(BaseModel):
    code: Literal["server_error", "rate_limit_exceeded", "invalid_prompt"]
    """
    `rate_limit_exceeded` and `invalid_prompt` only with `background`, where the answer is refused after it was queued.
    """
    message: StrictStr
    """
    What went wrong, in words.
    """


class ResponseIncompleteDetails(BaseModel):
    reason: Literal["max_output_tokens"]


class ResponseInputTokensDetails(BaseModel):
    cached_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens of the input that were not computed again.
    """
    cache_write_tokens: Literal[0]
    """
    Tokens charged for being put into the cache; none are.
    """


class ResponseOutputTokensDetails(BaseModel):
    reasoning_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Those of the answer's tokens that were thoughts.
    """


class ResponseSummaryText(BaseModel):
    type: Literal["summary_text"]
    text: StrictStr
    """
    What the model thought, in short.
    """


class ResponseReasoningText(BaseModel):
    type: Literal["reasoning_text"]
    text: StrictStr
    """
    What the model thought.
    """


class ResponseTopLogprob(BaseModel):
    token: StrictStr
    """
    The token as text. Bytes that are no whole character are told as U+FFFD.
    """
    bytes: list[Byte]
    """
    The token in UTF-8, which may be part of a character.
    """
    logprob: Annotated[StrictFloat, Field(le=0.0)]
    """
    Natural logarithm of the token's probability; -9999 stands for 0.
    """


class ResponseFunctionCall(BaseModel):
    id: StrictStr
    """
    Unique; `fc_` and a number in hexadecimal digits.
    """
    type: Literal["function_call"]
    call_id: StrictStr
    """
    Repeat it in the item that holds the function's answer.
    """
    name: StrictStr
    """
    The function that is called, which is one of `tools`.
    """
    arguments: StrictStr
    """
    JSON text.
    """
    namespace: StrictStr | MISSING = MISSING
    """
    The namespace of the function; absent for one in none.
    """
    status: Literal["in_progress", "completed", "incomplete"]
    """
    `in_progress` while the arguments come, `incomplete` where they were cut short.
    """


class ResponseCustomToolCall(BaseModel):
    id: StrictStr
    """
    Unique; `ctc_` and a number in hexadecimal digits.
    """
    type: Literal["custom_tool_call"]
    call_id: StrictStr
    """
    Repeat it in the item that holds the tool's answer.
    """
    name: StrictStr
    """
    The custom tool that is called, which is one of `tools`.
    """
    input: StrictStr
    """
    The text that the model wrote for it; empty while it comes.
    """
    namespace: StrictStr | MISSING = MISSING
    """
    The namespace of the tool; absent for one in none.
    """
    status: Literal["in_progress", "completed", "incomplete"]
    """
    `in_progress` while the input comes, `incomplete` where it was cut short.
    """


class ResponseReasoningTextDeltaEvent(BaseModel):
    type: Literal["response.reasoning_text.delta"]
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The event's number in its stream, from 0.
    """
    item_id: StrictStr
    """
    The `id` of the item.
    """
    output_index: Annotated[StrictInt, Field(ge=0)]
    """
    The item's place in the response's `output`, from 0.
    """
    content_index: Annotated[StrictInt, Field(ge=0)]
    """
    The part's place in the item's `content`; always 0.
    """
    delta: StrictStr
    """
    What the thoughts gain.
    """


class ResponseReasoningTextDoneEvent(BaseModel):
    type: Literal["response.reasoning_text.done"]
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The event's number in its stream, from 0.
    """
    item_id: StrictStr
    """
    The `id` of the item.
    """
    output_index: Annotated[StrictInt, Field(ge=0)]
    """
    The item's place in the response's `output`, from 0.
    """
    content_index: Annotated[StrictInt, Field(ge=0)]
    """
    The part's place in the item's `content`; always 0.
    """
    text: StrictStr
    """
    The whole thoughts.
    """


class ResponseFunctionCallArgumentsDeltaEvent(BaseModel):
    type: Literal["response.function_call_arguments.delta"]
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The event's number in its stream, from 0.
    """
    item_id: StrictStr
    """
    The `id` of the item.
    """
    output_index: Annotated[StrictInt, Field(ge=0)]
    """
    The item's place in the response's `output`, from 0.
    """
    delta: StrictStr
    """
    What the arguments' JSON text gains.
    """


class ResponseFunctionCallArgumentsDoneEvent(BaseModel):
    type: Literal["response.function_call_arguments.done"]
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The event's number in its stream, from 0.
    """
    item_id: StrictStr
    """
    The `id` of the item.
    """
    output_index: Annotated[StrictInt, Field(ge=0)]
    """
    The item's place in the response's `output`, from 0.
    """
    name: StrictStr
    """
    The function that is called.
    """
    arguments: StrictStr
    """
    The whole arguments, as JSON text.
    """


class ResponseCustomToolCallInputDeltaEvent(BaseModel):
    type: Literal["response.custom_tool_call_input.delta"]
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The event's number in its stream, from 0.
    """
    item_id: StrictStr
    """
    The `id` of the item.
    """
    output_index: Annotated[StrictInt, Field(ge=0)]
    """
    The item's place in the response's `output`, from 0.
    """
    delta: StrictStr
    """
    What the input gains.
    """


class ResponseCustomToolCallInputDoneEvent(BaseModel):
    type: Literal["response.custom_tool_call_input.done"]
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The event's number in its stream, from 0.
    """
    item_id: StrictStr
    """
    The `id` of the item.
    """
    output_index: Annotated[StrictInt, Field(ge=0)]
    """
    The item's place in the response's `output`, from 0.
    """
    input: StrictStr
    """
    The whole input.
    """


class ResponseErrorEvent(BaseModel):
    """
    The stream broke for a reason that is not the response's.
    """

    type: Literal["error"]
    sequence_number: Literal[0]
    """
    The count is lost with what broke.
    """
    code: StrictStr | None
    """
    A name to act on, if the fault has one.
    """
    message: StrictStr
    """
    What went wrong, in words.
    """
    param: StrictStr | None
    """
    The field at fault, if it is one's.
    """


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
    prompt_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens of all inputs.
    """
    total_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    The same; nothing is generated.
    """


class DecisionInstructionMessage(BaseModel):
    type: Literal["message"] | MISSING = MISSING
    role: Literal["developer", "system"]
    """
    Who speaks; both give instructions.
    """
    content: StrictStr | list[ResponseInputText]
    """
    A text, or parts of text.
    """


class DecisionInputImage(BaseModel):
    """
    Refused by models that read text alone.
    """

    type: Literal["input_image"]
    image_url: StrictStr
    """
    Where the picture is, or the picture itself as a data URL.
    """
    prompt_cache_breakpoint: PromptCacheBreakpoint | None = None
    """
    Where OpenAI's cache may end a prefix. It has no effect here.
    """
    detail: Literal["auto", "low", "high", "original"] | None = None
    """
    How closely to look. The model looks at every picture in its own way.
    """


class DecisionJsonObject(BaseModel):
    model_config = ConfigDict(
        extra="allow",
    )


class DecisionLevel(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    label: StrictStr
    """
    The name of the level.
    """
    description: StrictStr | MISSING = MISSING
    """
    When it is reached.
    """


class DecisionPredicateAnswer(BaseModel):
    type: Literal["predicate"]
    name: StrictStr | None
    """
    The name of the question; null if it has none.
    """
    probability: Annotated[StrictFloat, Field(ge=0.0, le=1.0)]
    """
    That it holds.
    """


class DecisionValueProbability(BaseModel):
    value: StrictStr | StrictBool
    """
    The value.
    """
    probability: Annotated[StrictFloat, Field(ge=0.0, le=1.0)]
    """
    That it is the answer.
    """


class DecisionLevelProbability(BaseModel):
    value: Annotated[StrictInt, Field(ge=0)]
    """
    The number of the level, from 0.
    """
    label: StrictStr
    """
    Its label.
    """
    probability: Annotated[StrictFloat, Field(ge=0.0, le=1.0)]
    """
    That it is the answer.
    """


class DecisionRefusal(BaseModel):
    """
    A question that the model will not answer. This server answers all questions, so it sends none.
    """

    type: Literal["refusal"]
    name: StrictStr | None
    """
    The name of the question; null if it has none.
    """


class DecisionUsage(BaseModel):
    input_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens of the prompts of all questions; each has the whole input.
    """
    input_tokens_details: ResponseInputTokensDetails
    """
    What of the input was not computed again, such as what a question shares with those before it.
    """
    output_tokens: Literal[0]
    """
    Nothing is generated.
    """
    output_tokens_details: ResponseOutputTokensDetails
    """
    What the generated tokens were; there are none.
    """
    total_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Both together.
    """


class CreateTranslationRequest(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        arbitrary_types_allowed=True,
    )
    file: Upload
    """
    The sound, in a file of one of the common formats, such as WAV, FLAC, MP3 and Ogg.
    """
    model: StrictStr
    """
    The model that translates.
    """
    prompt: StrictStr | MISSING = MISSING
    """
    An English text, in whose spelling and style the translation goes on.
    """
    response_format: Literal["json", "text", "srt", "verbose_json", "vtt"] = "json"
    """
    The form of the answer. `text`, `srt` and `vtt` are answered as text, the others as JSON.
    """
    temperature: Annotated[StrictFloat, Field(ge=0.0, le=1.0)] = 0
    """
    0 takes the likeliest tokens, and raises the temperature for a part of the sound whose text comes out repetitive or unlikely.
    """


class VadConfig(BaseModel):
    """
    How pauses of speech are found. Speech is what is loud beside the rest of the sound.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["server_vad"]
    """
    The way in which pauses are found.
    """
    threshold: Annotated[StrictFloat, Field(ge=0.0, le=1.0)] = 0.5
    """
    How loud speech is, between the quietest parts of the sound (0) and the loudest (1). A higher threshold suits a loud background.
    """
    prefix_padding_ms: Annotated[StrictInt, Field(ge=0, le=2147483647)] = 300
    """
    Milliseconds of sound before speech that a chunk begins with.
    """
    silence_duration_ms: Annotated[StrictInt, Field(ge=0, le=2147483647)] = 200
    """
    Milliseconds of silence after which speech has ended.
    """


class TranscriptLogprob(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    token: StrictStr
    """
    The token as text.
    """
    logprob: Annotated[StrictFloat, Field(le=0.0)]
    """
    Its log-probability, at least -9999.
    """
    bytes: list[Byte]
    """
    Its bytes in UTF-8; a character may take several tokens.
    """


class CreateTranslationResponseJson(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    text: StrictStr
    """
    The translation.
    """


class TranscriptionWord(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    word: StrictStr
    """
    The word.
    """
    start: Annotated[StrictFloat, Field(ge=0.0)]
    """
    When it begins in seconds.
    """
    end: Annotated[StrictFloat, Field(ge=0.0)]
    """
    When it ends in seconds.
    """


class TranscriptionSegment(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    id: Annotated[StrictInt, Field(ge=0)]
    """
    The number of the segment.
    """
    seek: Annotated[StrictInt, Field(ge=0)]
    """
    Where it begins in hundredths of a second.
    """
    start: Annotated[StrictFloat, Field(ge=0.0)]
    """
    When it begins in seconds.
    """
    end: Annotated[StrictFloat, Field(ge=0.0)]
    """
    When it ends in seconds.
    """
    text: StrictStr
    """
    Its text, usually with a blank before it.
    """
    tokens: list[TokenId]
    """
    The tokens of the text and of the times around it.
    """
    temperature: Annotated[StrictFloat, Field(ge=0.0)]
    """
    The temperature at which it was written.
    """
    avg_logprob: Annotated[StrictFloat, Field(le=0.0)]
    """
    The mean log-probability of the tokens.
    """
    compression_ratio: Annotated[StrictFloat, Field(ge=0.0)]
    """
    How far its text can be compressed; above 2.4 it is repetitive.
    """
    no_speech_prob: Annotated[StrictFloat, Field(ge=0.0, le=1.0)]
    """
    The probability that nobody speaks.
    """


class TranscriptTextDeltaEvent(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["transcript.text.delta"]
    """
    What the event is.
    """
    delta: StrictStr
    """
    The next part of the text.
    """
    logprobs: list[TranscriptLogprob] | MISSING = MISSING
    """
    The log-probabilities of its tokens, where `include[]` asks for them.
    """


class TranscriptTextUsageTokens(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["tokens"]
    """
    What is counted.
    """
    input_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens that the texts went on from.
    """
    output_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens that were generated, those of repeated parts included.
    """
    total_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Both together.
    """


class TranscriptTextUsageDuration(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["duration"]
    """
    What is counted.
    """
    seconds: Annotated[StrictFloat, Field(ge=0.0)]
    """
    The length of the sound in seconds.
    """


class Model(BaseModel):
    id: StrictStr
    """
    What to send as `model`.
    """
    object: Literal["model"]
    created: Annotated[StrictInt, Field(ge=0, le=9223372036854775807)]
    """
    Seconds since 1970.
    """
    owned_by: StrictStr
    """
    Who serves the model; always `verbatim`.
    """
    max_model_len: Annotated[StrictInt | MISSING, Field(ge=1)] = MISSING
    """
    Tokens of prompt and answer together.
    """
    root: StrictStr | MISSING = MISSING
    """
    Where the weights come from.
    """
    parent: StrictStr | None | MISSING = MISSING
    """
    The model that an adapter adapts; null for a model.
    """


class FileExpirationAfter(BaseModel):
    """
    When the file is deleted.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    anchor: Literal["created_at"]
    """
    The time to count from.
    """
    seconds: Annotated[StrictInt, Field(ge=3600, le=2592000)]
    """
    How long after it, from an hour to 30 days.
    """


class StoredFile(BaseModel):
    id: StrictStr
    """
    The file's id.
    """
    object: Literal["file"]
    bytes: Annotated[StrictInt, Field(ge=0)]
    """
    Its size.
    """
    created_at: Annotated[StrictInt, Field(ge=0, le=9223372036854775807)]
    """
    Seconds since 1970.
    """
    expires_at: StrictInt | None
    """
    When it is deleted, as Unix time; null for never.
    """
    filename: StrictStr
    """
    Its name.
    """
    purpose: Literal["batch", "batch_output", "user_data"]
    """
    `batch_output`: answers of a batch.
    """
    status: Literal["processed"]
    """
    Files need no processing.
    """


class ListFilesResponse(BaseModel):
    object: Literal["list"]
    data: list[StoredFile]
    """
    In the order that was asked for.
    """
    first_id: StrictStr | None
    """
    The id of the first of them; null for none.
    """
    last_id: StrictStr | None
    """
    The id of the last of them; null for none.
    """
    has_more: StrictBool
    """
    Whether more follow.
    """


class DeleteFileResponse(BaseModel):
    model_config = ConfigDict(
        arbitrary_types_allowed=True,
    )
    id: StrictStr
    """
    The id that it had.
    """
    object: Literal["file"]
    deleted: OnlyTrue


class BatchRequestCounts(BaseModel):
    """
    How many lines there are, and how many have ended.
    """

    total: Annotated[StrictInt, Field(ge=0)]
    """
    All lines.
    """
    completed: Annotated[StrictInt, Field(ge=0)]
    """
    Those with an answer of status 200.
    """
    failed: Annotated[StrictInt, Field(ge=0)]
    """
    Those with another answer, or without one at the end.
    """


class BatchError(BaseModel):
    code: StrictStr
    """
    What is wrong, as a name to act on.
    """
    message: StrictStr
    """
    The same in words.
    """
    param: StrictStr | None
    """
    The field at fault.
    """
    line: StrictInt | None
    """
    The number of the line, from 1; null where it is the whole file.
    """


class Error(BaseModel):
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


BadWord = TypeAliasType("BadWord", Annotated[StrictStr, Field(min_length=1)])


class VideoUrl(BaseModel):
    url: StrictStr
    """
    Where the video is, or the video itself as a data URL.
    """


class ResponseFormatRegex(BaseModel):
    """
    TGI's form of a regular expression.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["regex"]
    value: StrictStr
    """
    The expression, which the text matches from its first character to its last.
    """


Choice = TypeAliasType("Choice", Annotated[StrictStr, Field(min_length=1)])


class StructuredOutputsJson(BaseModel):
    """
    JSON that fits a schema.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    json_: Annotated[dict[str, Any] | StrictStr, Field(alias="json")]
    """
    A JSON Schema, or the JSON text of one.
    """


class StructuredOutputsJsonObject(BaseModel):
    """
    Any JSON object.
    """

    model_config = ConfigDict(
        extra="forbid",
        arbitrary_types_allowed=True,
    )
    json_object: OnlyTrue


class StructuredOutputsRegex(BaseModel):
    """
    Text that matches an expression from its first character to its last.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    regex: StrictStr
    """
    The expression.
    """


class StructuredOutputsGrammar(BaseModel):
    """
    Text that follows a grammar in EBNF.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    grammar: StrictStr
    """
    The grammar, whose first rule is `root`.
    """


class StructuredOutputsStructuralTag(BaseModel):
    """
    Text in which tags switch constraints on and off.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    structural_tag: StrictStr
    """
    A structural tag of xgrammar as JSON text.
    """


class ReasoningOptions(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None = None
    """
    The same as `reasoning_effort`.
    """
    max_tokens: Annotated[StrictInt | None, Field(ge=0)] = None
    """
    The same as `thinking_token_budget`.
    """
    enabled: StrictBool | None = None
    """
    The same as `enable_thinking`, which wins.
    """
    exclude: StrictBool | None = None
    """
    True leaves the thoughts out of the answer, as `include_reasoning` false does.
    """


class PromptLogprob(BaseModel):
    logprob: Annotated[StrictFloat, Field(le=0.0)]
    """
    -9999 stands for a probability of 0.
    """
    rank: Annotated[StrictInt | None, Field(ge=1)]
    """
    1 for the likeliest token; null for one that is not among the likeliest.
    """
    decoded_token: StrictStr
    """
    The token as text.
    """


class GenerationTimings(BaseModel):
    """
    Times of one request. A time of 0 counts as a microsecond, so that a speed is always a number.
    """

    cache_n: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens of the prompt that were in the cache.
    """
    prompt_n: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens of the prompt that were computed.
    """
    prompt_ms: Annotated[StrictFloat, Field(ge=0.0)]
    """
    Milliseconds from the start of the prompt to the first token.
    """
    prompt_per_token_ms: Annotated[StrictFloat, Field(ge=0.0)]
    """
    Milliseconds for each of `prompt_n`, 0 if none.
    """
    prompt_per_second: Annotated[StrictFloat, Field(ge=0.0)]
    """
    How many of `prompt_n` a second, 0 if none.
    """
    predicted_n: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens generated, the end token too.
    """
    predicted_ms: Annotated[StrictFloat, Field(ge=0.0)]
    """
    Milliseconds since the first token.
    """
    predicted_per_token_ms: Annotated[StrictFloat, Field(ge=0.0)]
    """
    Milliseconds for each of `predicted_n`, 0 if none.
    """
    predicted_per_second: Annotated[StrictFloat, Field(ge=0.0)]
    """
    How many of `predicted_n` a second, 0 if none.
    """


class RenderedStreamOptions(BaseModel):
    """
    What a stream tells besides tokens.
    """

    include_usage: StrictBool
    """
    Whether it ends with an event that has the token counts.
    """
    continuous_usage_stats: StrictBool
    """
    Whether every event has the counts so far.
    """


class RenderedPart(BaseModel):
    """
    A file of a rendered prompt.
    """

    type: Literal["image_url", "audio_url", "video_url"]
    """
    What the file is.
    """
    url: StrictStr
    """
    A data URL with the file's content.
    """


class RenderedForm(BaseModel):
    """
    One of these, as text.
    """

    json_: Annotated[StrictStr | MISSING, Field(alias="json")] = MISSING
    """
    A JSON Schema.
    """
    json_object: StrictBool | MISSING = MISSING
    """
    Any JSON object.
    """
    regex: StrictStr | MISSING = MISSING
    """
    A regular expression.
    """
    grammar: StrictStr | MISSING = MISSING
    """
    A grammar in EBNF.
    """
    structural_tag: StrictStr | MISSING = MISSING
    """
    A structural tag of xgrammar.
    """


class TokenizeResponse(BaseModel):
    count: Annotated[StrictInt, Field(ge=0)]
    """
    How many tokens there are.
    """
    max_model_len: Annotated[StrictInt, Field(ge=1)]
    """
    Tokens of prompt and answer together.
    """
    tokens: list[TokenId]
    """
    The tokens.
    """
    token_strs: list[StrictStr] | None
    """
    Each as the vocabulary writes it; null unless the request asks for it.
    """


class DetokenizeRequest(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    model: StrictStr | None = None
    """
    Null for the served model.
    """
    tokens: list[TokenId]
    """
    The tokens.
    """


class DetokenizeResponse(BaseModel):
    prompt: StrictStr
    """
    The text.
    """


class LoadLoraAdapterRequest(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    lora_name: Annotated[StrictStr, Field(max_length=256, min_length=1)]
    """
    The name by which requests ask for it.
    """
    lora_path: Annotated[StrictStr, Field(max_length=4096, min_length=1)]
    """
    Its folder; relative to the root that the server names.
    """
    load_inplace: StrictBool = False
    """
    Take the place of a loaded adapter of this name, whose requests end with the weights they began with.
    """


class UnloadLoraAdapterRequest(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    lora_name: Annotated[StrictStr, Field(max_length=256, min_length=1)]
    """
    The name of the adapter.
    """
    lora_int_id: StrictInt | None = None
    """
    vLLM's number of it. It has no effect.
    """


class UsageOptions(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    include: StrictBool | None = None
    """
    Whether the counts are wanted.
    """


class ThinkingSwitch(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["enabled", "disabled"]
    """
    Whether the model thinks.
    """
    budget_tokens: Annotated[StrictInt | None, Field(ge=0)] = None
    """
    The same as `thinking_token_budget`, under Anthropic's name.
    """


PromptTokens = TypeAliasType("PromptTokens", Annotated[StrictInt, Field(ge=0)])
"""
Tokens of each prompt, for `usage`, and of the one prompt with `stream`; null for those that the answers name.
"""


class GeneratedPromptDetails(BaseModel):
    cached_tokens: Annotated[StrictInt | None, Field(ge=0)] = None
    """
    Tokens that were in the cache.
    """


class GeneratedAlternative(BaseModel):
    token_id: Annotated[StrictInt, Field(ge=0)]
    """
    The token.
    """
    logprob: Annotated[StrictFloat, Field(le=0.0)]
    """
    Its log-probability.
    """


ToolCallId = TypeAliasType("ToolCallId", Annotated[StrictStr, Field(max_length=512, min_length=1)])


class GetResponseArguments(BaseModel):
    response_id: Annotated[StrictStr, Field(min_length=1)]
    """
    The id of the response.
    """
    stream: StrictBool = False
    """
    Answer with the events of the response, those to come too. Only for one that was asked for with `background` and `stream`.
    """
    starting_after: Annotated[StrictInt | MISSING, Field(ge=0)] = MISSING
    """
    The `sequence_number` of the last event that is not wanted again; only with `stream`.
    """
    include: (
        list[
            Literal[
                "message.output_text.logprobs",
                "reasoning.encrypted_content",
                "code_interpreter_call.outputs",
                "computer_call_output.output.image_url",
                "file_search_call.results",
                "message.input_image.image_url",
                "web_search_call.action.sources",
                "web_search_call.results",
            ]
        ]
        | MISSING
    ) = MISSING
    """
    Without effect; a response is found with all that it was answered with.
    """
    include_obfuscation: StrictBool | MISSING = MISSING
    """
    Without effect; events are not padded.
    """


class DeleteResponseArguments(BaseModel):
    response_id: Annotated[StrictStr, Field(min_length=1)]
    """
    The id of the response.
    """


class CancelResponseArguments(BaseModel):
    response_id: Annotated[StrictStr, Field(min_length=1)]
    """
    The id of the response.
    """


class ListInputItemsArguments(BaseModel):
    response_id: Annotated[StrictStr, Field(min_length=1)]
    """
    The id of the response.
    """
    limit: Annotated[StrictInt, Field(ge=1, le=100)] = 20
    """
    How many items to return at most.
    """
    order: Literal["asc", "desc"] = "desc"
    """
    `desc`: the newest first.
    """
    after: StrictStr | MISSING = MISSING
    """
    The id of an item to go on after, in that order.
    """


class GetConversationArguments(BaseModel):
    conversation_id: Annotated[StrictStr, Field(min_length=1)]
    """
    The id of the conversation.
    """


class UpdateConversationArguments(BaseModel):
    conversation_id: Annotated[StrictStr, Field(min_length=1)]
    """
    The id of the conversation.
    """


class DeleteConversationArguments(BaseModel):
    conversation_id: Annotated[StrictStr, Field(min_length=1)]
    """
    The id of the conversation.
    """


class ListConversationItemsArguments(BaseModel):
    conversation_id: Annotated[StrictStr, Field(min_length=1)]
    """
    The id of the conversation.
    """
    limit: Annotated[StrictInt, Field(ge=1, le=100)] = 20
    """
    How many items to return at most.
    """
    order: Literal["asc", "desc"] = "desc"
    """
    `desc`: the newest first.
    """
    after: StrictStr | MISSING = MISSING
    """
    The id of an item to go on after, in that order.
    """
    include: (
        list[
            Literal[
                "message.output_text.logprobs",
                "reasoning.encrypted_content",
                "code_interpreter_call.outputs",
                "computer_call_output.output.image_url",
                "file_search_call.results",
                "message.input_image.image_url",
                "web_search_call.action.sources",
                "web_search_call.results",
            ]
        ]
        | MISSING
    ) = MISSING
    """
    Without effect; an item is found with all that it was stored with.
    """


class CreateConversationItemsArguments(BaseModel):
    conversation_id: Annotated[StrictStr, Field(min_length=1)]
    """
    The id of the conversation.
    """
    include: (
        list[
            Literal[
                "message.output_text.logprobs",
                "reasoning.encrypted_content",
                "code_interpreter_call.outputs",
                "computer_call_output.output.image_url",
                "file_search_call.results",
                "message.input_image.image_url",
                "web_search_call.action.sources",
                "web_search_call.results",
            ]
        ]
        | MISSING
    ) = MISSING
    """
    Without effect; an item is found with all that it was stored with.
    """


class GetConversationItemArguments(BaseModel):
    conversation_id: Annotated[StrictStr, Field(min_length=1)]
    """
    The id of the conversation.
    """
    item_id: Annotated[StrictStr, Field(min_length=1)]
    """
    The id of the item.
    """
    include: (
        list[
            Literal[
                "message.output_text.logprobs",
                "reasoning.encrypted_content",
                "code_interpreter_call.outputs",
                "computer_call_output.output.image_url",
                "file_search_call.results",
                "message.input_image.image_url",
                "web_search_call.action.sources",
                "web_search_call.results",
            ]
        ]
        | MISSING
    ) = MISSING
    """
    Without effect; an item is found with all that it was stored with.
    """


class DeleteConversationItemArguments(BaseModel):
    conversation_id: Annotated[StrictStr, Field(min_length=1)]
    """
    The id of the conversation.
    """
    item_id: Annotated[StrictStr, Field(min_length=1)]
    """
    The id of the item.
    """


class ListFilesArguments(BaseModel):
    purpose: StrictStr | MISSING = MISSING
    """
    Only files of this purpose.
    """
    limit: Annotated[StrictInt, Field(ge=1, le=10000)] = 10000
    """
    How many files to return at most.
    """
    order: Literal["asc", "desc"] = "desc"
    """
    `desc`: the newest first.
    """
    after: StrictStr | MISSING = MISSING
    """
    The id of a file to go on after, in that order.
    """


class RetrieveFileArguments(BaseModel):
    file_id: Annotated[StrictStr, Field(min_length=1)]
    """
    The id of the file.
    """


class DeleteFileArguments(BaseModel):
    file_id: Annotated[StrictStr, Field(min_length=1)]
    """
    The id of the file.
    """


class DownloadFileArguments(BaseModel):
    file_id: Annotated[StrictStr, Field(min_length=1)]
    """
    The id of the file.
    """


class ListBatchesArguments(BaseModel):
    after: StrictStr | MISSING = MISSING
    """
    The id of a batch to go on after.
    """
    limit: Annotated[StrictInt, Field(ge=1, le=100)] = 20
    """
    How many batches to return at most.
    """


class RetrieveBatchArguments(BaseModel):
    batch_id: Annotated[StrictStr, Field(min_length=1)]
    """
    The id of the batch.
    """


class CancelBatchArguments(BaseModel):
    batch_id: Annotated[StrictStr, Field(min_length=1)]
    """
    The id of the batch.
    """


class RetrieveModelArguments(BaseModel):
    model: Annotated[StrictStr, Field(min_length=1)]
    """
    The name of the model, which may hold slashes.
    """


class ChatCompletionRequestMessageCustomToolCall(BaseModel):
    id: StrictStr
    """
    The id that the call had in the answer.
    """
    type: Literal["custom"]
    custom: RequestCalledCustomTool
    """
    The custom tool that was called, and with what.
    """


class ChatCompletionRequestMessageToolCall(BaseModel):
    id: StrictStr
    """
    The id that the call had in the answer.
    """
    type: Literal["function"]
    function: RequestCalledFunction
    """
    The function that was called, and with what.
    """
    cache_control: dict[str, Any] | None = None
    """
    Where a cache may end a prefix. It has no effect here.
    """
    index: StrictInt | None = None
    """
    Which of the answer's calls it was. It has no effect.
    """


class ChatCompletionRequestMessageContentPartText(BaseModel):
    type: Literal["text"]
    text: StrictStr
    """
    The text.
    """
    prompt_cache_breakpoint: PromptCacheBreakpoint | None = None
    """
    Where OpenAI's cache may end a prefix. It has no effect here.
    """
    cache_control: dict[str, Any] | None = None
    """
    Where a cache may end a prefix. It has no effect here.
    """


class ChatCompletionRequestMessageContentPartImage(BaseModel):
    type: Literal["image_url"]
    image_url: ImageUrl
    """
    The picture. A model that reads text alone refuses it.
    """
    prompt_cache_breakpoint: PromptCacheBreakpoint | None = None
    """
    Where OpenAI's cache may end a prefix. It has no effect here.
    """
    cache_control: dict[str, Any] | None = None
    """
    Where a cache may end a prefix. It has no effect here.
    """


class ChatCompletionRequestMessageContentPartAudio(BaseModel):
    type: Literal["input_audio"]
    input_audio: InputAudio
    """
    The sound. A model that reads text alone refuses it.
    """
    prompt_cache_breakpoint: PromptCacheBreakpoint | None = None
    """
    Where OpenAI's cache may end a prefix. It has no effect here.
    """
    cache_control: dict[str, Any] | None = None
    """
    Where a cache may end a prefix. It has no effect here.
    """


class ChatCompletionRequestMessageContentPartFile(BaseModel):
    type: Literal["file"]
    file: InputFile
    """
    The file. It must be text in UTF-8; the model reads it under its name. PDF is refused.
    """
    prompt_cache_breakpoint: PromptCacheBreakpoint | None = None
    """
    Where OpenAI's cache may end a prefix. It has no effect here.
    """
    cache_control: dict[str, Any] | None = None
    """
    Where a cache may end a prefix. It has no effect here.
    """


class CustomToolGrammarFormat(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["grammar"]
    grammar: CustomToolGrammar
    """
    The grammar that the input follows.
    """


class ChatCompletionFunction(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    name: Annotated[StrictStr, Field(examples=["get_weather"], pattern="^[a-zA-Z0-9_-]{1,64}$")]
    """
    What the model calls the function. No other of `functions` has the name.
    """
    description: StrictStr | None = None
    """
    When to call it and what it does.
    """
    parameters: dict[str, Any] | None = None
    """
    JSON Schema of the arguments. Null is a function without parameters.
    """


class FunctionObject(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    name: Annotated[StrictStr, Field(examples=["get_weather"], pattern="^[a-zA-Z0-9_-]{1,64}$")]
    """
    What the model calls the function. No other of `tools` has the name.
    """
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


class ChatCompletionNamedCustomToolChoice(BaseModel):
    """
    Names one custom tool.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["custom"]
    custom: NamedFunction
    """
    The custom tool that the model has to call.
    """


class ChatCompletionNamedToolChoice(BaseModel):
    """
    Names one function.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["function"] = "function"
    function: NamedFunction
    """
    The function that the model has to call.
    """


class ResponseFormatJsonObject(BaseModel):
    """
    Any JSON object.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["json_object"]
    value: dict[str, Any] | StrictStr | None = None
    """
    A JSON Schema that the object must fit.
    """
    schema_: Annotated[dict[str, Any] | StrictStr | None, Field(alias="schema")] = None
    """
    A JSON Schema that the object must fit; not with `value`.
    """


class ResponseFormatJsonSchema(BaseModel):
    """
    JSON that is valid against a schema.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["json_schema"]
    json_schema: JsonSchemaFormat | MISSING = MISSING
    """
    The schema, and its name.
    """
    schema_: Annotated[dict[str, Any] | StrictStr | MISSING, Field(alias="schema")] = MISSING
    """
    A JSON Schema that the JSON must fit, in place of `json_schema`.
    """


Metadata = TypeAliasType(
    "Metadata",
    Annotated[
        dict[Annotated[str, StringConstraints(max_length=64, strict=True)], MetadataValue],
        Field(max_length=16),
    ],
)
"""
Up to 16 notes of the client's own. They have no effect here.
"""


class ChatCompletionMessageCustomToolCall(BaseModel):
    id: StrictStr
    """
    Unique; repeat it as `tool_call_id` of the message that holds what the tool returned.
    """
    type: Literal["custom"]
    custom: CalledCustomTool
    """
    The custom tool that is called, and with what.
    """


class ChatCompletionMessageToolCall(BaseModel):
    id: StrictStr
    """
    Unique; repeat it as `tool_call_id` of the message that holds what the function returned.
    """
    type: Literal["function"]
    function: CalledFunction
    """
    The function that is called, and with what.
    """


class CompletionUsage(BaseModel):
    prompt_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens of the prompts, as the model read them; one prompt counts once, however many answers it has.
    """
    completion_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens generated over all answers, thoughts and end tokens counted.
    """
    total_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens of prompts and answers together.
    """
    prompt_tokens_details: PromptTokensDetails | MISSING = MISSING
    """
    What of the prompts was not computed again.
    """
    completion_tokens_details: CompletionTokensDetails | MISSING = MISSING
    """
    What the generated tokens were.
    """


class ChatCompletionMessageToolCallChunk(BaseModel):
    index: Annotated[StrictInt, Field(ge=0)]
    """
    Which of the answer's calls.
    """
    id: StrictStr | MISSING = MISSING
    """
    In the first piece of a call.
    """
    type: Literal["function", "custom"] | MISSING = MISSING
    """
    In the first piece of a call.
    """
    function: CalledFunctionChunk | MISSING = MISSING
    """
    The function's name in the first piece of a call, then pieces of its arguments.
    """
    custom: CalledCustomToolChunk | MISSING = MISSING
    """
    In place of `function`, a custom tool's name in the first piece, then pieces of its input.
    """


TokenIds = TypeAliasType("TokenIds", Annotated[list[TokenId], Field(min_length=1)])


TokenIdLists = TypeAliasType("TokenIdLists", Annotated[list[TokenIds], Field(max_length=2048, min_length=1)])


class CompletionLogprobs(BaseModel):
    """
    Null unless asked for. All lists have an item for each token.
    """

    tokens: list[StrictStr]
    """
    The tokens as texts. Bytes that are no whole character are told as U+FFFD.
    """
    token_logprobs: list[CompletionTokenLogprob]
    """
    Natural logarithm of each token's probability, before temperature and penalties; -9999 stands for 0.
    """
    top_logprobs: list[dict[str, Any] | None]
    """
    For each place the most likely tokens, as many as `logprobs` says, and the token that was taken, by their texts.
    """
    text_offset: list[TextOffset]
    """
    Where each token begins, in characters of prompt and text.
    """


class CompletionStreamChoice(BaseModel):
    index: Annotated[StrictInt, Field(ge=0)]
    """
    Which of the texts, from 0; those of the first prompt come first.
    """
    text: StrictStr
    """
    What the text gains; it may be empty. With `echo` the first piece begins with the prompt.
    """
    logprobs: CompletionLogprobs | None
    finish_reason: Literal["stop", "length"] | None
    """
    Null until the text ends.
    """
    prompt_token_ids: list[TokenId] | MISSING = MISSING
    """
    The prompt's tokens, as the model read them; absent unless `return_token_ids` asks for them.
    """
    token_ids: list[TokenId] | MISSING = MISSING
    """
    The tokens generated, the end token too; absent unless `return_token_ids` asks for them.
    """
    stop_reason: StrictStr | StrictInt | None | MISSING = MISSING
    """
    The stop text, or the id of the stop token, that ended the text; null if something else did.
    """


class UpdateConversationRequest(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    metadata: Metadata | None
    """
    The new notes; null for none.
    """


class Conversation(BaseModel):
    id: StrictStr
    """
    Unique; `conv_` and a number in hexadecimal digits.
    """
    object: Literal["conversation"]
    created_at: Annotated[StrictInt, Field(ge=0, le=9223372036854775807)]
    """
    Seconds since 1970.
    """
    metadata: Metadata


class ResponseAllowedTools(BaseModel):
    """
    Calls of these functions alone.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["allowed_tools"]
    mode: Literal["auto", "required"]
    """
    `auto`: the model may call them. `required`: it calls at least one.
    """
    tools: Annotated[list[ResponseFunctionChoice | ResponseHostedChoice], Field(min_length=1)]
    """
    The tools that may be called, each of which `tools` offers. The others stay in the prompt.
    """


class ResponseFunctionCallOutput(BaseModel):
    """
    What the function answered.
    """

    type: Literal["function_call_output"]
    call_id: Annotated[StrictStr, Field(max_length=64, min_length=1)]
    """
    Of a call that an earlier item of the input makes.
    """
    output: (
        StrictStr
        | list[
            Annotated[ResponseInputText | ResponseInputImage | ResponseInputFile, Field(discriminator="type")]
        ]
    )
    """
    A text, or parts of text. A model that reads text alone refuses pictures and files.
    """
    name: StrictStr | None = None
    """
    The function. Its call says so already.
    """
    namespace: StrictStr | None = None
    """
    The namespace of the function. Its call says so already.
    """
    id: StrictStr | None = None
    """
    An id of the item. It is not looked at.
    """
    status: Literal["in_progress", "completed", "incomplete"] | None | MISSING = MISSING
    """
    As an answer told it; without effect.
    """


class ResponseCustomToolCallOutput(BaseModel):
    """
    What the custom tool answered.
    """

    type: Literal["custom_tool_call_output"]
    call_id: Annotated[StrictStr, Field(max_length=64, min_length=1)]
    """
    Of a call that an earlier item of the input makes.
    """
    output: (
        StrictStr
        | list[
            Annotated[ResponseInputText | ResponseInputImage | ResponseInputFile, Field(discriminator="type")]
        ]
    )
    """
    A text, or parts of text. A model that reads text alone refuses pictures and files.
    """
    name: StrictStr | None = None
    """
    The tool. Its call says so already.
    """
    namespace: StrictStr | None = None
    """
    The namespace of the tool. Its call says so already.
    """
    id: StrictStr | None = None
    """
    An id of the item. It is not looked at.
    """
    status: Literal["in_progress", "completed", "incomplete"] | None | MISSING = MISSING
    """
    As an answer told it; without effect.
    """


class ResponseReasoningInput(BaseModel):
    """
    What the model thought before the items that follow; templates of some models read it.
    """

    type: Literal["reasoning"]
    id: StrictStr | None = None
    """
    The id that the item had in its response. It is not looked at.
    """
    summary: list[ResponseSummaryText] | None = None
    """
    Read where there is no `content`.
    """
    content: list[ResponseReasoningText] | None = None
    """
    The thoughts. Several texts are joined by empty lines.
    """
    encrypted_content: StrictStr | None = None
    """
    Thoughts that another server has encrypted, which only that server can read. Without effect; this server encrypts nothing.
    """
    status: Literal["in_progress", "completed", "incomplete"] | None | MISSING = MISSING
    """
    As an answer told it; without effect.
    """


class ResponseItemList(BaseModel):
    object: Literal["list"]
    data: list[ResponseStoredItem]
    """
    In the order that was asked for.
    """
    first_id: StrictStr | None
    """
    The id of the first of them; null for none.
    """
    last_id: StrictStr | None
    """
    The id of the last of them; null for none.
    """
    has_more: StrictBool
    """
    Whether more follow.
    """


class ResponseTextSettings(BaseModel):
    format: Annotated[
        ResponseFormatText | TextResponseFormatJsonObject | TextResponseFormatJsonSchema,
        Field(discriminator="type"),
    ]
    """
    As in the request; plain text where that is silent.
    """
    verbosity: Literal["low", "medium", "high"] | None
    """
    As in the request.
    """


class ResponseUsage(BaseModel):
    input_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens of the input, as the model read it.
    """
    input_tokens_details: ResponseInputTokensDetails
    """
    What of the input was not computed again.
    """
    output_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens generated, thoughts and the end token counted.
    """
    output_tokens_details: ResponseOutputTokensDetails
    """
    What the generated tokens were.
    """
    total_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Both together.
    """


class ResponseReasoningItem(BaseModel):
    id: StrictStr
    """
    Unique; `rs_` and a number in hexadecimal digits.
    """
    type: Literal["reasoning"]
    summary: list[ResponseSummaryText]
    """
    Empty; the thoughts are told whole.
    """
    content: list[ResponseReasoningText]
    """
    The thoughts as one text; empty while the item is in progress.
    """
    encrypted_content: None
    """
    Always null; the thoughts are told in `content`.
    """
    status: Literal["in_progress", "completed", "incomplete"]
    """
    `in_progress` while the thoughts come, `incomplete` where they were cut short.
    """


class ResponseLogprob(BaseModel):
    token: StrictStr
    """
    The token as text. Bytes that are no whole character are told as U+FFFD.
    """
    bytes: list[Byte]
    """
    The token in UTF-8; of several tokens that share a character, each has its bytes of it.
    """
    logprob: Annotated[StrictFloat, Field(le=0.0)]
    """
    -9999 stands for a probability of 0.
    """
    top_logprobs: list[ResponseTopLogprob]
    """
    The most likely tokens in its place, the best first; empty unless `top_logprobs` asks for them.
    """


class ResponseTextDeltaEvent(BaseModel):
    type: Literal["response.output_text.delta"]
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The event's number in its stream, from 0.
    """
    item_id: StrictStr
    """
    The `id` of the item.
    """
    output_index: Annotated[StrictInt, Field(ge=0)]
    """
    The item's place in the response's `output`, from 0.
    """
    content_index: Annotated[StrictInt, Field(ge=0)]
    """
    The part's place in the item's `content`; always 0.
    """
    delta: StrictStr
    """
    What the text gains.
    """
    logprobs: list[ResponseLogprob]
    """
    Of the tokens that the piece is made of, if `include` asks for them; else empty.
    """


class ResponseTextDoneEvent(BaseModel):
    type: Literal["response.output_text.done"]
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The event's number in its stream, from 0.
    """
    item_id: StrictStr
    """
    The `id` of the item.
    """
    output_index: Annotated[StrictInt, Field(ge=0)]
    """
    The item's place in the response's `output`, from 0.
    """
    content_index: Annotated[StrictInt, Field(ge=0)]
    """
    The part's place in the item's `content`; always 0.
    """
    text: StrictStr
    """
    The whole text.
    """
    logprobs: list[ResponseLogprob]
    """
    Of all tokens of the text, if `include` asks for them; else empty.
    """


EmbeddingTokenIdLists = TypeAliasType(
    "EmbeddingTokenIdLists", Annotated[list[TokenIds], Field(max_length=2048, min_length=1)]
)


class Embedding(BaseModel):
    object: Literal["embedding"]
    index: Annotated[StrictInt, Field(ge=0)]
    """
    Which of the inputs, from 0.
    """
    embedding: EmbeddingVector | EmbeddingBase64
    """
    The vector, as numbers or as little-endian float32 in base64, whichever `encoding_format` asks for.
    """


class DecisionInputJson(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["input_json"]
    data: DecisionJsonObject | list[DecisionJsonObject]
    """
    An object or a list of objects, which the model reads as compact JSON: at most 32 levels deep, 10,000 values and 262,144 bytes.
    """


class DecisionChoiceOption(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    value: StrictStr | StrictBool
    """
    What the answer has if this is chosen.
    """
    description: StrictStr | MISSING = MISSING
    """
    When to choose it.
    """


class DecisionChoiceAnswer(BaseModel):
    type: Literal["choice"]
    name: StrictStr | None
    """
    The name of the question; null if it has none.
    """
    choice: StrictStr | StrictBool
    """
    The most likely value.
    """
    confidence: Annotated[StrictFloat, Field(ge=0.0, le=1.0)]
    """
    0 if all values are equally likely, and 1 if one is certain.
    """
    probabilities: Annotated[list[DecisionValueProbability], Field(min_length=1)]
    """
    One for each value, in the order of the question. They add up to 1.
    """


class DecisionScoreAnswer(BaseModel):
    type: Literal["score"]
    name: StrictStr | None
    """
    The name of the question; null if it has none.
    """
    score: Annotated[StrictFloat, Field(ge=0.0)]
    """
    The mean of the levels' numbers, each weighted with its probability; it may lie between two levels.
    """
    confidence: Annotated[StrictFloat, Field(ge=0.0, le=1.0)]
    """
    1 if one level is certain, and less the further the others are from the most likely one.
    """
    probabilities: Annotated[list[DecisionLevelProbability], Field(min_length=1)]
    """
    One for each level, lowest first. They add up to 1.
    """


class CreateTranscriptionRequest(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        arbitrary_types_allowed=True,
    )
    file: Upload
    """
    The sound, in a file of one of the common formats, such as WAV, FLAC, MP3 and Ogg.
    """
    model: StrictStr
    """
    The model that transcribes.
    """
    language: StrictStr | MISSING = MISSING
    """
    The spoken language by its code in ISO 639-1, such as `en`, or its English name. If absent, it is detected.
    """
    prompt: StrictStr | MISSING = MISSING
    """
    A text in the language of the sound, in whose spelling and style the transcript goes on.
    """
    response_format: Literal["json", "text", "srt", "verbose_json", "vtt"] = "json"
    """
    The form of the answer. `text`, `srt` and `vtt` are answered as text, the others as JSON.
    """
    temperature: Annotated[StrictFloat, Field(ge=0.0, le=1.0)] = 0
    """
    0 takes the likeliest tokens, and raises the temperature for a part of the sound whose text comes out repetitive or unlikely.
    """
    timestamp_granularities: Annotated[list[Literal["word", "segment"]] | MISSING, Field(min_length=1)] = (
        MISSING
    )
    """
    What has times in a `verbose_json`, which alone may have this; segments where absent.
    """
    stream: StrictBool = False
    """
    Send the text in events as it is written. Only with the format `json`.
    """
    chunking_strategy: Literal["auto"] | VadConfig | MISSING = MISSING
    """
    How the sound is divided. If absent, by the model's own windows, which end where a segment ends. By `auto` or an object, it is divided in the pauses of speech, and pauses at the ends of the chunks are left out. `auto` is the object with its defaults.
    """
    include: list[Literal["logprobs"]] | MISSING = MISSING
    """
    `logprobs` adds the log-probabilities of the tokens to the answer and to the events of a stream. Only with the format `json`.
    """
    known_speaker_names: None | MISSING = MISSING
    """
    Not supported, since speakers are not told apart here.
    """
    known_speaker_references: None | MISSING = MISSING
    """
    Not supported, since speakers are not told apart here.
    """
    seed: Annotated[StrictInt | MISSING, Field(ge=-9223372036854775808, le=9223372036854775807)] = MISSING
    """
    Equal seeds give equal transcripts where the temperature is not 0.
    """


class CreateTranscriptionResponseJson(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    text: StrictStr
    """
    The transcript.
    """
    logprobs: list[TranscriptLogprob] | MISSING = MISSING
    """
    The log-probabilities of the text's tokens, where `include[]` asks for them.
    """
    usage: TranscriptTextUsageDuration
    """
    How much sound was heard.
    """


class CreateTranscriptionResponseVerboseJson(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    task: Literal["transcribe"]
    """
    What was done.
    """
    language: StrictStr
    """
    The spoken language by its English name.
    """
    duration: Annotated[StrictFloat, Field(ge=0.0)]
    """
    The length of the sound in seconds.
    """
    text: StrictStr
    """
    The transcript.
    """
    words: list[TranscriptionWord] | MISSING = MISSING
    """
    The words with their times, where they were asked for.
    """
    segments: list[TranscriptionSegment] | MISSING = MISSING
    """
    The segments with their times, unless only words were asked for.
    """
    usage: TranscriptTextUsageDuration
    """
    How much sound was heard.
    """


class CreateTranslationResponseVerboseJson(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    task: Literal["translate"]
    """
    What was done.
    """
    language: Literal["english"]
    """
    The language of the text.
    """
    duration: Annotated[StrictFloat, Field(ge=0.0)]
    """
    The length of the sound in seconds.
    """
    text: StrictStr
    """
    The translation.
    """
    segments: list[TranscriptionSegment]
    """
    The segments with their times.
    """


class TranscriptTextDoneEvent(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["transcript.text.done"]
    """
    What the event is.
    """
    text: StrictStr
    """
    The whole text.
    """
    logprobs: list[TranscriptLogprob] | MISSING = MISSING
    """
    The log-probabilities of its tokens, where `include[]` asks for them.
    """
    usage: TranscriptTextUsageTokens
    """
    How many tokens were read and written.
    """


class ListModelsResponse(BaseModel):
    object: Literal["list"]
    data: Annotated[list[Model], Field(min_length=1)]
    """
    The one model that is served, under its own name.
    """


class CreateFileRequest(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        arbitrary_types_allowed=True,
    )
    file: Upload
    """
    The file. The server's settings bound its size.
    """
    purpose: Literal["batch", "user_data"]
    """
    `batch`: requests of a batch, one a line in JSON. `user_data`: anything.
    """
    expires_after: FileExpirationAfter | MISSING = MISSING
    """
    If absent, files of the purpose `batch` are deleted after 30 days, and others never.
    """


class CreateBatchRequest(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    input_file_id: StrictStr
    """
    The id of a file of the purpose `batch`, of up to 50,000 lines.
    """
    endpoint: Literal[
        "/v1/responses", "/v1/chat/completions", "/v1/embeddings", "/v1/completions", "/v1/decisions"
    ]
    """
    What the lines ask, which must have it as their `url`.
    """
    completion_window: Literal["24h"]
    """
    The time for the batch. Lines that have no answer by then expire.
    """
    metadata: Metadata | None = None
    """
    Notes of the client's own, which the batch repeats. They have no effect.
    """
    output_expires_after: FileExpirationAfter | None = None
    """
    When the files with the answers are deleted; after 30 days if absent.
    """


class BatchErrors(BaseModel):
    object: Literal["list"]
    data: list[BatchError]
    """
    By line; the first hundred, if there are more.
    """


class ErrorResponse(BaseModel):
    error: Error
    """
    What went wrong.
    """


class ChatCompletionRequestMessageContentPartVideo(BaseModel):
    type: Literal["video_url"]
    video_url: VideoUrl
    """
    The video. A model that reads none refuses it.
    """


class ResponseFormatJson(BaseModel):
    """
    TGI's form of a JSON Schema.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["json"]
    value: dict[str, Any] | StrictStr
    """
    A JSON Schema, or the JSON text of one.
    """


Choices = TypeAliasType("Choices", Annotated[list[Choice], Field(min_length=1)])


class StructuredOutputsChoice(BaseModel):
    """
    One of several texts.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    choice: Annotated[list[Choice], Field(min_length=1)]
    """
    The texts of which one is the answer.
    """


class RenderedSampling(BaseModel):
    """
    The options of the request in the token API's form, with those that follow from its tools and forms.
    """

    n: Annotated[StrictInt, Field(ge=1)]
    """
    Answers.
    """
    max_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    The most tokens of an answer, where none are set as many as fit.
    """
    min_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    No end before this many tokens.
    """
    temperature: Annotated[StrictFloat, Field(ge=0.0)]
    """
    0 takes the most likely token.
    """
    top_p: StrictFloat
    """
    The share of probability that is drawn from.
    """
    top_k: Annotated[StrictInt, Field(ge=0)]
    """
    How many of the likeliest tokens are drawn from; 0 for all.
    """
    min_p: StrictFloat
    """
    The least share of the likeliest one's probability.
    """
    presence_penalty: StrictFloat
    """
    As in the request.
    """
    frequency_penalty: StrictFloat
    """
    As in the request.
    """
    repetition_penalty: StrictFloat
    """
    As in the request.
    """
    seed: StrictInt | None
    """
    As in the request.
    """
    stop: list[StrictStr]
    """
    Texts that end an answer.
    """
    stop_token_ids: list[TokenId]
    """
    Tokens that end an answer.
    """
    include_stop_str_in_output: StrictBool
    """
    As in the request.
    """
    ignore_eos: StrictBool
    """
    As in the request.
    """
    skip_special_tokens: StrictBool
    """
    Whether special tokens are left out of the text.
    """
    logprobs: Annotated[StrictInt | None, Field(ge=0)]
    """
    How many of the likeliest tokens are told; null for no log-probabilities.
    """
    prompt_logprobs: Annotated[StrictInt | None, Field(ge=0)]
    """
    The same for the prompt.
    """
    logit_bias: dict[str, Any] | None
    """
    By token id, what is added to its score.
    """
    allowed_token_ids: list[TokenId] | None
    """
    The only tokens that may come.
    """
    bad_words: list[StrictStr]
    """
    Texts that are never completed.
    """
    thinking_token_budget: Annotated[StrictInt | None, Field(ge=0)]
    """
    The most tokens of thoughts; null for any number.
    """
    structured_outputs: RenderedForm | None
    """
    The form of the answer, with those of tool calls.
    """


class GeneratedCounts(BaseModel):
    prompt_tokens: Annotated[StrictInt, Field(ge=0)] = 0
    """
    Tokens of the prompt.
    """
    completion_tokens: Annotated[StrictInt | None, Field(ge=0)] = None
    """
    Tokens of all sequences.
    """
    prompt_tokens_details: GeneratedPromptDetails | None = None
    """
    More on the prompt's.
    """


class GeneratedToken(BaseModel):
    token_id: Annotated[StrictInt, Field(ge=0)]
    """
    The token.
    """
    logprob: Annotated[StrictFloat, Field(le=0.0)]
    """
    Its log-probability.
    """
    top_logprobs: Annotated[list[GeneratedAlternative], Field(max_length=1024, validate_default=True)] = []
    """
    The token itself and the likeliest.
    """


class DerenderState(BaseModel):
    """
    What a stream's next event needs of the events before it.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    output_token_ids: list[TokenId]
    """
    The tokens of the sequence so far.
    """
    held_logprobs: list[GeneratedToken]
    """
    The log-probabilities of the last of these, which no chunk has had yet.
    """
    last_tool_call_ids: list[ToolCallId]
    """
    The ids of the calls so far.
    """


TextContentParts = TypeAliasType(
    "TextContentParts", Annotated[list[ChatCompletionRequestMessageContentPartText], Field(min_length=0)]
)


class ChatCompletionTool(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["function"]
    function: FunctionObject
    """
    The function that the model may call.
    """
    cache_control: dict[str, Any] | None = None
    """
    Where a cache may end a prefix. It has no effect here.
    """


class ChatCompletionTopLogprob(BaseModel):
    token: StrictStr
    """
    The token as text. Bytes that are no whole character are told as U+FFFD.
    """
    logprob: Annotated[StrictFloat, Field(le=0.0)]
    """
    Natural logarithm of the token's probability; -9999 stands for 0.
    """
    bytes: list[Byte] | None
    """
    The token in UTF-8. A character may be spread over several tokens; their bytes joined are the text. Null for a token that stands for no text.
    """


class ChatCompletionStreamResponseDelta(BaseModel):
    role: Literal["assistant"] | MISSING = MISSING
    """
    In the first piece of an answer.
    """
    content: StrictStr | None | MISSING = MISSING
    """
    What the text gains. Empty in the first piece, or null where that begins a call.
    """
    refusal: None | MISSING = MISSING
    """
    Never sent; a refusal is told as content.
    """
    function_call: CalledFunctionChunk | MISSING = MISSING
    """
    A piece of the call, where the request has `functions`.
    """
    tool_calls: Annotated[list[ChatCompletionMessageToolCallChunk] | MISSING, Field(min_length=1)] = MISSING
    """
    Pieces of the functions' calls.
    """
    reasoning: StrictStr | None | MISSING = MISSING
    """
    The same under vLLM's newer name, if the server is set to it.
    """
    reasoning_content: StrictStr | None | MISSING = MISSING
    """
    What the model thought; absent where it does not think, or the server uses `reasoning` for it.
    """


class CompletionChoice(BaseModel):
    index: Annotated[StrictInt, Field(ge=0)]
    """
    The text's place in the list, from 0.
    """
    text: StrictStr
    """
    The text, without the stop text that ended it; with `echo` the prompt stands before it.
    """
    logprobs: CompletionLogprobs | None
    finish_reason: Literal["stop", "length"]
    """
    `stop`: the model ended or a stop text came; `length`: the token bound.
    """
    prompt_token_ids: list[TokenId] | MISSING = MISSING
    """
    The prompt's tokens, as the model read them; absent unless `return_token_ids` asks for them.
    """
    token_ids: list[TokenId] | MISSING = MISSING
    """
    The tokens generated, the end token too; absent unless `return_token_ids` asks for them.
    """
    prompt_logprobs: list[dict[str, PromptLogprob] | None] | MISSING = MISSING
    """
    An entry a token of the prompt; absent unless the request asks for them.
    """
    stop_reason: StrictStr | StrictInt | None | MISSING = MISSING
    """
    The stop text, or the id of the stop token, that ended the text; null if something else did.
    """


class CreateCompletionStreamResponse(BaseModel):
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
    """
    The name under which the model is served, whichever alias the request had.
    """
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
    timings: GenerationTimings | MISSING = MISSING
    """
    The times so far; absent unless `timings_per_token` asks for them.
    """


class CompactedResponse(BaseModel):
    id: StrictStr
    """
    Unique; `resp_` and a number in hexadecimal digits. Nothing is stored by it.
    """
    object: Literal["response.compaction"]
    created_at: Annotated[StrictInt, Field(ge=0, le=9223372036854775807)]
    """
    Seconds since 1970.
    """
    output: list[ResponseStoredItem]
    """
    The users' messages, and the compaction at the end.
    """
    usage: ResponseUsage
    """
    What the model read and wrote for it.
    """


class ResponseTextOptions(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    format: ResponseFormatText | TextResponseFormatJsonObject | TextResponseFormatJsonSchema | None = None
    """
    Null counts as `text`.
    """
    verbosity: Literal["low", "medium", "high"] | None = None
    """
    How long answers should be; the model's chat template is told.
    """


class ResponseCustomTool(BaseModel):
    """
    A tool whose input is a text.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["custom"]
    name: Annotated[StrictStr, Field(pattern="^[a-zA-Z0-9_-]{1,128}$")]
    """
    What the model calls it.
    """
    description: StrictStr | None = None
    """
    What it does, told to the model.
    """
    format: ResponseFormatText | ResponseCustomToolGrammar | None | MISSING = MISSING
    """
    The form of the input. Null counts as any text.
    """
    defer_loading: StrictBool | None | MISSING = MISSING
    """
    Without effect; the model is told of every tool from the start.
    """
    allowed_callers: list[Literal["direct", "programmatic"]] | None | MISSING = MISSING
    """
    Who may call it. The model calls directly, so that `direct` must be among them.
    """
    async_: Annotated[StrictBool | None | MISSING, Field(alias="async")] = MISSING
    """
    Whether the result may come later. It has no effect.
    """


class ResponseInputMessage(BaseModel):
    type: Literal["message"] | MISSING = MISSING
    role: Literal["user", "system", "developer"]
    """
    Who speaks; `system` and `developer` give instructions.
    """
    content: (
        StrictStr
        | list[
            Annotated[ResponseInputText | ResponseInputImage | ResponseInputFile, Field(discriminator="type")]
        ]
    )
    """
    A text, or parts of text. A model that reads text alone refuses pictures and files.
    """
    id: StrictStr | None = None
    """
    An id of the item. It is not looked at.
    """
    status: Literal["in_progress", "completed", "incomplete"] | None | MISSING = MISSING
    """
    As an answer told it; without effect.
    """


class ResponseAssistantMessage(BaseModel):
    """
    What the model answered earlier; an answer's output item is one.
    """

    type: Literal["message"] | MISSING = MISSING
    role: Literal["assistant"]
    content: (
        StrictStr
        | list[
            Annotated[
                ResponseOutputTextInput | ResponseRefusalInput | ResponseInputText,
                Field(discriminator="type"),
            ]
        ]
    )
    """
    A text, or parts of text.
    """
    id: StrictStr | None = None
    """
    The id that the item had in its response. It is not looked at.
    """
    status: Literal["in_progress", "completed", "incomplete"] | None | MISSING = MISSING
    """
    As an answer told it; without effect.
    """
    phase: Literal["commentary", "final_answer"] | None = None
    """
    Without effect.
    """


class ResponseOutputText(BaseModel):
    type: Literal["output_text"]
    text: StrictStr
    """
    The text, without thoughts, calls and the stop text.
    """
    annotations: Annotated[list[dict[str, Any]], Field(max_length=0)]
    """
    Empty; no tool of the server's finds sources.
    """
    logprobs: list[ResponseLogprob]
    """
    One entry a token, if `include` asks for them; else empty.
    """


class ResponseContentPartAddedEvent(BaseModel):
    """
    A message's text or the thoughts begin.
    """

    type: Literal["response.content_part.added"]
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The event's number in its stream, from 0.
    """
    item_id: StrictStr
    """
    The `id` of the item.
    """
    output_index: Annotated[StrictInt, Field(ge=0)]
    """
    The item's place in the response's `output`, from 0.
    """
    content_index: Annotated[StrictInt, Field(ge=0)]
    """
    The part's place in the item's `content`; always 0.
    """
    part: Annotated[ResponseOutputText | ResponseReasoningText, Field(discriminator="type")]
    """
    The part, whose text is empty.
    """


class ResponseContentPartDoneEvent(BaseModel):
    type: Literal["response.content_part.done"]
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The event's number in its stream, from 0.
    """
    item_id: StrictStr
    """
    The `id` of the item.
    """
    output_index: Annotated[StrictInt, Field(ge=0)]
    """
    The item's place in the response's `output`, from 0.
    """
    content_index: Annotated[StrictInt, Field(ge=0)]
    """
    The part's place in the item's `content`; always 0.
    """
    part: Annotated[ResponseOutputText | ResponseReasoningText, Field(discriminator="type")]
    """
    The part, with all its text.
    """


class CreateEmbeddingResponse(BaseModel):
    object: Literal["list"]
    data: Annotated[list[Embedding], Field(min_length=1)]
    """
    One embedding for each input, in their order.
    """
    model: StrictStr
    """
    The name under which the model is served, whichever alias the request had.
    """
    usage: EmbeddingUsage
    """
    What the request cost, in tokens.
    """


TranscriptionStreamEvent = TypeAliasType(
    "TranscriptionStreamEvent", TranscriptTextDeltaEvent | TranscriptTextDoneEvent | ErrorResponse
)


class Batch(BaseModel):
    id: StrictStr
    """
    The batch's id.
    """
    object: Literal["batch"]
    endpoint: StrictStr
    """
    What its lines ask.
    """
    errors: BatchErrors | None
    """
    What is wrong with the lines of a batch that failed.
    """
    input_file_id: StrictStr
    """
    The file with its lines.
    """
    completion_window: Literal["24h"]
    status: Literal[
        "validating", "failed", "in_progress", "finalizing", "completed", "expired", "cancelling", "cancelled"
    ]
    """
    How far it is.
    """
    output_file_id: StrictStr | None
    """
    The file with the answers of status 200; null if there are none.
    """
    error_file_id: StrictStr | None
    """
    The file with the answers of other statuses, and with the lines that have none; null if there are none.
    """
    created_at: Annotated[StrictInt, Field(ge=0, le=9223372036854775807)]
    """
    Seconds since 1970.
    """
    in_progress_at: StrictInt | None
    """
    When its lines began to be answered.
    """
    expires_at: StrictInt
    """
    When its lines expire.
    """
    finalizing_at: StrictInt | None
    """
    When its files began to be written.
    """
    completed_at: StrictInt | None
    """
    When it was completed.
    """
    failed_at: StrictInt | None
    """
    When it failed.
    """
    expired_at: StrictInt | None
    """
    When it expired.
    """
    cancelling_at: StrictInt | None
    """
    When it was asked to be cancelled.
    """
    cancelled_at: StrictInt | None
    """
    When it was cancelled.
    """
    request_counts: BatchRequestCounts
    metadata: Metadata | None
    """
    As in the request.
    """


class ListBatchesResponse(BaseModel):
    object: Literal["list"]
    data: list[Batch]
    """
    The newest first.
    """
    first_id: StrictStr | None
    """
    The id of the first of them; null for none.
    """
    last_id: StrictStr | None
    """
    The id of the last of them; null for none.
    """
    has_more: StrictBool
    """
    Whether more follow.
    """


class RenderedRequest(BaseModel):
    """
    A request to the token API, `POST /inference/v1/generate`.
    """

    request_id: Annotated[StrictStr, Field(min_length=1)]
    """
    An id that answers would have.
    """
    token_ids: Annotated[list[TokenId], Field(min_length=1)]
    """
    The prompt, with one placeholder for each of `content_parts`.
    """
    content_parts: Annotated[list[RenderedPart] | MISSING, Field(min_length=1)] = MISSING
    """
    The files of the prompt, in the order of their placeholders; absent if it has none.
    """
    sampling_params: RenderedSampling
    model: StrictStr
    """
    The model that was asked for.
    """
    stream: StrictBool
    """
    Whether the request asked for a stream.
    """
    stream_options: RenderedStreamOptions | None
    """
    As in the request; null for an answer that is no stream.
    """
    cache_salt: StrictStr | None
    """
    As in the request.
    """
    priority: StrictInt
    """
    As in the request; lower runs first.
    """


RenderCompletionResponse = TypeAliasType(
    "RenderCompletionResponse", Annotated[list[RenderedRequest], Field(min_length=1)]
)


class GeneratedLogprobs(BaseModel):
    content: list[GeneratedToken] | None = None
    """
    An entry a token.
    """


class DerenderedCompletionChunk(BaseModel):
    chunk: CreateCompletionStreamResponse
    """
    What the event adds to the text.
    """
    stream_state: DerenderState
    """
    To be sent with the next event of the choice.
    """


UserContentParts = TypeAliasType(
    "UserContentParts",
    Annotated[
        list[
            Annotated[
                ChatCompletionRequestMessageContentPartText
                | ChatCompletionRequestMessageContentPartImage
                | ChatCompletionRequestMessageContentPartAudio
                | ChatCompletionRequestMessageContentPartFile
                | ChatCompletionRequestMessageContentPartVideo,
                Field(discriminator="type"),
            ]
        ],
        Field(min_length=0),
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
        Field(min_length=0),
    ],
)


class PredictionContent(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["content"]
    content: StrictStr | TextContentParts
    """
    The text that is expected, or parts of it.
    """


class CustomToolObject(BaseModel):
    """
    A tool whose input is a text.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    name: Annotated[StrictStr, Field(examples=["get_weather"], pattern="^[a-zA-Z0-9_-]{1,64}$")]
    """
    What the model calls the tool. No other of `tools` has the name.
    """
    description: StrictStr | None = None
    """
    When to call it and what it does.
    """
    format: ResponseFormatText | CustomToolGrammarFormat | None = None
    """
    The form of the input. Null counts as any text.
    """


class ChatCompletionAllowedTools(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    mode: Literal["auto", "required"]
    """
    `auto`: the model may call them. `required`: it calls at least one.
    """
    tools: Annotated[
        list[ChatCompletionNamedToolChoice | ChatCompletionNamedCustomToolChoice], Field(min_length=1)
    ]
    """
    The tools that may be called, each of which `tools` offers. The others stay in the prompt.
    """


class ChatCompletionResponseMessage(BaseModel):
    role: Literal["assistant"]
    content: StrictStr | None
    """
    Null where there are calls alone.
    """
    refusal: None
    """
    This server does not tell refusals from other answers.
    """
    function_call: CalledFunction | MISSING = MISSING
    """
    The function that is called, and with what, where the request has `functions`.
    """
    tool_calls: Annotated[
        list[
            Annotated[
                ChatCompletionMessageToolCall | ChatCompletionMessageCustomToolCall,
                Field(discriminator="type"),
            ]
        ]
        | MISSING,
        Field(min_length=1),
    ] = MISSING
    """
    Absent where there is no call.
    """
    reasoning: StrictStr | None | MISSING = MISSING
    """
    The same under vLLM's newer name, if the server is set to it.
    """
    reasoning_content: StrictStr | None | MISSING = MISSING
    """
    What the model thought; absent where it does not think, or the server uses `reasoning` for it.
    """


class ChatCompletionTokenLogprob(BaseModel):
    token: StrictStr
    """
    The token as text. Bytes that are no whole character are told as U+FFFD.
    """
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
    logprobs: Annotated[StrictInt | None, Field(ge=0, le=20)] = None
    """
    Tell the log-probability of each token, and of this many of the most likely ones at its place; with `echo`, of the prompt's tokens too.
    """
    max_tokens: Annotated[StrictInt | None, Field(ge=0)] = 16
    """
    At most this many tokens. 0 tells of the prompt alone.
    """
    n: Annotated[StrictInt | None, Field(ge=1, le=128)] = 1
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
    stop: StopText | StopTexts | None = None
    """
    Texts that end a text and are cut off it; up to 64.
    """
    stream: StrictBool | None = False
    """
    Answer with server-sent events.
    """
    stream_options: ChatCompletionStreamOptions | None = None
    """
    Options of the stream; only with `stream`.
    """
    suffix: StrictStr | None = None
    """
    The text after the gap that the answer fills. It needs a model whose vocabulary has tokens for fill in the middle, and is refused for others; an empty text is none. Not with `echo`.
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
    top_k: Annotated[StrictInt | None, Field(ge=-1)] = None
    """
    Draw from this many of the most likely tokens; -1, 0 and null stand for all.
    """
    min_p: Annotated[StrictFloat | None, Field(ge=0.0, le=1.0)] = None
    """
    Leave out tokens that are less likely than this share of the likeliest one's probability.
    """
    typical_p: Annotated[StrictFloat | None, Field(gt=0.0, le=1.0)] = None
    """
    Draw from the tokens of most typical surprise that make up this probability.
    """
    repetition_penalty: Annotated[StrictFloat | None, Field(gt=0.0)] = None
    """
    Divides the scores of tokens that stand in prompt or output; 1 stands for none.
    """
    min_tokens: Annotated[StrictInt | None, Field(ge=0)] = None
    """
    No end and no stop text before this many tokens.
    """
    stop_token_ids: list[TokenId] | None = None
    """
    Tokens that end the text, beside the model's own.
    """
    ignore_eos: StrictBool | None = None
    """
    Go on after the model's end token.
    """
    include_stop_str_in_output: StrictBool | None = None
    """
    Keep the stop text that ended the text in it.
    """
    skip_special_tokens: StrictBool | None = None
    """
    Leave special tokens out of the text, as null does.
    """
    allowed_token_ids: Annotated[list[TokenId] | None, Field(min_length=1)] = None
    """
    The only tokens that may come, the end token too.
    """
    bad_words: list[BadWord] | None = None
    """
    Texts whose tokens are never completed.
    """
    priority: Annotated[StrictInt | None, Field(ge=-2147483648, le=2147483647)] = None
    """
    Lower runs first.
    """
    cache_salt: Annotated[StrictStr | None, Field(min_length=1)] = None
    """
    The prompt's computation is shared only with requests of the same salt.
    """
    use_beam_search: StrictBool | None = None
    """
    Search for the `n` likeliest texts with as many beams. Nothing is drawn, so `temperature` is 0.
    """
    length_penalty: Annotated[StrictFloat | None, Field(ge=-50.0, le=50.0)] = None
    """
    Above 0 favours long texts; 1 where null.
    """
    early_stopping: StrictBool | None = None
    """
    End the search as soon as `n` texts are complete.
    """
    response_format: (
        ResponseFormatText
        | ResponseFormatJsonObject
        | ResponseFormatJsonSchema
        | ResponseFormatJson
        | ResponseFormatRegex
        | None
    ) = None
    """
    The form that the text must have. Null is any.
    """
    structured_outputs: (
        StructuredOutputsJson
        | StructuredOutputsJsonObject
        | StructuredOutputsRegex
        | StructuredOutputsChoice
        | StructuredOutputsGrammar
        | StructuredOutputsStructuralTag
        | None
    ) = None
    """
    The form that the text must have.
    """
    guided_json: dict[str, Any] | StrictStr | None = None
    """
    The text is JSON that fits this schema.
    """
    guided_regex: StrictStr | None = None
    """
    The text matches this expression from its first character to its last.
    """
    guided_choice: Choices | None = None
    """
    The text is one of these.
    """
    guided_grammar: StrictStr | None = None
    """
    The text follows this grammar in EBNF.
    """
    regex: StrictStr | None = None
    """
    SGLang's name of `guided_regex`.
    """
    ebnf: StrictStr | None = None
    """
    SGLang's name of `guided_grammar`.
    """
    add_special_tokens: StrictBool | None = None
    """
    Let the tokenizer add its special tokens to a prompt that is text, as null does.
    """
    return_token_ids: StrictBool | None = None
    """
    Answer with the ids of the prompt's and the answer's tokens too.
    """
    return_tokens_as_token_ids: StrictBool | None = None
    """
    Write each token of `logprobs` as `token_id:` and its id.
    """
    prompt_logprobs: Annotated[StrictInt | None, Field(ge=0, le=20)] = None
    """
    Answer with the log-probabilities of the prompt's tokens, and of so many of the likeliest in each place. Not with `stream`.
    """
    request_id: Annotated[StrictStr | None, Field(max_length=128, min_length=1)] = None
    """
    What follows the prefix in the answer's id; a random number where null.
    """
    spaces_between_special_tokens: StrictBool | None = None
    """
    Of tokenizers that no longer exist. It has no effect.
    """
    logprob_token_ids: Annotated[list[TokenId] | None, Field(max_length=128, min_length=1)] = None
    """
    Tokens whose log-probabilities stand behind the generated token's, instead of those of the likeliest. Only with `logprobs`, and not with `use_beam_search`.
    """
    truncate_prompt_tokens: Annotated[None, Field(None)] = None
    """
    Tokens of the prompt to keep. A prompt is never cut here.
    """
    timings_per_token: StrictBool | None = None
    """
    Answer with the times that the prompt and the text have taken so far, in a stream in every event.
    """
    provider: dict[str, Any] | None = None
    """
    Which of OpenRouter's providers may answer. It has no effect; there is one server.
    """
    usage: UsageOptions | None = None
    """
    Asks OpenRouter for token counts. It has no effect; `stream_options` says when a stream has them.
    """
    cache_prompt: StrictBool | None = None
    """
    Whether llama.cpp keeps the prompt's computation. It has no effect.
    """
    id_slot: Annotated[StrictInt | None, Field(ge=-1)] = None
    """
    The place in llama.cpp's batch that computes the answer. It has no effect.
    """
    keep_alive: StrictStr | StrictFloat | None = None
    """
    How long Ollama keeps the model loaded. It has no effect.
    """
    mm_processor_kwargs: Annotated[dict[str, Any] | None, Field(max_length=0)] = None
    """
    Options of vLLM's processor of images. It must be empty; the model's own processor decides.
    """


class CreateCompletionResponse(BaseModel):
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
    """
    The name under which the model is served, whichever alias the request had.
    """
    system_fingerprint: StrictStr | MISSING = MISSING
    """
    Changes with what an equal seed could be answered differently by.
    """
    choices: Annotated[list[CompletionChoice], Field(min_length=1)]
    """
    The texts of the first prompt, then those of the second, and so on.
    """
    usage: CompletionUsage
    """
    What the request cost, in tokens, over all its prompts.
    """
    timings: GenerationTimings | MISSING = MISSING
    """
    The times so far; absent unless `timings_per_token` asks for them.
    """


CompletionStreamEvent = TypeAliasType("CompletionStreamEvent", CreateCompletionStreamResponse | ErrorResponse)


class ResponseOutputMessage(BaseModel):
    id: StrictStr
    """
    Unique; `msg_` and a number in hexadecimal digits.
    """
    type: Literal["message"]
    role: Literal["assistant"]
    status: Literal["in_progress", "completed", "incomplete"]
    """
    `in_progress` while the text comes, `incomplete` where it was cut short.
    """
    content: list[ResponseOutputText]
    """
    The text as one part; empty while the item is in progress.
    """


class CreateEmbeddingRequest(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
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


class DecisionPredicate(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["predicate"]
    name: StrictStr | MISSING = MISSING
    """
    The name of the answer.
    """
    instructions: (
        StrictStr
        | list[
            Annotated[ResponseInputText | DecisionInputImage | DecisionInputJson, Field(discriminator="type")]
        ]
    )
    """
    A statement that holds or not, or a question of yes or no.
    """


class DecisionChoice(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["choice"]
    name: StrictStr | MISSING = MISSING
    """
    The name of the answer.
    """
    instructions: (
        StrictStr
        | list[
            Annotated[ResponseInputText | DecisionInputImage | DecisionInputJson, Field(discriminator="type")]
        ]
    )
    """
    What is to be chosen.
    """
    choices: Annotated[list[DecisionChoiceOption], Field(max_length=255, min_length=2)]
    """
    The values to choose from. No value occurs twice; the text `true` and the boolean are two values.
    """


class DecisionScore(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["score"]
    name: StrictStr | MISSING = MISSING
    """
    The name of the answer.
    """
    instructions: (
        StrictStr
        | list[
            Annotated[ResponseInputText | DecisionInputImage | DecisionInputJson, Field(discriminator="type")]
        ]
    )
    """
    What is to be rated.
    """
    levels: Annotated[list[DecisionLevel], Field(max_length=255, min_length=1)]
    """
    The levels, lowest first. Levels with the same label have the same description.
    """


class Decision(BaseModel):
    model: StrictStr
    """
    The name under which the model is served, whichever alias the request had.
    """
    answers: Annotated[
        list[
            Annotated[
                DecisionPredicateAnswer | DecisionChoiceAnswer | DecisionScoreAnswer | DecisionRefusal,
                Field(discriminator="type"),
            ]
        ],
        Field(min_length=1),
    ]
    """
    One for each question, in their order.
    """
    usage: DecisionUsage
    """
    What the request cost, in tokens.
    """


class GeneratedChoice(BaseModel):
    """
    A sequence, or what an event adds to it.
    """

    index: Annotated[StrictInt, Field(ge=0)]
    """
    Which of the sequences, from 0.
    """
    token_ids: list[TokenId] | None = None
    """
    The tokens, with the end token and all of a stop text.
    """
    finish_reason: Literal["stop", "length"] | None = None
    """
    Why the sequence has ended; null in an event after which it goes on.
    """
    stop_reason: StrictStr | StrictInt | None = None
    """
    The stop text or the stop token that ended it; null for another end, and where the server does not say.
    """
    logprobs: GeneratedLogprobs | None = None
    """
    Log-probabilities of the tokens, which a request for log-probabilities needs.
    """


class ChatCompletionRequestDeveloperMessage(BaseModel):
    """
    Instructions, under their newer name.
    """

    role: Literal["developer"]
    content: StrictStr | TextContentParts
    """
    The instructions, as a text or parts of text.
    """
    name: StrictStr | None = None
    """
    The speaker, for templates that show it.
    """
    cache_control: dict[str, Any] | None = None
    """
    Where a cache may end a prefix. It has no effect here.
    """
    type: Literal["text"] | None = None
    """
    Marks a message of text. It has no effect.
    """


class ChatCompletionRequestSystemMessage(BaseModel):
    """
    Instructions.
    """

    role: Literal["system"]
    content: StrictStr | TextContentParts
    """
    The instructions, as a text or parts of text.
    """
    name: StrictStr | None = None
    """
    The speaker, for templates that show it.
    """
    tool_calls: Annotated[None, Field(None)] = None
    """
    Calls are the assistant's.
    """
    cache_control: dict[str, Any] | None = None
    """
    Where a cache may end a prefix. It has no effect here.
    """
    type: Literal["text"] | None = None
    """
    Marks a message of text. It has no effect.
    """


class ChatCompletionCustomTool(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["custom"]
    custom: CustomToolObject
    """
    The custom tool that the model may call.
    """


class ChatCompletionAllowedToolsChoice(BaseModel):
    """
    Restricts the choice to some of the tools.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["allowed_tools"]
    allowed_tools: ChatCompletionAllowedTools
    """
    Which functions may be called, and whether one must.
    """


class ChatCompletionLogprobs(BaseModel):
    """
    Null unless asked for.
    """

    content: list[ChatCompletionTokenLogprob] | None
    """
    One entry for each token of the text and the calls, in order; thoughts have none.
    """
    refusal: None
    """
    Always null; a refusal is told as content.
    """


class ChatCompletionStreamChoice(BaseModel):
    index: Annotated[StrictInt, Field(ge=0)]
    """
    Which of the answers, from 0.
    """
    delta: ChatCompletionStreamResponseDelta
    """
    What the answer gains.
    """
    logprobs: ChatCompletionLogprobs | None
    finish_reason: Literal["stop", "length", "tool_calls", "function_call"] | None
    """
    Null until the answer ends.
    """
    token_ids: list[TokenId] | MISSING = MISSING
    """
    The tokens generated, the end token too; absent unless `return_token_ids` asks for them.
    """
    stop_reason: StrictStr | StrictInt | None | MISSING = MISSING
    """
    The stop text, or the id of the stop token, that ended the text; null if something else did.
    """


class ResponseNamespaceTool(BaseModel):
    """
    Tools under a common name. A call names the tool, and the namespace beside it.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["namespace"]
    name: Annotated[StrictStr, Field(pattern="^[a-zA-Z0-9_-]{1,128}$")]
    """
    A name for the group.
    """
    description: StrictStr | None = None
    """
    What the tools have in common, told to the model with the first of them.
    """
    tools: Annotated[
        list[Annotated[ResponseFunctionTool | ResponseCustomTool, Field(discriminator="type")]],
        Field(max_length=128),
    ]
    """
    The tools of the group.
    """


class ResponseOutputItemAddedEvent(BaseModel):
    """
    An item begins.
    """

    type: Literal["response.output_item.added"]
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The event's number in its stream, from 0.
    """
    output_index: Annotated[StrictInt, Field(ge=0)]
    """
    The item's place in the response's `output`, from 0.
    """
    item: Annotated[
        ResponseReasoningItem | ResponseOutputMessage | ResponseFunctionCall | ResponseCustomToolCall,
        Field(discriminator="type"),
    ]
    """
    The item, without content.
    """


class ResponseOutputItemDoneEvent(BaseModel):
    """
    An item is whole, or has been cut short.
    """

    type: Literal["response.output_item.done"]
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The event's number in its stream, from 0.
    """
    output_index: Annotated[StrictInt, Field(ge=0)]
    """
    The item's place in the response's `output`, from 0.
    """
    item: Annotated[
        ResponseReasoningItem | ResponseOutputMessage | ResponseFunctionCall | ResponseCustomToolCall,
        Field(discriminator="type"),
    ]
    """
    The item, with all its content.
    """


class DecisionUserMessage(BaseModel):
    type: Literal["message"] | MISSING = MISSING
    role: Literal["user"]
    content: (
        StrictStr
        | list[
            Annotated[ResponseInputText | DecisionInputImage | DecisionInputJson, Field(discriminator="type")]
        ]
    )
    """
    A text, or parts of text, JSON and pictures. A model that reads text alone refuses pictures.
    """


class GeneratedResponse(BaseModel):
    """
    A whole answer of the token API.
    """

    request_id: Annotated[StrictStr | None, Field(max_length=512, min_length=1)] = None
    """
    The id of the answer; drawn where null.
    """
    output_mode: Literal["tokens"] = "tokens"
    """
    vLLM's name for answers of tokens alone.
    """
    choices: Annotated[list[GeneratedChoice], Field(max_length=4096, min_length=1)]
    """
    The sequences by index.
    """
    usage: GeneratedCounts | None = None
    """
    Token counts.
    """
    prompt_token_ids: list[TokenId] | None = None
    """
    The tokens of the prompt, where the request names none.
    """
    prompt_logprobs: list[dict[str, PromptLogprob] | None] | None = None
    """
    Log-probabilities of the prompt, which the answer has too.
    """


class GeneratedChunk(BaseModel):
    """
    One event of the token API's stream.
    """

    request_id: Annotated[StrictStr | None, Field(max_length=512, min_length=1)] = None
    """
    The id of the answer; drawn where null.
    """
    output_mode: Literal["tokens"] = "tokens"
    """
    vLLM's name for answers of tokens alone.
    """
    choices: Annotated[list[GeneratedChoice], Field(max_length=1)]
    """
    The tokens of one sequence, or none in an event with the token counts.
    """
    usage: GeneratedCounts | None = None
    """
    Token counts.
    """
    prompt_token_ids: list[TokenId] | None = None
    """
    The tokens of the prompt, where the request names none.
    """


class ChatCompletionRequestUserMessage(BaseModel):
    """
    What the user says, shows or sends.
    """

    role: Literal["user"]
    content: StrictStr | UserContentParts
    """
    A text, or parts of text, pictures, audio and files. A model that reads text alone refuses all but text.
    """
    name: StrictStr | None = None
    """
    The speaker, for templates that show it.
    """
    tool_calls: Annotated[None, Field(None)] = None
    """
    Calls are the assistant's.
    """
    cache_control: dict[str, Any] | None = None
    """
    Where a cache may end a prefix. It has no effect here.
    """
    type: Literal["text"] | None = None
    """
    Marks a message of text. It has no effect.
    """


class ChatCompletionRequestAssistantMessage(BaseModel):
    """
    What the model said before. It has content, thoughts, a refusal or tool calls.
    """

    role: Literal["assistant"]
    content: StrictStr | AssistantContentParts | None = None
    """
    A text, or parts of text. Null where the message has nothing but calls or a refusal.
    """
    audio: Annotated[None, Field(None)] = None
    """
    An earlier spoken answer. This server has given none.
    """
    function_call: RequestCalledFunction | None = None
    """
    Replaced by `tool_calls`, and not with it.
    """
    name: StrictStr | None = None
    """
    The speaker, for templates that show it.
    """
    refusal: StrictStr | None = None
    """
    The words in which the model refused.
    """
    tool_calls: (
        list[
            Annotated[
                ChatCompletionRequestMessageToolCall | ChatCompletionRequestMessageCustomToolCall,
                Field(discriminator="type"),
            ]
        ]
        | None
    ) = None
    """
    The functions and custom tools that the model called.
    """
    cache_control: dict[str, Any] | None = None
    """
    Where a cache may end a prefix. It has no effect here.
    """
    reasoning: StrictStr | None = None
    """
    What the model thought.
    """
    reasoning_content: StrictStr | None = None
    """
    The older name of `reasoning`.
    """
    type: Literal["text"] | None = None
    """
    Marks a message of text. It has no effect.
    """
    annotations: list[dict[str, Any]] | None = None
    """
    Sources that an answer cites. It has no effect.
    """
    parsed: Any = None
    """
    The content as a library parsed it. It has no effect.
    """
    prefix: StrictBool | None = None
    """
    True on the last message lets the model go on with it, as `continue_final_message` does. No effect on others.
    """
    partial: StrictBool | None = None
    """
    Kimi's name of `prefix`.
    """


class ChatCompletionRequestToolMessage(BaseModel):
    """
    What a function returned.
    """

    role: Literal["tool"]
    cache_control: dict[str, Any] | None = None
    """
    Where a cache may end a prefix. It has no effect here.
    """
    type: Literal["text"] | None = None
    """
    Marks a message of text. It has no effect.
    """
    name: StrictStr | None = None
    """
    The function that answers.
    """
    content: StrictStr | UserContentParts
    """
    What the function returned, as a text or as parts. A model that reads text alone refuses all but text.
    """
    tool_call_id: StrictStr | None = None
    """
    The call that it answers; the next one that has no answer where it is absent.
    """


class ChatCompletionChoice(BaseModel):
    index: Annotated[StrictInt, Field(ge=0)]
    """
    The answer's place in the list, from 0.
    """
    message: ChatCompletionResponseMessage
    """
    The answer.
    """
    logprobs: ChatCompletionLogprobs | None
    finish_reason: Literal["stop", "length", "tool_calls", "function_call"]
    """
    `stop`: the model ended or a stop text came; `length`: the token bound; `tool_calls`: it calls; `function_call`: it calls one of `functions`.
    """
    token_ids: list[TokenId] | MISSING = MISSING
    """
    The tokens generated, the end token too; absent unless `return_token_ids` asks for them.
    """
    stop_reason: StrictStr | StrictInt | None | MISSING = MISSING
    """
    The stop text, or the id of the stop token, that ended the text; null if something else did.
    """


class CreateChatCompletionStreamResponse(BaseModel):
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
    """
    The name under which the model is served, whichever alias the request had.
    """
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
    prompt_token_ids: list[TokenId] | MISSING = MISSING
    """
    The prompt's tokens, as the model read them; absent unless `return_token_ids` asks for them.
    """
    timings: GenerationTimings | MISSING = MISSING
    """
    The times so far; absent unless `timings_per_token` asks for them.
    """


class ResponseAdditionalTools(BaseModel):
    """
    Tools that the model may call beside those of `tools`.
    """

    type: Literal["additional_tools"]
    role: Literal["developer"] | None = None
    """
    Who offers them.
    """
    tools: Annotated[
        list[
            Annotated[
                ResponseFunctionTool | ResponseCustomTool | ResponseNamespaceTool | ResponseHostedTool,
                Field(discriminator="type"),
            ]
        ],
        Field(max_length=128),
    ]
    """
    As in a request's `tools`.
    """
    id: StrictStr | None = None
    """
    An id of the item. It is not looked at.
    """


class Response(BaseModel):
    id: StrictStr
    """
    Unique; `resp_` and a number in hexadecimal digits.
    """
    object: Literal["response"]
    created_at: Annotated[StrictInt, Field(ge=0, le=9223372036854775807)]
    """
    Seconds since 1970.
    """
    completed_at: Annotated[StrictInt | None, Field(ge=0)]
    """
    When the answer was whole, in seconds since 1970; null if it is not.
    """
    status: Literal["queued", "in_progress", "completed", "incomplete", "failed", "cancelled"]
    """
    `incomplete`: its bound of tokens, or the context, has cut it short. `queued` and `cancelled` only with `background`, and `in_progress` only with it and in the first two events of a stream.
    """
    background: StrictBool
    """
    As in the request; false where that is silent.
    """
    conversation: ResponseConversation | None
    """
    The conversation that the response belongs to; null for none.
    """
    error: ResponseError | None
    """
    Why it failed; null unless it has.
    """
    incomplete_details: ResponseIncompleteDetails | None
    """
    Why it is incomplete; null unless it is.
    """
    instructions: StrictStr | None
    """
    As in the request.
    """
    max_output_tokens: Annotated[StrictInt | None, Field(ge=0)]
    """
    As in the request.
    """
    max_tool_calls: StrictInt | None
    """
    As in the request.
    """
    metadata: Metadata
    model: StrictStr
    """
    What /v1/models calls it.
    """
    output: list[
        Annotated[
            ResponseReasoningItem | ResponseOutputMessage | ResponseFunctionCall | ResponseCustomToolCall,
            Field(discriminator="type"),
        ]
    ]
    """
    In the order in which the model wrote them: thoughts, texts, calls.
    """
    parallel_tool_calls: StrictBool
    """
    As in the request; true where that is silent.
    """
    previous_response_id: StrictStr | None
    """
    As in the request.
    """
    prompt_cache_key: StrictStr | None
    """
    As in the request.
    """
    reasoning: ResponseReasoningSettings
    """
    As in the request.
    """
    safety_identifier: StrictStr | None
    """
    As in the request.
    """
    service_tier: Literal["default"]
    store: StrictBool
    """
    Whether it is stored.
    """
    temperature: StrictFloat
    """
    As in the request; 1 where that is silent.
    """
    text: ResponseTextSettings
    """
    As in the request; plain text where that is silent.
    """
    tool_choice: (
        ResponseFunctionChoice
        | ResponseAllowedTools
        | ResponseHostedChoice
        | Literal["none", "auto", "required"]
    )
    """
    As in the request; `auto` where that is silent.
    """
    tools: list[
        Annotated[
            ResponseFunctionTool | ResponseCustomTool | ResponseNamespaceTool | ResponseHostedTool,
            Field(discriminator="type"),
        ]
    ]
    """
    As in the request, with `strict` of functions written out.
    """
    top_logprobs: Annotated[StrictInt, Field(ge=0)]
    """
    As in the request; 0 where that is silent.
    """
    top_p: StrictFloat
    """
    As in the request; 1 where that is silent.
    """
    truncation: Literal["auto", "disabled"]
    """
    As in the request; `disabled` where that is silent.
    """
    presence_penalty: StrictFloat
    """
    As in the request; 0 where that is silent.
    """
    frequency_penalty: StrictFloat
    """
    As in the request; 0 where that is silent.
    """
    usage: ResponseUsage | None
    """
    Null while the response is in progress, or if it failed before it could be counted.
    """
    user: StrictStr | None
    """
    As in the request.
    """


class ResponseCreatedEvent(BaseModel):
    """
    The response as it begins, without output.
    """

    type: Literal["response.created"]
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The event's number in its stream, from 0.
    """
    response: Response
    """
    The response, which has no output yet.
    """


class ResponseQueuedEvent(BaseModel):
    """
    The response waits for its turn; only with `background`.
    """

    type: Literal["response.queued"]
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The event's number in its stream, from 0.
    """
    response: Response
    """
    The response, which has no output yet.
    """


class ResponseInProgressEvent(BaseModel):
    type: Literal["response.in_progress"]
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The event's number in its stream, from 0.
    """
    response: Response
    """
    The response, which has no output yet.
    """


class ResponseCompletedEvent(BaseModel):
    """
    The whole response, the same as without a stream.
    """

    type: Literal["response.completed"]
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The event's number in its stream, from 0.
    """
    response: Response
    """
    The response with all its output.
    """


class ResponseIncompleteEvent(BaseModel):
    """
    The response as far as its bound of tokens, or the context, let it come.
    """

    type: Literal["response.incomplete"]
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The event's number in its stream, from 0.
    """
    response: Response
    """
    The response with all its output.
    """


class ResponseFailedEvent(BaseModel):
    """
    The response as far as it came before it failed, and its `error` says why; or before it was cancelled, and its `status` says so.
    """

    type: Literal["response.failed"]
    sequence_number: Annotated[StrictInt, Field(ge=0)]
    """
    The event's number in its stream, from 0.
    """
    response: Response
    """
    The response as it stays.
    """


class DerenderCompletionRequest(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    stream: StrictBool = False
    """
    Whether one event of a stream is written, rather than a whole answer.
    """
    model: StrictStr | None = None
    """
    Null for the model of `completion_request`, or else the served one.
    """
    completion_request: CreateCompletionRequest | None = None
    """
    The request that was rendered, which says what the answer has.
    """
    generate_responses: Annotated[list[GeneratedResponse] | None, Field(max_length=2048, min_length=1)] = None
    """
    The whole answers of the token API, one for each prompt; not with `stream`.
    """
    prompt_tokens: PromptTokens | list[TokenCount] | None = None
    """
    Tokens of each prompt, for `usage`, and of the one prompt with `stream`; null for those that the answers name.
    """
    prompt_token_ids: list[TokenId | list[TokenId] | None] | None = None
    """
    The tokens before the generated ones, a list for each prompt, and the one list with `stream`; null for those of `completion_request`.
    """
    generate_chunk: GeneratedChunk | None = None
    """
    One event of the token API's stream; only with `stream`.
    """
    stream_state: DerenderState | None = None
    """
    What came with the chunk before, of the same choice; null with the first event.
    """


class DerenderedChatChunk(BaseModel):
    chunk: CreateChatCompletionStreamResponse
    """
    What the event adds to the answer.
    """
    stream_state: DerenderState
    """
    To be sent with the next event of the choice.
    """


class CreateChatCompletionResponse(BaseModel):
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
    """
    The name under which the model is served, whichever alias the request had.
    """
    system_fingerprint: StrictStr | MISSING = MISSING
    """
    Changes with what an equal seed could be answered differently by.
    """
    service_tier: Literal["default"] | MISSING = MISSING
    """
    Present where the request names a tier.
    """
    choices: Annotated[list[ChatCompletionChoice], Field(min_length=1)]
    """
    The answers, as many as `n` asks for.
    """
    usage: CompletionUsage
    """
    What the request cost, in tokens.
    """
    prompt_token_ids: list[TokenId] | MISSING = MISSING
    """
    The prompt's tokens, as the model read them; absent unless `return_token_ids` asks for them.
    """
    prompt_logprobs: list[dict[str, PromptLogprob] | None] | MISSING = MISSING
    """
    An entry a token of the prompt; absent unless the request asks for them.
    """
    timings: GenerationTimings | MISSING = MISSING
    """
    The times so far; absent unless `timings_per_token` asks for them.
    """


ChatCompletionStreamEvent = TypeAliasType(
    "ChatCompletionStreamEvent", CreateChatCompletionStreamResponse | ErrorResponse
)


ResponseStreamEvent = TypeAliasType(
    "ResponseStreamEvent",
    Annotated[
        ResponseCreatedEvent
        | ResponseQueuedEvent
        | ResponseInProgressEvent
        | ResponseOutputItemAddedEvent
        | ResponseContentPartAddedEvent
        | ResponseReasoningTextDeltaEvent
        | ResponseReasoningTextDoneEvent
        | ResponseTextDeltaEvent
        | ResponseTextDoneEvent
        | ResponseFunctionCallArgumentsDeltaEvent
        | ResponseFunctionCallArgumentsDoneEvent
        | ResponseCustomToolCallInputDeltaEvent
        | ResponseCustomToolCallInputDoneEvent
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


DecisionInputItems = TypeAliasType(
    "DecisionInputItems",
    Annotated[
        list[
            DecisionUserMessage
            | DecisionInstructionMessage
            | ResponseAssistantMessage
            | ResponseFunctionCallInput
            | ResponseFunctionCallOutput
            | ResponseCustomToolCallInput
            | ResponseCustomToolCallOutput
        ],
        Field(min_length=1),
    ],
)


class TokenizeRequest(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    model: StrictStr | None = None
    """
    Null for the served model.
    """
    prompt: StrictStr | None = None
    """
    A text; not with `messages`.
    """
    messages: Annotated[
        list[
            Annotated[
                ChatCompletionRequestDeveloperMessage
                | ChatCompletionRequestSystemMessage
                | ChatCompletionRequestUserMessage
                | ChatCompletionRequestAssistantMessage
                | ChatCompletionRequestToolMessage
                | ChatCompletionRequestFunctionMessage,
                Field(discriminator="role"),
            ]
        ]
        | None,
        Field(min_length=1),
    ] = None
    """
    A conversation, which the chat template writes; not with `prompt`.
    """
    add_special_tokens: StrictBool | None = None
    """
    Add the tokenizer's special tokens, as null does to a prompt and does not to what the template wrote.
    """
    return_token_strs: StrictBool | None = None
    """
    Answer with each token as the vocabulary writes it too.
    """
    add_generation_prompt: StrictBool | None = None
    """
    End the prompt with the opening of an answer, as null does. Only with `messages`.
    """
    continue_final_message: StrictBool | None = None
    """
    Leave the last message open. Only with `messages`.
    """
    chat_template: Annotated[None, Field(None)] = None
    """
    A template of the request's own. The model's is used.
    """
    chat_template_kwargs: dict[str, Any] | None = None
    """
    Variables of the chat template. Only with `messages`.
    """
    tools: (
        list[Annotated[ChatCompletionTool | ChatCompletionCustomTool, Field(discriminator="type")]] | None
    ) = None
    """
    Functions that the template lists. Only with `messages`.
    """


BatchedMessages = TypeAliasType(
    "BatchedMessages",
    Annotated[
        list[
            Annotated[
                ChatCompletionRequestDeveloperMessage
                | ChatCompletionRequestSystemMessage
                | ChatCompletionRequestUserMessage
                | ChatCompletionRequestAssistantMessage
                | ChatCompletionRequestToolMessage
                | ChatCompletionRequestFunctionMessage,
                Field(discriminator="role"),
            ]
        ],
        Field(min_length=1),
    ],
)


class CreateChatCompletionRequest(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        arbitrary_types_allowed=True,
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
                | ChatCompletionRequestToolMessage
                | ChatCompletionRequestFunctionMessage,
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
    function_call: Literal["none", "auto"] | NamedFunction | None = None
    """
    Replaced by `tool_choice`; only with `functions`. Null stands for `auto`.
    """
    functions: Annotated[list[ChatCompletionFunction] | None, Field(max_length=128, min_length=1)] = None
    """
    Replaced by `tools`, and not with it. The answer has at most one call, as `function_call`.
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
    max_tokens: Annotated[StrictInt | None, Field(ge=1)] = None
    """
    The old name of `max_completion_tokens`; both may stand if they are equal.
    """
    metadata: Metadata | None = None
    """
    Notes of the client's own. They have no effect here.
    """
    modalities: list[Literal["text"]] | None = None
    """
    What the answer may consist of, which is text.
    """
    moderation: Annotated[None, Field(None)] = None
    """
    Moderation of what is asked and answered. There is none here.
    """
    n: Annotated[StrictInt | None, Field(ge=1, le=128)] = 1
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
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None = None
    """
    How much to think; the model's chat template is told. Null leaves it to the template.
    """
    response_format: (
        ResponseFormatText
        | ResponseFormatJsonObject
        | ResponseFormatJsonSchema
        | ResponseFormatJson
        | ResponseFormatRegex
        | None
    ) = None
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
    service_tier: Literal["auto", "default", "flex", "scale", "priority", "fast"] | None = None
    """
    How OpenAI schedules the request. It has no effect here; where it is given, the answer says `default`.
    """
    stop: StopText | StopTexts | None = None
    """
    Texts that end an answer and are cut off it; up to 64. They are looked for in its words, not in thoughts or calls.
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
    """
    Options of the stream; only with `stream`.
    """
    temperature: Annotated[StrictFloat | None, Field(ge=0.0, le=2.0)] = 1
    """
    Spread of the draws; 0 always takes the most likely token.
    """
    tool_choice: (
        ChatCompletionAllowedToolsChoice
        | ChatCompletionNamedToolChoice
        | ChatCompletionNamedCustomToolChoice
        | Literal["any"]
        | Literal["none", "auto", "required"]
        | None
    ) = None
    """
    Null stands for `auto` where there are tools.
    """
    tools: Annotated[
        list[Annotated[ChatCompletionTool | ChatCompletionCustomTool, Field(discriminator="type")]] | None,
        Field(max_length=128),
    ] = None
    """
    What the model may call: functions, and custom tools, whose input is a text.
    """
    top_logprobs: Annotated[StrictInt | None, Field(ge=0, le=20)] = None
    """
    With `logprobs`, tell also of this many of the most likely tokens at each place.
    """
    top_p: Annotated[StrictFloat | None, Field(ge=0.0, le=1.0)] = 1
    """
    Draw from the most likely tokens that make up this probability; 0 leaves the likeliest alone.
    """
    user: StrictStr | None = None
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
    top_k: Annotated[StrictInt | None, Field(ge=-1)] = None
    """
    Draw from this many of the most likely tokens; -1, 0 and null stand for all.
    """
    min_p: Annotated[StrictFloat | None, Field(ge=0.0, le=1.0)] = None
    """
    Leave out tokens that are less likely than this share of the likeliest one's probability.
    """
    typical_p: Annotated[StrictFloat | None, Field(gt=0.0, le=1.0)] = None
    """
    Draw from the tokens of most typical surprise that make up this probability.
    """
    repetition_penalty: Annotated[StrictFloat | None, Field(gt=0.0)] = None
    """
    Divides the scores of tokens that stand in prompt or output; 1 stands for none.
    """
    min_tokens: Annotated[StrictInt | None, Field(ge=0)] = None
    """
    No end and no stop text before this many tokens.
    """
    stop_token_ids: list[TokenId] | None = None
    """
    Tokens that end the text, beside the model's own.
    """
    ignore_eos: StrictBool | None = None
    """
    Go on after the model's end token.
    """
    include_stop_str_in_output: StrictBool | None = None
    """
    Keep the stop text that ended the text in it.
    """
    skip_special_tokens: StrictBool | None = None
    """
    Leave special tokens out of the text, as null does.
    """
    allowed_token_ids: Annotated[list[TokenId] | None, Field(min_length=1)] = None
    """
    The only tokens that may come, the end token too.
    """
    bad_words: list[BadWord] | None = None
    """
    Texts whose tokens are never completed.
    """
    priority: Annotated[StrictInt | None, Field(ge=-2147483648, le=2147483647)] = None
    """
    Lower runs first.
    """
    cache_salt: Annotated[StrictStr | None, Field(min_length=1)] = None
    """
    The prompt's computation is shared only with requests of the same salt.
    """
    use_beam_search: StrictBool | None = None
    """
    Search for the `n` likeliest texts with as many beams. Nothing is drawn, so `temperature` is 0.
    """
    length_penalty: Annotated[StrictFloat | None, Field(ge=-50.0, le=50.0)] = None
    """
    Above 0 favours long texts; 1 where null.
    """
    early_stopping: StrictBool | None = None
    """
    End the search as soon as `n` texts are complete.
    """
    tool_prompt: Annotated[None, Field(None)] = None
    """
    TGI's text under the last message where tools are offered. It has no place in a chat template.
    """
    structured_outputs: (
        StructuredOutputsJson
        | StructuredOutputsJsonObject
        | StructuredOutputsRegex
        | StructuredOutputsChoice
        | StructuredOutputsGrammar
        | StructuredOutputsStructuralTag
        | None
    ) = None
    """
    The form that the text must have.
    """
    guided_json: dict[str, Any] | StrictStr | None = None
    """
    The text is JSON that fits this schema.
    """
    guided_regex: StrictStr | None = None
    """
    The text matches this expression from its first character to its last.
    """
    guided_choice: Choices | None = None
    """
    The text is one of these.
    """
    guided_grammar: StrictStr | None = None
    """
    The text follows this grammar in EBNF.
    """
    regex: StrictStr | None = None
    """
    SGLang's name of `guided_regex`.
    """
    ebnf: StrictStr | None = None
    """
    SGLang's name of `guided_grammar`.
    """
    chat_template: Annotated[None, Field(None)] = None
    """
    A template of the request's own. The model's is used.
    """
    chat_template_kwargs: dict[str, Any] | None = None
    """
    Variables of the chat template, such as `enable_thinking`.
    """
    enable_thinking: StrictBool | None = None
    """
    Whether the model thinks, for templates that have such a switch; DashScope's clients (Qwen Code, Alibaba's examples) send it beside OpenAI's fields. The same name in `chat_template_kwargs` wins.
    """
    thinking_token_budget: Annotated[StrictInt | None, Field(ge=0)] = None
    """
    The most tokens of thoughts, from vLLM. When they are spent, the model's own end of a thought follows, and then the answer. A model that does not think has nothing to bound.
    """
    thinking_budget: Annotated[StrictInt | None, Field(ge=0)] = None
    """
    DashScope's name of `thinking_token_budget`, which Qwen's clients send; also in `chat_template_kwargs`.
    """
    reasoning: ReasoningOptions | None = None
    """
    OpenRouter's options of thoughts.
    """
    documents: list[dict[str, Any]] | None = None
    """
    Texts for templates that know of retrieval; each commonly with `title` and `text`.
    """
    add_generation_prompt: StrictBool | None = None
    """
    End the prompt with the opening of an answer, as null does.
    """
    continue_final_message: StrictBool | None = None
    """
    Go on with the last message, which is the assistant's, rather than open a new one.
    """
    add_special_tokens: StrictBool | None = None
    """
    Let the tokenizer add its special tokens to what the template made; most templates write them.
    """
    include_reasoning: StrictBool | None = None
    """
    False leaves the model's thoughts out of the answer.
    """
    separate_reasoning: StrictBool | None = None
    """
    False leaves the model's thoughts in the content, with their tags.
    """
    return_token_ids: StrictBool | None = None
    """
    Answer with the ids of the prompt's and the answer's tokens too.
    """
    return_tokens_as_token_ids: StrictBool | None = None
    """
    Write each token of `logprobs` as `token_id:` and its id.
    """
    prompt_logprobs: Annotated[StrictInt | None, Field(ge=0, le=20)] = None
    """
    Answer with the log-probabilities of the prompt's tokens, and of so many of the likeliest in each place. Not with `stream`.
    """
    request_id: Annotated[StrictStr | None, Field(max_length=128, min_length=1)] = None
    """
    What follows the prefix in the answer's id; a random number where null.
    """
    spaces_between_special_tokens: StrictBool | None = None
    """
    Of tokenizers that no longer exist. It has no effect.
    """
    logprob_token_ids: Annotated[list[TokenId] | None, Field(max_length=128, min_length=1)] = None
    """
    Tokens whose log-probabilities stand behind the generated token's, instead of those of the likeliest. Only with `logprobs`, and not with `use_beam_search`.
    """
    truncate_prompt_tokens: Annotated[None, Field(None)] = None
    """
    Tokens of the prompt to keep. A prompt is never cut here.
    """
    timings_per_token: StrictBool | None = None
    """
    Answer with the times that the prompt and the text have taken so far, in a stream in every event.
    """
    echo: OnlyFalse | None = None
    """
    Nothing is put before an answer.
    """
    provider: dict[str, Any] | None = None
    """
    Which of OpenRouter's providers may answer. It has no effect; there is one server.
    """
    usage: UsageOptions | None = None
    """
    Asks OpenRouter for token counts. It has no effect; `stream_options` says when a stream has them.
    """
    cache_prompt: StrictBool | None = None
    """
    Whether llama.cpp keeps the prompt's computation. It has no effect.
    """
    id_slot: Annotated[StrictInt | None, Field(ge=-1)] = None
    """
    The place in llama.cpp's batch that computes the answer. It has no effect.
    """
    keep_alive: StrictStr | StrictFloat | None = None
    """
    How long Ollama keeps the model loaded. It has no effect.
    """
    mm_processor_kwargs: Annotated[dict[str, Any] | None, Field(max_length=0)] = None
    """
    Options of vLLM's processor of images. It must be empty; the model's own processor decides.
    """
    thinking: ThinkingSwitch | None = None
    """
    Whether the model thinks, for templates that have such a switch. `enable_thinking` wins.
    """


ConversationItems = TypeAliasType(
    "ConversationItems",
    Annotated[
        list[
            ResponseInputMessage
            | ResponseAssistantMessage
            | ResponseFunctionCallInput
            | ResponseFunctionCallOutput
            | ResponseCustomToolCallInput
            | ResponseCustomToolCallOutput
            | ResponseShellCallInput
            | ResponseShellCallOutput
            | ResponseReasoningInput
            | ResponseAdditionalTools
            | ResponseHostedItem
            | ResponseCompactionItem
            | ResponseSteeringItem
            | ResponseItemReference
        ],
        Field(max_length=20),
    ],
)


ResponseInputItems = TypeAliasType(
    "ResponseInputItems",
    Annotated[
        list[
            ResponseInputMessage
            | ResponseAssistantMessage
            | ResponseFunctionCallInput
            | ResponseFunctionCallOutput
            | ResponseCustomToolCallInput
            | ResponseCustomToolCallOutput
            | ResponseShellCallInput
            | ResponseShellCallOutput
            | ResponseReasoningInput
            | ResponseAdditionalTools
            | ResponseHostedItem
            | ResponseCompactionItem
            | ResponseSteeringItem
            | ResponseItemReference
        ],
        Field(min_length=1),
    ],
)


class CreateDecisionRequest(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    model: Annotated[StrictStr, Field(examples=["verbatim-demo"])]
    """
    A name that /v1/models lists.
    """
    input: StrictStr | DecisionInputItems
    """
    The evidence for all questions, as a user's text or as the items of a conversation in their order.
    """
    questions: Annotated[
        list[Annotated[DecisionPredicate | DecisionChoice | DecisionScore, Field(discriminator="type")]],
        Field(max_length=400, min_length=1),
    ]
    """
    What to answer about the input. No two questions have the same name.
    """
    safety_identifier: Annotated[StrictStr | None, Field(max_length=64)] = None
    """
    A name for the end user. It has no effect here.
    """
    prompt_cache_key: StrictStr | None = None
    """
    Groups requests that share a beginning. What is shared is found without it.
    """
    prompt_cache_options: PromptCacheOptions | None = None
    """
    How OpenAI caches prompts. It has no effect here.
    """


class DerenderChatRequest(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    stream: StrictBool = False
    """
    Whether one event of a stream is written, rather than a whole answer.
    """
    model: StrictStr | None = None
    """
    Null for the model of `chat_request`, or else the served one.
    """
    chat_request: CreateChatCompletionRequest | None = None
    """
    The request that was rendered, which says how thoughts and calls are written, and what the answer has. A model that thinks needs it. Without it all text is content.
    """
    generate_response: GeneratedResponse | None = None
    """
    The whole answer of the token API; not with `stream`.
    """
    prompt_tokens: Annotated[StrictInt | None, Field(ge=0)] = None
    """
    Tokens of the prompt, for `usage`; null for those that the answer names.
    """
    prompt_token_ids: list[TokenId] | None = None
    """
    The tokens before the generated ones, of which the last few are enough; null for those of `chat_request`.
    """
    generate_chunk: GeneratedChunk | None = None
    """
    One event of the token API's stream; only with `stream`.
    """
    stream_state: DerenderState | None = None
    """
    What came with the chunk before, of the same choice; null with the first event.
    """


class CreateChatCompletionBatchRequest(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        arbitrary_types_allowed=True,
    )
    model: Annotated[StrictStr, Field(examples=["verbatim-demo"])]
    """
    A name that /v1/models lists.
    """
    audio: Annotated[None, Field(None)] = None
    """
    How spoken answers sound. This server does not speak.
    """
    frequency_penalty: Annotated[StrictFloat | None, Field(ge=-2.0, le=2.0)] = 0
    """
    Lowers a token's score for each time that it stands in the answer already.
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
    max_tokens: Annotated[StrictInt | None, Field(ge=1)] = None
    """
    The old name of `max_completion_tokens`; both may stand if they are equal.
    """
    metadata: Metadata | None = None
    """
    Notes of the client's own. They have no effect here.
    """
    modalities: list[Literal["text"]] | None = None
    """
    What the answer may consist of, which is text.
    """
    moderation: Annotated[None, Field(None)] = None
    """
    Moderation of what is asked and answered. There is none here.
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
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None = None
    """
    How much to think; the model's chat template is told. Null leaves it to the template.
    """
    response_format: (
        ResponseFormatText
        | ResponseFormatJsonObject
        | ResponseFormatJsonSchema
        | ResponseFormatJson
        | ResponseFormatRegex
        | None
    ) = None
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
    service_tier: Literal["auto", "default", "flex", "scale", "priority", "fast"] | None = None
    """
    How OpenAI schedules the request. It has no effect here; where it is given, the answer says `default`.
    """
    stop: StopText | StopTexts | None = None
    """
    Texts that end an answer and are cut off it; up to 64. They are looked for in its words, not in thoughts or calls.
    """
    store: StrictBool | None = False
    """
    Keep the answer for later retrieval. Nothing is kept here.
    """
    temperature: Annotated[StrictFloat | None, Field(ge=0.0, le=2.0)] = 1
    """
    Spread of the draws; 0 always takes the most likely token.
    """
    top_logprobs: Annotated[StrictInt | None, Field(ge=0, le=20)] = None
    """
    With `logprobs`, tell also of this many of the most likely tokens at each place.
    """
    top_p: Annotated[StrictFloat | None, Field(ge=0.0, le=1.0)] = 1
    """
    Draw from the most likely tokens that make up this probability; 0 leaves the likeliest alone.
    """
    user: StrictStr | None = None
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
    top_k: Annotated[StrictInt | None, Field(ge=-1)] = None
    """
    Draw from this many of the most likely tokens; -1, 0 and null stand for all.
    """
    min_p: Annotated[StrictFloat | None, Field(ge=0.0, le=1.0)] = None
    """
    Leave out tokens that are less likely than this share of the likeliest one's probability.
    """
    typical_p: Annotated[StrictFloat | None, Field(gt=0.0, le=1.0)] = None
    """
    Draw from the tokens of most typical surprise that make up this probability.
    """
    repetition_penalty: Annotated[StrictFloat | None, Field(gt=0.0)] = None
    """
    Divides the scores of tokens that stand in prompt or output; 1 stands for none.
    """
    min_tokens: Annotated[StrictInt | None, Field(ge=0)] = None
    """
    No end and no stop text before this many tokens.
    """
    stop_token_ids: list[TokenId] | None = None
    """
    Tokens that end the text, beside the model's own.
    """
    ignore_eos: StrictBool | None = None
    """
    Go on after the model's end token.
    """
    include_stop_str_in_output: StrictBool | None = None
    """
    Keep the stop text that ended the text in it.
    """
    skip_special_tokens: StrictBool | None = None
    """
    Leave special tokens out of the text, as null does.
    """
    allowed_token_ids: Annotated[list[TokenId] | None, Field(min_length=1)] = None
    """
    The only tokens that may come, the end token too.
    """
    bad_words: list[BadWord] | None = None
    """
    Texts whose tokens are never completed.
    """
    priority: Annotated[StrictInt | None, Field(ge=-2147483648, le=2147483647)] = None
    """
    Lower runs first.
    """
    cache_salt: Annotated[StrictStr | None, Field(min_length=1)] = None
    """
    The prompt's computation is shared only with requests of the same salt.
    """
    tool_prompt: Annotated[None, Field(None)] = None
    """
    TGI's text under the last message where tools are offered. It has no place in a chat template.
    """
    structured_outputs: (
        StructuredOutputsJson
        | StructuredOutputsJsonObject
        | StructuredOutputsRegex
        | StructuredOutputsChoice
        | StructuredOutputsGrammar
        | StructuredOutputsStructuralTag
        | None
    ) = None
    """
    The form that the text must have.
    """
    guided_json: dict[str, Any] | StrictStr | None = None
    """
    The text is JSON that fits this schema.
    """
    guided_regex: StrictStr | None = None
    """
    The text matches this expression from its first character to its last.
    """
    guided_choice: Choices | None = None
    """
    The text is one of these.
    """
    guided_grammar: StrictStr | None = None
    """
    The text follows this grammar in EBNF.
    """
    regex: StrictStr | None = None
    """
    SGLang's name of `guided_regex`.
    """
    ebnf: StrictStr | None = None
    """
    SGLang's name of `guided_grammar`.
    """
    chat_template: Annotated[None, Field(None)] = None
    """
    A template of the request's own. The model's is used.
    """
    chat_template_kwargs: dict[str, Any] | None = None
    """
    Variables of the chat template, such as `enable_thinking`.
    """
    enable_thinking: StrictBool | None = None
    """
    Whether the model thinks, for templates that have such a switch; DashScope's clients (Qwen Code, Alibaba's examples) send it beside OpenAI's fields. The same name in `chat_template_kwargs` wins.
    """
    thinking_token_budget: Annotated[StrictInt | None, Field(ge=0)] = None
    """
    The most tokens of thoughts, from vLLM. When they are spent, the model's own end of a thought follows, and then the answer. A model that does not think has nothing to bound.
    """
    thinking_budget: Annotated[StrictInt | None, Field(ge=0)] = None
    """
    DashScope's name of `thinking_token_budget`, which Qwen's clients send; also in `chat_template_kwargs`.
    """
    reasoning: ReasoningOptions | None = None
    """
    OpenRouter's options of thoughts.
    """
    documents: list[dict[str, Any]] | None = None
    """
    Texts for templates that know of retrieval; each commonly with `title` and `text`.
    """
    add_generation_prompt: StrictBool | None = None
    """
    End the prompt with the opening of an answer, as null does.
    """
    continue_final_message: StrictBool | None = None
    """
    Go on with the last message, which is the assistant's, rather than open a new one.
    """
    add_special_tokens: StrictBool | None = None
    """
    Let the tokenizer add its special tokens to what the template made; most templates write them.
    """
    include_reasoning: StrictBool | None = None
    """
    False leaves the model's thoughts out of the answer.
    """
    separate_reasoning: StrictBool | None = None
    """
    False leaves the model's thoughts in the content, with their tags.
    """
    return_token_ids: StrictBool | None = None
    """
    Answer with the ids of the prompt's and the answer's tokens too.
    """
    return_tokens_as_token_ids: StrictBool | None = None
    """
    Write each token of `logprobs` as `token_id:` and its id.
    """
    request_id: Annotated[StrictStr | None, Field(max_length=128, min_length=1)] = None
    """
    What follows the prefix in the answer's id; a random number where null.
    """
    spaces_between_special_tokens: StrictBool | None = None
    """
    Of tokenizers that no longer exist. It has no effect.
    """
    logprob_token_ids: Annotated[list[TokenId] | None, Field(max_length=128, min_length=1)] = None
    """
    Tokens whose log-probabilities stand behind the generated token's, instead of those of the likeliest. Only with `logprobs`, and not with `use_beam_search`.
    """
    truncate_prompt_tokens: Annotated[None, Field(None)] = None
    """
    Tokens of the prompt to keep. A prompt is never cut here.
    """
    echo: OnlyFalse | None = None
    """
    Nothing is put before an answer.
    """
    provider: dict[str, Any] | None = None
    """
    Which of OpenRouter's providers may answer. It has no effect; there is one server.
    """
    usage: UsageOptions | None = None
    """
    Asks OpenRouter for token counts. It has no effect; `stream_options` says when a stream has them.
    """
    cache_prompt: StrictBool | None = None
    """
    Whether llama.cpp keeps the prompt's computation. It has no effect.
    """
    id_slot: Annotated[StrictInt | None, Field(ge=-1)] = None
    """
    The place in llama.cpp's batch that computes the answer. It has no effect.
    """
    keep_alive: StrictStr | StrictFloat | None = None
    """
    How long Ollama keeps the model loaded. It has no effect.
    """
    mm_processor_kwargs: Annotated[dict[str, Any] | None, Field(max_length=0)] = None
    """
    Options of vLLM's processor of images. It must be empty; the model's own processor decides.
    """
    thinking: ThinkingSwitch | None = None
    """
    Whether the model thinks, for templates that have such a switch. `enable_thinking` wins.
    """
    messages: Annotated[list[BatchedMessages], Field(max_length=2048, min_length=1)]
    """
    The conversations.
    """
    n: Annotated[StrictInt | None, Field(ge=1, le=1)] = None
    """
    Each conversation has one answer.
    """
    stream: OnlyFalse | None = None
    """
    Answers come together.
    """
    stream_options: Annotated[None, Field(None)] = None
    """
    Options of a stream.
    """
    use_beam_search: OnlyFalse | None = None
    """
    There is no beam search here.
    """
    tools: Annotated[None, Field(None)] = None
    """
    No functions can be called here.
    """
    tool_choice: Literal["none"] | None = None
    """
    No functions can be called here.
    """


class CreateResponseRequest(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    model: Annotated[StrictStr, Field(examples=["verbatim-demo"])]
    """
    A name that /v1/models lists.
    """
    input: StrictStr | ResponseInputItems
    """
    A user's text, or the items of a conversation in their order.
    """
    instructions: StrictStr | None = None
    """
    A system message to put before the input.
    """
    max_output_tokens: Annotated[StrictInt | None, Field(ge=1)] = None
    """
    Upper bound on the tokens of the answer, thoughts and calls included. Null fills the context.
    """
    temperature: Annotated[StrictFloat | None, Field(ge=0.0, le=2.0)] = 1
    """
    How random the choice of tokens is; 0 always takes the most likely one. Null counts as 1.
    """
    top_p: Annotated[StrictFloat | None, Field(ge=0.0, le=1.0)] = 1
    """
    Choose among the most likely tokens that together have this probability. Null counts as 1.
    """
    top_logprobs: Annotated[StrictInt | None, Field(ge=0, le=20)] = None
    """
    How many of the most likely tokens to tell at each place. More than 0 needs `message.output_text.logprobs` in `include`.
    """
    include: (
        list[
            Literal[
                "message.output_text.logprobs",
                "reasoning.encrypted_content",
                "code_interpreter_call.outputs",
                "computer_call_output.output.image_url",
                "file_search_call.results",
                "message.input_image.image_url",
                "web_search_call.action.sources",
                "web_search_call.results",
            ]
        ]
        | None
    ) = None
    """
    What to answer beside the texts.
    """
    tools: Annotated[
        list[
            Annotated[
                ResponseFunctionTool | ResponseCustomTool | ResponseNamespaceTool | ResponseHostedTool,
                Field(discriminator="type"),
            ]
        ]
        | None,
        Field(max_length=128),
    ] = None
    """
    What the model may call: functions, custom tools and namespaces of both. Tools of OpenAI's own are taken and not offered to the model; only a choice that asks for one is refused.
    """
    tool_choice: (
        ResponseFunctionChoice
        | ResponseAllowedTools
        | ResponseHostedChoice
        | Literal["none", "auto", "required"]
        | None
    ) = None
    """
    Whether functions are to be called, and which. Null counts as `auto`.
    """
    parallel_tool_calls: StrictBool | None = True
    """
    Whether one answer may hold several calls. Null counts as true.
    """
    max_tool_calls: Annotated[StrictInt | None, Field(ge=1)] = None
    """
    Bounds calls of tools that run on the server. There are none, so that it bounds nothing.
    """
    text: ResponseTextOptions | None = None
    """
    The form of the answer's text.
    """
    reasoning: ResponseReasoningOptions | None = None
    """
    How the model is to think before it answers.
    """
    stream: StrictBool | None = False
    """
    Answer with server-sent events instead of one JSON object.
    """
    stream_options: ResponseStreamOptions | None = None
    """
    Options of the stream; only with `stream`.
    """
    store: StrictBool | None = True
    """
    Store the response. Null stores it if that is possible, and true is refused if it is not; the response says whether it is stored.
    """
    previous_response_id: StrictStr | None = None
    """
    A stored response to go on with: what it answered and its output come before `input`, its `instructions` do not.
    """
    context_management: Annotated[None, Field(None)] = None
    """
    When to shorten the conversation. Nothing is ever cut from it here.
    """
    conversation: StrictStr | ResponseConversation | None = None
    """
    A stored conversation, or its id: its items come before `input`, and `input` and the answer are added to them. Not with `previous_response_id`.
    """
    moderation: Annotated[None, Field(None)] = None
    """
    Moderation of what is asked and answered. There is none here.
    """
    prompt: Annotated[None, Field(None)] = None
    """
    A stored prompt template. None is stored here.
    """
    background: StrictBool | None = False
    """
    Answer later, whether the client stays or not. What is not stored cannot be fetched later, so that true is refused where nothing is stored.
    """
    truncation: Literal["auto", "disabled"] | None = "disabled"
    """
    `disabled`: an input that exceeds the context is refused. `auto`: the oldest items are dropped until it fits; instructions and the last message of the user stay.
    """
    metadata: Metadata | None = None
    """
    Notes of the client's own, which the response repeats. They have no effect.
    """
    service_tier: Literal["auto", "default", "flex", "scale", "priority", "fast"] | None = None
    """
    How OpenAI schedules the request. It has no effect here; every response says `default`.
    """
    user: StrictStr | None = None
    """
    Repeated by the response, and without effect.
    """
    safety_identifier: Annotated[StrictStr | None, Field(max_length=64)] = None
    """
    Repeated by the response, and without effect.
    """
    prompt_cache_key: StrictStr | None = None
    """
    Repeated by the response, and without effect; prompts share their cached beginnings without it.
    """
    prompt_cache_options: PromptCacheOptions | None = None
    """
    How OpenAI caches prompts. It has no effect here.
    """
    prompt_cache_retention: Literal["in_memory", "24h"] | None = None
    """
    How long OpenAI caches prompts. It has no effect here.
    """
    seed: Annotated[StrictInt | None, Field(ge=-9223372036854775808, le=9223372036854775807)] = None
    """
    Equal requests with equal seeds are answered alike by equal systems.
    """
    stop: StopText | StopTexts | None = None
    """
    Texts that end an answer and are cut off it; up to 64. They are looked for in its words, not in thoughts or calls.
    """
    frequency_penalty: Annotated[StrictFloat | None, Field(ge=-2.0, le=2.0)] = None
    """
    Lowers a token's score for each time that it stands in the answer already.
    """
    presence_penalty: Annotated[StrictFloat | None, Field(ge=-2.0, le=2.0)] = None
    """
    Lowers the score of every token that stands in the answer already.
    """
    logit_bias: (
        dict[Annotated[str, StringConstraints(pattern=r"^(0|[1-9][0-9]{0,9})$", strict=True)], Bias] | None
    ) = None
    """
    What is added to the scores of single tokens; the extremes forbid or force one.
    """
    top_k: Annotated[StrictInt | None, Field(ge=-1)] = None
    """
    Draw from this many of the most likely tokens; -1, 0 and null stand for all.
    """
    min_p: Annotated[StrictFloat | None, Field(ge=0.0, le=1.0)] = None
    """
    Leave out tokens that are less likely than this share of the likeliest one's probability.
    """
    repetition_penalty: Annotated[StrictFloat | None, Field(gt=0.0)] = None
    """
    Divides the scores of tokens that stand in prompt or output; 1 stands for none.
    """
    ignore_eos: StrictBool | None = None
    """
    Go on after the model's end token.
    """
    include_stop_str_in_output: StrictBool | None = None
    """
    Keep the stop text that ended the text in it.
    """
    skip_special_tokens: StrictBool | None = None
    """
    Leave special tokens out of the text, as null does.
    """
    chat_template_kwargs: dict[str, Any] | None = None
    """
    Variables of the chat template, such as `enable_thinking`.
    """
    client_metadata: dict[str, Any] | None = None
    """
    Notes of a client's about itself. They have no effect.
    """


class CountResponseInputTokensRequest(BaseModel):
    """
    The fields of a request for a response on which its prompt depends.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    model: StrictStr | None = None
    """
    Null is the model that is served.
    """
    input: StrictStr | ResponseInputItems
    """
    A user's text, or the items of a conversation in their order.
    """
    instructions: StrictStr | None = None
    """
    A system message to put before the input.
    """
    tools: Annotated[
        list[
            Annotated[
                ResponseFunctionTool | ResponseCustomTool | ResponseNamespaceTool | ResponseHostedTool,
                Field(discriminator="type"),
            ]
        ]
        | None,
        Field(max_length=128),
    ] = None
    """
    What the model may call.
    """
    tool_choice: (
        ResponseFunctionChoice
        | ResponseAllowedTools
        | ResponseHostedChoice
        | Literal["none", "auto", "required"]
        | None
    ) = None
    """
    Whether functions are to be called, and which. Null counts as `auto`.
    """
    parallel_tool_calls: StrictBool | None = True
    """
    Whether one answer may hold several calls. Null counts as true.
    """
    text: ResponseTextOptions | None = None
    """
    The form of the answer's text.
    """
    reasoning: ResponseReasoningOptions | None = None
    """
    How the model is to think before it answers.
    """
    truncation: Literal["auto", "disabled"] | None = "disabled"
    """
    As of a response; with `auto` the number is that of the items that are kept.
    """
    previous_response_id: StrictStr | None = None
    """
    A stored response that the input goes on with.
    """
    conversation: StrictStr | ResponseConversation | None = None
    """
    A stored conversation that the input goes on with, or its id. Not with `previous_response_id`.
    """


class CreateConversationRequest(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    items: ConversationItems | None = None
    """
    The items that it begins with.
    """
    metadata: Metadata | None = None
    """
    Notes of the client's own. They have no effect.
    """


class CreateConversationItemsRequest(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    items: Annotated[
        list[
            ResponseInputMessage
            | ResponseAssistantMessage
            | ResponseFunctionCallInput
            | ResponseFunctionCallOutput
            | ResponseCustomToolCallInput
            | ResponseCustomToolCallOutput
            | ResponseShellCallInput
            | ResponseShellCallOutput
            | ResponseReasoningInput
            | ResponseAdditionalTools
            | ResponseHostedItem
            | ResponseCompactionItem
            | ResponseSteeringItem
            | ResponseItemReference
        ],
        Field(max_length=20),
    ]
    """
    What is added.
    """


class CompactResponseRequest(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    model: Annotated[StrictStr, Field(examples=["verbatim-demo"])]
    """
    A name that /v1/models lists.
    """
    input: StrictStr | ResponseInputItems | None = None
    """
    A user's text, or the items of a conversation in their order. Null needs `previous_response_id`.
    """
    instructions: StrictStr | None = None
    """
    A system message to put before the input; not a part of the answer.
    """
    previous_response_id: StrictStr | None = None
    """
    A stored response whose conversation is shortened, with `input` after it.
    """
    service_tier: Literal["auto", "default", "flex", "scale", "priority", "fast"] | None = None
    """
    As of a response; without effect.
    """
    prompt_cache_key: StrictStr | None = None
    """
    As of a response; without effect.
    """
    prompt_cache_options: PromptCacheOptions | None = None
    """
    As of a response; without effect.
    """
    prompt_cache_retention: Literal["in_memory", "24h"] | None = None
    """
    As of a response; without effect.
    """
