# Generated from specs/openai: mend the document or its overlay, never this file.
"""The parts of answers, events and errors."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StringConstraints
from typing_extensions import TypeAliasType

from ..runtime.answer_part import AnswerPart


class ResponseFormatText(AnswerPart):
    type: Literal["text"]


MetadataValue = TypeAliasType("MetadataValue", Annotated[str, Field(max_length=512)])


class CalledCustomTool(AnswerPart):
    name: str
    """The custom tool that is called, which is one of `tools`."""
    input: str
    """The text, without JSON around it."""


class CalledFunction(AnswerPart):
    name: str
    """The function that is called, which is one of `tools`."""
    arguments: str
    """JSON text, as the model wrote it."""


Byte = TypeAliasType("Byte", Annotated[int, Field(ge=0, le=255)])


class PromptTokensDetails(AnswerPart):
    cached_tokens: Annotated[int, Field(ge=0)]
    """Tokens that were not computed again."""
    audio_tokens: Annotated[int, Field(ge=0)]
    """Tokens that stand for sound."""


class CompletionTokensDetails(AnswerPart):
    reasoning_tokens: Annotated[int, Field(ge=0)]
    """Tokens of thoughts."""
    audio_tokens: Literal[0]
    accepted_prediction_tokens: Literal[0]
    rejected_prediction_tokens: Literal[0]


class CalledCustomToolChunk(AnswerPart):
    name: str | None = None
    """In the first piece of a call."""
    input: str | None = None
    """A piece of the text."""


class CalledFunctionChunk(AnswerPart):
    name: str | None = None
    """In the first piece of a call."""
    arguments: str | None = None
    """A piece of the arguments' JSON text."""


TokenId = TypeAliasType("TokenId", Annotated[int, Field(ge=0)])


CompletionTokenLogprob = TypeAliasType("CompletionTokenLogprob", Annotated[float | None, Field(le=0.0)])
"""Null for the first token of a prompt, which nothing precedes."""


Logprob = TypeAliasType("Logprob", Annotated[float, Field(le=0.0)])


TextOffset = TypeAliasType("TextOffset", Annotated[int, Field(ge=0)])


class ResponseConversation(AnswerPart):
    id: Annotated[str, Field(min_length=1)]
    """The id of the conversation."""


class DeletedConversation(AnswerPart):
    id: str
    """The id that it had."""
    object: Literal["conversation.deleted"]
    deleted: Literal[True]


class ResponseInputTokens(AnswerPart):
    object: Literal["response.input_tokens"]
    input_tokens: Annotated[int, Field(ge=0)]
    """Tokens of the input, as the model reads it."""


class TextResponseFormatJsonObject(AnswerPart):
    """Any JSON object."""

    type: Literal["json_object"]


class TextResponseFormatJsonSchema(AnswerPart):
    type: Literal["json_schema"]
    name: Annotated[str, Field(pattern="^[a-zA-Z0-9_-]{1,64}$")]
    """A name for the form."""
    description: str | None = None
    """What the form is for."""
    schema_: Annotated[dict[str, Any], Field(alias="schema")]
    """The JSON Schema that the text follows. A keyword that cannot be enforced is refused."""
    strict: bool | None = False
    """The schema keeps to the subset that OpenAI names strict, or the request is refused. The text is valid either way."""


class ResponseCustomToolGrammar(AnswerPart):
    type: Literal["grammar"]
    syntax: Literal["regex", "lark"]
    """`regex`: the input matches the expression. `lark`: the grammar makes the input."""
    definition: Annotated[str, Field(max_length=65536)]
    """The expression, or the grammar. One that cannot be enforced is refused, such as one with templates, anchors or lookaround."""


