# Generated from specs/openai: mend the document or its overlay, never this file.
"""The parts of requests: dictionaries of these forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from ..runtime.upload import Upload


class RequestCalledCustomTool(TypedDict, closed=True):
    name: str
    """The custom tool that was called."""
    input: str
    """The text, as the model wrote it."""


class RequestCalledFunction(TypedDict, closed=True):
    name: str
    """The function that was called."""
    arguments: str
    """JSON text."""
    parsed_arguments: NotRequired[Any]
    """The arguments as a library parsed them. It has no effect."""


class ChatCompletionRequestFunctionMessage(TypedDict, closed=True):
    """What a function returned that an earlier message called by `function_call`. Replaced by `tool`."""

    role: Literal["function"]
    content: str | None
    """What the function returned."""
    name: str
    """The function that was called, which an earlier message names."""


class ImageUrl(TypedDict, closed=True):
    url: str
    """Where the picture is, or the picture itself as a data URL."""
    detail: NotRequired[Literal["auto", "low", "high", "original"] | None]
    """How closely to look. It has no effect here; the model's own processor decides."""


class InputAudio(TypedDict, closed=True):
    data: str
    """The sound in base64."""
    format: Literal["wav", "mp3"]
    """How the sound is said to be encoded. Its content decides."""


class InputFile(TypedDict, closed=True):
    file_data: NotRequired[str | None]
    """The file in base64, alone or as a data URL."""
    file_id: NotRequired[str | None]
    """Refused: a message cannot refer to a stored file."""
    filename: NotRequired[str | None]
    """What the file is called."""


class ChatCompletionRequestMessageContentPartRefusal(TypedDict, closed=True):
    type: Literal["refusal"]
    refusal: str
    """The words in which the model refused."""
    cache_control: NotRequired[Mapping[str, Any] | None]
    """Where a cache may end a prefix. It has no effect here."""


class PromptCacheBreakpoint(TypedDict, closed=True):
    """Where OpenAI's cache may end a prefix. It has no effect here."""

    mode: Literal["explicit"]
    ttl: NotRequired[Literal["30m", "12h"] | None]
    """How long OpenAI keeps the prefix. It has no effect here."""


class PromptCacheOptions(TypedDict, closed=True):
    mode: NotRequired[Literal["implicit", "explicit"] | None]
    """Whether OpenAI chooses what is cached. It has no effect here."""
    ttl: NotRequired[Literal["30m"] | None]
    """How long OpenAI keeps a prefix. It has no effect here."""


class ChatCompletionStreamOptions(TypedDict, closed=True):
    include_obfuscation: NotRequired[bool | None]
    """Pad events to one length. It has no effect here."""
    include_usage: NotRequired[bool | None]
    """Send one more event before the end that has no choices and the token counts; `usage` is null on all others. Default: `false`."""
    continuous_usage_stats: NotRequired[bool | None]
    """Token counts so far in every event that has choices."""


class CustomToolGrammar(TypedDict, closed=True):
    syntax: Literal["regex", "lark"]
    """`regex`: the input matches the expression. `lark`: the grammar makes the input."""
    definition: str
    """The expression, or the grammar. One that cannot be enforced is refused, such as one with templates, anchors or lookaround. At most 65536 characters."""


class NamedFunction(TypedDict, closed=True):
    name: str
    """The name of one of `tools`; any other is refused."""


class ResponseFormatText(TypedDict, closed=True):
    type: Literal["text"]


class JsonSchemaFormat(TypedDict, closed=True):
    name: str
    """A name for the schema. It has no effect. Matches `^[a-zA-Z0-9_-]{1,64}$`."""
    description: NotRequired[str | None]
    """What the form is for."""
    schema: NotRequired[Mapping[str, Any] | None]
    """A JSON Schema. Null is any JSON object."""
    strict: NotRequired[bool | None]
    """The schema keeps to the subset that OpenAI names strict, or the request is refused. The answer is valid either way. Default: `false`."""


class ResponseConversation(TypedDict, closed=True):
    id: str
    """The id of the conversation. At least 1 characters."""


class ResponseStreamOptions(TypedDict, closed=True):
    include_obfuscation: NotRequired[bool | None]
    """Accepted, and without effect; events are not padded."""
    include_usage: NotRequired[bool | None]
    """It has no effect; the last event always has the token counts."""


class ResponseReasoningOptions(TypedDict, closed=True):
    effort: NotRequired[Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None]
    """How much to think; the model's chat template is told. Null leaves it to the template."""
    summary: NotRequired[Literal["auto", "concise", "detailed"] | None]
    """Repeated by the response. Thoughts are told whole, in `content`; no summary is made of them."""
    generate_summary: NotRequired[Literal["auto", "concise", "detailed"] | None]
    """The earlier name of `summary`."""
    context: NotRequired[Literal["auto", "current_turn", "all_turns"] | None]
    """Which turns' thoughts OpenAI's models see again. Without effect; the chat template decides on the thoughts that the input holds."""
    mode: NotRequired[Literal["standard"] | None]
    """How OpenAI's models think. It must be `standard`, which has no effect."""
    max_tokens: NotRequired[int | None]
    """The most tokens of thoughts. When they are spent, the model's own end of a thought follows, and then the answer. A model that does not think has nothing to bound. At least 0."""


class TextResponseFormatJsonObject(TypedDict, closed=True):
    """Any JSON object."""

    type: Literal["json_object"]


class TextResponseFormatJsonSchema(TypedDict, closed=True):
    type: Literal["json_schema"]
    name: str
    """A name for the form. Matches `^[a-zA-Z0-9_-]{1,64}$`."""
    description: NotRequired[str | None]
    """What the form is for."""
    schema: Mapping[str, Any]
    """The JSON Schema that the text follows. A keyword that cannot be enforced is refused."""
    strict: NotRequired[bool | None]
    """The schema keeps to the subset that OpenAI names strict, or the request is refused. The text is valid either way. Default: `false`."""


class ResponseCustomToolGrammar(TypedDict, closed=True):
    type: Literal["grammar"]
    syntax: Literal["regex", "lark"]
    """`regex`: the input matches the expression. `lark`: the grammar makes the input."""
    definition: str
    """The expression, or the grammar. One that cannot be enforced is refused, such as one with templates, anchors or lookaround. At most 65536 characters."""


class ResponseHostedTool(TypedDict):
    """A tool of OpenAI's own, which runs on its servers or which its models are trained on. The model is not told of it, since nothing here runs it."""

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


ResponseFunctionTool = TypedDict(
    "ResponseFunctionTool",
    {
        "type": Literal["function"],
        "name": str,
        "description": NotRequired[str | None],
        "parameters": NotRequired[Mapping[str, Any] | None],
        "strict": NotRequired[bool | None],
        "defer_loading": NotRequired[bool | None],
        "allowed_callers": NotRequired[Sequence[Literal["direct", "programmatic"]] | None],
        "output_schema": NotRequired[Mapping[str, Any] | None],
        "async": NotRequired[bool | None],
    },
    closed=True,
)


class ResponseFunctionChoice(TypedDict, closed=True):
    """Exactly one call, of this function or custom tool."""

    type: Literal["function", "custom"]
    """The kind of the tool."""
    name: str
    """The name of one of `tools`, or of one in a namespace; any other is refused."""


class ResponseHostedChoice(TypedDict):
    """Refused, since nothing here runs such a tool."""

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


class ResponseInputText(TypedDict, closed=True):
    type: Literal["input_text"]
    text: str
    """The text."""
    prompt_cache_breakpoint: NotRequired[PromptCacheBreakpoint | None]
    """Where OpenAI's cache may end a prefix. It has no effect here."""


class ResponseInputImage(TypedDict, closed=True):
    """Refused by models that read text alone."""

    type: Literal["input_image"]
    image_url: NotRequired[str | None]
    """Where the picture is, or the picture itself as a data URL."""
    prompt_cache_breakpoint: NotRequired[PromptCacheBreakpoint | None]
    """Where OpenAI's cache may end a prefix. It has no effect here."""
    file_id: NotRequired[str | None]
    """Refused: a message cannot refer to a stored file."""
    detail: NotRequired[Literal["auto", "low", "high", "original"] | None]
    """How closely to look. It has no effect here; the model's own processor decides."""


class ResponseInputFile(TypedDict, closed=True):
    """A file. It must be text in UTF-8; the model reads it under its name. PDF is refused."""

    type: Literal["input_file"]
    file_id: NotRequired[str | None]
    """Refused: a message cannot refer to a stored file."""
    prompt_cache_breakpoint: NotRequired[PromptCacheBreakpoint | None]
    """Where OpenAI's cache may end a prefix. It has no effect here."""
    file_url: NotRequired[str | None]
    """Where the file is."""
    file_data: NotRequired[str | None]
    """The file in base64, alone or as a data URL."""
    filename: NotRequired[str | None]
    """What the file is called."""
    detail: NotRequired[Literal["auto", "low", "high"] | None]
    """How closely to look. It has no effect on text."""


class ResponseOutputTextInput(TypedDict, closed=True):
    type: Literal["output_text"]
    text: str
    """The text."""
    annotations: NotRequired[Sequence[Mapping[str, Any]] | None]
    """Without effect."""
    logprobs: NotRequired[Sequence[Mapping[str, Any]] | None]
    """Without effect."""
    parsed: NotRequired[Any]
    """The text as a library parsed it. It has no effect."""


class ResponseRefusalInput(TypedDict, closed=True):
    type: Literal["refusal"]
    refusal: str
    """Read as the assistant's text."""


class ResponseFunctionCallInput(TypedDict, closed=True):
    """A call that the model made earlier."""

    type: Literal["function_call"]
    call_id: str
    """The id by which the function's answer refers to the call. At least 1 characters, at most 64 characters."""
    name: str
    """The function that was called. At least 1 characters, at most 128 characters."""
    arguments: str
    """JSON text, as the model wrote it."""
    namespace: NotRequired[str | None]
    """The namespace of the function, if it is in one."""
    id: NotRequired[str | None]
    """The id that the item had in its response. It is not looked at."""
    status: NotRequired[Literal["in_progress", "completed", "incomplete"] | None]
    """As an answer told it; without effect."""
    parsed_arguments: NotRequired[Any]
    """The arguments as a library parsed them. It has no effect."""


class ResponseCustomToolCallInput(TypedDict, closed=True):
    """A call of a custom tool that the model made earlier."""

    type: Literal["custom_tool_call"]
    call_id: str
    """The id by which the tool's answer refers to the call. At least 1 characters, at most 64 characters."""
    name: str
    """The tool that was called. At least 1 characters, at most 128 characters."""
    input: str
    """The text, as the model wrote it."""
    namespace: NotRequired[str | None]
    """The namespace of the tool, if it is in one."""
    id: NotRequired[str | None]
    """The id that the item had in its response. It is not looked at."""
    status: NotRequired[Literal["in_progress", "completed", "incomplete"] | None]
    """As an answer told it; without effect."""


class ResponseShellCallInput(TypedDict, closed=True):
    """A call that another server's model made of one of OpenAI's tools that run at the client. It is read as a call of a function of that name."""

    type: Literal["local_shell_call", "shell_call", "apply_patch_call"]
    """The kind of the call, which names the tool."""
    call_id: NotRequired[str | None]
    """The id by which the answer refers to the call; `id` in its place."""
    id: NotRequired[str | None]
    """The id that the item had in its response."""
    action: NotRequired[Mapping[str, Any] | None]
    """The command, which is the function's arguments."""
    operation: NotRequired[Mapping[str, Any] | None]
    """The change of a file, which is the function's arguments."""


class ResponseShellCallOutput(TypedDict, closed=True):
    """What such a tool answered."""

    type: Literal["local_shell_call_output", "shell_call_output", "apply_patch_call_output"]
    """The kind of the call that is answered."""
    call_id: NotRequired[str | None]
    """Of a call that an earlier item of the input makes; `id` in its place."""
    id: NotRequired[str | None]
    """The call's id where `call_id` is absent."""
    output: NotRequired[Any]
    """A text; anything else is read as its JSON text."""


class ResponseHostedItem(TypedDict):
    """What a tool of another server's did. It has no effect; the words that the model made of it are items of their own."""

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
    """The kind of the item."""


class ResponseCompactionItem(TypedDict):
    """Stands for the items before it, of which only messages of users, systems and developers are read. One that another server made is refused, since only that server can read it."""

    type: Literal["compaction", "compaction_summary", "context_compaction"]
    """The kind of the item."""
    encrypted_content: str
    """The summary, in the encoding of the server that made it."""


class ResponseSteeringItem(TypedDict):
    """`compaction_trigger` is refused; `/v1/responses/compact` does what it asks for. `configuration_update` is refused unless it changes nothing; each request has a configuration of its own."""

    type: Literal["compaction_trigger", "configuration_update"]
    """The kind of the item."""


class ResponseItemReference(TypedDict, closed=True):
    """An item of a stored response, of its input or its output."""

    type: Literal["item_reference"]
    id: str
    """The id of the item. At least 1 characters."""


class ResponseSummaryText(TypedDict, closed=True):
    type: Literal["summary_text"]
    text: str
    """What the model thought, in short."""


class ResponseReasoningText(TypedDict, closed=True):
    type: Literal["reasoning_text"]
    text: str
    """What the model thought."""


class DecisionInstructionMessage(TypedDict, closed=True):
    type: NotRequired[Literal["message"]]
    role: Literal["developer", "system"]
    """Who speaks; both give instructions."""
    content: str | Sequence[ResponseInputText]
    """A text, or parts of text."""


class DecisionInputImage(TypedDict, closed=True):
    """Refused by models that read text alone."""

    type: Literal["input_image"]
    image_url: str
    """Where the picture is, or the picture itself as a data URL."""
    prompt_cache_breakpoint: NotRequired[PromptCacheBreakpoint | None]
    """Where OpenAI's cache may end a prefix. It has no effect here."""
    detail: NotRequired[Literal["auto", "low", "high", "original"] | None]
    """How closely to look. The model looks at every picture in its own way."""


class DecisionJsonObject(TypedDict):
    pass


class DecisionLevel(TypedDict, closed=True):
    label: str
    """The name of the level."""
    description: NotRequired[str]
    """When it is reached."""


