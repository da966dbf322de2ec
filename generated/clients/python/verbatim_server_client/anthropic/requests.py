# Generated from specs/anthropic: mend the document or its overlay, never this file.
"""The parts of requests: dictionaries of these forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict


class PlainTextSourceParam(TypedDict, closed=True):
    type: Literal["text"]
    media_type: Literal["text/plain"]
    data: str
    """The text."""


class OpaqueSourceParam(TypedDict):
    """A PDF, whole, at a URL or by its file's id."""

    type: Literal["base64", "url", "file"]
    """How the document comes."""


class CitationsConfigParam(TypedDict, closed=True):
    """Whether to cite."""

    enabled: NotRequired[bool]
    """Whether to cite. Default: `false`."""


class ThinkingBlockParam(TypedDict, closed=True):
    """What the model thought in an earlier answer."""

    type: Literal["thinking"]
    thinking: str
    """The thoughts."""
    signature: str
    """Any text; it is not verified."""


class RedactedThinkingBlockParam(TypedDict, closed=True):
    """No effect: the model is not told of it."""

    type: Literal["redacted_thinking"]
    data: str
    """As the answer had it."""


class Caller(TypedDict):
    """No effect."""

    type: Literal["direct", "code_execution_20250825", "code_execution_20260120"]
    """Who it is."""


class ServerBlockParam(TypedDict):
    """Refused: tools are the client's own here."""

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
    """What it is."""


class ServerResultParam(TypedDict):
    """Refused."""

    type: Literal["browser_state"]
    """What it is."""


class CacheControlEphemeralParam(TypedDict, closed=True):
    """No effect: every prompt is cached as far as there is room, and read again where another begins alike."""

    type: Literal["ephemeral"]
    ttl: NotRequired[Literal["5m", "1h"]]
    """How long to keep it. Default: `"5m"`."""
    scope: NotRequired[str | None]
    """No effect. Whose requests may share what is cached."""


class AnthropicToolParam(TypedDict):
    """Ignored: the model does not see it. `tool_choice` must not name it."""

    type: str
    """Its name and version, such as `web_search_20250305`. Matches `^[a-z][a-z0-9_]*_([0-9]{8}|bm25|regex)$`."""
    name: NotRequired[str]
    """How `tool_choice` calls it."""


class ToolChoiceAutoParam(TypedDict, closed=True):
    type: Literal["auto"]
    disable_parallel_tool_use: NotRequired[bool]
    """At most one use. Default: `false`."""


class ToolChoiceAnyParam(TypedDict, closed=True):
    type: Literal["any"]
    disable_parallel_tool_use: NotRequired[bool]
    """Exactly one use. Default: `false`."""


class ToolChoiceToolParam(TypedDict, closed=True):
    type: Literal["tool"]
    name: str
    """Of the tool that must be used."""
    disable_parallel_tool_use: NotRequired[bool]
    """Exactly one use. Default: `false`."""


class ToolChoiceNoneParam(TypedDict, closed=True):
    type: Literal["none"]


class ThinkingConfigDisabledParam(TypedDict, closed=True):
    type: Literal["disabled"]


class JSONOutputFormatParam(TypedDict, closed=True):
    type: Literal["json_schema"]
    schema: Mapping[str, Any]
    """JSON Schema of the answer."""


class MetadataParam(TypedDict, closed=True):
    """No effect."""

    user_id: NotRequired[str | None]
    """The client's name for its user. At most 512 characters."""


class TokenTaskBudgetParam(TypedDict, closed=True):
    type: Literal["tokens"]
    total: int
    """Tokens of the task. At least 0."""
    remaining: NotRequired[int | None]
    """How many of them are left. At least 0."""


class ThinkingTurnsParam(TypedDict, closed=True):
    type: Literal["thinking_turns"]
    value: int
    """How many turns. At least 1."""


class AllThinkingTurnsParam(TypedDict, closed=True):
    type: Literal["all"]


class InputTokensParam(TypedDict, closed=True):
    type: Literal["input_tokens"]
    value: int
    """Tokens of input. At least 0."""


class ToolUsesParam(TypedDict, closed=True):
    type: Literal["tool_uses"]
    value: int
    """Uses of tools. At least 0."""


