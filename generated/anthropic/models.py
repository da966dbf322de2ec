# Generated from specs/anthropic: mend the document or its overlay, never this file.
"""The component schemas, and the parameters of operations."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import MISSING, AwareDatetime, BaseModel, ConfigDict, Field, StrictBool, StrictStr
from typing_extensions import TypeAliasType

from verbatim_kit.runtime.json_types import StrictFloat, StrictInt

StopSequence = TypeAliasType("StopSequence", Annotated[StrictStr, Field(min_length=1)])


class PlainTextSourceParam(BaseModel):
    type: Literal["text"]
    media_type: Literal["text/plain"]
    data: StrictStr
    """
    The text.
    """


class OpaqueSourceParam(BaseModel):
    """
    A PDF, whole, at a URL or by its file's id.
    """

    model_config = ConfigDict(
        extra="allow",
    )
    type: Literal["base64", "url", "file"]
    """
    How the document comes.
    """


class CitationsConfigParam(BaseModel):
    """
    Whether to cite.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    enabled: StrictBool = False
    """
    Whether to cite.
    """


class ThinkingBlockParam(BaseModel):
    """
    What the model thought in an earlier answer.
    """

    type: Literal["thinking"]
    thinking: StrictStr
    """
    The thoughts.
    """
    signature: StrictStr
    """
    Any text; it is not verified.
    """


class RedactedThinkingBlockParam(BaseModel):
    """
    No effect: the model is not told of it.
    """

    type: Literal["redacted_thinking"]
    data: StrictStr
    """
    As the answer had it.
    """


class Caller(BaseModel):
    """
    No effect.
    """

    model_config = ConfigDict(
        extra="allow",
    )
    type: Literal["direct", "code_execution_20250825", "code_execution_20260120"]
    """
    Who it is.
    """


class ServerBlockParam(BaseModel):
    """
    Refused: tools are the client's own here.
    """

    model_config = ConfigDict(
        extra="allow",
    )
    type: Literal[
        "server_tool_use",
        "web_search_tool_result",
        "web_fetch_tool_result",
        "code_execution_tool_result",
        "bash_code_execution_tool_result",
        "text_editor_code_execution_tool_result",
        "tool_search_tool_result",
        "container_upload",
    ]
    """
    What it is.
    """


class ServerResultParam(BaseModel):
    """
    Refused.
    """

    model_config = ConfigDict(
        extra="allow",
    )
    type: Literal["browser_state"]
    """
    What it is.
    """


class CacheControlEphemeralParam(BaseModel):
    """
    No effect: every prompt is cached as far as there is room, and read again where another begins alike.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["ephemeral"]
    ttl: Literal["5m", "1h"] = "5m"
    """
    How long to keep it.
    """
    scope: StrictStr | None = None
    """
    No effect. Whose requests may share what is cached.
    """


class AnthropicToolParam(BaseModel):
    """
    Ignored: the model does not see it. `tool_choice` must not name it.
    """

    model_config = ConfigDict(
        extra="allow",
    )
    type: Annotated[
        StrictStr, Field(examples=["web_search_20250305"], pattern="^[a-z][a-z0-9_]*_([0-9]{8}|bm25|regex)$")
    ]
    """
    Its name and version, such as `web_search_20250305`.
    """
    name: StrictStr | MISSING = MISSING
    """
    How `tool_choice` calls it.
    """


class ToolChoiceAutoParam(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["auto"]
    disable_parallel_tool_use: StrictBool = False
    """
    At most one use.
    """


class ToolChoiceAnyParam(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["any"]
    disable_parallel_tool_use: StrictBool = False
    """
    Exactly one use.
    """


class ToolChoiceToolParam(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["tool"]
    name: StrictStr
    """
    Of the tool that must be used.
    """
    disable_parallel_tool_use: StrictBool = False
    """
    Exactly one use.
    """


class ToolChoiceNoneParam(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["none"]


class ThinkingConfigDisabledParam(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["disabled"]


class JSONOutputFormatParam(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["json_schema"]
    schema_: Annotated[dict[str, Any], Field(alias="schema")]
    """
    JSON Schema of the answer.
    """


class MetadataParam(BaseModel):
    """
    No effect.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    user_id: Annotated[StrictStr | None, Field(max_length=512)] = None
    """
    The client's name for its user.
    """