class CreateTranslationRequest(TypedDict, closed=True):
    file: Upload
    """The sound, in a file of one of the common formats, such as WAV, FLAC, MP3 and Ogg."""
    model: str
    """The model that translates."""
    prompt: NotRequired[str]
    """An English text, in whose spelling and style the translation goes on."""
    response_format: NotRequired[Literal["json", "text", "srt", "verbose_json", "vtt"]]
    """The form of the answer. `text`, `srt` and `vtt` are answered as text, the others as JSON. Default: `"json"`."""
    temperature: NotRequired[float]
    """0 takes the likeliest tokens, and raises the temperature for a part of the sound whose text comes out repetitive or unlikely. At least 0, at most 1. Default: `0`."""


class VadConfig(TypedDict, closed=True):
    """How pauses of speech are found. Speech is what is loud beside the rest of the sound."""

    type: Literal["server_vad"]
    """The way in which pauses are found."""
    threshold: NotRequired[float]
    """How loud speech is, between the quietest parts of the sound (0) and the loudest (1). A higher threshold suits a loud background. At least 0, at most 1. Default: `0.5`."""
    prefix_padding_ms: NotRequired[int]
    """Milliseconds of sound before speech that a chunk begins with. At least 0, at most 2147483647. Default: `300`."""
    silence_duration_ms: NotRequired[int]
    """Milliseconds of silence after which speech has ended. At least 0, at most 2147483647. Default: `200`."""


class FileExpirationAfter(TypedDict, closed=True):
    """When the file is deleted."""

    anchor: Literal["created_at"]
    """The time to count from."""
    seconds: int
    """How long after it, from an hour to 30 days. At least 3600, at most 2592000."""


class VideoUrl(TypedDict, closed=True):
    url: str
    """Where the video is, or the video itself as a data URL."""


class ResponseFormatRegex(TypedDict, closed=True):
    """TGI's form of a regular expression."""

    type: Literal["regex"]
    value: str
    """The expression, which the text matches from its first character to its last."""


class StructuredOutputsJson(TypedDict, closed=True):
    """JSON that fits a schema."""

    json: Mapping[str, Any] | str
    """A JSON Schema, or the JSON text of one."""


class StructuredOutputsJsonObject(TypedDict, closed=True):
    """Any JSON object."""

    json_object: Literal[True]


class StructuredOutputsRegex(TypedDict, closed=True):
    """Text that matches an expression from its first character to its last."""

    regex: str
    """The expression."""


class StructuredOutputsGrammar(TypedDict, closed=True):
    """Text that follows a grammar in EBNF."""

    grammar: str
    """The grammar, whose first rule is `root`."""


class StructuredOutputsStructuralTag(TypedDict, closed=True):
    """Text in which tags switch constraints on and off."""

    structural_tag: str
    """A structural tag of xgrammar as JSON text."""


class ReasoningOptions(TypedDict, closed=True):
    effort: NotRequired[Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None]
    """The same as `reasoning_effort`."""
    max_tokens: NotRequired[int | None]
    """The same as `thinking_token_budget`. At least 0."""
    enabled: NotRequired[bool | None]
    """The same as `enable_thinking`, which wins."""
    exclude: NotRequired[bool | None]
    """True leaves the thoughts out of the answer, as `include_reasoning` false does."""


class PromptLogprob(TypedDict):
    logprob: float
    """-9999 stands for a probability of 0. At most 0."""
    rank: int | None
    """1 for the likeliest token; null for one that is not among the likeliest. At least 1."""
    decoded_token: str
    """The token as text."""


class DetokenizeRequest(TypedDict, closed=True):
    model: NotRequired[str | None]
    """Null for the served model."""
    tokens: Sequence[int]
    """The tokens."""


class LoadLoraAdapterRequest(TypedDict, closed=True):
    lora_name: str
    """The name by which requests ask for it. At least 1 characters, at most 256 characters."""
    lora_path: str
    """Its folder; relative to the root that the server names. At least 1 characters, at most 4096 characters."""
    load_inplace: NotRequired[bool]
    """Take the place of a loaded adapter of this name, whose requests end with the weights they began with. Default: `false`."""


class UnloadLoraAdapterRequest(TypedDict, closed=True):
    lora_name: str
    """The name of the adapter. At least 1 characters, at most 256 characters."""
    lora_int_id: NotRequired[int | None]
    """vLLM's number of it. It has no effect."""


class UsageOptions(TypedDict, closed=True):
    include: NotRequired[bool | None]
    """Whether the counts are wanted."""


class ThinkingSwitch(TypedDict, closed=True):
    type: Literal["enabled", "disabled"]
    """Whether the model thinks."""
    budget_tokens: NotRequired[int | None]
    """The same as `thinking_token_budget`, under Anthropic's name. At least 0."""


class GeneratedPromptDetails(TypedDict, closed=True):
    cached_tokens: NotRequired[int | None]
    """Tokens that were in the cache. At least 0."""


class GeneratedAlternative(TypedDict, closed=True):
    token_id: int
    """The token."""
    logprob: float
    """Its log-probability. At most 0."""


class ChatCompletionRequestMessageCustomToolCall(TypedDict, closed=True):
    id: str
    """The id that the call had in the answer."""
    type: Literal["custom"]
    custom: RequestCalledCustomTool
    """The custom tool that was called, and with what."""


class ChatCompletionRequestMessageToolCall(TypedDict, closed=True):
    id: str
    """The id that the call had in the answer."""
    type: Literal["function"]
    function: RequestCalledFunction
    """The function that was called, and with what."""
    cache_control: NotRequired[Mapping[str, Any] | None]
    """Where a cache may end a prefix. It has no effect here."""
    index: NotRequired[int | None]
    """Which of the answer's calls it was. It has no effect."""


class ChatCompletionRequestMessageContentPartText(TypedDict, closed=True):
    type: Literal["text"]
    text: str
    """The text."""
    prompt_cache_breakpoint: NotRequired[PromptCacheBreakpoint | None]
    """Where OpenAI's cache may end a prefix. It has no effect here."""
    cache_control: NotRequired[Mapping[str, Any] | None]
    """Where a cache may end a prefix. It has no effect here."""


class ChatCompletionRequestMessageContentPartImage(TypedDict, closed=True):
    type: Literal["image_url"]
    image_url: ImageUrl
    """The picture. A model that reads text alone refuses it."""
    prompt_cache_breakpoint: NotRequired[PromptCacheBreakpoint | None]
    """Where OpenAI's cache may end a prefix. It has no effect here."""
    cache_control: NotRequired[Mapping[str, Any] | None]
    """Where a cache may end a prefix. It has no effect here."""


class ChatCompletionRequestMessageContentPartAudio(TypedDict, closed=True):
    type: Literal["input_audio"]
    input_audio: InputAudio
    """The sound. A model that reads text alone refuses it."""
    prompt_cache_breakpoint: NotRequired[PromptCacheBreakpoint | None]
    """Where OpenAI's cache may end a prefix. It has no effect here."""
    cache_control: NotRequired[Mapping[str, Any] | None]
    """Where a cache may end a prefix. It has no effect here."""


class ChatCompletionRequestMessageContentPartFile(TypedDict, closed=True):
    type: Literal["file"]
    file: InputFile
    """The file. It must be text in UTF-8; the model reads it under its name. PDF is refused."""
    prompt_cache_breakpoint: NotRequired[PromptCacheBreakpoint | None]
    """Where OpenAI's cache may end a prefix. It has no effect here."""
    cache_control: NotRequired[Mapping[str, Any] | None]
    """Where a cache may end a prefix. It has no effect here."""


class CustomToolGrammarFormat(TypedDict, closed=True):
    type: Literal["grammar"]
    grammar: CustomToolGrammar
    """The grammar that the input follows."""


class ChatCompletionFunction(TypedDict, closed=True):
    name: str
    """What the model calls the function. No other of `functions` has the name."""
    description: NotRequired[str | None]
    """When to call it and what it does."""
    parameters: NotRequired[Mapping[str, Any] | None]
    """JSON Schema of the arguments. Null is a function without parameters."""


class FunctionObject(TypedDict, closed=True):
    name: str
    """What the model calls the function. No other of `tools` has the name."""
    description: NotRequired[str | None]
    """When to call it and what it does."""
    parameters: NotRequired[Mapping[str, Any] | None]
    """JSON Schema of the arguments. Null is a function without parameters."""
    strict: NotRequired[bool | None]
    """Hold the arguments to the schema also where the model may choose whether to call. Default: `false`."""


class ChatCompletionNamedCustomToolChoice(TypedDict, closed=True):
    """Names one custom tool."""

    type: Literal["custom"]
    custom: NamedFunction
    """The custom tool that the model has to call."""


class ChatCompletionNamedToolChoice(TypedDict, closed=True):
    """Names one function."""

    type: NotRequired[Literal["function"]]
    """Default: `"function"`."""
    function: NamedFunction
    """The function that the model has to call."""


class ResponseFormatJsonObject(TypedDict, closed=True):
    """Any JSON object."""

    type: Literal["json_object"]
    value: NotRequired[Mapping[str, Any] | str | None]
    """A JSON Schema that the object must fit."""
    schema: NotRequired[Mapping[str, Any] | str | None]
    """A JSON Schema that the object must fit; not with `value`."""


class ResponseFormatJsonSchema(TypedDict, closed=True):
    """JSON that is valid against a schema."""

    type: Literal["json_schema"]
    json_schema: NotRequired[JsonSchemaFormat]
    """The schema, and its name."""
    schema: NotRequired[Mapping[str, Any] | str]
    """A JSON Schema that the JSON must fit, in place of `json_schema`."""


class UpdateConversationRequest(TypedDict, closed=True):
    metadata: Mapping[str, str] | None
    """The new notes; null for none."""


class ResponseAllowedTools(TypedDict, closed=True):
    """Calls of these functions alone."""

    type: Literal["allowed_tools"]
    mode: Literal["auto", "required"]
    """`auto`: the model may call them. `required`: it calls at least one."""
    tools: Sequence[ResponseFunctionChoice | ResponseHostedChoice]
    """The tools that may be called, each of which `tools` offers. The others stay in the prompt. At least 1 items."""


class ResponseFunctionCallOutput(TypedDict, closed=True):
    """What the function answered."""

    type: Literal["function_call_output"]
    call_id: str
    """Of a call that an earlier item of the input makes. At least 1 characters, at most 64 characters."""
    output: str | Sequence[ResponseInputText | ResponseInputImage | ResponseInputFile]
    """A text, or parts of text. A model that reads text alone refuses pictures and files."""
    name: NotRequired[str | None]
    """The function. Its call says so already."""
    namespace: NotRequired[str | None]
    """The namespace of the function. Its call says so already."""
    id: NotRequired[str | None]
    """An id of the item. It is not looked at."""
    status: NotRequired[Literal["in_progress", "completed", "incomplete"] | None]
    """As an answer told it; without effect."""


class ResponseCustomToolCallOutput(TypedDict, closed=True):
    """What the custom tool answered."""

    type: Literal["custom_tool_call_output"]
    call_id: str
    """Of a call that an earlier item of the input makes. At least 1 characters, at most 64 characters."""
    output: str | Sequence[ResponseInputText | ResponseInputImage | ResponseInputFile]
    """A text, or parts of text. A model that reads text alone refuses pictures and files."""
    name: NotRequired[str | None]
    """The tool. Its call says so already."""
    namespace: NotRequired[str | None]
    """The namespace of the tool. Its call says so already."""
    id: NotRequired[str | None]
    """An id of the item. It is not looked at."""
    status: NotRequired[Literal["in_progress", "completed", "incomplete"] | None]
    """As an answer told it; without effect."""


class ResponseReasoningInput(TypedDict, closed=True):
    """What the model thought before the items that follow; templates of some models read it."""

    type: Literal["reasoning"]
    id: NotRequired[str | None]
    """The id that the item had in its response. It is not looked at."""
    summary: NotRequired[Sequence[ResponseSummaryText] | None]
    """Read where there is no `content`."""
    content: NotRequired[Sequence[ResponseReasoningText] | None]
    """The thoughts. Several texts are joined by empty lines."""
    encrypted_content: NotRequired[str | None]
    """Thoughts that another server has encrypted, which only that server can read. Without effect; this server encrypts nothing."""
    status: NotRequired[Literal["in_progress", "completed", "incomplete"] | None]
    """As an answer told it; without effect."""


class DecisionInputJson(TypedDict, closed=True):
    type: Literal["input_json"]
    data: DecisionJsonObject | Sequence[DecisionJsonObject]
    """An object or a list of objects, which the model reads as compact JSON: at most 32 levels deep, 10,000 values and 262,144 bytes."""


class DecisionChoiceOption(TypedDict, closed=True):
    value: str | bool
    """What the answer has if this is chosen."""
    description: NotRequired[str]
    """When to choose it."""


class CreateTranscriptionRequest(TypedDict, closed=True):
    file: Upload
    """The sound, in a file of one of the common formats, such as WAV, FLAC, MP3 and Ogg."""
    model: str
    """The model that transcribes."""
    language: NotRequired[str]
    """The spoken language by its code in ISO 639-1, such as `en`, or its English name. If absent, it is detected."""
    prompt: NotRequired[str]
    """A text in the language of the sound, in whose spelling and style the transcript goes on."""
    response_format: NotRequired[Literal["json", "text", "srt", "verbose_json", "vtt"]]
    """The form of the answer. `text`, `srt` and `vtt` are answered as text, the others as JSON. Default: `"json"`."""
    temperature: NotRequired[float]
    """0 takes the likeliest tokens, and raises the temperature for a part of the sound whose text comes out repetitive or unlikely. At least 0, at most 1. Default: `0`."""
    timestamp_granularities: NotRequired[Sequence[Literal["word", "segment"]]]
    """What has times in a `verbose_json`, which alone may have this; segments where absent. At least 1 items."""
    chunking_strategy: NotRequired[Literal["auto"] | VadConfig]
    """How the sound is divided. If absent, by the model's own windows, which end where a segment ends. By `auto` or an object, it is divided in the pauses of speech, and pauses at the ends of the chunks are left out. `auto` is the object with its defaults."""
    include: NotRequired[Sequence[Literal["logprobs"]]]
    """`logprobs` adds the log-probabilities of the tokens to the answer and to the events of a stream. Only with the format `json`."""
    known_speaker_names: NotRequired[None]
    """Not supported, since speakers are not told apart here."""
    known_speaker_references: NotRequired[None]
    """Not supported, since speakers are not told apart here."""
    seed: NotRequired[int]
    """Equal seeds give equal transcripts where the temperature is not 0. At least -9223372036854775808, at most 9223372036854775807."""