class CompactEditParam(TypedDict, closed=True):
    """No effect on a conversation below the trigger. A conversation that has reached it is refused, because this server writes no summaries."""

    type: Literal["compact_20260112"]
    trigger: NotRequired[InputTokensParam | None]
    """The size from which a summary is needed; 150,000 tokens of input if it is absent."""
    instructions: NotRequired[str | None]
    """How to write the summary."""
    pause_after_compaction: NotRequired[bool]
    """Whether the answer ends with the summary. Default: `false`."""


class Base64ImageSourceParam(TypedDict, closed=True):
    type: Literal["base64"]
    media_type: Literal["image/jpeg", "image/png", "image/gif", "image/webp"]
    """What the picture is said to be. Its content decides."""
    data: str
    """The picture in base64."""


class UrlImageSourceParam(TypedDict, closed=True):
    type: Literal["url"]
    url: str
    """Where the picture is. It is fetched where the server allows its host."""


class FileImageSourceParam(TypedDict, closed=True):
    """Refused: no file is stored here."""

    type: Literal["file"]
    file_id: str
    """The id of an uploaded picture."""


class ToolParam(TypedDict, closed=True):
    type: NotRequired[Literal["custom"] | None]
    """A tool of the client's own."""
    name: str
    """How the model calls it. Matches `^[a-zA-Z0-9_-]{1,128}$`."""
    description: NotRequired[str]
    """What it does."""
    input_schema: Mapping[str, Any]
    """JSON Schema of what it is given."""
    strict: NotRequired[bool]
    """Whether what it is given always fits the schema. Default: `false`."""
    cache_control: NotRequired[CacheControlEphemeralParam | None]
    """Whether the prompt up to this block is to be cached."""
    input_examples: NotRequired[Sequence[Mapping[str, Any]]]
    """What it may be given; told to the model at the end of the description."""
    eager_input_streaming: NotRequired[bool | None]
    """No effect: what it is given is always streamed as it is written."""
    defer_loading: NotRequired[bool]
    """The model sees the tool once a `tool_reference` in a tool's result names it, or `tool_choice` does. It sees the tool from the start if nothing could find it: if the request has one of Anthropic's `tool_search_tool` tools, or only deferred tools. Default: `false`."""
    allowed_callers: NotRequired[
        Sequence[
            Literal["direct", "code_execution_20250825", "code_execution_20260120", "code_execution_20260521"]
        ]
    ]
    """`direct` must be among them."""


class ThinkingConfigEnabledParam(TypedDict, closed=True):
    type: Literal["enabled"]
    budget_tokens: int
    """At least 1024 and less than `max_tokens`. When so many tokens of thoughts are spent, the model's own end of a thought follows, and then the answer. In front of an engine that cannot do it, nothing enforces the budget, and `max_tokens` bounds thoughts and answer together. At least 1024."""
    display: NotRequired[Literal["summarized", "omitted"] | None]
    """`omitted` leaves the thoughts out of the answer, and keeps their block."""


class ThinkingConfigAdaptiveParam(TypedDict, closed=True):
    type: Literal["adaptive"]
    display: NotRequired[Literal["summarized", "omitted"] | None]
    """`omitted` leaves the thoughts out of the answer, and keeps their block."""


class OutputConfigParam(TypedDict, closed=True):
    """How the answer is made."""

    effort: NotRequired[Literal["low", "medium", "high", "xhigh", "max"] | None]
    """How much to think, in words for templates that read `reasoning_effort`; no effect on others."""
    format: NotRequired[JSONOutputFormatParam | None]
    """The form of the answer."""
    task_budget: NotRequired[TokenTaskBudgetParam | None]
    """No effect: the number of tokens that the model should plan with for a whole task."""


class ToolReferenceBlockParam(TypedDict, closed=True):
    """A tool that a search has found. The model sees it from now on."""

    type: Literal["tool_reference"]
    tool_name: str
    """The tool's name. At least 1 characters, at most 256 characters."""
    cache_control: NotRequired[CacheControlEphemeralParam | None]
    """Whether the prompt up to this block is to be cached."""


class ClearThinkingEditParam(TypedDict, closed=True):
    """Removes the thinking of all but the newest turns that have any. A turn is everything that the assistant says between two user messages, including tool uses. Chat templates may remove more."""

    type: Literal["clear_thinking_20251015"]
    keep: NotRequired[Literal["all"] | ThinkingTurnsParam | AllThinkingTurnsParam]
    """How many turns keep their thoughts; one if it is absent."""


