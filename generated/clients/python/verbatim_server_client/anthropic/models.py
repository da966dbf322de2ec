# Generated from specs/anthropic: mend the document or its overlay, never this file.
"""The parts of answers, events and errors."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, Field
from typing_extensions import TypeAliasType

from ..runtime.answer_part import AnswerPart


class RefusalStopDetails(AnswerPart):
    type: Literal["refusal"]
    category: Literal["cyber", "bio", "frontier_llm", "reasoning_extraction", "general_harms"] | None
    """The rule that was broken."""
    explanation: str | None
    """For people."""


class TextBlock(AnswerPart):
    type: Literal["text"]
    text: str
    """The text."""
    citations: list[dict[str, Any]] | None = None
    """Where the text was found. No answer here has it."""


class ThinkingBlock(AnswerPart):
    type: Literal["thinking"]
    thinking: str
    """The thoughts."""
    signature: str
    """To be sent back with them. It proves nothing."""


class ToolUseBlock(AnswerPart):
    type: Literal["tool_use"]
    id: str
    """Of this use."""
    name: str
    """Of the tool."""
    input: dict[str, Any]
    """What the tool is given."""


class OutputTokensDetails(AnswerPart):
    thinking_tokens: Annotated[int, Field(ge=0)]
    """Thoughts."""


class MessageDeltaUsage(AnswerPart):
    """Tokens so far, at the end of a stream."""

    output_tokens: Annotated[int, Field(ge=0)]
    """Generated so far."""
    input_tokens: Annotated[int | None, Field(ge=0)]
    """Of the prompt, but for what the cache held."""
    cache_creation_input_tokens: Annotated[int | None, Field(ge=0)]
    """Of the prompt, written to the cache."""
    cache_read_input_tokens: Annotated[int | None, Field(ge=0)]
    """Of the prompt, read from the cache."""
    output_tokens_details: OutputTokensDetails | None
    """What the generated ones were."""


class TextDelta(AnswerPart):
    type: Literal["text_delta"]
    text: str
    """Text to append."""


class InputJSONDelta(AnswerPart):
    type: Literal["input_json_delta"]
    partial_json: str
    """JSON text to append."""


class ThinkingDelta(AnswerPart):
    type: Literal["thinking_delta"]
    thinking: str
    """Thoughts to append."""


class SignatureDelta(AnswerPart):
    type: Literal["signature_delta"]
    signature: str
    """Of all the thoughts."""


class ContentBlockStopEvent(AnswerPart):
    type: Literal["content_block_stop"]
    index: Annotated[int, Field(ge=0)]
    """The block's place in the answer."""


class MessageDelta(AnswerPart):
    """What the message is from now on."""

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
    """Why the answer ended."""
    stop_sequence: str | None
    """Which of `stop_sequences` ended it."""
    stop_details: RefusalStopDetails | None
    """More of why."""


class MessageStopEvent(AnswerPart):
    type: Literal["message_stop"]


class PingEvent(AnswerPart):
    type: Literal["ping"]


class ModelInfo(AnswerPart):
    id: str
    """The model's name in requests."""
    type: Literal["model"]
    display_name: str
    """The model's name for people."""
    created_at: AwareDatetime
    """When it came out; the epoch where nobody knows."""
    lifecycle: Literal["active", "deprecated", "retired"]
    """Whether it is here to stay."""
    line: Literal["haiku", "sonnet", "opus", "fable", "mythos"] | None
    """The family that it is of."""
    deprecated_at: AwareDatetime | None
    """When it was superseded."""
    retires_at: AwareDatetime | None
    """When it goes."""
    max_input_tokens: Annotated[int | None, Field(ge=0)]
    """Longest prompt."""
    max_tokens: Annotated[int | None, Field(ge=0)]
    """Largest `max_tokens`."""
    capabilities: dict[str, Any] | None
    """What the model can do."""


class ClearThinkingEditResponse(AnswerPart):
    type: Literal["clear_thinking_20251015"]
    cleared_thinking_turns: Annotated[int, Field(ge=0)]
    """Turns whose thinking was removed."""
    cleared_input_tokens: Annotated[int, Field(ge=0)]
    """Tokens that were saved."""