class CreateFileRequest(TypedDict, closed=True):
    file: Upload
    """The file. The server's settings bound its size."""
    purpose: Literal["batch", "user_data"]
    """`batch`: requests of a batch, one a line in JSON. `user_data`: anything."""
    expires_after: NotRequired[FileExpirationAfter]
    """If absent, files of the purpose `batch` are deleted after 30 days, and others never."""


class CreateBatchRequest(TypedDict, closed=True):
    input_file_id: str
    """The id of a file of the purpose `batch`, of up to 50,000 lines."""
    endpoint: Literal[
        "/v1/responses", "/v1/chat/completions", "/v1/embeddings", "/v1/completions", "/v1/decisions"
    ]
    """What the lines ask, which must have it as their `url`."""
    completion_window: Literal["24h"]
    """The time for the batch. Lines that have no answer by then expire."""
    metadata: NotRequired[Mapping[str, str] | None]
    """Notes of the client's own, which the batch repeats. They have no effect."""
    output_expires_after: NotRequired[FileExpirationAfter | None]
    """When the files with the answers are deleted; after 30 days if absent."""


class ChatCompletionRequestMessageContentPartVideo(TypedDict, closed=True):
    type: Literal["video_url"]
    video_url: VideoUrl
    """The video. A model that reads none refuses it."""


class ResponseFormatJson(TypedDict, closed=True):
    """TGI's form of a JSON Schema."""

    type: Literal["json"]
    value: Mapping[str, Any] | str
    """A JSON Schema, or the JSON text of one."""


class StructuredOutputsChoice(TypedDict, closed=True):
    """One of several texts."""

    choice: Sequence[str]
    """The texts of which one is the answer."""


class GeneratedCounts(TypedDict, closed=True):
    prompt_tokens: NotRequired[int]
    """Tokens of the prompt. At least 0. Default: `0`."""
    completion_tokens: NotRequired[int | None]
    """Tokens of all sequences. At least 0."""
    prompt_tokens_details: NotRequired[GeneratedPromptDetails | None]
    """More on the prompt's."""


class GeneratedToken(TypedDict, closed=True):
    token_id: int
    """The token."""
    logprob: float
    """Its log-probability. At most 0."""
    top_logprobs: NotRequired[Sequence[GeneratedAlternative]]
    """The token itself and the likeliest. At most 1024 items. Default: `[]`."""


class DerenderState(TypedDict, closed=True):
    """What a stream's next event needs of the events before it."""

    output_token_ids: Sequence[int]
    """The tokens of the sequence so far."""
    held_logprobs: Sequence[GeneratedToken]
    """The log-probabilities of the last of these, which no chunk has had yet."""
    last_tool_call_ids: Sequence[str]
    """The ids of the calls so far."""


class ChatCompletionTool(TypedDict, closed=True):
    type: Literal["function"]
    function: FunctionObject
    """The function that the model may call."""
    cache_control: NotRequired[Mapping[str, Any] | None]
    """Where a cache may end a prefix. It has no effect here."""


class ResponseTextOptions(TypedDict, closed=True):
    format: NotRequired[
        ResponseFormatText | TextResponseFormatJsonObject | TextResponseFormatJsonSchema | None
    ]
    """Null counts as `text`."""
    verbosity: NotRequired[Literal["low", "medium", "high"] | None]
    """How long answers should be; the model's chat template is told."""


ResponseCustomTool = TypedDict(
    "ResponseCustomTool",
    {
        "type": Literal["custom"],
        "name": str,
        "description": NotRequired[str | None],
        "format": NotRequired[ResponseFormatText | ResponseCustomToolGrammar | None],
        "defer_loading": NotRequired[bool | None],
        "allowed_callers": NotRequired[Sequence[Literal["direct", "programmatic"]] | None],
        "async": NotRequired[bool | None],
    },
    closed=True,
)


class ResponseInputMessage(TypedDict, closed=True):
    type: NotRequired[Literal["message"]]
    role: Literal["user", "system", "developer"]
    """Who speaks; `system` and `developer` give instructions."""
    content: str | Sequence[ResponseInputText | ResponseInputImage | ResponseInputFile]
    """A text, or parts of text. A model that reads text alone refuses pictures and files."""
    id: NotRequired[str | None]
    """An id of the item. It is not looked at."""
    status: NotRequired[Literal["in_progress", "completed", "incomplete"] | None]
    """As an answer told it; without effect."""


class ResponseAssistantMessage(TypedDict, closed=True):
    """What the model answered earlier; an answer's output item is one."""

    type: NotRequired[Literal["message"]]
    role: Literal["assistant"]
    content: str | Sequence[ResponseOutputTextInput | ResponseRefusalInput | ResponseInputText]
    """A text, or parts of text."""
    id: NotRequired[str | None]
    """The id that the item had in its response. It is not looked at."""
    status: NotRequired[Literal["in_progress", "completed", "incomplete"] | None]
    """As an answer told it; without effect."""
    phase: NotRequired[Literal["commentary", "final_answer"] | None]
    """Without effect."""


class GeneratedLogprobs(TypedDict, closed=True):
    content: NotRequired[Sequence[GeneratedToken] | None]
    """An entry a token."""


class CreateCompletionRequestWithoutStream(TypedDict, closed=True):
    model: str
    """A name that /v1/models lists."""
    prompt: str | Sequence[str] | Sequence[int] | Sequence[Sequence[int]]
    """One prompt or several, as text or as token ids."""
    best_of: NotRequired[int | None]
    """Generate this many and answer with the `n` whose tokens are likeliest on average. Null is `n`. At least 1, at most 20."""
    echo: NotRequired[bool | None]
    """Put the prompt in front of the text. Default: `false`."""
    frequency_penalty: NotRequired[float | None]
    """Lowers a token's score for each time that it stands in the text already. At least -2, at most 2. Default: `0`."""
    logit_bias: NotRequired[Mapping[str, float] | None]
    """What is added to the scores of single tokens; the extremes forbid or force one."""
    logprobs: NotRequired[int | None]
    """Tell the log-probability of each token, and of this many of the most likely ones at its place; with `echo`, of the prompt's tokens too. At least 0, at most 20."""
    max_tokens: NotRequired[int | None]
    """At most this many tokens. 0 tells of the prompt alone. At least 0. Default: `16`."""
    n: NotRequired[int | None]
    """How many texts to generate for each prompt. At least 1, at most 128. Default: `1`."""
    presence_penalty: NotRequired[float | None]
    """Lowers the score of every token that stands in the text already. At least -2, at most 2. Default: `0`."""
    seed: NotRequired[int | None]
    """Equal requests with equal seeds are answered alike by equal systems (`system_fingerprint`). At least -9223372036854775808, at most 9223372036854775807."""
    stop: NotRequired[str | Sequence[str] | None]
    """Texts that end a text and are cut off it; up to 64."""
    stream_options: NotRequired[ChatCompletionStreamOptions | None]
    """Options of the stream; only with `stream`."""
    suffix: NotRequired[str | None]
    """The text after the gap that the answer fills. It needs a model whose vocabulary has tokens for fill in the middle, and is refused for others; an empty text is none. Not with `echo`."""
    temperature: NotRequired[float | None]
    """Spread of the draws; 0 always takes the most likely token. At least 0, at most 2. Default: `1`."""
    top_p: NotRequired[float | None]
    """Draw from the most likely tokens that make up this probability; 0 leaves the likeliest alone. At least 0, at most 1. Default: `1`."""
    user: NotRequired[str | None]
    """A name for the end user. It has no effect here."""
    top_k: NotRequired[int | None]
    """Draw from this many of the most likely tokens; -1, 0 and null stand for all. At least -1."""
    min_p: NotRequired[float | None]
    """Leave out tokens that are less likely than this share of the likeliest one's probability. At least 0, at most 1."""
    typical_p: NotRequired[float | None]
    """Draw from the tokens of most typical surprise that make up this probability. More than 0, at most 1."""
    repetition_penalty: NotRequired[float | None]
    """Divides the scores of tokens that stand in prompt or output; 1 stands for none. More than 0."""
    min_tokens: NotRequired[int | None]
    """No end and no stop text before this many tokens. At least 0."""
    stop_token_ids: NotRequired[Sequence[int] | None]
    """Tokens that end the text, beside the model's own."""
    ignore_eos: NotRequired[bool | None]
    """Go on after the model's end token."""
    include_stop_str_in_output: NotRequired[bool | None]
    """Keep the stop text that ended the text in it."""
    skip_special_tokens: NotRequired[bool | None]
    """Leave special tokens out of the text, as null does."""
    allowed_token_ids: NotRequired[Sequence[int] | None]
    """The only tokens that may come, the end token too. At least 1 items."""
    bad_words: NotRequired[Sequence[str] | None]
    """Texts whose tokens are never completed."""
    priority: NotRequired[int | None]
    """Lower runs first. At least -2147483648, at most 2147483647."""
    cache_salt: NotRequired[str | None]
    """The prompt's computation is shared only with requests of the same salt. At least 1 characters."""
    use_beam_search: NotRequired[bool | None]
    """Search for the `n` likeliest texts with as many beams. Nothing is drawn, so `temperature` is 0."""
    length_penalty: NotRequired[float | None]
    """Above 0 favours long texts; 1 where null. At least -50, at most 50."""
    early_stopping: NotRequired[bool | None]
    """End the search as soon as `n` texts are complete."""
    response_format: NotRequired[
        ResponseFormatText
        | ResponseFormatJsonObject
        | ResponseFormatJsonSchema
        | ResponseFormatJson
        | ResponseFormatRegex
        | None
    ]
    """The form that the text must have. Null is any."""
    structured_outputs: NotRequired[
        StructuredOutputsJson
        | StructuredOutputsJsonObject
        | StructuredOutputsRegex
        | StructuredOutputsChoice
        | StructuredOutputsGrammar
        | StructuredOutputsStructuralTag
        | None
    ]
    """The form that the text must have."""
    guided_json: NotRequired[Mapping[str, Any] | str | None]
    """The text is JSON that fits this schema."""
    guided_regex: NotRequired[str | None]
    """The text matches this expression from its first character to its last."""
    guided_choice: NotRequired[Sequence[str] | None]
    """The text is one of these."""
    guided_grammar: NotRequired[str | None]
    """The text follows this grammar in EBNF."""
    regex: NotRequired[str | None]
    """SGLang's name of `guided_regex`."""
    ebnf: NotRequired[str | None]
    """SGLang's name of `guided_grammar`."""
    add_special_tokens: NotRequired[bool | None]
    """Let the tokenizer add its special tokens to a prompt that is text, as null does."""
    return_token_ids: NotRequired[bool | None]
    """Answer with the ids of the prompt's and the answer's tokens too."""
    return_tokens_as_token_ids: NotRequired[bool | None]
    """Write each token of `logprobs` as `token_id:` and its id."""
    prompt_logprobs: NotRequired[int | None]
    """Answer with the log-probabilities of the prompt's tokens, and of so many of the likeliest in each place. Not with `stream`. At least 0, at most 20."""
    request_id: NotRequired[str | None]
    """What follows the prefix in the answer's id; a random number where null. At least 1 characters, at most 128 characters."""
    spaces_between_special_tokens: NotRequired[bool | None]
    """Of tokenizers that no longer exist. It has no effect."""
    logprob_token_ids: NotRequired[Sequence[int] | None]
    """Tokens whose log-probabilities stand behind the generated token's, instead of those of the likeliest. Only with `logprobs`, and not with `use_beam_search`. At least 1 items, at most 128 items."""
    truncate_prompt_tokens: NotRequired[None]
    """Tokens of the prompt to keep. A prompt is never cut here."""
    timings_per_token: NotRequired[bool | None]
    """Answer with the times that the prompt and the text have taken so far, in a stream in every event."""
    provider: NotRequired[Mapping[str, Any] | None]
    """Which of OpenRouter's providers may answer. It has no effect; there is one server."""
    usage: NotRequired[UsageOptions | None]
    """Asks OpenRouter for token counts. It has no effect; `stream_options` says when a stream has them."""
    cache_prompt: NotRequired[bool | None]
    """Whether llama.cpp keeps the prompt's computation. It has no effect."""
    id_slot: NotRequired[int | None]
    """The place in llama.cpp's batch that computes the answer. It has no effect. At least -1."""
    keep_alive: NotRequired[str | float | None]
    """How long Ollama keeps the model loaded. It has no effect."""
    mm_processor_kwargs: NotRequired[Mapping[str, Any] | None]
    """Options of vLLM's processor of images. It must be empty; the model's own processor decides."""


class PredictionContent(TypedDict, closed=True):
    type: Literal["content"]
    content: str | Sequence[ChatCompletionRequestMessageContentPartText]
    """The text that is expected, or parts of it."""


class CustomToolObject(TypedDict, closed=True):
    """A tool whose input is a text."""

    name: str
    """What the model calls the tool. No other of `tools` has the name."""
    description: NotRequired[str | None]
    """When to call it and what it does."""
    format: NotRequired[ResponseFormatText | CustomToolGrammarFormat | None]
    """The form of the input. Null counts as any text."""


class ChatCompletionAllowedTools(TypedDict, closed=True):
    mode: Literal["auto", "required"]
    """`auto`: the model may call them. `required`: it calls at least one."""
    tools: Sequence[ChatCompletionNamedToolChoice | ChatCompletionNamedCustomToolChoice]
    """The tools that may be called, each of which `tools` offers. The others stay in the prompt. At least 1 items."""