class ClearToolUsesEditParam(TypedDict, closed=True):
    """Removes the results of all but the newest tool uses, once the trigger is exceeded."""

    type: Literal["clear_tool_uses_20250919"]
    trigger: NotRequired[InputTokensParam | ToolUsesParam]
    """The size to exceed; 100,000 tokens of input if it is absent."""
    keep: NotRequired[ToolUsesParam]
    """How many tool uses keep their results; 3 if it is absent."""
    clear_at_least: NotRequired[InputTokensParam | None]
    """The edit is skipped if it would save fewer tokens."""
    exclude_tools: NotRequired[Sequence[str] | None]
    """Names of tools whose results are kept."""
    clear_tool_inputs: NotRequired[bool | Sequence[str] | None]
    """Whether the inputs are removed too, of all these tool uses or of the tools that are named."""


class TextBlockParam(TypedDict, closed=True):
    type: Literal["text"]
    text: str
    """The text. At least 1 characters."""
    cache_control: NotRequired[CacheControlEphemeralParam | None]
    """Whether the prompt up to this block is to be cached."""
    citations: NotRequired[Sequence[Mapping[str, Any]] | None]
    """No effect."""


class ImageBlockParam(TypedDict, closed=True):
    """A picture. A model that reads text alone refuses it."""

    type: Literal["image"]
    source: Base64ImageSourceParam | UrlImageSourceParam | FileImageSourceParam
    """Where the picture is."""


class SearchResultBlockParam(TypedDict, closed=True):
    """What a search of the client's found."""

    type: Literal["search_result"]
    title: str
    """What it is called."""
    source: str
    """Where it was found."""
    content: Sequence[TextBlockParam]
    """What it says."""
    citations: NotRequired[CitationsConfigParam]
    cache_control: NotRequired[CacheControlEphemeralParam | None]
    """Whether the prompt up to this block is to be cached."""


class ToolUseBlockParam(TypedDict, closed=True):
    """How the model used a tool in an earlier answer."""

    type: Literal["tool_use"]
    id: str
    """As the answer had it. Matches `^[a-zA-Z0-9_-]+$`."""
    name: str
    """Of the tool. At least 1 characters, at most 200 characters."""
    input: Mapping[str, Any]
    """What the tool was given."""
    caller: NotRequired[Caller]
    toolset_name: NotRequired[str | None]
    """No effect."""
    cache_control: NotRequired[CacheControlEphemeralParam | None]
    """Whether the prompt up to this block is to be cached."""


class ContentBlockSourceParam(TypedDict, closed=True):
    type: Literal["content"]
    content: str | Sequence[TextBlockParam | ImageBlockParam]
    """Texts and pictures."""


class ContextManagementConfigParam(TypedDict, closed=True):
    edits: NotRequired[Sequence[ClearThinkingEditParam | ClearToolUsesEditParam | CompactEditParam]]
    """Applied one after another. At most 3 items."""


class DocumentBlockParam(TypedDict, closed=True):
    """A text to be read, told to the model with its title and context before it. PDFs, files and URLs are refused, as are citations."""

    type: Literal["document"]
    source: PlainTextSourceParam | ContentBlockSourceParam | OpaqueSourceParam
    """What stands in a document, or where it is."""
    title: NotRequired[str | None]
    """What it is called. At most 500 characters."""
    context: NotRequired[str | None]
    """What is to be known of it."""
    citations: NotRequired[CitationsConfigParam | None]
    """Whether the answer says where it has its words from."""
    cache_control: NotRequired[CacheControlEphemeralParam | None]
    """Whether the prompt up to this block is to be cached."""


class ToolResultBlockParam(TypedDict, closed=True):
    """What a tool returned."""

    type: Literal["tool_result"]
    tool_use_id: str
    """The use that it answers. Matches `^[a-zA-Z0-9_-]+$`."""
    content: NotRequired[
        str
        | Sequence[
            TextBlockParam
            | ImageBlockParam
            | SearchResultBlockParam
            | DocumentBlockParam
            | ToolReferenceBlockParam
            | ServerResultParam
        ]
    ]
    """What it returned."""
    is_error: NotRequired[bool]
    """Whether the tool failed: the model reads `Error: ` before the content. Default: `false`."""
    toolset_name: NotRequired[str | None]
    """No effect."""
    cache_control: NotRequired[CacheControlEphemeralParam | None]
    """Whether the prompt up to this block is to be cached."""