class ResponseHostedTool(AnswerPart):
    """A tool of OpenAI's own, which runs on its servers or which its models are trained on. The model is not told of it, since nothing here runs it."""

    model_config = ConfigDict(
        extra="allow",
        use_attribute_docstrings=True,
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
    """The kind of the tool."""


class ResponseFunctionTool(AnswerPart):
    type: Literal["function"]
    name: Annotated[str, Field(pattern="^[a-zA-Z0-9_-]{1,128}$")]
    """What the model calls it."""
    description: str | None = None
    """What it does, told to the model."""
    parameters: dict[str, Any] | None = None
    """JSON Schema of the arguments, an object; null for a function without arguments."""
    strict: bool | None = True
    """Whether arguments always follow the schema; with false they are only certain to be a JSON object. Null counts as true."""
    defer_loading: bool | None = None
    """Without effect; the model is told of every tool from the start."""
    allowed_callers: list[Literal["direct", "programmatic"]] | None = None
    """Who may call it. The model calls directly, so that `direct` must be among them."""
    output_schema: dict[str, Any] | None = None
    """JSON Schema of what it answers, for programs that call it. Without effect."""
    async_: Annotated[bool | None, Field(alias="async")] = None
    """Whether the result may come later. It has no effect."""


class ResponseFunctionChoice(AnswerPart):
    """Exactly one call, of this function or custom tool."""

    type: Literal["function", "custom"]
    """The kind of the tool."""
    name: str
    """The name of one of `tools`, or of one in a namespace; any other is refused."""


class ResponseHostedChoice(AnswerPart):
    """Refused, since nothing here runs such a tool."""

    model_config = ConfigDict(
        extra="allow",
        use_attribute_docstrings=True,
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
    """The kind of the tool."""


class DeletedResponse(AnswerPart):
    id: str
    """The id that it had."""
    object: Literal["response"]
    deleted: Literal[True]


class ResponseStoredItem(AnswerPart):
    """An item as it was sent, with an id of its own; the content of a message is always parts."""

    model_config = ConfigDict(
        extra="allow",
        use_attribute_docstrings=True,
    )
    id: str
    """The id by which it can be referred to."""
    type: str
    """Its kind, as in a request."""


class ResponseReasoningSettings(AnswerPart):
    effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None
    """As in the request."""
    summary: Literal["auto", "concise", "detailed"] | None
    """As in the request, under either of its names. It has no effect."""


class ResponseError(AnswerPart):
    code: Literal["server_error", "rate_limit_exceeded", "invalid_prompt"]
    """`rate_limit_exceeded` and `invalid_prompt` only with `background`, where the answer is refused after it was queued."""
    message: str
    """What went wrong, in words."""


class ResponseIncompleteDetails(AnswerPart):
    reason: Literal["max_output_tokens"]


class ResponseInputTokensDetails(AnswerPart):
    cached_tokens: Annotated[int, Field(ge=0)]
    """Tokens of the input that were not computed again."""
    cache_write_tokens: Literal[0]
    """Tokens charged for being put into the cache; none are."""


class ResponseOutputTokensDetails(AnswerPart):
    reasoning_tokens: Annotated[int, Field(ge=0)]
    """Those of the answer's tokens that were thoughts."""


class ResponseSummaryText(AnswerPart):
    type: Literal["summary_text"]
    text: str
    """What the model thought, in short."""


class ResponseReasoningText(AnswerPart):
    type: Literal["reasoning_text"]
    text: str
    """What the model thought."""


class ResponseTopLogprob(AnswerPart):
    token: str
    """The token as text. Bytes that are no whole character are told as U+FFFD."""
    bytes: list[Byte]
    """The token in UTF-8, which may be part of a character."""
    logprob: Annotated[float, Field(le=0.0)]
    """Natural logarithm of the token's probability; -9999 stands for 0."""


class ResponseFunctionCall(AnswerPart):
    id: str
    """Unique; `fc_` and a number in hexadecimal digits."""
    type: Literal["function_call"]
    call_id: str
    """Repeat it in the item that holds the function's answer."""
    name: str
    """The function that is called, which is one of `tools`."""
    arguments: str
    """JSON text."""
    namespace: str | None = None
    """The namespace of the function; absent for one in none."""
    status: Literal["in_progress", "completed", "incomplete"]
    """`in_progress` while the arguments come, `incomplete` where they were cut short."""


class ResponseCustomToolCall(AnswerPart):
    id: str
    """Unique; `ctc_` and a number in hexadecimal digits."""
    type: Literal["custom_tool_call"]
    call_id: str
    """Repeat it in the item that holds the tool's answer."""
    name: str
    """The custom tool that is called, which is one of `tools`."""
    input: str
    """The text that the model wrote for it; empty while it comes."""
    namespace: str | None = None
    """The namespace of the tool; absent for one in none."""
    status: Literal["in_progress", "completed", "incomplete"]
    """`in_progress` while the input comes, `incomplete` where it was cut short."""


class ResponseReasoningTextDeltaEvent(AnswerPart):
    type: Literal["response.reasoning_text.delta"]
    sequence_number: Annotated[int, Field(ge=0)]
    """The event's number in its stream, from 0."""
    item_id: str
    """The `id` of the item."""
    output_index: Annotated[int, Field(ge=0)]
    """The item's place in the response's `output`, from 0."""
    content_index: Annotated[int, Field(ge=0)]
    """The part's place in the item's `content`; always 0."""
    delta: str
    """What the thoughts gain."""


class ResponseReasoningTextDoneEvent(AnswerPart):
    type: Literal["response.reasoning_text.done"]
    sequence_number: Annotated[int, Field(ge=0)]
    """The event's number in its stream, from 0."""
    item_id: str
    """The `id` of the item."""
    output_index: Annotated[int, Field(ge=0)]
    """The item's place in the response's `output`, from 0."""
    content_index: Annotated[int, Field(ge=0)]
    """The part's place in the item's `content`; always 0."""
    text: str
    """The whole thoughts."""


class ResponseFunctionCallArgumentsDeltaEvent(AnswerPart):
    type: Literal["response.function_call_arguments.delta"]
    sequence_number: Annotated[int, Field(ge=0)]
    """The event's number in its stream, from 0."""
    item_id: str
    """The `id` of the item."""
    output_index: Annotated[int, Field(ge=0)]
    """The item's place in the response's `output`, from 0."""
    delta: str
    """What the arguments' JSON text gains."""


class ResponseFunctionCallArgumentsDoneEvent(AnswerPart):
    type: Literal["response.function_call_arguments.done"]
    sequence_number: Annotated[int, Field(ge=0)]
    """The event's number in its stream, from 0."""
    item_id: str
    """The `id` of the item."""
    output_index: Annotated[int, Field(ge=0)]
    """The item's place in the response's `output`, from 0."""
    name: str
    """The function that is called."""
    arguments: str
    """The whole arguments, as JSON text."""


class ResponseCustomToolCallInputDeltaEvent(AnswerPart):
    type: Literal["response.custom_tool_call_input.delta"]
    sequence_number: Annotated[int, Field(ge=0)]
    """The event's number in its stream, from 0."""
    item_id: str
    """The `id` of the item."""
    output_index: Annotated[int, Field(ge=0)]
    """The item's place in the response's `output`, from 0."""
    delta: str
    """What the input gains."""


class ResponseCustomToolCallInputDoneEvent(AnswerPart):
    type: Literal["response.custom_tool_call_input.done"]
    sequence_number: Annotated[int, Field(ge=0)]
    """The event's number in its stream, from 0."""
    item_id: str
    """The `id` of the item."""
    output_index: Annotated[int, Field(ge=0)]
    """The item's place in the response's `output`, from 0."""
    input: str
    """The whole input."""


class ResponseErrorEvent(AnswerPart):
    """The stream broke for a reason that is not the response's."""

    type: Literal["error"]
    sequence_number: Literal[0]
    """The count is lost with what broke."""
    code: str | None
    """A name to act on, if the fault has one."""
    message: str
    """What went wrong, in words."""
    param: str | None
    """The field at fault, if it is one's."""


EmbeddingVector = TypeAliasType("EmbeddingVector", Annotated[list[float], Field(min_length=1)])


EmbeddingBase64 = TypeAliasType("EmbeddingBase64", Annotated[str, Field(min_length=1)])


class EmbeddingUsage(AnswerPart):
    prompt_tokens: Annotated[int, Field(ge=0)]
    """Tokens of all inputs."""
    total_tokens: Annotated[int, Field(ge=0)]
    """The same; nothing is generated."""


class DecisionPredicateAnswer(AnswerPart):
    type: Literal["predicate"]
    name: str | None
    """The name of the question; null if it has none."""
    probability: Annotated[float, Field(ge=0.0, le=1.0)]
    """That it holds."""


class DecisionValueProbability(AnswerPart):
    value: str | bool
    """The value."""
    probability: Annotated[float, Field(ge=0.0, le=1.0)]
    """That it is the answer."""


class DecisionLevelProbability(AnswerPart):
    value: Annotated[int, Field(ge=0)]
    """The number of the level, from 0."""
    label: str
    """Its label."""
    probability: Annotated[float, Field(ge=0.0, le=1.0)]
    """That it is the answer."""


class DecisionRefusal(AnswerPart):
    """A question that the model will not answer. This server answers all questions, so it sends none."""

    type: Literal["refusal"]
    name: str | None
    """The name of the question; null if it has none."""


class DecisionUsage(AnswerPart):
    input_tokens: Annotated[int, Field(ge=0)]
    """Tokens of the prompts of all questions; each has the whole input."""
    input_tokens_details: ResponseInputTokensDetails
    """What of the input was not computed again, such as what a question shares with those before it."""
    output_tokens: Literal[0]
    """Nothing is generated."""
    output_tokens_details: ResponseOutputTokensDetails
    """What the generated tokens were; there are none."""
    total_tokens: Annotated[int, Field(ge=0)]
    """Both together."""


class TranscriptLogprob(AnswerPart):
    token: str
    """The token as text."""
    logprob: Annotated[float, Field(le=0.0)]
    """Its log-probability, at least -9999."""
    bytes: list[Byte]
    """Its bytes in UTF-8; a character may take several tokens."""


class CreateTranslationResponseJson(AnswerPart):
    text: str
    """The translation."""


class TranscriptionWord(AnswerPart):
    word: str
    """The word."""
    start: Annotated[float, Field(ge=0.0)]
    """When it begins in seconds."""
    end: Annotated[float, Field(ge=0.0)]
    """When it ends in seconds."""


class TranscriptionSegment(AnswerPart):
    id: Annotated[int, Field(ge=0)]
    """The number of the segment."""
    seek: Annotated[int, Field(ge=0)]
    """Where it begins in hundredths of a second."""
    start: Annotated[float, Field(ge=0.0)]
    """When it begins in seconds."""
    end: Annotated[float, Field(ge=0.0)]
    """When it ends in seconds."""
    text: str
    """Its text, usually with a blank before it."""
    tokens: list[TokenId]
    """The tokens of the text and of the times around it."""
    temperature: Annotated[float, Field(ge=0.0)]
    """The temperature at which it was written."""
    avg_logprob: Annotated[float, Field(le=0.0)]
    """The mean log-probability of the tokens."""
    compression_ratio: Annotated[float, Field(ge=0.0)]
    """How far its text can be compressed; above 2.4 it is repetitive."""
    no_speech_prob: Annotated[float, Field(ge=0.0, le=1.0)]
    """The probability that nobody speaks."""


class TranscriptTextDeltaEvent(AnswerPart):
    type: Literal["transcript.text.delta"]
    """What the event is."""
    delta: str
    """The next part of the text."""
    logprobs: list[TranscriptLogprob] | None = None
    """The log-probabilities of its tokens, where `include[]` asks for them."""


class TranscriptTextUsageTokens(AnswerPart):
    type: Literal["tokens"]
    """What is counted."""
    input_tokens: Annotated[int, Field(ge=0)]
    """Tokens that the texts went on from."""
    output_tokens: Annotated[int, Field(ge=0)]
    """Tokens that were generated, those of repeated parts included."""
    total_tokens: Annotated[int, Field(ge=0)]
    """Both together."""


class TranscriptTextUsageDuration(AnswerPart):
    type: Literal["duration"]
    """What is counted."""
    seconds: Annotated[float, Field(ge=0.0)]
    """The length of the sound in seconds."""


class Model(AnswerPart):
    id: str
    """What to send as `model`."""
    object: Literal["model"]
    created: Annotated[int, Field(ge=0, le=9223372036854775807)]
    """Seconds since 1970."""
    owned_by: str
    """Who serves the model; always `verbatim`."""
    max_model_len: Annotated[int | None, Field(ge=1)] = None
    """Tokens of prompt and answer together."""
    root: str | None = None
    """Where the weights come from."""
    parent: str | None = None
    """The model that an adapter adapts; null for a model."""


class StoredFile(AnswerPart):
    id: str
    """The file's id."""
    object: Literal["file"]
    bytes: Annotated[int, Field(ge=0)]
    """Its size."""
    created_at: Annotated[int, Field(ge=0, le=9223372036854775807)]
    """Seconds since 1970."""
    expires_at: int | None
    """When it is deleted, as Unix time; null for never."""
    filename: str
    """Its name."""
    purpose: Literal["batch", "batch_output", "user_data"]
    """`batch_output`: answers of a batch."""
    status: Literal["processed"]
    """Files need no processing."""


class ListFilesResponse(AnswerPart):
    object: Literal["list"]
    data: list[StoredFile]
    """In the order that was asked for."""
    first_id: str | None
    """The id of the first of them; null for none."""
    last_id: str | None
    """The id of the last of them; null for none."""
    has_more: bool
    """Whether more follow."""


class DeleteFileResponse(AnswerPart):
    id: str
    """The id that it had."""
    object: Literal["file"]
    deleted: Literal[True]


class BatchRequestCounts(AnswerPart):
    """How many lines there are, and how many have ended."""

    total: Annotated[int, Field(ge=0)]
    """All lines."""
    completed: Annotated[int, Field(ge=0)]
    """Those with an answer of status 200."""
    failed: Annotated[int, Field(ge=0)]
    """Those with another answer, or without one at the end."""


class BatchError(AnswerPart):
    code: str
    """What is wrong, as a name to act on."""
    message: str
    """The same in words."""
    param: str | None
    """The field at fault."""
    line: int | None
    """The number of the line, from 1; null where it is the whole file."""


class Error(AnswerPart):
    message: str
    """What went wrong, in words."""
    type: str
    """The kind: `invalid_request_error`, `rate_limit_error`, `server_error` or `service_unavailable_error`."""
    param: str | None
    """The field at fault."""
    code: str | None
    """A name to act on: `unknown_parameter`, `missing_required_parameter`, `invalid_type`, `invalid_value`, `unsupported_parameter`, `unsupported_value`, `context_length_exceeded`, `model_not_found`, `invalid_api_key`, `rate_limit_exceeded` or another."""


class PromptLogprob(AnswerPart):
    logprob: Annotated[float, Field(le=0.0)]
    """-9999 stands for a probability of 0."""
    rank: Annotated[int | None, Field(ge=1)]
    """1 for the likeliest token; null for one that is not among the likeliest."""
    decoded_token: str
    """The token as text."""


class GenerationTimings(AnswerPart):
    """Times of one request. A time of 0 counts as a microsecond, so that a speed is always a number."""

    cache_n: Annotated[int, Field(ge=0)]
    """Tokens of the prompt that were in the cache."""
    prompt_n: Annotated[int, Field(ge=0)]
    """Tokens of the prompt that were computed."""
    prompt_ms: Annotated[float, Field(ge=0.0)]
    """Milliseconds from the start of the prompt to the first token."""
    prompt_per_token_ms: Annotated[float, Field(ge=0.0)]
    """Milliseconds for each of `prompt_n`, 0 if none."""
    prompt_per_second: Annotated[float, Field(ge=0.0)]
    """How many of `prompt_n` a second, 0 if none."""
    predicted_n: Annotated[int, Field(ge=0)]
    """Tokens generated, the end token too."""
    predicted_ms: Annotated[float, Field(ge=0.0)]
    """Milliseconds since the first token."""
    predicted_per_token_ms: Annotated[float, Field(ge=0.0)]
    """Milliseconds for each of `predicted_n`, 0 if none."""
    predicted_per_second: Annotated[float, Field(ge=0.0)]
    """How many of `predicted_n` a second, 0 if none."""


class RenderedStreamOptions(AnswerPart):
    """What a stream tells besides tokens."""

    include_usage: bool
    """Whether it ends with an event that has the token counts."""
    continuous_usage_stats: bool
    """Whether every event has the counts so far."""


class RenderedPart(AnswerPart):
    """A file of a rendered prompt."""

    type: Literal["image_url", "audio_url", "video_url"]
    """What the file is."""
    url: str
    """A data URL with the file's content."""


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


class TokenizeResponse(AnswerPart):
    count: Annotated[int, Field(ge=0)]
    """How many tokens there are."""
    max_model_len: Annotated[int, Field(ge=1)]
    """Tokens of prompt and answer together."""
    tokens: list[TokenId]
    """The tokens."""
    token_strs: list[str] | None
    """Each as the vocabulary writes it; null unless the request asks for it."""


class DetokenizeResponse(AnswerPart):
    prompt: str
    """The text."""


class GeneratedAlternative(AnswerPart):
    token_id: Annotated[int, Field(ge=0)]
    """The token."""
    logprob: Annotated[float, Field(le=0.0)]
    """Its log-probability."""


ToolCallId = TypeAliasType("ToolCallId", Annotated[str, Field(max_length=512, min_length=1)])


Metadata = TypeAliasType(
    "Metadata",
    Annotated[dict[Annotated[str, StringConstraints(max_length=64)], MetadataValue], Field(max_length=16)],
)
"""Up to 16 notes of the client's own. They have no effect here."""


class ChatCompletionMessageCustomToolCall(AnswerPart):
    id: str
    """Unique; repeat it as `tool_call_id` of the message that holds what the tool returned."""
    type: Literal["custom"]
    custom: CalledCustomTool
    """The custom tool that is called, and with what."""


class ChatCompletionMessageToolCall(AnswerPart):
    id: str
    """Unique; repeat it as `tool_call_id` of the message that holds what the function returned."""
    type: Literal["function"]
    function: CalledFunction
    """The function that is called, and with what."""


class CompletionUsage(AnswerPart):
    prompt_tokens: Annotated[int, Field(ge=0)]
    """Tokens of the prompts, as the model read them; one prompt counts once, however many answers it has."""
    completion_tokens: Annotated[int, Field(ge=0)]
    """Tokens generated over all answers, thoughts and end tokens counted."""
    total_tokens: Annotated[int, Field(ge=0)]
    """Tokens of prompts and answers together."""
    prompt_tokens_details: PromptTokensDetails | None = None
    """What of the prompts was not computed again."""
    completion_tokens_details: CompletionTokensDetails | None = None
    """What the generated tokens were."""


class ChatCompletionMessageToolCallChunk(AnswerPart):
    index: Annotated[int, Field(ge=0)]
    """Which of the answer's calls."""
    id: str | None = None
    """In the first piece of a call."""
    type: Literal["function", "custom"] | None = None
    """In the first piece of a call."""
    function: CalledFunctionChunk | None = None
    """The function's name in the first piece of a call, then pieces of its arguments."""
    custom: CalledCustomToolChunk | None = None
    """In place of `function`, a custom tool's name in the first piece, then pieces of its input."""


class CompletionLogprobs(AnswerPart):
    """Null unless asked for. All lists have an item for each token."""

    tokens: list[str]
    """The tokens as texts. Bytes that are no whole character are told as U+FFFD."""
    token_logprobs: list[CompletionTokenLogprob]
    """Natural logarithm of each token's probability, before temperature and penalties; -9999 stands for 0."""
    top_logprobs: list[dict[str, Any] | None]
    """For each place the most likely tokens, as many as `logprobs` says, and the token that was taken, by their texts."""
    text_offset: list[TextOffset]
    """Where each token begins, in characters of prompt and text."""


class CompletionStreamChoice(AnswerPart):
    index: Annotated[int, Field(ge=0)]
    """Which of the texts, from 0; those of the first prompt come first."""
    text: str
    """What the text gains; it may be empty. With `echo` the first piece begins with the prompt."""
    logprobs: CompletionLogprobs | None
    finish_reason: Literal["stop", "length"] | None
    """Null until the text ends."""
    prompt_token_ids: list[TokenId] | None = None
    """The prompt's tokens, as the model read them; absent unless `return_token_ids` asks for them."""
    token_ids: list[TokenId] | None = None
    """The tokens generated, the end token too; absent unless `return_token_ids` asks for them."""
    stop_reason: str | int | None = None
    """The stop text, or the id of the stop token, that ended the text; null if something else did."""


class Conversation(AnswerPart):
    id: str
    """Unique; `conv_` and a number in hexadecimal digits."""
    object: Literal["conversation"]
    created_at: Annotated[int, Field(ge=0, le=9223372036854775807)]
    """Seconds since 1970."""
    metadata: Metadata


class ResponseAllowedTools(AnswerPart):
    """Calls of these functions alone."""

    type: Literal["allowed_tools"]
    mode: Literal["auto", "required"]
    """`auto`: the model may call them. `required`: it calls at least one."""
    tools: Annotated[list[ResponseFunctionChoice | ResponseHostedChoice], Field(min_length=1)]
    """The tools that may be called, each of which `tools` offers. The others stay in the prompt."""


class ResponseItemList(AnswerPart):
    object: Literal["list"]
    data: list[ResponseStoredItem]
    """In the order that was asked for."""
    first_id: str | None
    """The id of the first of them; null for none."""
    last_id: str | None
    """The id of the last of them; null for none."""
    has_more: bool
    """Whether more follow."""


class ResponseTextSettings(AnswerPart):
    format: Annotated[
        ResponseFormatText | TextResponseFormatJsonObject | TextResponseFormatJsonSchema,
        Field(discriminator="type"),
    ]
    """As in the request; plain text where that is silent."""
    verbosity: Literal["low", "medium", "high"] | None
    """As in the request."""


class ResponseUsage(AnswerPart):
    input_tokens: Annotated[int, Field(ge=0)]
    """Tokens of the input, as the model read it."""
    input_tokens_details: ResponseInputTokensDetails
    """What of the input was not computed again."""
    output_tokens: Annotated[int, Field(ge=0)]
    """Tokens generated, thoughts and the end token counted."""
    output_tokens_details: ResponseOutputTokensDetails
    """What the generated tokens were."""
    total_tokens: Annotated[int, Field(ge=0)]
    """Both together."""


class ResponseReasoningItem(AnswerPart):
    id: str
    """Unique; `rs_` and a number in hexadecimal digits."""
    type: Literal["reasoning"]
    summary: list[ResponseSummaryText]
    """Empty; the thoughts are told whole."""
    content: list[ResponseReasoningText]
    """The thoughts as one text; empty while the item is in progress."""
    encrypted_content: None
    """Always null; the thoughts are told in `content`."""
    status: Literal["in_progress", "completed", "incomplete"]
    """`in_progress` while the thoughts come, `incomplete` where they were cut short."""


class ResponseLogprob(AnswerPart):
    token: str
    """The token as text. Bytes that are no whole character are told as U+FFFD."""
    bytes: list[Byte]
    """The token in UTF-8; of several tokens that share a character, each has its bytes of it."""
    logprob: Annotated[float, Field(le=0.0)]
    """-9999 stands for a probability of 0."""
    top_logprobs: list[ResponseTopLogprob]
    """The most likely tokens in its place, the best first; empty unless `top_logprobs` asks for them."""


class ResponseTextDeltaEvent(AnswerPart):
    type: Literal["response.output_text.delta"]
    sequence_number: Annotated[int, Field(ge=0)]
    """The event's number in its stream, from 0."""
    item_id: str
    """The `id` of the item."""
    output_index: Annotated[int, Field(ge=0)]
    """The item's place in the response's `output`, from 0."""
    content_index: Annotated[int, Field(ge=0)]
    """The part's place in the item's `content`; always 0."""
    delta: str
    """What the text gains."""
    logprobs: list[ResponseLogprob]
    """Of the tokens that the piece is made of, if `include` asks for them; else empty."""


class ResponseTextDoneEvent(AnswerPart):
    type: Literal["response.output_text.done"]
    sequence_number: Annotated[int, Field(ge=0)]
    """The event's number in its stream, from 0."""
    item_id: str
    """The `id` of the item."""
    output_index: Annotated[int, Field(ge=0)]
    """The item's place in the response's `output`, from 0."""
    content_index: Annotated[int, Field(ge=0)]
    """The part's place in the item's `content`; always 0."""
    text: str
    """The whole text."""
    logprobs: list[ResponseLogprob]
    """Of all tokens of the text, if `include` asks for them; else empty."""


class Embedding(AnswerPart):
    object: Literal["embedding"]
    index: Annotated[int, Field(ge=0)]
    """Which of the inputs, from 0."""
    embedding: EmbeddingVector | EmbeddingBase64
    """The vector, as numbers or as little-endian float32 in base64, whichever `encoding_format` asks for."""


class DecisionChoiceAnswer(AnswerPart):
    type: Literal["choice"]
    name: str | None
    """The name of the question; null if it has none."""
    choice: str | bool
    """The most likely value."""
    confidence: Annotated[float, Field(ge=0.0, le=1.0)]
    """0 if all values are equally likely, and 1 if one is certain."""
    probabilities: Annotated[list[DecisionValueProbability], Field(min_length=1)]
    """One for each value, in the order of the question. They add up to 1."""


class DecisionScoreAnswer(AnswerPart):
    type: Literal["score"]
    name: str | None
    """The name of the question; null if it has none."""
    score: Annotated[float, Field(ge=0.0)]
    """The mean of the levels' numbers, each weighted with its probability; it may lie between two levels."""
    confidence: Annotated[float, Field(ge=0.0, le=1.0)]
    """1 if one level is certain, and less the further the others are from the most likely one."""
    probabilities: Annotated[list[DecisionLevelProbability], Field(min_length=1)]
    """One for each level, lowest first. They add up to 1."""


class CreateTranscriptionResponseJson(AnswerPart):
    text: str
    """The transcript."""
    logprobs: list[TranscriptLogprob] | None = None
    """The log-probabilities of the text's tokens, where `include[]` asks for them."""
    usage: TranscriptTextUsageDuration
    """How much sound was heard."""


class CreateTranscriptionResponseVerboseJson(AnswerPart):
    task: Literal["transcribe"]
    """What was done."""
    language: str
    """The spoken language by its English name."""
    duration: Annotated[float, Field(ge=0.0)]
    """The length of the sound in seconds."""
    text: str
    """The transcript."""
    words: list[TranscriptionWord] | None = None
    """The words with their times, where they were asked for."""
    segments: list[TranscriptionSegment] | None = None
    """The segments with their times, unless only words were asked for."""
    usage: TranscriptTextUsageDuration
    """How much sound was heard."""


class CreateTranslationResponseVerboseJson(AnswerPart):
    task: Literal["translate"]
    """What was done."""
    language: Literal["english"]
    """The language of the text."""
    duration: Annotated[float, Field(ge=0.0)]
    """The length of the sound in seconds."""
    text: str
    """The translation."""
    segments: list[TranscriptionSegment]
    """The segments with their times."""


class TranscriptTextDoneEvent(AnswerPart):
    type: Literal["transcript.text.done"]
    """What the event is."""
    text: str
    """The whole text."""
    logprobs: list[TranscriptLogprob] | None = None
    """The log-probabilities of its tokens, where `include[]` asks for them."""
    usage: TranscriptTextUsageTokens
    """How many tokens were read and written."""


class ListModelsResponse(AnswerPart):
    object: Literal["list"]
    data: Annotated[list[Model], Field(min_length=1)]
    """The one model that is served, under its own name."""


class BatchErrors(AnswerPart):
    object: Literal["list"]
    data: list[BatchError]
    """By line; the first hundred, if there are more."""


class ErrorResponse(AnswerPart):
    error: Error
    """What went wrong."""


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
    stop_token_ids: list[TokenId]
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
    allowed_token_ids: list[TokenId] | None
    """The only tokens that may come."""
    bad_words: list[str]
    """Texts that are never completed."""
    thinking_token_budget: Annotated[int | None, Field(ge=0)]
    """The most tokens of thoughts; null for any number."""
    structured_outputs: RenderedForm | None
    """The form of the answer, with those of tool calls."""


class GeneratedToken(AnswerPart):
    token_id: Annotated[int, Field(ge=0)]
    """The token."""
    logprob: Annotated[float, Field(le=0.0)]
    """Its log-probability."""
    top_logprobs: Annotated[list[GeneratedAlternative], Field(max_length=1024, validate_default=True)] = []
    """The token itself and the likeliest."""


class DerenderState(AnswerPart):
    """What a stream's next event needs of the events before it."""

    output_token_ids: list[TokenId]
    """The tokens of the sequence so far."""
    held_logprobs: list[GeneratedToken]
    """The log-probabilities of the last of these, which no chunk has had yet."""
    last_tool_call_ids: list[ToolCallId]
    """The ids of the calls so far."""


class ChatCompletionTopLogprob(AnswerPart):
    token: str
    """The token as text. Bytes that are no whole character are told as U+FFFD."""
    logprob: Annotated[float, Field(le=0.0)]
    """Natural logarithm of the token's probability; -9999 stands for 0."""
    bytes: list[Byte] | None
    """The token in UTF-8. A character may be spread over several tokens; their bytes joined are the text. Null for a token that stands for no text."""


class ChatCompletionStreamResponseDelta(AnswerPart):
    role: Literal["assistant"] | None = None
    """In the first piece of an answer."""
    content: str | None = None
    """What the text gains. Empty in the first piece, or null where that begins a call."""
    refusal: Annotated[None, Field(None)] = None
    """Never sent; a refusal is told as content."""
    function_call: CalledFunctionChunk | None = None
    """A piece of the call, where the request has `functions`."""
    tool_calls: Annotated[list[ChatCompletionMessageToolCallChunk] | None, Field(min_length=1)] = None
    """Pieces of the functions' calls."""
    reasoning: str | None = None
    """The same under vLLM's newer name, if the server is set to it."""
    reasoning_content: str | None = None
    """What the model thought; absent where it does not think, or the server uses `reasoning` for it."""


class CompletionChoice(AnswerPart):
    index: Annotated[int, Field(ge=0)]
    """The text's place in the list, from 0."""
    text: str
    """The text, without the stop text that ended it; with `echo` the prompt stands before it."""
    logprobs: CompletionLogprobs | None
    finish_reason: Literal["stop", "length"]
    """`stop`: the model ended or a stop text came; `length`: the token bound."""
    prompt_token_ids: list[TokenId] | None = None
    """The prompt's tokens, as the model read them; absent unless `return_token_ids` asks for them."""
    token_ids: list[TokenId] | None = None
    """The tokens generated, the end token too; absent unless `return_token_ids` asks for them."""
    prompt_logprobs: list[dict[str, PromptLogprob] | None] | None = None
    """An entry a token of the prompt; absent unless the request asks for them."""
    stop_reason: str | int | None = None
    """The stop text, or the id of the stop token, that ended the text; null if something else did."""


class CreateCompletionStreamResponse(AnswerPart):
    id: Annotated[str, Field(min_length=1)]
    """Unique."""
    object: Literal["text_completion"]
    created: Annotated[int, Field(ge=0, le=9223372036854775807)]
    """Seconds since 1970."""
    model: str
    """The name under which the model is served, whichever alias the request had."""
    system_fingerprint: str | None = None
    """Changes with what an equal seed could be answered differently by."""
    choices: list[CompletionStreamChoice]
    """Empty in the event that tells the token counts."""
    usage: CompletionUsage | None = None
    """With `include_usage`, null on all events but the last; absent without it."""
    timings: GenerationTimings | None = None
    """The times so far; absent unless `timings_per_token` asks for them."""


class CompactedResponse(AnswerPart):
    id: str
    """Unique; `resp_` and a number in hexadecimal digits. Nothing is stored by it."""
    object: Literal["response.compaction"]
    created_at: Annotated[int, Field(ge=0, le=9223372036854775807)]
    """Seconds since 1970."""
    output: list[ResponseStoredItem]
    """The users' messages, and the compaction at the end."""
    usage: ResponseUsage
    """What the model read and wrote for it."""


class ResponseCustomTool(AnswerPart):
    """A tool whose input is a text."""

    type: Literal["custom"]
    name: Annotated[str, Field(pattern="^[a-zA-Z0-9_-]{1,128}$")]
    """What the model calls it."""
    description: str | None = None
    """What it does, told to the model."""
    format: ResponseFormatText | ResponseCustomToolGrammar | None = None
    """The form of the input. Null counts as any text."""
    defer_loading: bool | None = None
    """Without effect; the model is told of every tool from the start."""
    allowed_callers: list[Literal["direct", "programmatic"]] | None = None
    """Who may call it. The model calls directly, so that `direct` must be among them."""
    async_: Annotated[bool | None, Field(alias="async")] = None
    """Whether the result may come later. It has no effect."""


class ResponseOutputText(AnswerPart):
    type: Literal["output_text"]
    text: str
    """The text, without thoughts, calls and the stop text."""
    annotations: Annotated[list[dict[str, Any]], Field(max_length=0)]
    """Empty; no tool of the server's finds sources."""
    logprobs: list[ResponseLogprob]
    """One entry a token, if `include` asks for them; else empty."""


class ResponseContentPartAddedEvent(AnswerPart):
    """A message's text or the thoughts begin."""

    type: Literal["response.content_part.added"]
    sequence_number: Annotated[int, Field(ge=0)]
    """The event's number in its stream, from 0."""
    item_id: str
    """The `id` of the item."""
    output_index: Annotated[int, Field(ge=0)]
    """The item's place in the response's `output`, from 0."""
    content_index: Annotated[int, Field(ge=0)]
    """The part's place in the item's `content`; always 0."""
    part: Annotated[ResponseOutputText | ResponseReasoningText, Field(discriminator="type")]
    """The part, whose text is empty."""


class ResponseContentPartDoneEvent(AnswerPart):
    type: Literal["response.content_part.done"]
    sequence_number: Annotated[int, Field(ge=0)]
    """The event's number in its stream, from 0."""
    item_id: str
    """The `id` of the item."""
    output_index: Annotated[int, Field(ge=0)]
    """The item's place in the response's `output`, from 0."""
    content_index: Annotated[int, Field(ge=0)]
    """The part's place in the item's `content`; always 0."""
    part: Annotated[ResponseOutputText | ResponseReasoningText, Field(discriminator="type")]
    """The part, with all its text."""


class CreateEmbeddingResponse(AnswerPart):
    object: Literal["list"]
    data: Annotated[list[Embedding], Field(min_length=1)]
    """One embedding for each input, in their order."""
    model: str
    """The name under which the model is served, whichever alias the request had."""
    usage: EmbeddingUsage
    """What the request cost, in tokens."""


TranscriptionStreamEvent = TypeAliasType(
    "TranscriptionStreamEvent", TranscriptTextDeltaEvent | TranscriptTextDoneEvent | ErrorResponse
)


class Batch(AnswerPart):
    id: str
    """The batch's id."""
    object: Literal["batch"]
    endpoint: str
    """What its lines ask."""
    errors: BatchErrors | None
    """What is wrong with the lines of a batch that failed."""
    input_file_id: str
    """The file with its lines."""
    completion_window: Literal["24h"]
    status: Literal[
        "validating", "failed", "in_progress", "finalizing", "completed", "expired", "cancelling", "cancelled"
    ]
    """How far it is."""
    output_file_id: str | None
    """The file with the answers of status 200; null if there are none."""
    error_file_id: str | None
    """The file with the answers of other statuses, and with the lines that have none; null if there are none."""
    created_at: Annotated[int, Field(ge=0, le=9223372036854775807)]
    """Seconds since 1970."""
    in_progress_at: int | None
    """When its lines began to be answered."""
    expires_at: int
    """When its lines expire."""
    finalizing_at: int | None
    """When its files began to be written."""
    completed_at: int | None
    """When it was completed."""
    failed_at: int | None
    """When it failed."""
    expired_at: int | None
    """When it expired."""
    cancelling_at: int | None
    """When it was asked to be cancelled."""
    cancelled_at: int | None
    """When it was cancelled."""
    request_counts: BatchRequestCounts
    metadata: Metadata | None
    """As in the request."""


class ListBatchesResponse(AnswerPart):
    object: Literal["list"]
    data: list[Batch]
    """The newest first."""
    first_id: str | None
    """The id of the first of them; null for none."""
    last_id: str | None
    """The id of the last of them; null for none."""
    has_more: bool
    """Whether more follow."""


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
    stream_options: RenderedStreamOptions | None
    """As in the request; null for an answer that is no stream."""
    cache_salt: str | None
    """As in the request."""
    priority: int
    """As in the request; lower runs first."""


RenderCompletionResponse = TypeAliasType(
    "RenderCompletionResponse", Annotated[list[RenderedRequest], Field(min_length=1)]
)


class DerenderedCompletionChunk(AnswerPart):
    chunk: CreateCompletionStreamResponse
    """What the event adds to the text."""
    stream_state: DerenderState
    """To be sent with the next event of the choice."""


class ChatCompletionResponseMessage(AnswerPart):
    role: Literal["assistant"]
    content: str | None
    """Null where there are calls alone."""
    refusal: None
    """This server does not tell refusals from other answers."""
    function_call: CalledFunction | None = None
    """The function that is called, and with what, where the request has `functions`."""
    tool_calls: Annotated[
        list[
            Annotated[
                ChatCompletionMessageToolCall | ChatCompletionMessageCustomToolCall,
                Field(discriminator="type"),
            ]
        ]
        | None,
        Field(min_length=1),
    ] = None
    """Absent where there is no call."""
    reasoning: str | None = None
    """The same under vLLM's newer name, if the server is set to it."""
    reasoning_content: str | None = None
    """What the model thought; absent where it does not think, or the server uses `reasoning` for it."""


class ChatCompletionTokenLogprob(AnswerPart):
    token: str
    """The token as text. Bytes that are no whole character are told as U+FFFD."""
    logprob: Annotated[float, Field(le=0.0)]
    """Natural logarithm of the token's probability."""
    bytes: list[Byte] | None
    """The token in UTF-8. A character may be spread over several tokens; their bytes joined are the text. Null for a token that stands for no text."""
    top_logprobs: list[ChatCompletionTopLogprob]
    """The most likely tokens at this place, in their order; empty unless asked for."""


class CreateCompletionResponse(AnswerPart):
    id: Annotated[str, Field(min_length=1)]
    """Unique."""
    object: Literal["text_completion"]
    created: Annotated[int, Field(ge=0, le=9223372036854775807)]
    """Seconds since 1970."""
    model: str
    """The name under which the model is served, whichever alias the request had."""
    system_fingerprint: str | None = None
    """Changes with what an equal seed could be answered differently by."""
    choices: Annotated[list[CompletionChoice], Field(min_length=1)]
    """The texts of the first prompt, then those of the second, and so on."""
    usage: CompletionUsage
    """What the request cost, in tokens, over all its prompts."""
    timings: GenerationTimings | None = None
    """The times so far; absent unless `timings_per_token` asks for them."""


CompletionStreamEvent = TypeAliasType("CompletionStreamEvent", CreateCompletionStreamResponse | ErrorResponse)


class ResponseOutputMessage(AnswerPart):
    id: str
    """Unique; `msg_` and a number in hexadecimal digits."""
    type: Literal["message"]
    role: Literal["assistant"]
    status: Literal["in_progress", "completed", "incomplete"]
    """`in_progress` while the text comes, `incomplete` where it was cut short."""
    content: list[ResponseOutputText]
    """The text as one part; empty while the item is in progress."""


class Decision(AnswerPart):
    model: str
    """The name under which the model is served, whichever alias the request had."""
    answers: Annotated[
        list[
            Annotated[
                DecisionPredicateAnswer | DecisionChoiceAnswer | DecisionScoreAnswer | DecisionRefusal,
                Field(discriminator="type"),
            ]
        ],
        Field(min_length=1),
    ]
    """One for each question, in their order."""
    usage: DecisionUsage
    """What the request cost, in tokens."""


class ChatCompletionLogprobs(AnswerPart):
    """Null unless asked for."""

    content: list[ChatCompletionTokenLogprob] | None
    """One entry for each token of the text and the calls, in order; thoughts have none."""
    refusal: None
    """Always null; a refusal is told as content."""


class ChatCompletionStreamChoice(AnswerPart):
    index: Annotated[int, Field(ge=0)]
    """Which of the answers, from 0."""
    delta: ChatCompletionStreamResponseDelta
    """What the answer gains."""
    logprobs: ChatCompletionLogprobs | None
    finish_reason: Literal["stop", "length", "tool_calls", "function_call"] | None
    """Null until the answer ends."""
    token_ids: list[TokenId] | None = None
    """The tokens generated, the end token too; absent unless `return_token_ids` asks for them."""
    stop_reason: str | int | None = None
    """The stop text, or the id of the stop token, that ended the text; null if something else did."""


class ResponseNamespaceTool(AnswerPart):
    """Tools under a common name. A call names the tool, and the namespace beside it."""

    type: Literal["namespace"]
    name: Annotated[str, Field(pattern="^[a-zA-Z0-9_-]{1,128}$")]
    """A name for the group."""
    description: str | None = None
    """What the tools have in common, told to the model with the first of them."""
    tools: Annotated[
        list[Annotated[ResponseFunctionTool | ResponseCustomTool, Field(discriminator="type")]],
        Field(max_length=128),
    ]
    """The tools of the group."""


class ResponseOutputItemAddedEvent(AnswerPart):
    """An item begins."""

    type: Literal["response.output_item.added"]
    sequence_number: Annotated[int, Field(ge=0)]
    """The event's number in its stream, from 0."""
    output_index: Annotated[int, Field(ge=0)]
    """The item's place in the response's `output`, from 0."""
    item: Annotated[
        ResponseReasoningItem | ResponseOutputMessage | ResponseFunctionCall | ResponseCustomToolCall,
        Field(discriminator="type"),
    ]
    """The item, without content."""


class ResponseOutputItemDoneEvent(AnswerPart):
    """An item is whole, or has been cut short."""

    type: Literal["response.output_item.done"]
    sequence_number: Annotated[int, Field(ge=0)]
    """The event's number in its stream, from 0."""
    output_index: Annotated[int, Field(ge=0)]
    """The item's place in the response's `output`, from 0."""
    item: Annotated[
        ResponseReasoningItem | ResponseOutputMessage | ResponseFunctionCall | ResponseCustomToolCall,
        Field(discriminator="type"),
    ]
    """The item, with all its content."""


class ChatCompletionChoice(AnswerPart):
    index: Annotated[int, Field(ge=0)]
    """The answer's place in the list, from 0."""
    message: ChatCompletionResponseMessage
    """The answer."""
    logprobs: ChatCompletionLogprobs | None
    finish_reason: Literal["stop", "length", "tool_calls", "function_call"]
    """`stop`: the model ended or a stop text came; `length`: the token bound; `tool_calls`: it calls; `function_call`: it calls one of `functions`."""
    token_ids: list[TokenId] | None = None
    """The tokens generated, the end token too; absent unless `return_token_ids` asks for them."""
    stop_reason: str | int | None = None
    """The stop text, or the id of the stop token, that ended the text; null if something else did."""


class CreateChatCompletionStreamResponse(AnswerPart):
    id: Annotated[str, Field(min_length=1)]
    """Unique."""
    object: Literal["chat.completion.chunk"]
    created: Annotated[int, Field(ge=0, le=9223372036854775807)]
    """Seconds since 1970."""
    model: str
    """The name under which the model is served, whichever alias the request had."""
    system_fingerprint: str | None = None
    """Changes with what an equal seed could be answered differently by."""
    service_tier: Literal["default"] | None = None
    """Present where the request names a tier."""
    choices: list[ChatCompletionStreamChoice]
    """Empty in the event that tells the token counts."""
    usage: CompletionUsage | None = None
    """With `include_usage`, null on all events but the last; absent without it."""
    prompt_token_ids: list[TokenId] | None = None
    """The prompt's tokens, as the model read them; absent unless `return_token_ids` asks for them."""
    timings: GenerationTimings | None = None
    """The times so far; absent unless `timings_per_token` asks for them."""


class Response(AnswerPart):
    id: str
    """Unique; `resp_` and a number in hexadecimal digits."""
    object: Literal["response"]
    created_at: Annotated[int, Field(ge=0, le=9223372036854775807)]
    """Seconds since 1970."""
    completed_at: Annotated[int | None, Field(ge=0)]
    """When the answer was whole, in seconds since 1970; null if it is not."""
    status: Literal["queued", "in_progress", "completed", "incomplete", "failed", "cancelled"]
    """`incomplete`: its bound of tokens, or the context, has cut it short. `queued` and `cancelled` only with `background`, and `in_progress` only with it and in the first two events of a stream."""
    background: bool
    """As in the request; false where that is silent."""
    conversation: ResponseConversation | None
    """The conversation that the response belongs to; null for none."""
    error: ResponseError | None
    """Why it failed; null unless it has."""
    incomplete_details: ResponseIncompleteDetails | None
    """Why it is incomplete; null unless it is."""
    instructions: str | None
    """As in the request."""
    max_output_tokens: Annotated[int | None, Field(ge=0)]
    """As in the request."""
    max_tool_calls: int | None
    """As in the request."""
    metadata: Metadata
    model: str
    """What /v1/models calls it."""
    output: list[
        Annotated[
            ResponseReasoningItem | ResponseOutputMessage | ResponseFunctionCall | ResponseCustomToolCall,
            Field(discriminator="type"),
        ]
    ]
    """In the order in which the model wrote them: thoughts, texts, calls."""
    parallel_tool_calls: bool
    """As in the request; true where that is silent."""
    previous_response_id: str | None
    """As in the request."""
    prompt_cache_key: str | None
    """As in the request."""
    reasoning: ResponseReasoningSettings
    """As in the request."""
    safety_identifier: str | None
    """As in the request."""
    service_tier: Literal["default"]
    store: bool
    """Whether it is stored."""
    temperature: float
    """As in the request; 1 where that is silent."""
    text: ResponseTextSettings
    """As in the request; plain text where that is silent."""
    tool_choice: (
        ResponseFunctionChoice
        | ResponseAllowedTools
        | ResponseHostedChoice
        | Literal["none", "auto", "required"]
    )
    """As in the request; `auto` where that is silent."""
    tools: list[
        Annotated[
            ResponseFunctionTool | ResponseCustomTool | ResponseNamespaceTool | ResponseHostedTool,
            Field(discriminator="type"),
        ]
    ]
    """As in the request, with `strict` of functions written out."""
    top_logprobs: Annotated[int, Field(ge=0)]
    """As in the request; 0 where that is silent."""
    top_p: float
    """As in the request; 1 where that is silent."""
    truncation: Literal["auto", "disabled"]
    """As in the request; `disabled` where that is silent."""
    presence_penalty: float
    """As in the request; 0 where that is silent."""
    frequency_penalty: float
    """As in the request; 0 where that is silent."""
    usage: ResponseUsage | None
    """Null while the response is in progress, or if it failed before it could be counted."""
    user: str | None
    """As in the request."""


class ResponseCreatedEvent(AnswerPart):
    """The response as it begins, without output."""

    type: Literal["response.created"]
    sequence_number: Annotated[int, Field(ge=0)]
    """The event's number in its stream, from 0."""
    response: Response
    """The response, which has no output yet."""


class ResponseQueuedEvent(AnswerPart):
    """The response waits for its turn; only with `background`."""

    type: Literal["response.queued"]
    sequence_number: Annotated[int, Field(ge=0)]
    """The event's number in its stream, from 0."""
    response: Response
    """The response, which has no output yet."""


class ResponseInProgressEvent(AnswerPart):
    type: Literal["response.in_progress"]
    sequence_number: Annotated[int, Field(ge=0)]
    """The event's number in its stream, from 0."""
    response: Response
    """The response, which has no output yet."""


class ResponseCompletedEvent(AnswerPart):
    """The whole response, the same as without a stream."""

    type: Literal["response.completed"]
    sequence_number: Annotated[int, Field(ge=0)]
    """The event's number in its stream, from 0."""
    response: Response
    """The response with all its output."""


class ResponseIncompleteEvent(AnswerPart):
    """The response as far as its bound of tokens, or the context, let it come."""

    type: Literal["response.incomplete"]
    sequence_number: Annotated[int, Field(ge=0)]
    """The event's number in its stream, from 0."""
    response: Response
    """The response with all its output."""


class ResponseFailedEvent(AnswerPart):
    """The response as far as it came before it failed, and its `error` says why; or before it was cancelled, and its `status` says so."""

    type: Literal["response.failed"]
    sequence_number: Annotated[int, Field(ge=0)]
    """The event's number in its stream, from 0."""
    response: Response
    """The response as it stays."""


class DerenderedChatChunk(AnswerPart):
    chunk: CreateChatCompletionStreamResponse
    """What the event adds to the answer."""
    stream_state: DerenderState
    """To be sent with the next event of the choice."""


class CreateChatCompletionResponse(AnswerPart):
    id: Annotated[str, Field(min_length=1)]
    """Unique."""
    object: Literal["chat.completion"]
    created: Annotated[int, Field(ge=0, le=9223372036854775807)]
    """Seconds since 1970."""
    model: str
    """The name under which the model is served, whichever alias the request had."""
    system_fingerprint: str | None = None
    """Changes with what an equal seed could be answered differently by."""
    service_tier: Literal["default"] | None = None
    """Present where the request names a tier."""
    choices: Annotated[list[ChatCompletionChoice], Field(min_length=1)]
    """The answers, as many as `n` asks for."""
    usage: CompletionUsage
    """What the request cost, in tokens."""
    prompt_token_ids: list[TokenId] | None = None
    """The prompt's tokens, as the model read them; absent unless `return_token_ids` asks for them."""
    prompt_logprobs: list[dict[str, PromptLogprob] | None] | None = None
    """An entry a token of the prompt; absent unless the request asks for them."""
    timings: GenerationTimings | None = None
    """The times so far; absent unless `timings_per_token` asks for them."""


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
"""What a stream is made of. `sequence_number` counts the events from 0; `output_index` is the place of an item in the response's `output`, `content_index` that of a part in its item."""