class CreateCompletionRequest(TypedDict, closed=True):
    model: str
    """A name that /v1/models lists."""
    prompt: str | Sequence[str] | Sequence[int] | Sequence[Sequence[int]]
    """One prompt or several, as text or as token ids."""
    best_of: NotRequired[int | None]
    """Generate this many and answer with the `n` whose tokens are likeliest on average. Null is `n`. At least 1, at most 20."""
    echo: NotRequired[bool | None]
    """Put the prompt in front of the text. Default: `false`."""
    frequency_penalty: NotRequired[float | None]
    """Lowers a token's score for each time that it stands in the text already. At least -2, at most 2. Default: `0`."""
    logit_bias: NotRequired[Mapping[str, float] | None]
    """What is added to the scores of single tokens; the extremes forbid or force one."""
    logprobs: NotRequired[int | None]
    """Tell the log-probability of each token, and of this many of the most likely ones at its place; with `echo`, of the prompt's tokens too. At least 0, at most 20."""
    max_tokens: NotRequired[int | None]
    """At most this many tokens. 0 tells of the prompt alone. At least 0. Default: `16`."""
    n: NotRequired[int | None]
    """How many texts to generate for each prompt. At least 1, at most 128. Default: `1`."""
    presence_penalty: NotRequired[float | None]
    """Lowers the score of every token that stands in the text already. At least -2, at most 2. Default: `0`."""
    seed: NotRequired[int | None]
    """Equal requests with equal seeds are answered alike by equal systems (`system_fingerprint`). At least -9223372036854775808, at most 9223372036854775807."""
    stop: NotRequired[str | Sequence[str] | None]
    """Texts that end a text and are cut off it; up to 64."""
    stream: NotRequired[bool | None]
    """Answer with server-sent events. Default: `false`."""
    stream_options: NotRequired[ChatCompletionStreamOptions | None]
    """Options of the stream; only with `stream`."""
    suffix: NotRequired[str | None]
    """The text after the gap that the answer fills. It needs a model whose vocabulary has tokens for fill in the middle, and is refused for others; an empty text is none. Not with `echo`."""
    temperature: NotRequired[float | None]
    """Spread of the draws; 0 always takes the most likely token. At least 0, at most 2. Default: `1`."""
    top_p: NotRequired[float | None]
    """Draw from the most likely tokens that make up this probability; 0 leaves the likeliest alone. At least 0, at most 1. Default: `1`."""
    user: NotRequired[str | None]
    """A name for the end user. It has no effect here."""
    top_k: NotRequired[int | None]
    """Draw from this many of the most likely tokens; -1, 0 and null stand for all. At least -1."""
    min_p: NotRequired[float | None]
    """Leave out tokens that are less likely than this share of the likeliest one's probability. At least 0, at most 1."""
    typical_p: NotRequired[float | None]
    """Draw from the tokens of most typical surprise that make up this probability. More than 0, at most 1."""
    repetition_penalty: NotRequired[float | None]
    """Divides the scores of tokens that stand in prompt or output; 1 stands for none. More than 0."""
    min_tokens: NotRequired[int | None]
    """No end and no stop text before this many tokens. At least 0."""
    stop_token_ids: NotRequired[Sequence[int] | None]
    """Tokens that end the text, beside the model's own."""
    ignore_eos: NotRequired[bool | None]
    """Go on after the model's end token."""
    include_stop_str_in_output: NotRequired[bool | None]
    """Keep the stop text that ended the text in it."""
    skip_special_tokens: NotRequired[bool | None]
    """Leave special tokens out of the text, as null does."""
    allowed_token_ids: NotRequired[Sequence[int] | None]
    """The only tokens that may come, the end token too. At least 1 items."""
    bad_words: NotRequired[Sequence[str] | None]
    """Texts whose tokens are never completed."""
    priority: NotRequired[int | None]
    """Lower runs first. At least -2147483648, at most 2147483647."""
    cache_salt: NotRequired[str | None]
    """The prompt's computation is shared only with requests of the same salt. At least 1 characters."""
    use_beam_search: NotRequired[bool | None]
    """Search for the `n` likeliest texts with as many beams. Nothing is drawn, so `temperature` is 0."""
    length_penalty: NotRequired[float | None]
    """Above 0 favours long texts; 1 where null. At least -50, at most 50."""
    early_stopping: NotRequired[bool | None]
    """End the search as soon as `n` texts are complete."""
    response_format: NotRequired[
        ResponseFormatText
        | ResponseFormatJsonObject
        | ResponseFormatJsonSchema
        | ResponseFormatJson
        | ResponseFormatRegex
        | None
    ]
    """The form that the text must have. Null is any."""
    structured_outputs: NotRequired[
        StructuredOutputsJson
        | StructuredOutputsJsonObject
        | StructuredOutputsRegex
        | StructuredOutputsChoice
        | StructuredOutputsGrammar
        | StructuredOutputsStructuralTag
        | None
    ]
    """The form that the text must have."""
    guided_json: NotRequired[Mapping[str, Any] | str | None]
    """The text is JSON that fits this schema."""
    guided_regex: NotRequired[str | None]
    """The text matches this expression from its first character to its last."""
    guided_choice: NotRequired[Sequence[str] | None]
    """The text is one of these."""
    guided_grammar: NotRequired[str | None]
    """The text follows this grammar in EBNF."""
    regex: NotRequired[str | None]
    """SGLang's name of `guided_regex`."""
    ebnf: NotRequired[str | None]
    """SGLang's name of `guided_grammar`."""
    add_special_tokens: NotRequired[bool | None]
    """Let the tokenizer add its special tokens to a prompt that is text, as null does."""
    return_token_ids: NotRequired[bool | None]
    """Answer with the ids of the prompt's and the answer's tokens too."""
    return_tokens_as_token_ids: NotRequired[bool | None]
    """Write each token of `logprobs` as `token_id:` and its id."""
    prompt_logprobs: NotRequired[int | None]
    """Answer with the log-probabilities of the prompt's tokens, and of so many of the likeliest in each place. Not with `stream`. At least 0, at most 20."""
    request_id: NotRequired[str | None]
    """What follows the prefix in the answer's id; a random number where null. At least 1 characters, at most 128 characters."""
    spaces_between_special_tokens: NotRequired[bool | None]
    """Of tokenizers that no longer exist. It has no effect."""
    logprob_token_ids: NotRequired[Sequence[int] | None]
    """Tokens whose log-probabilities stand behind the generated token's, instead of those of the likeliest. Only with `logprobs`, and not with `use_beam_search`. At least 1 items, at most 128 items."""
    truncate_prompt_tokens: NotRequired[None]
    """Tokens of the prompt to keep. A prompt is never cut here."""
    timings_per_token: NotRequired[bool | None]
    """Answer with the times that the prompt and the text have taken so far, in a stream in every event."""
    provider: NotRequired[Mapping[str, Any] | None]
    """Which of OpenRouter's providers may answer. It has no effect; there is one server."""
    usage: NotRequired[UsageOptions | None]
    """Asks OpenRouter for token counts. It has no effect; `stream_options` says when a stream has them."""
    cache_prompt: NotRequired[bool | None]
    """Whether llama.cpp keeps the prompt's computation. It has no effect."""
    id_slot: NotRequired[int | None]
    """The place in llama.cpp's batch that computes the answer. It has no effect. At least -1."""
    keep_alive: NotRequired[str | float | None]
    """How long Ollama keeps the model loaded. It has no effect."""
    mm_processor_kwargs: NotRequired[Mapping[str, Any] | None]
    """Options of vLLM's processor of images. It must be empty; the model's own processor decides."""


class CreateEmbeddingRequest(TypedDict, closed=True):
    model: str
    """A name that /v1/models lists."""
    input: str | Sequence[str] | Sequence[int] | Sequence[Sequence[int]]
    """One text or several, as text or as token ids."""
    dimensions: NotRequired[int | None]
    """Cut the vectors to this length and normalise them again. Null is the model's own. At least 1."""
    encoding_format: NotRequired[Literal["float", "base64"] | None]
    """Numbers, or little-endian float32 in base64. Default: `"float"`."""
    user: NotRequired[str | None]
    """A name for the end user. It has no effect here."""


class DecisionPredicate(TypedDict, closed=True):
    type: Literal["predicate"]
    name: NotRequired[str]
    """The name of the answer."""
    instructions: str | Sequence[ResponseInputText | DecisionInputImage | DecisionInputJson]
    """A statement that holds or not, or a question of yes or no."""


class DecisionChoice(TypedDict, closed=True):
    type: Literal["choice"]
    name: NotRequired[str]
    """The name of the answer."""
    instructions: str | Sequence[ResponseInputText | DecisionInputImage | DecisionInputJson]
    """What is to be chosen."""
    choices: Sequence[DecisionChoiceOption]
    """The values to choose from. No value occurs twice; the text `true` and the boolean are two values. At least 2 items, at most 255 items."""


class DecisionScore(TypedDict, closed=True):
    type: Literal["score"]
    name: NotRequired[str]
    """The name of the answer."""
    instructions: str | Sequence[ResponseInputText | DecisionInputImage | DecisionInputJson]
    """What is to be rated."""
    levels: Sequence[DecisionLevel]
    """The levels, lowest first. Levels with the same label have the same description. At least 1 items, at most 255 items."""


class GeneratedChoice(TypedDict, closed=True):
    """A sequence, or what an event adds to it."""

    index: int
    """Which of the sequences, from 0. At least 0."""
    token_ids: NotRequired[Sequence[int] | None]
    """The tokens, with the end token and all of a stop text."""
    finish_reason: NotRequired[Literal["stop", "length"] | None]
    """Why the sequence has ended; null in an event after which it goes on."""
    stop_reason: NotRequired[str | int | None]
    """The stop text or the stop token that ended it; null for another end, and where the server does not say."""
    logprobs: NotRequired[GeneratedLogprobs | None]
    """Log-probabilities of the tokens, which a request for log-probabilities needs."""


class ChatCompletionRequestDeveloperMessage(TypedDict, closed=True):
    """Instructions, under their newer name."""

    role: Literal["developer"]
    content: str | Sequence[ChatCompletionRequestMessageContentPartText]
    """The instructions, as a text or parts of text."""
    name: NotRequired[str | None]
    """The speaker, for templates that show it."""
    cache_control: NotRequired[Mapping[str, Any] | None]
    """Where a cache may end a prefix. It has no effect here."""
    type: NotRequired[Literal["text"] | None]
    """Marks a message of text. It has no effect."""


class ChatCompletionRequestSystemMessage(TypedDict, closed=True):
    """Instructions."""

    role: Literal["system"]
    content: str | Sequence[ChatCompletionRequestMessageContentPartText]
    """The instructions, as a text or parts of text."""
    name: NotRequired[str | None]
    """The speaker, for templates that show it."""
    tool_calls: NotRequired[None]
    """Calls are the assistant's."""
    cache_control: NotRequired[Mapping[str, Any] | None]
    """Where a cache may end a prefix. It has no effect here."""
    type: NotRequired[Literal["text"] | None]
    """Marks a message of text. It has no effect."""


class ChatCompletionCustomTool(TypedDict, closed=True):
    type: Literal["custom"]
    custom: CustomToolObject
    """The custom tool that the model may call."""


class ChatCompletionAllowedToolsChoice(TypedDict, closed=True):
    """Restricts the choice to some of the tools."""

    type: Literal["allowed_tools"]
    allowed_tools: ChatCompletionAllowedTools
    """Which functions may be called, and whether one must."""


class ResponseNamespaceTool(TypedDict, closed=True):
    """Tools under a common name. A call names the tool, and the namespace beside it."""

    type: Literal["namespace"]
    name: str
    """A name for the group. Matches `^[a-zA-Z0-9_-]{1,128}$`."""
    description: NotRequired[str | None]
    """What the tools have in common, told to the model with the first of them."""
    tools: Sequence[ResponseFunctionTool | ResponseCustomTool]
    """The tools of the group. At most 128 items."""


class DecisionUserMessage(TypedDict, closed=True):
    type: NotRequired[Literal["message"]]
    role: Literal["user"]
    content: str | Sequence[ResponseInputText | DecisionInputImage | DecisionInputJson]
    """A text, or parts of text, JSON and pictures. A model that reads text alone refuses pictures."""


class GeneratedResponse(TypedDict, closed=True):
    """A whole answer of the token API."""

    request_id: NotRequired[str | None]
    """The id of the answer; drawn where null. At least 1 characters, at most 512 characters."""
    output_mode: NotRequired[Literal["tokens"]]
    """vLLM's name for answers of tokens alone. Default: `"tokens"`."""
    choices: Sequence[GeneratedChoice]
    """The sequences by index. At least 1 items, at most 4096 items."""
    usage: NotRequired[GeneratedCounts | None]
    """Token counts."""
    prompt_token_ids: NotRequired[Sequence[int] | None]
    """The tokens of the prompt, where the request names none."""
    prompt_logprobs: NotRequired[Sequence[Mapping[str, PromptLogprob] | None] | None]
    """Log-probabilities of the prompt, which the answer has too."""


class GeneratedChunk(TypedDict, closed=True):
    """One event of the token API's stream."""

    request_id: NotRequired[str | None]
    """The id of the answer; drawn where null. At least 1 characters, at most 512 characters."""
    output_mode: NotRequired[Literal["tokens"]]
    """vLLM's name for answers of tokens alone. Default: `"tokens"`."""
    choices: Sequence[GeneratedChoice]
    """The tokens of one sequence, or none in an event with the token counts. At most 1 items."""
    usage: NotRequired[GeneratedCounts | None]
    """Token counts."""
    prompt_token_ids: NotRequired[Sequence[int] | None]
    """The tokens of the prompt, where the request names none."""


class ChatCompletionRequestUserMessage(TypedDict, closed=True):
    """What the user says, shows or sends."""

    role: Literal["user"]
    content: (
        str
        | Sequence[
            ChatCompletionRequestMessageContentPartText
            | ChatCompletionRequestMessageContentPartImage
            | ChatCompletionRequestMessageContentPartAudio
            | ChatCompletionRequestMessageContentPartFile
            | ChatCompletionRequestMessageContentPartVideo
        ]
    )
    """A text, or parts of text, pictures, audio and files. A model that reads text alone refuses all but text."""
    name: NotRequired[str | None]
    """The speaker, for templates that show it."""
    tool_calls: NotRequired[None]
    """Calls are the assistant's."""
    cache_control: NotRequired[Mapping[str, Any] | None]
    """Where a cache may end a prefix. It has no effect here."""
    type: NotRequired[Literal["text"] | None]
    """Marks a message of text. It has no effect."""