class MessageParam(TypedDict, closed=True):
    role: Literal["user", "assistant", "system"]
    """Who speaks."""
    content: (
        str
        | Sequence[
            TextBlockParam
            | ImageBlockParam
            | DocumentBlockParam
            | SearchResultBlockParam
            | ThinkingBlockParam
            | RedactedThinkingBlockParam
            | ToolUseBlockParam
            | ToolResultBlockParam
            | ServerBlockParam
        ]
    )
    """A text is short for one block of it."""


class MessageCreateParamsWithoutStream(TypedDict, closed=True):
    model: str
    """The model that answers."""
    max_tokens: int
    """Tokens to generate at most, thoughts among them. 0 fills the prompt cache and generates nothing. Where the context has less room, the answer ends there with `model_context_window_exceeded`. At least 0."""
    messages: Sequence[MessageParam]
    """The conversation so far. Turns of one role that follow each other are one turn. Where the last one is the assistant's, the answer goes on with its text. At least 1 items, at most 100000 items."""
    system: NotRequired[str | Sequence[TextBlockParam]]
    """What the model is told before the conversation."""
    stop_sequences: NotRequired[Sequence[str]]
    """Texts that end the answer, and are left out of it."""
    thinking: NotRequired[
        ThinkingConfigEnabledParam | ThinkingConfigDisabledParam | ThinkingConfigAdaptiveParam
    ]
    """Whether the model thinks before it answers; absent is disabled. A model that thinks whatever it is told has thinking blocks in its answers all the same. One that does not think has none."""
    tools: NotRequired[Sequence[ToolParam | AnthropicToolParam]]
    """What the model may use."""
    tool_choice: NotRequired[
        ToolChoiceAutoParam | ToolChoiceAnyParam | ToolChoiceToolParam | ToolChoiceNoneParam
    ]
    """Which tools the model may or must use."""
    output_config: NotRequired[OutputConfigParam]
    metadata: NotRequired[MetadataParam]
    service_tier: NotRequired[Literal["auto", "standard_only"]]
    """No effect: the tier is always `standard`."""
    speed: NotRequired[Literal["standard", "fast"] | None]
    """No effect: there is one speed."""
    cache_control: NotRequired[CacheControlEphemeralParam | None]
    """Marks the last block that can be cached."""
    container: NotRequired[None]
    """Where the code of server tools runs."""
    diagnostics: NotRequired[Mapping[str, Any] | None]
    """No effect: nothing is compared, and the answer has no `diagnostics`."""
    inference_geo: NotRequired[None]
    """The region that computes the answer."""
    fallbacks: NotRequired[Literal["default"] | Sequence[Mapping[str, Any]] | None]
    """No effect: models to fall back to when Anthropic's safeguards refuse. There are no safeguards here."""
    fallback_credit_token: NotRequired[str | None]
    """No effect: nobody is charged."""
    context_hint: NotRequired[Mapping[str, Any] | None]
    """No effect: it allows the server to ask for a shorter conversation, which this server never does."""
    temperature: NotRequired[float]
    """0 takes the likeliest token always, 1 draws as the model has learned. At least 0, at most 1. Default: `1`."""
    top_k: NotRequired[int]
    """Draw from this many of the likeliest tokens; 0 stands for all. At least 0."""
    top_p: NotRequired[float]
    """Draw from the likeliest tokens that make up this probability. At least 0, at most 1."""
    context_management: NotRequired[ContextManagementConfigParam | None]
    """Edits that shorten the conversation before the model reads it."""
    thread: NotRequired[None]
    """Refused: the server holds no conversation. The error's `details.error_code` is `thread_unsupported_request`, upon which Anthropic's clients send the whole conversation instead."""