class ClearToolUsesEditResponse(AnswerPart):
    type: Literal["clear_tool_uses_20250919"]
    cleared_tool_uses: Annotated[int, Field(ge=0)]
    """Tool uses whose results were removed."""
    cleared_input_tokens: Annotated[int, Field(ge=0)]
    """Tokens that were saved."""


class CountTokensContextManagementResponse(AnswerPart):
    original_input_tokens: Annotated[int, Field(ge=0)]
    """Tokens before anything was removed."""


class ErrorDetails(AnswerPart):
    """What went wrong, for programs."""

    error_code: Literal["thread_unsupported_request"]
    """Which error it is."""


TokenId = TypeAliasType("TokenId", Annotated[int, Field(ge=0)])


class RenderedPart(AnswerPart):
    """A file of a rendered prompt."""

    type: Literal["image_url", "audio_url", "video_url"]
    """What the file is."""
    url: str
    """A data URL with the file's content."""


StopTokenId = TypeAliasType("StopTokenId", Annotated[int, Field(ge=0)])


AllowedTokenId = TypeAliasType("AllowedTokenId", Annotated[int, Field(ge=0)])


class RenderedForm(AnswerPart):
    """One of these, as text."""

    json_: Annotated[str | None, Field(alias="json")] = None
    """A JSON Schema."""
    json_object: bool | None = None
    """Any JSON object."""
    regex: str | None = None
    """A regular expression."""
    grammar: str | None = None
    """A grammar in EBNF."""
    structural_tag: str | None = None
    """A structural tag of xgrammar."""


class Usage(AnswerPart):
    """Tokens of the request and of its answer."""

    input_tokens: Annotated[int, Field(ge=0)]
    """Of the prompt, but for what the cache held."""
    output_tokens: Annotated[int, Field(ge=0)]
    """Generated so far."""
    cache_creation_input_tokens: Annotated[int | None, Field(ge=0)]
    """Always 0: the cache fills by itself."""
    cache_read_input_tokens: Annotated[int | None, Field(ge=0)]
    """Of the prompt, read from the cache."""
    output_tokens_details: OutputTokensDetails | None
    """What the generated ones were."""
    service_tier: Literal["standard", "priority", "batch"] | None
    """The capacity that was used."""


class MessageTokensCount(AnswerPart):
    input_tokens: Annotated[int, Field(ge=0)]
    """Of messages, system prompt and tools together."""
    context_management: CountTokensContextManagementResponse | None = None
    """Only where the request has `context_management`."""


class ContentBlockStartEvent(AnswerPart):
    type: Literal["content_block_start"]
    index: Annotated[int, Field(ge=0)]
    """The block's place in the answer."""
    content_block: Annotated[TextBlock | ThinkingBlock | ToolUseBlock, Field(discriminator="type")]
    """A piece of an answer."""


class ModelPage(AnswerPart):
    data: list[ModelInfo]
    """The page."""
    has_more: bool
    """Whether there are more in the direction asked for."""
    first_id: str | None
    """For `before_id`."""
    last_id: str | None
    """For `after_id`."""


class ErrorObject(AnswerPart):
    """What went wrong."""

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
    """What it is."""
    message: str
    """For people."""
    details: ErrorDetails | None = None