class ChatCompletionRequestAssistantMessage(TypedDict, closed=True):
    """What the model said before. It has content, thoughts, a refusal or tool calls."""

    role: Literal["assistant"]
    content: NotRequired[
        str
        | Sequence[
            ChatCompletionRequestMessageContentPartText | ChatCompletionRequestMessageContentPartRefusal
        ]
        | None
    ]
    """A text, or parts of text. Null where the message has nothing but calls or a refusal."""
    audio: NotRequired[None]
    """An earlier spoken answer. This server has given none."""
    function_call: NotRequired[RequestCalledFunction | None]
    """Replaced by `tool_calls`, and not with it."""
    name: NotRequired[str | None]
    """The speaker, for templates that show it."""
    refusal: NotRequired[str | None]
    """The words in which the model refused."""
    tool_calls: NotRequired[
        Sequence[ChatCompletionRequestMessageToolCall | ChatCompletionRequestMessageCustomToolCall] | None
    ]
    """The functions and custom tools that the model called."""
    cache_control: NotRequired[Mapping[str, Any] | None]
    """Where a cache may end a prefix. It has no effect here."""
    reasoning: NotRequired[str | None]
    """What the model thought."""
    reasoning_content: NotRequired[str | None]
    """The older name of `reasoning`."""
    type: NotRequired[Literal["text"] | None]
    """Marks a message of text. It has no effect."""
    annotations: NotRequired[Sequence[Mapping[str, Any]] | None]
    """Sources that an answer cites. It has no effect."""
    parsed: NotRequired[Any]
    """The content as a library parsed it. It has no effect."""
    prefix: NotRequired[bool | None]
    """True on the last message lets the model go on with it, as `continue_final_message` does. No effect on others."""
    partial: NotRequired[bool | None]
    """Kimi's name of `prefix`."""


class ChatCompletionRequestToolMessage(TypedDict, closed=True):
    """What a function returned."""

    role: Literal["tool"]
    cache_control: NotRequired[Mapping[str, Any] | None]
    """Where a cache may end a prefix. It has no effect here."""
    type: NotRequired[Literal["text"] | None]
    """Marks a message of text. It has no effect."""
    name: NotRequired[str | None]
    """The function that answers."""
    content: (
        str
        | Sequence[
            ChatCompletionRequestMessageContentPartText
            | ChatCompletionRequestMessageContentPartImage
            | ChatCompletionRequestMessageContentPartAudio
            | ChatCompletionRequestMessageContentPartFile
            | ChatCompletionRequestMessageContentPartVideo
        ]
    )
    """What the function returned, as a text or as parts. A model that reads text alone refuses all but text."""
    tool_call_id: NotRequired[str | None]
    """The call that it answers; the next one that has no answer where it is absent."""


class ResponseAdditionalTools(TypedDict, closed=True):
    """Tools that the model may call beside those of `tools`."""

    type: Literal["additional_tools"]
    role: NotRequired[Literal["developer"] | None]
    """Who offers them."""
    tools: Sequence[ResponseFunctionTool | ResponseCustomTool | ResponseNamespaceTool | ResponseHostedTool]
    """As in a request's `tools`. At most 128 items."""
    id: NotRequired[str | None]
    """An id of the item. It is not looked at."""


class DerenderCompletionRequest(TypedDict, closed=True):
    stream: NotRequired[bool]
    """Whether one event of a stream is written, rather than a whole answer. Default: `false`."""
    model: NotRequired[str | None]
    """Null for the model of `completion_request`, or else the served one."""
    completion_request: NotRequired[CreateCompletionRequest | None]
    """The request that was rendered, which says what the answer has."""
    generate_responses: NotRequired[Sequence[GeneratedResponse] | None]
    """The whole answers of the token API, one for each prompt; not with `stream`. At least 1 items, at most 2048 items."""
    prompt_tokens: NotRequired[Sequence[int] | int | None]
    """Tokens of each prompt, for `usage`, and of the one prompt with `stream`; null for those that the answers name."""
    prompt_token_ids: NotRequired[Sequence[Sequence[int] | int | None] | None]
    """The tokens before the generated ones, a list for each prompt, and the one list with `stream`; null for those of `completion_request`."""
    generate_chunk: NotRequired[GeneratedChunk | None]
    """One event of the token API's stream; only with `stream`."""
    stream_state: NotRequired[DerenderState | None]
    """What came with the chunk before, of the same choice; null with the first event."""


class TokenizeRequest(TypedDict, closed=True):
    model: NotRequired[str | None]
    """Null for the served model."""
    prompt: NotRequired[str | None]
    """A text; not with `messages`."""
    messages: NotRequired[
        Sequence[
            ChatCompletionRequestDeveloperMessage
            | ChatCompletionRequestSystemMessage
            | ChatCompletionRequestUserMessage
            | ChatCompletionRequestAssistantMessage
            | ChatCompletionRequestToolMessage
            | ChatCompletionRequestFunctionMessage
        ]
        | None
    ]
    """A conversation, which the chat template writes; not with `prompt`. At least 1 items."""
    add_special_tokens: NotRequired[bool | None]
    """Add the tokenizer's special tokens, as null does to a prompt and does not to what the template wrote."""
    return_token_strs: NotRequired[bool | None]
    """Answer with each token as the vocabulary writes it too."""
    add_generation_prompt: NotRequired[bool | None]
    """End the prompt with the opening of an answer, as null does. Only with `messages`."""
    continue_final_message: NotRequired[bool | None]
    """Leave the last message open. Only with `messages`."""
    chat_template: NotRequired[None]
    """A template of the request's own. The model's is used."""
    chat_template_kwargs: NotRequired[Mapping[str, Any] | None]
    """Variables of the chat template. Only with `messages`."""
    tools: NotRequired[Sequence[ChatCompletionTool | ChatCompletionCustomTool] | None]
    """Functions that the template lists. Only with `messages`."""


class CreateChatCompletionRequestWithoutStream(TypedDict, closed=True):
    model: str
    """A name that /v1/models lists."""
    messages: Sequence[
        ChatCompletionRequestDeveloperMessage
        | ChatCompletionRequestSystemMessage
        | ChatCompletionRequestUserMessage
        | ChatCompletionRequestAssistantMessage
        | ChatCompletionRequestToolMessage
        | ChatCompletionRequestFunctionMessage
    ]
    """The conversation so far. At least 1 items."""
    audio: NotRequired[None]
    """How spoken answers sound. This server does not speak."""
    frequency_penalty: NotRequired[float | None]
    """Lowers a token's score for each time that it stands in the answer already. At least -2, at most 2. Default: `0`."""
    function_call: NotRequired[Literal["none", "auto"] | NamedFunction | None]
    """Replaced by `tool_choice`; only with `functions`. Null stands for `auto`."""
    functions: NotRequired[Sequence[ChatCompletionFunction] | None]
    """Replaced by `tools`, and not with it. The answer has at most one call, as `function_call`. At least 1 items, at most 128 items."""
    logit_bias: NotRequired[Mapping[str, float] | None]
    """What is added to the scores of single tokens; the extremes forbid or force one."""
    logprobs: NotRequired[bool | None]
    """Tell the log-probability of each token of the answer. Default: `false`."""
    max_completion_tokens: NotRequired[int | None]
    """At most this many tokens of thoughts and answer together. Null fills the context. At least 1."""
    max_tokens: NotRequired[int | None]
    """The old name of `max_completion_tokens`; both may stand if they are equal. At least 1."""
    metadata: NotRequired[Mapping[str, str] | None]
    """Notes of the client's own. They have no effect here."""
    modalities: NotRequired[Sequence[Literal["text"]] | None]
    """What the answer may consist of, which is text."""
    moderation: NotRequired[None]
    """Moderation of what is asked and answered. There is none here."""
    n: NotRequired[int | None]
    """How many answers to generate. At least 1, at most 128. Default: `1`."""
    parallel_tool_calls: NotRequired[bool | None]
    """Whether one answer may hold several calls. Default: `true`."""
    prediction: NotRequired[PredictionContent | None]
    """What much of the answer will be. It is not used."""
    presence_penalty: NotRequired[float | None]
    """Lowers the score of every token that stands in the answer already. At least -2, at most 2. Default: `0`."""
    prompt_cache_key: NotRequired[str | None]
    """Groups requests that share a beginning. What is shared is found without it."""
    prompt_cache_options: NotRequired[PromptCacheOptions | None]
    """How OpenAI caches prompts. It has no effect here."""
    prompt_cache_retention: NotRequired[Literal["in_memory", "24h"] | None]
    """How long OpenAI caches prompts. It has no effect here."""
    reasoning_effort: NotRequired[Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None]
    """How much to think; the model's chat template is told. Null leaves it to the template."""
    response_format: NotRequired[
        ResponseFormatText
        | ResponseFormatJsonObject
        | ResponseFormatJsonSchema
        | ResponseFormatJson
        | ResponseFormatRegex
        | None
    ]
    """The form that the answer must have. Null is text."""
    safety_identifier: NotRequired[str | None]
    """A name for the end user. It has no effect here. At most 64 characters."""
    seed: NotRequired[int | None]
    """Equal requests with equal seeds are answered alike by equal systems (`system_fingerprint`). At least -9223372036854775808, at most 9223372036854775807."""
    service_tier: NotRequired[Literal["auto", "default", "flex", "scale", "priority", "fast"] | None]
    """How OpenAI schedules the request. It has no effect here; where it is given, the answer says `default`."""
    stop: NotRequired[str | Sequence[str] | None]
    """Texts that end an answer and are cut off it; up to 64. They are looked for in its words, not in thoughts or calls."""
    store: NotRequired[bool | None]
    """Keep the answer for later retrieval. Nothing is kept here. Default: `false`."""
    stream_options: NotRequired[ChatCompletionStreamOptions | None]
    """Options of the stream; only with `stream`."""
    temperature: NotRequired[float | None]
    """Spread of the draws; 0 always takes the most likely token. At least 0, at most 2. Default: `1`."""
    tool_choice: NotRequired[
        ChatCompletionAllowedToolsChoice
        | ChatCompletionNamedToolChoice
        | ChatCompletionNamedCustomToolChoice
        | Literal["any"]
        | Literal["none", "auto", "required"]
        | None
    ]
    """Null stands for `auto` where there are tools."""
    tools: NotRequired[Sequence[ChatCompletionTool | ChatCompletionCustomTool] | None]
    """What the model may call: functions, and custom tools, whose input is a text. At most 128 items."""
    top_logprobs: NotRequired[int | None]
    """With `logprobs`, tell also of this many of the most likely tokens at each place. At least 0, at most 20."""
    top_p: NotRequired[float | None]
    """Draw from the most likely tokens that make up this probability; 0 leaves the likeliest alone. At least 0, at most 1. Default: `1`."""
    user: NotRequired[str | None]
    """A name for the end user. It has no effect here."""
    verbosity: NotRequired[Literal["low", "medium", "high"] | None]
    """How long answers should be; the model's chat template is told."""
    web_search_options: NotRequired[None]
    """How the model searches the web. It does not."""
    top_k: NotRequired[int | None]
    """Draw from this many of the most likely tokens; -1, 0 and null stand for all. At least -1."""
    min_p: NotRequired[float | None]
    """Leave out tokens that are less likely than this share of the likeliest one's probability. At least 0, at most 1."""
    typical_p: NotRequired[float | None]
    """Draw from the tokens of most typical surprise that make up this probability. More than 0, at most 1."""
    repetition_penalty: NotRequired[float | None]
    """Divides the scores of tokens that stand in prompt or output; 1 stands for none. More than 0."""
    min_tokens: NotRequired[int | None]
    """No end and no stop text before this many tokens. At least 0."""
    stop_token_ids: NotRequired[Sequence[int] | None]
    """Tokens that end the text, beside the model's own."""
    ignore_eos: NotRequired[bool | None]
    """Go on after the model's end token."""
    include_stop_str_in_output: NotRequired[bool | None]
    """Keep the stop text that ended the text in it."""
    skip_special_tokens: NotRequired[bool | None]
    """Leave special tokens out of the text, as null does."""
    allowed_token_ids: NotRequired[Sequence[int] | None]
    """The only tokens that may come, the end token too. At least 1 items."""
    bad_words: NotRequired[Sequence[str] | None]
    """Texts whose tokens are never completed."""
    priority: NotRequired[int | None]
    """Lower runs first. At least -2147483648, at most 2147483647."""
    cache_salt: NotRequired[str | None]
    """The prompt's computation is shared only with requests of the same salt. At least 1 characters."""
    use_beam_search: NotRequired[bool | None]
    """Search for the `n` likeliest texts with as many beams. Nothing is drawn, so `temperature` is 0."""
    length_penalty: NotRequired[float | None]
    """Above 0 favours long texts; 1 where null. At least -50, at most 50."""
    early_stopping: NotRequired[bool | None]
    """End the search as soon as `n` texts are complete."""
    tool_prompt: NotRequired[None]
    """TGI's text under the last message where tools are offered. It has no place in a chat template."""
    structured_outputs: NotRequired[
        StructuredOutputsJson
        | StructuredOutputsJsonObject
        | StructuredOutputsRegex
        | StructuredOutputsChoice
        | StructuredOutputsGrammar
        | StructuredOutputsStructuralTag
        | None
    ]
    """The form that the text must have."""
    guided_json: NotRequired[Mapping[str, Any] | str | None]
    """The text is JSON that fits this schema."""
    guided_regex: NotRequired[str | None]
    """The text matches this expression from its first character to its last."""
    guided_choice: NotRequired[Sequence[str] | None]
    """The text is one of these."""
    guided_grammar: NotRequired[str | None]
    """The text follows this grammar in EBNF."""
    regex: NotRequired[str | None]
    """SGLang's name of `guided_regex`."""
    ebnf: NotRequired[str | None]
    """SGLang's name of `guided_grammar`."""
    chat_template: NotRequired[None]
    """A template of the request's own. The model's is used."""
    chat_template_kwargs: NotRequired[Mapping[str, Any] | None]
    """Variables of the chat template, such as `enable_thinking`."""
    enable_thinking: NotRequired[bool | None]
    """Whether the model thinks, for templates that have such a switch; DashScope's clients (Qwen Code, Alibaba's examples) send it beside OpenAI's fields. The same name in `chat_template_kwargs` wins."""
    thinking_token_budget: NotRequired[int | None]
    """The most tokens of thoughts, from vLLM. When they are spent, the model's own end of a thought follows, and then the answer. A model that does not think has nothing to bound. At least 0."""
    thinking_budget: NotRequired[int | None]
    """DashScope's name of `thinking_token_budget`, which Qwen's clients send; also in `chat_template_kwargs`. At least 0."""
    reasoning: NotRequired[ReasoningOptions | None]
    """OpenRouter's options of thoughts."""
    documents: NotRequired[Sequence[Mapping[str, Any]] | None]
    """Texts for templates that know of retrieval; each commonly with `title` and `text`."""
    add_generation_prompt: NotRequired[bool | None]
    """End the prompt with the opening of an answer, as null does."""
    continue_final_message: NotRequired[bool | None]
    """Go on with the last message, which is the assistant's, rather than open a new one."""
    add_special_tokens: NotRequired[bool | None]
    """Let the tokenizer add its special tokens to what the template made; most templates write them."""
    include_reasoning: NotRequired[bool | None]
    """False leaves the model's thoughts out of the answer."""
    separate_reasoning: NotRequired[bool | None]
    """False leaves the model's thoughts in the content, with their tags."""
    return_token_ids: NotRequired[bool | None]
    """Answer with the ids of the prompt's and the answer's tokens too."""
    return_tokens_as_token_ids: NotRequired[bool | None]
    """Write each token of `logprobs` as `token_id:` and its id."""
    prompt_logprobs: NotRequired[int | None]
    """Answer with the log-probabilities of the prompt's tokens, and of so many of the likeliest in each place. Not with `stream`. At least 0, at most 20."""
    request_id: NotRequired[str | None]
    """What follows the prefix in the answer's id; a random number where null. At least 1 characters, at most 128 characters."""
    spaces_between_special_tokens: NotRequired[bool | None]
    """Of tokenizers that no longer exist. It has no effect."""
    logprob_token_ids: NotRequired[Sequence[int] | None]
    """Tokens whose log-probabilities stand behind the generated token's, instead of those of the likeliest. Only with `logprobs`, and not with `use_beam_search`. At least 1 items, at most 128 items."""
    truncate_prompt_tokens: NotRequired[None]
    """Tokens of the prompt to keep. A prompt is never cut here."""
    timings_per_token: NotRequired[bool | None]
    """Answer with the times that the prompt and the text have taken so far, in a stream in every event."""
    echo: NotRequired[Literal[False] | None]
    """Nothing is put before an answer."""
    provider: NotRequired[Mapping[str, Any] | None]
    """Which of OpenRouter's providers may answer. It has no effect; there is one server."""
    usage: NotRequired[UsageOptions | None]
    """Asks OpenRouter for token counts. It has no effect; `stream_options` says when a stream has them."""
    cache_prompt: NotRequired[bool | None]
    """Whether llama.cpp keeps the prompt's computation. It has no effect."""
    id_slot: NotRequired[int | None]
    """The place in llama.cpp's batch that computes the answer. It has no effect. At least -1."""
    keep_alive: NotRequired[str | float | None]
    """How long Ollama keeps the model loaded. It has no effect."""
    mm_processor_kwargs: NotRequired[Mapping[str, Any] | None]
    """Options of vLLM's processor of images. It must be empty; the model's own processor decides."""
    thinking: NotRequired[ThinkingSwitch | None]
    """Whether the model thinks, for templates that have such a switch. `enable_thinking` wins."""