class MessageCreateParams(TypedDict, closed=True):
    model: str
    """The model that answers."""
    max_tokens: int
    """Tokens to generate at most, thoughts among them. 0 fills the prompt cache and generates nothing. Where the context has less room, the answer ends there with `model_context_window_exceeded`. At least 0."""
    messages: Sequence[MessageParam]
    """The conversation so far. Turns of one role that follow each other are one turn. Where the last one is the assistant's, the answer goes on with its text. At least 1 items, at most 100000 items."""
    system: NotRequired[str | Sequence[TextBlockParam]]
    """What the model is told before the conversation."""
    stop_sequences: NotRequired[Sequence[str]]
    """Texts that end the answer, and are left out of it."""
    stream: NotRequired[bool]
    """Whether the answer comes as server-sent events. Default: `false`."""
    thinking: NotRequired[
        ThinkingConfigEnabledParam | ThinkingConfigDisabledParam | ThinkingConfigAdaptiveParam
    ]
    """Whether the model thinks before it answers; absent is disabled. A model that thinks whatever it is told has thinking blocks in its answers all the same. One that does not think has none."""
    tools: NotRequired[Sequence[ToolParam | AnthropicToolParam]]
    """What the model may use."""
    tool_choice: NotRequired[
        ToolChoiceAutoParam | ToolChoiceAnyParam | ToolChoiceToolParam | ToolChoiceNoneParam
    ]
    """Which tools the model may or must use."""
    output_config: NotRequired[OutputConfigParam]
    metadata: NotRequired[MetadataParam]
    service_tier: NotRequired[Literal["auto", "standard_only"]]
    """No effect: the tier is always `standard`."""
    speed: NotRequired[Literal["standard", "fast"] | None]
    """No effect: there is one speed."""
    cache_control: NotRequired[CacheControlEphemeralParam | None]
    """Marks the last block that can be cached."""
    container: NotRequired[None]
    """Where the code of server tools runs."""
    diagnostics: NotRequired[Mapping[str, Any] | None]
    """No effect: nothing is compared, and the answer has no `diagnostics`."""
    inference_geo: NotRequired[None]
    """The region that computes the answer."""
    fallbacks: NotRequired[Literal["default"] | Sequence[Mapping[str, Any]] | None]
    """No effect: models to fall back to when Anthropic's safeguards refuse. There are no safeguards here."""
    fallback_credit_token: NotRequired[str | None]
    """No effect: nobody is charged."""
    context_hint: NotRequired[Mapping[str, Any] | None]
    """No effect: it allows the server to ask for a shorter conversation, which this server never does."""
    temperature: NotRequired[float]
    """0 takes the likeliest token always, 1 draws as the model has learned. At least 0, at most 1. Default: `1`."""
    top_k: NotRequired[int]
    """Draw from this many of the likeliest tokens; 0 stands for all. At least 0."""
    top_p: NotRequired[float]
    """Draw from the likeliest tokens that make up this probability. At least 0, at most 1."""
    context_management: NotRequired[ContextManagementConfigParam | None]
    """Edits that shorten the conversation before the model reads it."""
    thread: NotRequired[None]
    """Refused: the server holds no conversation. The error's `details.error_code` is `thread_unsupported_request`, upon which Anthropic's clients send the whole conversation instead."""


class MessageCountTokensParams(TypedDict, closed=True):
    model: str
    """The model that answers."""
    messages: Sequence[MessageParam]
    """The conversation so far. At least 1 items, at most 100000 items."""
    system: NotRequired[str | Sequence[TextBlockParam]]
    """What the model is told before the conversation."""
    thinking: NotRequired[
        ThinkingConfigEnabledParam | ThinkingConfigDisabledParam | ThinkingConfigAdaptiveParam
    ]
    """Whether the model thinks before it answers; absent is disabled. A model that thinks whatever it is told has thinking blocks in its answers all the same. One that does not think has none."""
    tools: NotRequired[Sequence[ToolParam | AnthropicToolParam]]
    """What the model may use."""
    tool_choice: NotRequired[
        ToolChoiceAutoParam | ToolChoiceAnyParam | ToolChoiceToolParam | ToolChoiceNoneParam
    ]
    """Which tools the model may or must use."""
    output_config: NotRequired[OutputConfigParam]
    speed: NotRequired[Literal["standard", "fast"] | None]
    """No effect: there is one speed."""
    cache_control: NotRequired[CacheControlEphemeralParam | None]
    """Marks the last block that can be cached."""
    context_management: NotRequired[ContextManagementConfigParam | None]
    """Edits that shorten the conversation before the model reads it."""