class RefusalStopDetails(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["refusal"]
    category: Literal["cyber", "bio", "frontier_llm", "reasoning_extraction", "general_harms"] | None
    """
    The rule that was broken.
    """
    explanation: StrictStr | None
    """
    For people.
    """


class TextBlock(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["text"]
    text: StrictStr
    """
    The text.
    """
    citations: list[dict[str, Any]] | MISSING = MISSING
    """
    Where the text was found. No answer here has it.
    """


class ThinkingBlock(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["thinking"]
    thinking: StrictStr
    """
    The thoughts.
    """
    signature: StrictStr
    """
    To be sent back with them. It proves nothing.
    """


class ToolUseBlock(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["tool_use"]
    id: StrictStr
    """
    Of this use.
    """
    name: StrictStr
    """
    Of the tool.
    """
    input: dict[str, Any]
    """
    What the tool is given.
    """


class OutputTokensDetails(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    thinking_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Thoughts.
    """


class MessageDeltaUsage(BaseModel):
    """
    Tokens so far, at the end of a stream.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    output_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Generated so far.
    """
    input_tokens: Annotated[StrictInt | None, Field(ge=0)]
    """
    Of the prompt, but for what the cache held.
    """
    cache_creation_input_tokens: Annotated[StrictInt | None, Field(ge=0)]
    """
    Of the prompt, written to the cache.
    """
    cache_read_input_tokens: Annotated[StrictInt | None, Field(ge=0)]
    """
    Of the prompt, read from the cache.
    """
    output_tokens_details: OutputTokensDetails | None
    """
    What the generated ones were.
    """


class TextDelta(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["text_delta"]
    text: StrictStr
    """
    Text to append.
    """


class InputJSONDelta(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["input_json_delta"]
    partial_json: StrictStr
    """
    JSON text to append.
    """


class ThinkingDelta(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["thinking_delta"]
    thinking: StrictStr
    """
    Thoughts to append.
    """


class SignatureDelta(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["signature_delta"]
    signature: StrictStr
    """
    Of all the thoughts.
    """


class ContentBlockStopEvent(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["content_block_stop"]
    index: Annotated[StrictInt, Field(ge=0)]
    """
    The block's place in the answer.
    """


class MessageDelta(BaseModel):
    """
    What the message is from now on.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    stop_reason: (
        Literal[
            "end_turn",
            "max_tokens",
            "stop_sequence",
            "tool_use",
            "pause_turn",
            "refusal",
            "model_context_window_exceeded",
        ]
        | None
    )
    """
    Why the answer ended.
    """
    stop_sequence: StrictStr | None
    """
    Which of `stop_sequences` ended it.
    """
    stop_details: RefusalStopDetails | None
    """
    More of why.
    """


class MessageStopEvent(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["message_stop"]


class PingEvent(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["ping"]


class ModelInfo(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    id: StrictStr
    """
    The model's name in requests.
    """
    type: Literal["model"]
    display_name: StrictStr
    """
    The model's name for people.
    """
    created_at: AwareDatetime
    """
    When it came out; the epoch where nobody knows.
    """
    lifecycle: Literal["active", "deprecated", "retired"]
    """
    Whether it is here to stay.
    """
    line: Literal["haiku", "sonnet", "opus", "fable", "mythos"] | None
    """
    The family that it is of.
    """
    deprecated_at: AwareDatetime | None
    """
    When it was superseded.
    """
    retires_at: AwareDatetime | None
    """
    When it goes.
    """
    max_input_tokens: Annotated[StrictInt | None, Field(ge=0)]
    """
    Longest prompt.
    """
    max_tokens: Annotated[StrictInt | None, Field(ge=0)]
    """
    Largest `max_tokens`.
    """
    capabilities: dict[str, Any] | None
    """
    What the model can do.
    """


class TokenTaskBudgetParam(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["tokens"]
    total: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens of the task.
    """
    remaining: Annotated[StrictInt | None, Field(ge=0)] = None
    """
    How many of them are left.
    """


class ThinkingTurnsParam(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["thinking_turns"]
    value: Annotated[StrictInt, Field(ge=1)]
    """
    How many turns.
    """


class AllThinkingTurnsParam(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["all"]


class InputTokensParam(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["input_tokens"]
    value: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens of input.
    """


class ToolUsesParam(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["tool_uses"]
    value: Annotated[StrictInt, Field(ge=0)]
    """
    Uses of tools.
    """


class CompactEditParam(BaseModel):
    """
    No effect on a conversation below the trigger. A conversation that has reached it is refused, because this server writes no summaries.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["compact_20260112"]
    trigger: InputTokensParam | None = None
    """
    The size from which a summary is needed; 150,000 tokens of input if it is absent.
    """
    instructions: StrictStr | None = None
    """
    How to write the summary.
    """
    pause_after_compaction: StrictBool = False
    """
    Whether the answer ends with the summary.
    """


class ClearThinkingEditResponse(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["clear_thinking_20251015"]
    cleared_thinking_turns: Annotated[StrictInt, Field(ge=0)]
    """
    Turns whose thinking was removed.
    """
    cleared_input_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens that were saved.
    """


class ClearToolUsesEditResponse(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["clear_tool_uses_20250919"]
    cleared_tool_uses: Annotated[StrictInt, Field(ge=0)]
    """
    Tool uses whose results were removed.
    """
    cleared_input_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens that were saved.
    """


class CountTokensContextManagementResponse(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    original_input_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens before anything was removed.
    """


class Base64ImageSourceParam(BaseModel):
    type: Literal["base64"]
    media_type: Literal["image/jpeg", "image/png", "image/gif", "image/webp"]
    """
    What the picture is said to be. Its content decides.
    """
    data: StrictStr
    """
    The picture in base64.
    """


class UrlImageSourceParam(BaseModel):
    type: Literal["url"]
    url: StrictStr
    """
    Where the picture is. It is fetched where the server allows its host.
    """


class FileImageSourceParam(BaseModel):
    """
    Refused: no file is stored here.
    """

    type: Literal["file"]
    file_id: StrictStr
    """
    The id of an uploaded picture.
    """


class ErrorDetails(BaseModel):
    """
    What went wrong, for programs.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    error_code: Literal["thread_unsupported_request"]
    """
    Which error it is.
    """


TokenId = TypeAliasType("TokenId", Annotated[StrictInt, Field(ge=0)])


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


StopTokenId = TypeAliasType("StopTokenId", Annotated[StrictInt, Field(ge=0)])


AllowedTokenId = TypeAliasType("AllowedTokenId", Annotated[StrictInt, Field(ge=0)])


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


class CreateMessageArguments(BaseModel):
    anthropic_version: Annotated[StrictStr, Field(alias="anthropic-version")]
    """
    Any version; all are answered alike.
    """
    anthropic_beta: Annotated[StrictStr | MISSING, Field(alias="anthropic-beta")] = MISSING
    """
    No effect: what is in this document needs no such name.
    """


class CountMessageTokensArguments(BaseModel):
    anthropic_version: Annotated[StrictStr, Field(alias="anthropic-version")]
    """
    Any version; all are answered alike.
    """
    anthropic_beta: Annotated[StrictStr | MISSING, Field(alias="anthropic-beta")] = MISSING
    """
    No effect: what is in this document needs no such name.
    """


class ListModelsArguments(BaseModel):
    anthropic_version: Annotated[StrictStr, Field(alias="anthropic-version")]
    """
    Any version; all are answered alike.
    """
    anthropic_beta: Annotated[StrictStr | MISSING, Field(alias="anthropic-beta")] = MISSING
    """
    No effect: what is in this document needs no such name.
    """
    after_id: StrictStr | MISSING = MISSING
    """
    The page begins after the model of this id.
    """
    before_id: StrictStr | MISSING = MISSING
    """
    The page ends before the model of this id.
    """
    lifecycle: Annotated[list[Literal["active", "deprecated", "retired"]] | MISSING, Field(max_length=3)] = (
        MISSING
    )
    """
    Tell only of models in one of these stages of their life. Absent, of those that are active or deprecated.
    """
    limit: Annotated[StrictInt, Field(ge=1, le=1000)] = 20
    """
    Most models of a page.
    """


class GetModelArguments(BaseModel):
    model_id: Annotated[StrictStr, Field(min_length=1)]
    """
    The model's name, which may hold slashes.
    """
    anthropic_version: Annotated[StrictStr, Field(alias="anthropic-version")]
    """
    Any version; all are answered alike.
    """
    anthropic_beta: Annotated[StrictStr | MISSING, Field(alias="anthropic-beta")] = MISSING
    """
    No effect: what is in this document needs no such name.
    """


class RenderMessageArguments(BaseModel):
    anthropic_version: Annotated[StrictStr, Field(alias="anthropic-version")]
    """
    Any version; all are answered alike.
    """
    anthropic_beta: Annotated[StrictStr | MISSING, Field(alias="anthropic-beta")] = MISSING
    """
    No effect: what is in this document needs no such name.
    """


class ToolParam(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["custom"] | None = None
    """
    A tool of the client's own.
    """
    name: Annotated[StrictStr, Field(pattern="^[a-zA-Z0-9_-]{1,128}$")]
    """
    How the model calls it.
    """
    description: StrictStr | MISSING = MISSING
    """
    What it does.
    """
    input_schema: dict[str, Any]
    """
    JSON Schema of what it is given.
    """
    strict: StrictBool = False
    """
    Whether what it is given always fits the schema.
    """
    cache_control: CacheControlEphemeralParam | None | MISSING = MISSING
    """
    Whether the prompt up to this block is to be cached.
    """
    input_examples: list[dict[str, Any]] | MISSING = MISSING
    """
    What it may be given; told to the model at the end of the description.
    """
    eager_input_streaming: StrictBool | None = None
    """
    No effect: what it is given is always streamed as it is written.
    """
    defer_loading: StrictBool = False
    """
    The model sees the tool once a `tool_reference` in a tool's result names it, or `tool_choice` does. It sees the tool from the start if nothing could find it: if the request has one of Anthropic's `tool_search_tool` tools, or only deferred tools.
    """
    allowed_callers: (
        list[
            Literal["direct", "code_execution_20250825", "code_execution_20260120", "code_execution_20260521"]
        ]
        | MISSING
    ) = MISSING
    """
    `direct` must be among them.
    """


class ThinkingConfigEnabledParam(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["enabled"]
    budget_tokens: Annotated[StrictInt, Field(ge=1024)]
    """
    At least 1024 and less than `max_tokens`. When so many tokens of thoughts are spent, the model's own end of a thought follows, and then the answer. In front of an engine that cannot do it, nothing enforces the budget, and `max_tokens` bounds thoughts and answer together.
    """
    display: Literal["summarized", "omitted"] | None | MISSING = MISSING
    """
    `omitted` leaves the thoughts out of the answer, and keeps their block.
    """


class ThinkingConfigAdaptiveParam(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["adaptive"]
    display: Literal["summarized", "omitted"] | None | MISSING = MISSING
    """
    `omitted` leaves the thoughts out of the answer, and keeps their block.
    """


class OutputConfigParam(BaseModel):
    """
    How the answer is made.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    effort: Literal["low", "medium", "high", "xhigh", "max"] | None = None
    """
    How much to think, in words for templates that read `reasoning_effort`; no effect on others.
    """
    format: JSONOutputFormatParam | None = None
    """
    The form of the answer.
    """
    task_budget: TokenTaskBudgetParam | None = None
    """
    No effect: the number of tokens that the model should plan with for a whole task.
    """


class Usage(BaseModel):
    """
    Tokens of the request and of its answer.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    input_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Of the prompt, but for what the cache held.
    """
    output_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Generated so far.
    """
    cache_creation_input_tokens: Annotated[StrictInt | None, Field(ge=0)]
    """
    Always 0: the cache fills by itself.
    """
    cache_read_input_tokens: Annotated[StrictInt | None, Field(ge=0)]
    """
    Of the prompt, read from the cache.
    """
    output_tokens_details: OutputTokensDetails | None
    """
    What the generated ones were.
    """
    service_tier: Literal["standard", "priority", "batch"] | None
    """
    The capacity that was used.
    """


class MessageTokensCount(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    input_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Of messages, system prompt and tools together.
    """
    context_management: CountTokensContextManagementResponse | MISSING = MISSING
    """
    Only where the request has `context_management`.
    """


class ContentBlockStartEvent(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["content_block_start"]
    index: Annotated[StrictInt, Field(ge=0)]
    """
    The block's place in the answer.
    """
    content_block: Annotated[TextBlock | ThinkingBlock | ToolUseBlock, Field(discriminator="type")]
    """
    A piece of an answer.
    """


class ModelPage(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    data: list[ModelInfo]
    """
    The page.
    """
    has_more: StrictBool
    """
    Whether there are more in the direction asked for.
    """
    first_id: StrictStr | None
    """
    For `before_id`.
    """
    last_id: StrictStr | None
    """
    For `after_id`.
    """


class ErrorObject(BaseModel):
    """
    What went wrong.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal[
        "invalid_request_error",
        "authentication_error",
        "billing_error",
        "permission_error",
        "not_found_error",
        "request_too_large",
        "rate_limit_error",
        "timeout_error",
        "api_error",
        "overloaded_error",
    ]
    """
    What it is.
    """
    message: StrictStr
    """
    For people.
    """
    details: ErrorDetails | MISSING = MISSING


class ToolReferenceBlockParam(BaseModel):
    """
    A tool that a search has found. The model sees it from now on.
    """

    type: Literal["tool_reference"]
    tool_name: Annotated[StrictStr, Field(max_length=256, min_length=1)]
    """
    The tool's name.
    """
    cache_control: CacheControlEphemeralParam | None | MISSING = MISSING
    """
    Whether the prompt up to this block is to be cached.
    """


class ClearThinkingEditParam(BaseModel):
    """
    Removes the thinking of all but the newest turns that have any. A turn is everything that the assistant says between two user messages, including tool uses. Chat templates may remove more.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["clear_thinking_20251015"]
    keep: Literal["all"] | ThinkingTurnsParam | AllThinkingTurnsParam | MISSING = MISSING
    """
    How many turns keep their thoughts; one if it is absent.
    """


class ClearToolUsesEditParam(BaseModel):
    """
    Removes the results of all but the newest tool uses, once the trigger is exceeded.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["clear_tool_uses_20250919"]
    trigger: Annotated[InputTokensParam | ToolUsesParam | MISSING, Field(discriminator="type")] = MISSING
    """
    The size to exceed; 100,000 tokens of input if it is absent.
    """
    keep: ToolUsesParam | MISSING = MISSING
    """
    How many tool uses keep their results; 3 if it is absent.
    """
    clear_at_least: InputTokensParam | None = None
    """
    The edit is skipped if it would save fewer tokens.
    """
    exclude_tools: list[StrictStr] | None = None
    """
    Names of tools whose results are kept.
    """
    clear_tool_inputs: StrictBool | list[StrictStr] | None = None
    """
    Whether the inputs are removed too, of all these tool uses or of the tools that are named.
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
    stop_token_ids: list[StopTokenId]
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
    allowed_token_ids: list[AllowedTokenId] | None
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


class TextBlockParam(BaseModel):
    type: Literal["text"]
    text: Annotated[StrictStr, Field(min_length=1)]
    """
    The text.
    """
    cache_control: CacheControlEphemeralParam | None | MISSING = MISSING
    """
    Whether the prompt up to this block is to be cached.
    """
    citations: list[dict[str, Any]] | None = None
    """
    No effect.
    """


class ImageBlockParam(BaseModel):
    """
    A picture. A model that reads text alone refuses it.
    """

    type: Literal["image"]
    source: Annotated[
        Base64ImageSourceParam | UrlImageSourceParam | FileImageSourceParam, Field(discriminator="type")
    ]
    """
    Where the picture is.
    """


class SearchResultBlockParam(BaseModel):
    """
    What a search of the client's found.
    """

    type: Literal["search_result"]
    title: StrictStr
    """
    What it is called.
    """
    source: StrictStr
    """
    Where it was found.
    """
    content: list[TextBlockParam]
    """
    What it says.
    """
    citations: CitationsConfigParam | MISSING = MISSING
    cache_control: CacheControlEphemeralParam | None | MISSING = MISSING
    """
    Whether the prompt up to this block is to be cached.
    """


class ToolUseBlockParam(BaseModel):
    """
    How the model used a tool in an earlier answer.
    """

    type: Literal["tool_use"]
    id: Annotated[StrictStr, Field(pattern="^[a-zA-Z0-9_-]+$")]
    """
    As the answer had it.
    """
    name: Annotated[StrictStr, Field(max_length=200, min_length=1)]
    """
    Of the tool.
    """
    input: dict[str, Any]
    """
    What the tool was given.
    """
    caller: Caller | MISSING = MISSING
    toolset_name: StrictStr | None = None
    """
    No effect.
    """
    cache_control: CacheControlEphemeralParam | None | MISSING = MISSING
    """
    Whether the prompt up to this block is to be cached.
    """


class ContentBlockDeltaEvent(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["content_block_delta"]
    index: Annotated[StrictInt, Field(ge=0)]
    """
    The block's place in the answer.
    """
    delta: Annotated[TextDelta | InputJSONDelta | ThinkingDelta | SignatureDelta, Field(discriminator="type")]
    """
    What a block gains.
    """


class ErrorResponse(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["error"]
    error: ErrorObject
    request_id: StrictStr | None
    """
    As the header `request-id` has it.
    """


class ContextManagementResponse(BaseModel):
    """
    What was removed from the conversation.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    applied_edits: list[
        Annotated[ClearThinkingEditResponse | ClearToolUsesEditResponse, Field(discriminator="type")]
    ]
    """
    The edits that removed something, in the order in which they were applied.
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
    stream_options: None
    """
    Always null, as requests have none.
    """
    cache_salt: StrictStr | None
    """
    As in the request.
    """
    priority: StrictInt
    """
    As in the request; lower runs first.
    """


class ContentBlockSourceParam(BaseModel):
    type: Literal["content"]
    content: StrictStr | list[Annotated[TextBlockParam | ImageBlockParam, Field(discriminator="type")]]
    """
    Texts and pictures.
    """


class Message(BaseModel):
    """
    An answer.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    id: StrictStr
    """
    Of this answer.
    """
    type: Literal["message"]
    role: Literal["assistant"]
    content: list[Annotated[TextBlock | ThinkingBlock | ToolUseBlock, Field(discriminator="type")]]
    """
    The answer.
    """
    model: StrictStr
    """
    The model that answered.
    """
    stop_reason: (
        Literal[
            "end_turn",
            "max_tokens",
            "stop_sequence",
            "tool_use",
            "pause_turn",
            "refusal",
            "model_context_window_exceeded",
        ]
        | None
    )
    """
    Why the answer ended; null while it is streamed.
    """
    stop_sequence: StrictStr | None
    """
    Which of `stop_sequences` ended it.
    """
    stop_details: RefusalStopDetails | None
    """
    More of why.
    """
    usage: Usage
    context_management: ContextManagementResponse | MISSING = MISSING
    """
    Only where the request has `context_management`; in a stream, at its end.
    """


class MessageStartEvent(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["message_start"]
    message: Message


class MessageDeltaEvent(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["message_delta"]
    delta: MessageDelta
    usage: MessageDeltaUsage
    context_management: ContextManagementResponse | MISSING = MISSING
    """
    Only where the request has `context_management`; in a stream, at its end.
    """


class ContextManagementConfigParam(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    edits: Annotated[
        list[
            Annotated[
                ClearThinkingEditParam | ClearToolUsesEditParam | CompactEditParam,
                Field(discriminator="type"),
            ]
        ]
        | MISSING,
        Field(max_length=3),
    ] = MISSING
    """
    Applied one after another.
    """


MessageStreamEvent = TypeAliasType(
    "MessageStreamEvent",
    Annotated[
        MessageStartEvent
        | ContentBlockStartEvent
        | ContentBlockDeltaEvent
        | ContentBlockStopEvent
        | MessageDeltaEvent
        | MessageStopEvent
        | PingEvent
        | ErrorResponse,
        Field(discriminator="type"),
    ],
)
"""
`message_start`, then of each block its `content_block_start`, its deltas and its `content_block_stop`, then `message_delta` and `message_stop`. A `ping` may come anywhere; an `error` ends the stream.
"""


class DocumentBlockParam(BaseModel):
    """
    A text to be read, told to the model with its title and context before it. PDFs, files and URLs are refused, as are citations.
    """

    type: Literal["document"]
    source: Annotated[
        PlainTextSourceParam | ContentBlockSourceParam | OpaqueSourceParam, Field(discriminator="type")
    ]
    """
    What stands in a document, or where it is.
    """
    title: Annotated[StrictStr | None, Field(max_length=500)] = None
    """
    What it is called.
    """
    context: StrictStr | None = None
    """
    What is to be known of it.
    """
    citations: CitationsConfigParam | None = None
    """
    Whether the answer says where it has its words from.
    """
    cache_control: CacheControlEphemeralParam | None | MISSING = MISSING
    """
    Whether the prompt up to this block is to be cached.
    """


class ToolResultBlockParam(BaseModel):
    """
    What a tool returned.
    """

    type: Literal["tool_result"]
    tool_use_id: Annotated[StrictStr, Field(pattern="^[a-zA-Z0-9_-]+$")]
    """
    The use that it answers.
    """
    content: (
        StrictStr
        | list[
            Annotated[
                TextBlockParam
                | ImageBlockParam
                | SearchResultBlockParam
                | DocumentBlockParam
                | ToolReferenceBlockParam
                | ServerResultParam,
                Field(discriminator="type"),
            ]
        ]
        | MISSING
    ) = MISSING
    """
    What it returned.
    """
    is_error: StrictBool = False
    """
    Whether the tool failed: the model reads `Error: ` before the content.
    """
    toolset_name: StrictStr | None = None
    """
    No effect.
    """
    cache_control: CacheControlEphemeralParam | None | MISSING = MISSING
    """
    Whether the prompt up to this block is to be cached.
    """


class MessageParam(BaseModel):
    role: Literal["user", "assistant", "system"]
    """
    Who speaks.
    """
    content: (
        StrictStr
        | list[
            Annotated[
                TextBlockParam
                | ImageBlockParam
                | DocumentBlockParam
                | SearchResultBlockParam
                | ThinkingBlockParam
                | RedactedThinkingBlockParam
                | ToolUseBlockParam
                | ToolResultBlockParam
                | ServerBlockParam,
                Field(discriminator="type"),
            ]
        ]
    )
    """
    A text is short for one block of it.
    """


class MessageCreateParams(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    model: Annotated[StrictStr, Field(max_length=256, min_length=1)]
    """
    The model that answers.
    """
    max_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens to generate at most, thoughts among them. 0 fills the prompt cache and generates nothing. Where the context has less room, the answer ends there with `model_context_window_exceeded`.
    """
    messages: Annotated[list[MessageParam], Field(max_length=100000, min_length=1)]
    """
    The conversation so far. Turns of one role that follow each other are one turn. Where the last one is the assistant's, the answer goes on with its text.
    """
    system: StrictStr | list[TextBlockParam] | MISSING = MISSING
    """
    What the model is told before the conversation.
    """
    stop_sequences: list[StopSequence] | MISSING = MISSING
    """
    Texts that end the answer, and are left out of it.
    """
    stream: StrictBool = False
    """
    Whether the answer comes as server-sent events.
    """
    thinking: Annotated[
        ThinkingConfigEnabledParam | ThinkingConfigDisabledParam | ThinkingConfigAdaptiveParam | MISSING,
        Field(discriminator="type"),
    ] = MISSING
    """
    Whether the model thinks before it answers; absent is disabled. A model that thinks whatever it is told has thinking blocks in its answers all the same. One that does not think has none.
    """
    tools: list[ToolParam | AnthropicToolParam] | MISSING = MISSING
    """
    What the model may use.
    """
    tool_choice: Annotated[
        ToolChoiceAutoParam | ToolChoiceAnyParam | ToolChoiceToolParam | ToolChoiceNoneParam | MISSING,
        Field(discriminator="type"),
    ] = MISSING
    """
    Which tools the model may or must use.
    """
    output_config: OutputConfigParam | MISSING = MISSING
    metadata: MetadataParam | MISSING = MISSING
    service_tier: Literal["auto", "standard_only"] | MISSING = MISSING
    """
    No effect: the tier is always `standard`.
    """
    speed: Literal["standard", "fast"] | None = None
    """
    No effect: there is one speed.
    """
    cache_control: CacheControlEphemeralParam | None = None
    """
    Marks the last block that can be cached.
    """
    container: Annotated[None, Field(None)] = None
    """
    Where the code of server tools runs.
    """
    diagnostics: dict[str, Any] | None = None
    """
    No effect: nothing is compared, and the answer has no `diagnostics`.
    """
    inference_geo: Annotated[None, Field(None)] = None
    """
    The region that computes the answer.
    """
    fallbacks: Literal["default"] | list[dict[str, Any]] | None = None
    """
    No effect: models to fall back to when Anthropic's safeguards refuse. There are no safeguards here.
    """
    fallback_credit_token: StrictStr | None = None
    """
    No effect: nobody is charged.
    """
    context_hint: dict[str, Any] | None = None
    """
    No effect: it allows the server to ask for a shorter conversation, which this server never does.
    """
    temperature: Annotated[StrictFloat, Field(ge=0.0, le=1.0)] = 1
    """
    0 takes the likeliest token always, 1 draws as the model has learned.
    """
    top_k: Annotated[StrictInt | MISSING, Field(ge=0)] = MISSING
    """
    Draw from this many of the likeliest tokens; 0 stands for all.
    """
    top_p: Annotated[StrictFloat | MISSING, Field(ge=0.0, le=1.0)] = MISSING
    """
    Draw from the likeliest tokens that make up this probability.
    """
    context_management: ContextManagementConfigParam | None = None
    """
    Edits that shorten the conversation before the model reads it.
    """
    thread: Annotated[None, Field(None)] = None
    """
    Refused: the server holds no conversation. The error's `details.error_code` is `thread_unsupported_request`, upon which Anthropic's clients send the whole conversation instead.
    """


class MessageCountTokensParams(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    model: Annotated[StrictStr, Field(max_length=256, min_length=1)]
    """
    The model that answers.
    """
    messages: Annotated[list[MessageParam], Field(max_length=100000, min_length=1)]
    """
    The conversation so far.
    """
    system: StrictStr | list[TextBlockParam] | MISSING = MISSING
    """
    What the model is told before the conversation.
    """
    thinking: Annotated[
        ThinkingConfigEnabledParam | ThinkingConfigDisabledParam | ThinkingConfigAdaptiveParam | MISSING,
        Field(discriminator="type"),
    ] = MISSING
    """
    Whether the model thinks before it answers; absent is disabled. A model that thinks whatever it is told has thinking blocks in its answers all the same. One that does not think has none.
    """
    tools: list[ToolParam | AnthropicToolParam] | MISSING = MISSING
    """
    What the model may use.
    """
    tool_choice: Annotated[
        ToolChoiceAutoParam | ToolChoiceAnyParam | ToolChoiceToolParam | ToolChoiceNoneParam | MISSING,
        Field(discriminator="type"),
    ] = MISSING
    """
    Which tools the model may or must use.
    """
    output_config: OutputConfigParam | MISSING = MISSING
    speed: Literal["standard", "fast"] | None = None
    """
    No effect: there is one speed.
    """
    cache_control: CacheControlEphemeralParam | None = None
    """
    Marks the last block that can be cached.
    """
    context_management: ContextManagementConfigParam | None = None
    """
    Edits that shorten the conversation before the model reads it.
    """