class CreateChatCompletionRequest(TypedDict, closed=True):
    model: str
    """A name that /v1/models lists."""
    messages: Sequence[
        ChatCompletionRequestDeveloperMessage
        | ChatCompletionRequestSystemMessage
        | ChatCompletionRequestUserMessage
        | ChatCompletionRequestAssistantMessage
        | ChatCompletionRequestToolMessage
        | ChatCompletionRequestFunctionMessage
    ]
    """The conversation so far. At least 1 items."""
    audio: NotRequired[None]
    """How spoken answers sound. This server does not speak."""
    frequency_penalty: NotRequired[float | None]
    """Lowers a token's score for each time that it stands in the answer already. At least -2, at most 2. Default: `0`."""
    function_call: NotRequired[Literal["none", "auto"] | NamedFunction | None]
    """Replaced by `tool_choice`; only with `functions`. Null stands for `auto`."""
    functions: NotRequired[Sequence[ChatCompletionFunction] | None]
    """Replaced by `tools`, and not with it. The answer has at most one call, as `function_call`. At least 1 items, at most 128 items."""
    logit_bias: NotRequired[Mapping[str, float] | None]
    """What is added to the scores of single tokens; the extremes forbid or force one."""
    logprobs: NotRequired[bool | None]
    """Tell the log-probability of each token of the answer. Default: `false`."""
    max_completion_tokens: NotRequired[int | None]
    """At most this many tokens of thoughts and answer together. Null fills the context. At least 1."""
    max_tokens: NotRequired[int | None]
    """The old name of `max_completion_tokens`; both may stand if they are equal. At least 1."""
    metadata: NotRequired[Mapping[str, str] | None]
    """Notes of the client's own. They have no effect here."""
    modalities: NotRequired[Sequence[Literal["text"]] | None]
    """What the answer may consist of, which is text."""
    moderation: NotRequired[None]
    """Moderation of what is asked and answered. There is none here."""
    n: NotRequired[int | None]
    """How many answers to generate. At least 1, at most 128. Default: `1`."""
    parallel_tool_calls: NotRequired[bool | None]
    """Whether one answer may hold several calls. Default: `true`."""
    prediction: NotRequired[PredictionContent | None]
    """What much of the answer will be. It is not used."""
    presence_penalty: NotRequired[float | None]
    """Lowers the score of every token that stands in the answer already. At least -2, at most 2. Default: `0`."""
    prompt_cache_key: NotRequired[str | None]
    """Groups requests that share a beginning. What is shared is found without it."""
    prompt_cache_options: NotRequired[PromptCacheOptions | None]
    """How OpenAI caches prompts. It has no effect here."""
    prompt_cache_retention: NotRequired[Literal["in_memory", "24h"] | None]
    """How long OpenAI caches prompts. It has no effect here."""
    reasoning_effort: NotRequired[Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None]
    """How much to think; the model's chat template is told. Null leaves it to the template."""
    response_format: NotRequired[
        ResponseFormatText
        | ResponseFormatJsonObject
        | ResponseFormatJsonSchema
        | ResponseFormatJson
        | ResponseFormatRegex
        | None
    ]
    """The form that the answer must have. Null is text."""
    safety_identifier: NotRequired[str | None]
    """A name for the end user. It has no effect here. At most 64 characters."""
    seed: NotRequired[int | None]
    """Equal requests with equal seeds are answered alike by equal systems (`system_fingerprint`). At least -9223372036854775808, at most 9223372036854775807."""
    service_tier: NotRequired[Literal["auto", "default", "flex", "scale", "priority", "fast"] | None]
    """How OpenAI schedules the request. It has no effect here; where it is given, the answer says `default`."""
    stop: NotRequired[str | Sequence[str] | None]
    """Texts that end an answer and are cut off it; up to 64. They are looked for in its words, not in thoughts or calls."""
    store: NotRequired[bool | None]
    """Keep the answer for later retrieval. Nothing is kept here. Default: `false`."""
    stream: NotRequired[bool | None]
    """Answer with server-sent events. Default: `false`."""
    stream_options: NotRequired[ChatCompletionStreamOptions | None]
    """Options of the stream; only with `stream`."""
    temperature: NotRequired[float | None]
    """Spread of the draws; 0 always takes the most likely token. At least 0, at most 2. Default: `1`."""
    tool_choice: NotRequired[
        ChatCompletionAllowedToolsChoice
        | ChatCompletionNamedToolChoice
        | ChatCompletionNamedCustomToolChoice
        | Literal["any"]
        | Literal["none", "auto", "required"]
        | None
    ]
    """Null stands for `auto` where there are tools."""
    tools: NotRequired[Sequence[ChatCompletionTool | ChatCompletionCustomTool] | None]
    """What the model may call: functions, and custom tools, whose input is a text. At most 128 items."""
    top_logprobs: NotRequired[int | None]
    """With `logprobs`, tell also of this many of the most likely tokens at each place. At least 0, at most 20."""
    top_p: NotRequired[float | None]
    """Draw from the most likely tokens that make up this probability; 0 leaves the likeliest alone. At least 0, at most 1. Default: `1`."""
    user: NotRequired[str | None]
    """A name for the end user. It has no effect here."""
    verbosity: NotRequired[Literal["low", "medium", "high"] | None]
    """How long answers should be; the model's chat template is told."""
    web_search_options: NotRequired[None]
    """How the model searches the web. It does not."""
    top_k: NotRequired[int | None]
    """Draw from this many of the most likely tokens; -1, 0 and null stand for all. At least -1."""
    min_p: NotRequired[float | None]
    """Leave out tokens that are less likely than this share of the likeliest one's probability. At least 0, at most 1."""
    typical_p: NotRequired[float | None]
    """Draw from the tokens of most typical surprise that make up this probability. More than 0, at most 1."""
    repetition_penalty: NotRequired[float | None]
    """Divides the scores of tokens that stand in prompt or output; 1 stands for none. More than 0."""
    min_tokens: NotRequired[int | None]
    """No end and no stop text before this many tokens. At least 0."""
    stop_token_ids: NotRequired[Sequence[int] | None]
    """Tokens that end the text, beside the model's own."""
    ignore_eos: NotRequired[bool | None]
    """Go on after the model's end token."""
    include_stop_str_in_output: NotRequired[bool | None]
    """Keep the stop text that ended the text in it."""
    skip_special_tokens: NotRequired[bool | None]
    """Leave special tokens out of the text, as null does."""
    allowed_token_ids: NotRequired[Sequence[int] | None]
    """The only tokens that may come, the end token too. At least 1 items."""
    bad_words: NotRequired[Sequence[str] | None]
    """Texts whose tokens are never completed."""
    priority: NotRequired[int | None]
    """Lower runs first. At least -2147483648, at most 2147483647."""
    cache_salt: NotRequired[str | None]
    """The prompt's computation is shared only with requests of the same salt. At least 1 characters."""
    use_beam_search: NotRequired[bool | None]
    """Search for the `n` likeliest texts with as many beams. Nothing is drawn, so `temperature` is 0."""
    length_penalty: NotRequired[float | None]
    """Above 0 favours long texts; 1 where null. At least -50, at most 50."""
    early_stopping: NotRequired[bool | None]
    """End the search as soon as `n` texts are complete."""
    tool_prompt: NotRequired[None]
    """TGI's text under the last message where tools are offered. It has no place in a chat template."""
    structured_outputs: NotRequired[
        StructuredOutputsJson
        | StructuredOutputsJsonObject
        | StructuredOutputsRegex
        | StructuredOutputsChoice
        | StructuredOutputsGrammar
        | StructuredOutputsStructuralTag
        | None
    ]
    """The form that the text must have."""
    guided_json: NotRequired[Mapping[str, Any] | str | None]
    """The text is JSON that fits this schema."""
    guided_regex: NotRequired[str | None]
    """The text matches this expression from its first character to its last."""
    guided_choice: NotRequired[Sequence[str] | None]
    """The text is one of these."""
    guided_grammar: NotRequired[str | None]
    """The text follows this grammar in EBNF."""
    regex: NotRequired[str | None]
    """SGLang's name of `guided_regex`."""
    ebnf: NotRequired[str | None]
    """SGLang's name of `guided_grammar`."""
    chat_template: NotRequired[None]
    """A template of the request's own. The model's is used."""
    chat_template_kwargs: NotRequired[Mapping[str, Any] | None]
    """Variables of the chat template, such as `enable_thinking`."""
    enable_thinking: NotRequired[bool | None]
    """Whether the model thinks, for templates that have such a switch; DashScope's clients (Qwen Code, Alibaba's examples) send it beside OpenAI's fields. The same name in `chat_template_kwargs` wins."""
    thinking_token_budget: NotRequired[int | None]
    """The most tokens of thoughts, from vLLM. When they are spent, the model's own end of a thought follows, and then the answer. A model that does not think has nothing to bound. At least 0."""
    thinking_budget: NotRequired[int | None]
    """DashScope's name of `thinking_token_budget`, which Qwen's clients send; also in `chat_template_kwargs`. At least 0."""
    reasoning: NotRequired[ReasoningOptions | None]
    """OpenRouter's options of thoughts."""
    documents: NotRequired[Sequence[Mapping[str, Any]] | None]
    """Texts for templates that know of retrieval; each commonly with `title` and `text`."""
    add_generation_prompt: NotRequired[bool | None]
    """End the prompt with the opening of an answer, as null does."""
    continue_final_message: NotRequired[bool | None]
    """Go on with the last message, which is the assistant's, rather than open a new one."""
    add_special_tokens: NotRequired[bool | None]
    """Let the tokenizer add its special tokens to what the template made; most templates write them."""
    include_reasoning: NotRequired[bool | None]
    """False leaves the model's thoughts out of the answer."""
    separate_reasoning: NotRequired[bool | None]
    """False leaves the model's thoughts in the content, with their tags."""
    return_token_ids: NotRequired[bool | None]
    """Answer with the ids of the prompt's and the answer's tokens too."""
    return_tokens_as_token_ids: NotRequired[bool | None]
    """Write each token of `logprobs` as `token_id:` and its id."""
    prompt_logprobs: NotRequired[int | None]
    """Answer with the log-probabilities of the prompt's tokens, and of so many of the likeliest in each place. Not with `stream`. At least 0, at most 20."""
    request_id: NotRequired[str | None]
    """What follows the prefix in the answer's id; a random number where null. At least 1 characters, at most 128 characters."""
    spaces_between_special_tokens: NotRequired[bool | None]
    """Of tokenizers that no longer exist. It has no effect."""
    logprob_token_ids: NotRequired[Sequence[int] | None]
    """Tokens whose log-probabilities stand behind the generated token's, instead of those of the likeliest. Only with `logprobs`, and not with `use_beam_search`. At least 1 items, at most 128 items."""
    truncate_prompt_tokens: NotRequired[None]
    """Tokens of the prompt to keep. A prompt is never cut here."""
    timings_per_token: NotRequired[bool | None]
    """Answer with the times that the prompt and the text have taken so far, in a stream in every event."""
    echo: NotRequired[Literal[False] | None]
    """Nothing is put before an answer."""
    provider: NotRequired[Mapping[str, Any] | None]
    """Which of OpenRouter's providers may answer. It has no effect; there is one server."""
    usage: NotRequired[UsageOptions | None]
    """Asks OpenRouter for token counts. It has no effect; `stream_options` says when a stream has them."""
    cache_prompt: NotRequired[bool | None]
    """Whether llama.cpp keeps the prompt's computation. It has no effect."""
    id_slot: NotRequired[int | None]
    """The place in llama.cpp's batch that computes the answer. It has no effect. At least -1."""
    keep_alive: NotRequired[str | float | None]
    """How long Ollama keeps the model loaded. It has no effect."""
    mm_processor_kwargs: NotRequired[Mapping[str, Any] | None]
    """Options of vLLM's processor of images. It must be empty; the model's own processor decides."""
    thinking: NotRequired[ThinkingSwitch | None]
    """Whether the model thinks, for templates that have such a switch. `enable_thinking` wins."""