class RenderedSampling(AnswerPart):
    """The options of the request in the token API's form, with those that follow from its tools and forms."""

    n: Annotated[int, Field(ge=1)]
    """Answers."""
    max_tokens: Annotated[int, Field(ge=0)]
    """The most tokens of an answer, where none are set as many as fit."""
    min_tokens: Annotated[int, Field(ge=0)]
    """No end before this many tokens."""
    temperature: Annotated[float, Field(ge=0.0)]
    """0 takes the most likely token."""
    top_p: float
    """The share of probability that is drawn from."""
    top_k: Annotated[int, Field(ge=0)]
    """How many of the likeliest tokens are drawn from; 0 for all."""
    min_p: float
    """The least share of the likeliest one's probability."""
    presence_penalty: float
    """As in the request."""
    frequency_penalty: float
    """As in the request."""
    repetition_penalty: float
    """As in the request."""
    seed: int | None
    """As in the request."""
    stop: list[str]
    """Texts that end an answer."""
    stop_token_ids: list[StopTokenId]
    """Tokens that end an answer."""
    include_stop_str_in_output: bool
    """As in the request."""
    ignore_eos: bool
    """As in the request."""
    skip_special_tokens: bool
    """Whether special tokens are left out of the text."""
    logprobs: Annotated[int | None, Field(ge=0)]
    """How many of the likeliest tokens are told; null for no log-probabilities."""
    prompt_logprobs: Annotated[int | None, Field(ge=0)]
    """The same for the prompt."""
    logit_bias: dict[str, Any] | None
    """By token id, what is added to its score."""
    allowed_token_ids: list[AllowedTokenId] | None
    """The only tokens that may come."""
    bad_words: list[str]
    """Texts that are never completed."""
    thinking_token_budget: Annotated[int | None, Field(ge=0)]
    """The most tokens of thoughts; null for any number."""
    structured_outputs: RenderedForm | None
    """The form of the answer, with those of tool calls."""


class ContentBlockDeltaEvent(AnswerPart):
    type: Literal["content_block_delta"]
    index: Annotated[int, Field(ge=0)]
    """The block's place in the answer."""
    delta: Annotated[TextDelta | InputJSONDelta | ThinkingDelta | SignatureDelta, Field(discriminator="type")]
    """What a block gains."""


class ErrorResponse(AnswerPart):
    type: Literal["error"]
    error: ErrorObject
    request_id: str | None
    """As the header `request-id` has it."""


class ContextManagementResponse(AnswerPart):
    """What was removed from the conversation."""

    applied_edits: list[
        Annotated[ClearThinkingEditResponse | ClearToolUsesEditResponse, Field(discriminator="type")]
    ]
    """The edits that removed something, in the order in which they were applied."""


class RenderedRequest(AnswerPart):
    """A request to the token API, `POST /inference/v1/generate`."""

    request_id: Annotated[str, Field(min_length=1)]
    """An id that answers would have."""
    token_ids: Annotated[list[TokenId], Field(min_length=1)]
    """The prompt, with one placeholder for each of `content_parts`."""
    content_parts: Annotated[list[RenderedPart] | None, Field(min_length=1)] = None
    """The files of the prompt, in the order of their placeholders; absent if it has none."""
    sampling_params: RenderedSampling
    model: str
    """The model that was asked for."""
    stream: bool
    """Whether the request asked for a stream."""
    stream_options: None
    """Always null, as requests have none."""
    cache_salt: str | None
    """As in the request."""
    priority: int
    """As in the request; lower runs first."""


class Message(AnswerPart):
    """An answer."""

    id: str
    """Of this answer."""
    type: Literal["message"]
    role: Literal["assistant"]
    content: list[Annotated[TextBlock | ThinkingBlock | ToolUseBlock, Field(discriminator="type")]]
    """The answer."""
    model: str
    """The model that answered."""
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
    """Why the answer ended; null while it is streamed."""
    stop_sequence: str | None
    """Which of `stop_sequences` ended it."""
    stop_details: RefusalStopDetails | None
    """More of why."""
    usage: Usage
    context_management: ContextManagementResponse | None = None
    """Only where the request has `context_management`; in a stream, at its end."""


class MessageStartEvent(AnswerPart):
    type: Literal["message_start"]
    message: Message


class MessageDeltaEvent(AnswerPart):
    type: Literal["message_delta"]
    delta: MessageDelta
    usage: MessageDeltaUsage
    context_management: ContextManagementResponse | None = None
    """Only where the request has `context_management`; in a stream, at its end."""


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
"""`message_start`, then of each block its `content_block_start`, its deltas and its `content_block_stop`, then `message_delta` and `message_stop`. A `ping` may come anywhere; an `error` ends the stream."""