class CreateDecisionRequest(TypedDict, closed=True):
    model: str
    """A name that /v1/models lists."""
    input: (
        str
        | Sequence[
            DecisionUserMessage
            | DecisionInstructionMessage
            | ResponseAssistantMessage
            | ResponseFunctionCallInput
            | ResponseFunctionCallOutput
            | ResponseCustomToolCallInput
            | ResponseCustomToolCallOutput
        ]
    )
    """The evidence for all questions, as a user's text or as the items of a conversation in their order."""
    questions: Sequence[DecisionPredicate | DecisionChoice | DecisionScore]
    """What to answer about the input. No two questions have the same name. At least 1 items, at most 400 items."""
    safety_identifier: NotRequired[str | None]
    """A name for the end user. It has no effect here. At most 64 characters."""
    prompt_cache_key: NotRequired[str | None]
    """Groups requests that share a beginning. What is shared is found without it."""
    prompt_cache_options: NotRequired[PromptCacheOptions | None]
    """How OpenAI caches prompts. It has no effect here."""


class DerenderChatRequest(TypedDict, closed=True):
    stream: NotRequired[bool]
    """Whether one event of a stream is written, rather than a whole answer. Default: `false`."""
    model: NotRequired[str | None]
    """Null for the model of `chat_request`, or else the served one."""
    chat_request: NotRequired[CreateChatCompletionRequest | None]
    """The request that was rendered, which says how thoughts and calls are written, and what the answer has. A model that thinks needs it. Without it all text is content."""
    generate_response: NotRequired[GeneratedResponse | None]
    """The whole answer of the token API; not with `stream`."""
    prompt_tokens: NotRequired[int | None]
    """Tokens of the prompt, for `usage`; null for those that the answer names. At least 0."""
    prompt_token_ids: NotRequired[Sequence[int] | None]
    """The tokens before the generated ones, of which the last few are enough; null for those of `chat_request`."""
    generate_chunk: NotRequired[GeneratedChunk | None]
    """One event of the token API's stream; only with `stream`."""
    stream_state: NotRequired[DerenderState | None]
    """What came with the chunk before, of the same choice; null with the first event."""


class CreateChatCompletionBatchRequest(TypedDict, closed=True):
    model: str
    """A name that /v1/models lists."""
    audio: NotRequired[None]
    """How spoken answers sound. This server does not speak."""
    frequency_penalty: NotRequired[float | None]
    """Lowers a token's score for each time that it stands in the answer already. At least -2, at most 2. Default: `0`."""
    logit_bias: NotRequired[Mapping[str, float] | None]
    """What is added to the scores of single tokens; the extremes forbid or force one."""
    logprobs: NotRequired[bool | None]
    """Tell the log-probability of each token of the answer. Default: `false`."""
    max_completion_tokens: NotRequired[int | None]
    """At most this many tokens of thoughts and answer together. Null fills the context. At least 1."""
    max_tokens: NotRequired[int | None]
    """The old name of `max_completion_tokens`; both may stand if they are equal. At least 1."""
    metadata: NotRequired[Mapping[str, str] | None]
    """Notes of the client's own. They have no effect here."""
    modalities: NotRequired[Sequence[Literal["text"]] | None]
    """What the answer may consist of, which is text."""
    moderation: NotRequired[None]
    """Moderation of what is asked and answered. There is none here."""
    parallel_tool_calls: NotRequired[bool | None]
    """Whether one answer may hold several calls. Default: `true`."""
    prediction: NotRequired[PredictionContent | None]
    """What much of the answer will be. It is not used."""
    presence_penalty: NotRequired[float | None]
    """Lowers the score of every token that stands in the answer already. At least -2, at most 2. Default: `0`."""
    prompt_cache_key: NotRequired[str | None]
    """Groups requests that share a beginning. What is shared is found without it."""
    prompt_cache_options: NotRequired[PromptCacheOptions | None]
    """How OpenAI caches prompts. It has no effect here."""
    prompt_cache_retention: NotRequired[Literal["in_memory", "24h"] | None]
    """How long OpenAI caches prompts. It has no effect here."""
    reasoning_effort: NotRequired[Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None]
    """How much to think; the model's chat template is told. Null leaves it to the template."""
    response_format: NotRequired[
        ResponseFormatText
        | ResponseFormatJsonObject
        | ResponseFormatJsonSchema
        | ResponseFormatJson
        | ResponseFormatRegex
        | None
    ]
    """The form that the answer must have. Null is text."""
    safety_identifier: NotRequired[str | None]
    """A name for the end user. It has no effect here. At most 64 characters."""
    seed: NotRequired[int | None]
    """Equal requests with equal seeds are answered alike by equal systems (`system_fingerprint`). At least -9223372036854775808, at most 9223372036854775807."""
    service_tier: NotRequired[Literal["auto", "default", "flex", "scale", "priority", "fast"] | None]
    """How OpenAI schedules the request. It has no effect here; where it is given, the answer says `default`."""
    stop: NotRequired[str | Sequence[str] | None]
    """Texts that end an answer and are cut off it; up to 64. They are looked for in its words, not in thoughts or calls."""
    store: NotRequired[bool | None]
    """Keep the answer for later retrieval. Nothing is kept here. Default: `false`."""
    temperature: NotRequired[float | None]
    """Spread of the draws; 0 always takes the most likely token. At least 0, at most 2. Default: `1`."""
    top_logprobs: NotRequired[int | None]
    """With `logprobs`, tell also of this many of the most likely tokens at each place. At least 0, at most 20."""
    top_p: NotRequired[float | None]
    """Draw from the most likely tokens that make up this probability; 0 leaves the likeliest alone. At least 0, at most 1. Default: `1`."""
    user: NotRequired[str | None]
    """A name for the end user. It has no effect here."""
    verbosity: NotRequired[Literal["low", "medium", "high"] | None]
    """How long answers should be; the model's chat template is told."""
    web_search_options: NotRequired[None]
    """How the model searches the web. It does not."""
    top_k: NotRequired[int | None]
    """Draw from this many of the most likely tokens; -1, 0 and null stand for all. At least -1."""
    min_p: NotRequired[float | None]
    """Leave out tokens that are less likely than this share of the likeliest one's probability. At least 0, at most 1."""
    typical_p: NotRequired[float | None]
    """Draw from the tokens of most typical surprise that make up this probability. More than 0, at most 1."""
    repetition_penalty: NotRequired[float | None]
    """Divides the scores of tokens that stand in prompt or output; 1 stands for none. More than 0."""
    min_tokens: NotRequired[int | None]
    """No end and no stop text before this many tokens. At least 0."""
    stop_token_ids: NotRequired[Sequence[int] | None]
    """Tokens that end the text, beside the model's own."""
    ignore_eos: NotRequired[bool | None]
    """Go on after the model's end token."""
    include_stop_str_in_output: NotRequired[bool | None]
    """Keep the stop text that ended the text in it."""
    skip_special_tokens: NotRequired[bool | None]
    """Leave special tokens out of the text, as null does."""
    allowed_token_ids: NotRequired[Sequence[int] | None]
    """The only tokens that may come, the end token too. At least 1 items."""
    bad_words: NotRequired[Sequence[str] | None]
    """Texts whose tokens are never completed."""
    priority: NotRequired[int | None]
    """Lower runs first. At least -2147483648, at most 2147483647."""
    cache_salt: NotRequired[str | None]
    """The prompt's computation is shared only with requests of the same salt. At least 1 characters."""
    tool_prompt: NotRequired[None]
    """TGI's text under the last message where tools are offered. It has no place in a chat template."""
    structured_outputs: NotRequired[
        StructuredOutputsJson
        | StructuredOutputsJsonObject
        | StructuredOutputsRegex
        | StructuredOutputsChoice
        | StructuredOutputsGrammar
        | StructuredOutputsStructuralTag
        | None
    ]
    """The form that the text must have."""
    guided_json: NotRequired[Mapping[str, Any] | str | None]
    """The text is JSON that fits this schema."""
    guided_regex: NotRequired[str | None]
    """The text matches this expression from its first character to its last."""
    guided_choice: NotRequired[Sequence[str] | None]
    """The text is one of these."""
    guided_grammar: NotRequired[str | None]
    """The text follows this grammar in EBNF."""
    regex: NotRequired[str | None]
    """SGLang's name of `guided_regex`."""
    ebnf: NotRequired[str | None]
    """SGLang's name of `guided_grammar`."""
    chat_template: NotRequired[None]
    """A template of the request's own. The model's is used."""
    chat_template_kwargs: NotRequired[Mapping[str, Any] | None]
    """Variables of the chat template, such as `enable_thinking`."""
    enable_thinking: NotRequired[bool | None]
    """Whether the model thinks, for templates that have such a switch; DashScope's clients (Qwen Code, Alibaba's examples) send it beside OpenAI's fields. The same name in `chat_template_kwargs` wins."""
    thinking_token_budget: NotRequired[int | None]
    """The most tokens of thoughts, from vLLM. When they are spent, the model's own end of a thought follows, and then the answer. A model that does not think has nothing to bound. At least 0."""
    thinking_budget: NotRequired[int | None]
    """DashScope's name of `thinking_token_budget`, which Qwen's clients send; also in `chat_template_kwargs`. At least 0."""
    reasoning: NotRequired[ReasoningOptions | None]
    """OpenRouter's options of thoughts."""
    documents: NotRequired[Sequence[Mapping[str, Any]] | None]
    """Texts for templates that know of retrieval; each commonly with `title` and `text`."""
    add_generation_prompt: NotRequired[bool | None]
    """End the prompt with the opening of an answer, as null does."""
    continue_final_message: NotRequired[bool | None]
    """Go on with the last message, which is the assistant's, rather than open a new one."""
    add_special_tokens: NotRequired[bool | None]
    """Let the tokenizer add its special tokens to what the template made; most templates write them."""
    include_reasoning: NotRequired[bool | None]
    """False leaves the model's thoughts out of the answer."""
    separate_reasoning: NotRequired[bool | None]
    """False leaves the model's thoughts in the content, with their tags."""
    return_token_ids: NotRequired[bool | None]
    """Answer with the ids of the prompt's and the answer's tokens too."""
    return_tokens_as_token_ids: NotRequired[bool | None]
    """Write each token of `logprobs` as `token_id:` and its id."""
    request_id: NotRequired[str | None]
    """What follows the prefix in the answer's id; a random number where null. At least 1 characters, at most 128 characters."""
    spaces_between_special_tokens: NotRequired[bool | None]
    """Of tokenizers that no longer exist. It has no effect."""
    logprob_token_ids: NotRequired[Sequence[int] | None]
    """Tokens whose log-probabilities stand behind the generated token's, instead of those of the likeliest. Only with `logprobs`, and not with `use_beam_search`. At least 1 items, at most 128 items."""
    truncate_prompt_tokens: NotRequired[None]
    """Tokens of the prompt to keep. A prompt is never cut here."""
    echo: NotRequired[Literal[False] | None]
    """Nothing is put before an answer."""
    provider: NotRequired[Mapping[str, Any] | None]
    """Which of OpenRouter's providers may answer. It has no effect; there is one server."""
    usage: NotRequired[UsageOptions | None]
    """Asks OpenRouter for token counts. It has no effect; `stream_options` says when a stream has them."""
    cache_prompt: NotRequired[bool | None]
    """Whether llama.cpp keeps the prompt's computation. It has no effect."""
    id_slot: NotRequired[int | None]
    """The place in llama.cpp's batch that computes the answer. It has no effect. At least -1."""
    keep_alive: NotRequired[str | float | None]
    """How long Ollama keeps the model loaded. It has no effect."""
    mm_processor_kwargs: NotRequired[Mapping[str, Any] | None]
    """Options of vLLM's processor of images. It must be empty; the model's own processor decides."""
    thinking: NotRequired[ThinkingSwitch | None]
    """Whether the model thinks, for templates that have such a switch. `enable_thinking` wins."""
    messages: Sequence[
        Sequence[
            ChatCompletionRequestDeveloperMessage
            | ChatCompletionRequestSystemMessage
            | ChatCompletionRequestUserMessage
            | ChatCompletionRequestAssistantMessage
            | ChatCompletionRequestToolMessage
            | ChatCompletionRequestFunctionMessage
        ]
    ]
    """The conversations. At least 1 items, at most 2048 items."""
    n: NotRequired[int | None]
    """Each conversation has one answer. At least 1, at most 1."""
    stream: NotRequired[Literal[False] | None]
    """Answers come together."""
    stream_options: NotRequired[None]
    """Options of a stream."""
    use_beam_search: NotRequired[Literal[False] | None]
    """There is no beam search here."""
    tools: NotRequired[None]
    """No functions can be called here."""
    tool_choice: NotRequired[Literal["none"] | None]
    """No functions can be called here."""


class CreateResponseRequestWithoutStream(TypedDict, closed=True):
    model: str
    """A name that /v1/models lists."""
    input: (
        str
        | Sequence[
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
        ]
    )
    """A user's text, or the items of a conversation in their order."""
    instructions: NotRequired[str | None]
    """A system message to put before the input."""
    max_output_tokens: NotRequired[int | None]
    """Upper bound on the tokens of the answer, thoughts and calls included. Null fills the context. At least 1."""
    temperature: NotRequired[float | None]
    """How random the choice of tokens is; 0 always takes the most likely one. Null counts as 1. At least 0, at most 2. Default: `1`."""
    top_p: NotRequired[float | None]
    """Choose among the most likely tokens that together have this probability. Null counts as 1. At least 0, at most 1. Default: `1`."""
    top_logprobs: NotRequired[int | None]
    """How many of the most likely tokens to tell at each place. More than 0 needs `message.output_text.logprobs` in `include`. At least 0, at most 20."""
    include: NotRequired[
        Sequence[
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
    ]
    """What to answer beside the texts."""
    tools: NotRequired[
        Sequence[ResponseFunctionTool | ResponseCustomTool | ResponseNamespaceTool | ResponseHostedTool]
        | None
    ]
    """What the model may call: functions, custom tools and namespaces of both. Tools of OpenAI's own are taken and not offered to the model; only a choice that asks for one is refused. At most 128 items."""
    tool_choice: NotRequired[
        ResponseFunctionChoice
        | ResponseAllowedTools
        | ResponseHostedChoice
        | Literal["none", "auto", "required"]
        | None
    ]
    """Whether functions are to be called, and which. Null counts as `auto`."""
    parallel_tool_calls: NotRequired[bool | None]
    """Whether one answer may hold several calls. Null counts as true. Default: `true`."""
    max_tool_calls: NotRequired[int | None]
    """Bounds calls of tools that run on the server. There are none, so that it bounds nothing. At least 1."""
    text: NotRequired[ResponseTextOptions | None]
    """The form of the answer's text."""
    reasoning: NotRequired[ResponseReasoningOptions | None]
    """How the model is to think before it answers."""
    stream_options: NotRequired[ResponseStreamOptions | None]
    """Options of the stream; only with `stream`."""
    store: NotRequired[bool | None]
    """Store the response. Null stores it if that is possible, and true is refused if it is not; the response says whether it is stored. Default: `true`."""
    previous_response_id: NotRequired[str | None]
    """A stored response to go on with: what it answered and its output come before `input`, its `instructions` do not."""
    context_management: NotRequired[None]
    """When to shorten the conversation. Nothing is ever cut from it here."""
    conversation: NotRequired[str | ResponseConversation | None]
    """A stored conversation, or its id: its items come before `input`, and `input` and the answer are added to them. Not with `previous_response_id`."""
    moderation: NotRequired[None]
    """Moderation of what is asked and answered. There is none here."""
    prompt: NotRequired[None]
    """A stored prompt template. None is stored here."""
    background: NotRequired[bool | None]
    """Answer later, whether the client stays or not. What is not stored cannot be fetched later, so that true is refused where nothing is stored. Default: `false`."""
    truncation: NotRequired[Literal["auto", "disabled"] | None]
    """`disabled`: an input that exceeds the context is refused. `auto`: the oldest items are dropped until it fits; instructions and the last message of the user stay. Default: `"disabled"`."""
    metadata: NotRequired[Mapping[str, str] | None]
    """Notes of the client's own, which the response repeats. They have no effect."""
    service_tier: NotRequired[Literal["auto", "default", "flex", "scale", "priority", "fast"] | None]
    """How OpenAI schedules the request. It has no effect here; every response says `default`."""
    user: NotRequired[str | None]
    """Repeated by the response, and without effect."""
    safety_identifier: NotRequired[str | None]
    """Repeated by the response, and without effect. At most 64 characters."""
    prompt_cache_key: NotRequired[str | None]
    """Repeated by the response, and without effect; prompts share their cached beginnings without it."""
    prompt_cache_options: NotRequired[PromptCacheOptions | None]
    """How OpenAI caches prompts. It has no effect here."""
    prompt_cache_retention: NotRequired[Literal["in_memory", "24h"] | None]
    """How long OpenAI caches prompts. It has no effect here."""
    seed: NotRequired[int | None]
    """Equal requests with equal seeds are answered alike by equal systems. At least -9223372036854775808, at most 9223372036854775807."""
    stop: NotRequired[str | Sequence[str] | None]
    """Texts that end an answer and are cut off it; up to 64. They are looked for in its words, not in thoughts or calls."""
    frequency_penalty: NotRequired[float | None]
    """Lowers a token's score for each time that it stands in the answer already. At least -2, at most 2."""
    presence_penalty: NotRequired[float | None]
    """Lowers the score of every token that stands in the answer already. At least -2, at most 2."""
    logit_bias: NotRequired[Mapping[str, float] | None]
    """What is added to the scores of single tokens; the extremes forbid or force one."""
    top_k: NotRequired[int | None]
    """Draw from this many of the most likely tokens; -1, 0 and null stand for all. At least -1."""
    min_p: NotRequired[float | None]
    """Leave out tokens that are less likely than this share of the likeliest one's probability. At least 0, at most 1."""
    repetition_penalty: NotRequired[float | None]
    """Divides the scores of tokens that stand in prompt or output; 1 stands for none. More than 0."""
    ignore_eos: NotRequired[bool | None]
    """Go on after the model's end token."""
    include_stop_str_in_output: NotRequired[bool | None]
    """Keep the stop text that ended the text in it."""
    skip_special_tokens: NotRequired[bool | None]
    """Leave special tokens out of the text, as null does."""
    chat_template_kwargs: NotRequired[Mapping[str, Any] | None]
    """Variables of the chat template, such as `enable_thinking`."""
    client_metadata: NotRequired[Mapping[str, Any] | None]
    """Notes of a client's about itself. They have no effect."""


class CreateResponseRequest(TypedDict, closed=True):
    model: str
    """A name that /v1/models lists."""
    input: (
        str
        | Sequence[
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
        ]
    )
    """A user's text, or the items of a conversation in their order."""
    instructions: NotRequired[str | None]
    """A system message to put before the input."""
    max_output_tokens: NotRequired[int | None]
    """Upper bound on the tokens of the answer, thoughts and calls included. Null fills the context. At least 1."""
    temperature: NotRequired[float | None]
    """How random the choice of tokens is; 0 always takes the most likely one. Null counts as 1. At least 0, at most 2. Default: `1`."""
    top_p: NotRequired[float | None]
    """Choose among the most likely tokens that together have this probability. Null counts as 1. At least 0, at most 1. Default: `1`."""
    top_logprobs: NotRequired[int | None]
    """How many of the most likely tokens to tell at each place. More than 0 needs `message.output_text.logprobs` in `include`. At least 0, at most 20."""
    include: NotRequired[
        Sequence[
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
    ]
    """What to answer beside the texts."""
    tools: NotRequired[
        Sequence[ResponseFunctionTool | ResponseCustomTool | ResponseNamespaceTool | ResponseHostedTool]
        | None
    ]
    """What the model may call: functions, custom tools and namespaces of both. Tools of OpenAI's own are taken and not offered to the model; only a choice that asks for one is refused. At most 128 items."""
    tool_choice: NotRequired[
        ResponseFunctionChoice
        | ResponseAllowedTools
        | ResponseHostedChoice
        | Literal["none", "auto", "required"]
        | None
    ]
    """Whether functions are to be called, and which. Null counts as `auto`."""
    parallel_tool_calls: NotRequired[bool | None]
    """Whether one answer may hold several calls. Null counts as true. Default: `true`."""
    max_tool_calls: NotRequired[int | None]
    """Bounds calls of tools that run on the server. There are none, so that it bounds nothing. At least 1."""
    text: NotRequired[ResponseTextOptions | None]
    """The form of the answer's text."""
    reasoning: NotRequired[ResponseReasoningOptions | None]
    """How the model is to think before it answers."""
    stream: NotRequired[bool | None]
    """Answer with server-sent events instead of one JSON object. Default: `false`."""
    stream_options: NotRequired[ResponseStreamOptions | None]
    """Options of the stream; only with `stream`."""
    store: NotRequired[bool | None]
    """Store the response. Null stores it if that is possible, and true is refused if it is not; the response says whether it is stored. Default: `true`."""
    previous_response_id: NotRequired[str | None]
    """A stored response to go on with: what it answered and its output come before `input`, its `instructions` do not."""
    context_management: NotRequired[None]
    """When to shorten the conversation. Nothing is ever cut from it here."""
    conversation: NotRequired[str | ResponseConversation | None]
    """A stored conversation, or its id: its items come before `input`, and `input` and the answer are added to them. Not with `previous_response_id`."""
    moderation: NotRequired[None]
    """Moderation of what is asked and answered. There is none here."""
    prompt: NotRequired[None]
    """A stored prompt template. None is stored here."""
    background: NotRequired[bool | None]
    """Answer later, whether the client stays or not. What is not stored cannot be fetched later, so that true is refused where nothing is stored. Default: `false`."""
    truncation: NotRequired[Literal["auto", "disabled"] | None]
    """`disabled`: an input that exceeds the context is refused. `auto`: the oldest items are dropped until it fits; instructions and the last message of the user stay. Default: `"disabled"`."""
    metadata: NotRequired[Mapping[str, str] | None]
    """Notes of the client's own, which the response repeats. They have no effect."""
    service_tier: NotRequired[Literal["auto", "default", "flex", "scale", "priority", "fast"] | None]
    """How OpenAI schedules the request. It has no effect here; every response says `default`."""
    user: NotRequired[str | None]
    """Repeated by the response, and without effect."""
    safety_identifier: NotRequired[str | None]
    """Repeated by the response, and without effect. At most 64 characters."""
    prompt_cache_key: NotRequired[str | None]
    """Repeated by the response, and without effect; prompts share their cached beginnings without it."""
    prompt_cache_options: NotRequired[PromptCacheOptions | None]
    """How OpenAI caches prompts. It has no effect here."""
    prompt_cache_retention: NotRequired[Literal["in_memory", "24h"] | None]
    """How long OpenAI caches prompts. It has no effect here."""
    seed: NotRequired[int | None]
    """Equal requests with equal seeds are answered alike by equal systems. At least -9223372036854775808, at most 9223372036854775807."""
    stop: NotRequired[str | Sequence[str] | None]
    """Texts that end an answer and are cut off it; up to 64. They are looked for in its words, not in thoughts or calls."""
    frequency_penalty: NotRequired[float | None]
    """Lowers a token's score for each time that it stands in the answer already. At least -2, at most 2."""
    presence_penalty: NotRequired[float | None]
    """Lowers the score of every token that stands in the answer already. At least -2, at most 2."""
    logit_bias: NotRequired[Mapping[str, float] | None]
    """What is added to the scores of single tokens; the extremes forbid or force one."""
    top_k: NotRequired[int | None]
    """Draw from this many of the most likely tokens; -1, 0 and null stand for all. At least -1."""
    min_p: NotRequired[float | None]
    """Leave out tokens that are less likely than this share of the likeliest one's probability. At least 0, at most 1."""
    repetition_penalty: NotRequired[float | None]
    """Divides the scores of tokens that stand in prompt or output; 1 stands for none. More than 0."""
    ignore_eos: NotRequired[bool | None]
    """Go on after the model's end token."""
    include_stop_str_in_output: NotRequired[bool | None]
    """Keep the stop text that ended the text in it."""
    skip_special_tokens: NotRequired[bool | None]
    """Leave special tokens out of the text, as null does."""
    chat_template_kwargs: NotRequired[Mapping[str, Any] | None]
    """Variables of the chat template, such as `enable_thinking`."""
    client_metadata: NotRequired[Mapping[str, Any] | None]
    """Notes of a client's about itself. They have no effect."""


class CountResponseInputTokensRequest(TypedDict, closed=True):
    """The fields of a request for a response on which its prompt depends."""

    model: NotRequired[str | None]
    """Null is the model that is served."""
    input: (
        str
        | Sequence[
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
        ]
    )
    """A user's text, or the items of a conversation in their order."""
    instructions: NotRequired[str | None]
    """A system message to put before the input."""
    tools: NotRequired[
        Sequence[ResponseFunctionTool | ResponseCustomTool | ResponseNamespaceTool | ResponseHostedTool]
        | None
    ]
    """What the model may call. At most 128 items."""
    tool_choice: NotRequired[
        ResponseFunctionChoice
        | ResponseAllowedTools
        | ResponseHostedChoice
        | Literal["none", "auto", "required"]
        | None
    ]
    """Whether functions are to be called, and which. Null counts as `auto`."""
    parallel_tool_calls: NotRequired[bool | None]
    """Whether one answer may hold several calls. Null counts as true. Default: `true`."""
    text: NotRequired[ResponseTextOptions | None]
    """The form of the answer's text."""
    reasoning: NotRequired[ResponseReasoningOptions | None]
    """How the model is to think before it answers."""
    truncation: NotRequired[Literal["auto", "disabled"] | None]
    """As of a response; with `auto` the number is that of the items that are kept. Default: `"disabled"`."""
    previous_response_id: NotRequired[str | None]
    """A stored response that the input goes on with."""
    conversation: NotRequired[str | ResponseConversation | None]
    """A stored conversation that the input goes on with, or its id. Not with `previous_response_id`."""


class CreateConversationRequest(TypedDict, closed=True):
    items: NotRequired[
        Sequence[
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
        ]
        | None
    ]
    """The items that it begins with."""
    metadata: NotRequired[Mapping[str, str] | None]
    """Notes of the client's own. They have no effect."""


class CreateConversationItemsRequest(TypedDict, closed=True):
    items: Sequence[
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
    ]
    """What is added."""


class CompactResponseRequest(TypedDict, closed=True):
    model: str
    """A name that /v1/models lists."""
    input: NotRequired[
        str
        | Sequence[
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
        ]
        | None
    ]
    """A user's text, or the items of a conversation in their order. Null needs `previous_response_id`."""
    instructions: NotRequired[str | None]
    """A system message to put before the input; not a part of the answer."""
    previous_response_id: NotRequired[str | None]
    """A stored response whose conversation is shortened, with `input` after it."""
    service_tier: NotRequired[Literal["auto", "default", "flex", "scale", "priority", "fast"] | None]
    """As of a response; without effect."""
    prompt_cache_key: NotRequired[str | None]
    """As of a response; without effect."""
    prompt_cache_options: NotRequired[PromptCacheOptions | None]
    """As of a response; without effect."""
    prompt_cache_retention: NotRequired[Literal["in_memory", "24h"] | None]
    """As of a response; without effect."""
