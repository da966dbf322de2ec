"""OpenAI's."""

from typing import Final

from handlers.conform.document import Json
from handlers.conform.place import ABSENT, at
from handlers.conform.rules.rule import (
    Ban,
    Companion,
    Rules,
    has_message,
    has_part_of_type,
    is_above,
    is_given,
    is_longer_than,
    is_one_of,
    says_nothing,
)

_NAMED: Final = "logprob_token_ids needs logprobs"
_NO_SEARCH: Final = "the token API has no beam search"
_NO_PLACE: Final = "a rendered request has no place for it"
_TOKENIZED: Final = "a request has a prompt or messages"
_OF_CONVERSATIONS: Final = "it is about conversations"
_SAYS_SOMETHING: Final = "an assistant's message has content, a refusal or calls"
_CONVERSATION: Final = [{"role": "user", "content": "a"}]
_AMONG: Final = "tool_choice names tools that there are"
_TOOLS: Final = [{"type": "function", "name": name, "parameters": {"type": "object"}} for name in ("a", "a1")]

_CHAT_TOOLS: Final = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}
    for name in ("get_weather", "get_weather1")
]


_CALLS: Final = ("function_call", "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call")

_HOSTED_ITEMS: Final = (
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
)

_STRICT_SCHEMA: Final = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


def _is_hosted(value: Json, body: Json) -> bool:
    """Return whether a tool's type is none that the client runs itself."""
    return value not in ("function", "custom", "allowed_tools")


def _has_no_message(value: Json, body: Json) -> bool:
    """Return whether the input has nothing but tools, and what tools that run elsewhere have done."""
    types = [item.get("type") for item in body["input"] if isinstance(item, dict)]
    return bool(types) and all(kind == "additional_tools" or kind in _HOSTED_ITEMS for kind in types)


def _names_tools(value: Json, body: Json) -> bool:
    """Return whether a choice of tools cannot be kept without tools."""
    return value == "required" or isinstance(at(body, ("tool_choice",)), dict)


def _is_below_one(value: Json, body: Json) -> bool:
    return isinstance(value, float) and value < 1


def _has_long_text(value: Json, body: Json) -> bool:
    """Return whether a text is given by its tokens."""
    return is_longer_than(511)(value, body) and isinstance(value[0], int)


RULES: Final = Rules(
    companions=(
        Companion(
            "*/chat/completions*",
            "max_tokens",
            {("max_completion_tokens",): ABSENT},
            "it is the old name of max_completion_tokens, and one of them is sent",
        ),
        Companion(
            "*/completions",
            "stream",
            {("stream_options",): ABSENT},
            "stream_options is of streams alone",
            is_one_of(False, None),
        ),
        *(
            Companion("*/[ct]*", field, {("messages", 0, "content"): "a"}, _SAYS_SOMETHING, says_nothing)
            for field in ("messages.[!c]*", "messages.cache_control")
        ),
        Companion(
            "*",
            "logprobs",
            {("top_logprobs",): ABSENT},
            "top_logprobs needs logprobs",
            is_one_of(False, None),
        ),
        Companion("*/chat/completions", "logprob_token_ids*", {("logprobs",): True}, _NAMED),
        Companion("*/v1/completions", "logprob_token_ids*", {("logprobs",): 1}, _NAMED),
        Companion(
            "*", "tool_choice.allowed_tools.tools", {("tools",): _CHAT_TOOLS}, "they are among the tools"
        ),
        *(
            Companion(
                "*/tokenize", field, {("messages",): _CONVERSATION, ("prompt",): ABSENT}, _OF_CONVERSATIONS
            )
            for field in ("add_generation_prompt", "continue_final_message", "tools*")
        ),
        Companion(
            "*",
            "continue_final_message",
            {("messages",): [{"role": "assistant", "content": "a"}]},
            "an assistant's text alone can be continued",
            is_one_of(True),
        ),
        Companion("*", "stream_options*", {("stream",): True}, "stream_options is of streams alone"),
        Companion(
            "*/completions",
            "length_penalty",
            {("use_beam_search",): True},
            "it is of beam search",
        ),
        Companion(
            "*/completions",
            "early_stopping",
            {("use_beam_search",): True},
            "it is of beam search",
        ),
        Companion(
            "*", "tools", {("tool_choice",): ABSENT}, "tool_choice names one of the tools", is_one_of(None)
        ),
        Companion("*/responses*", "tool_choice*", {("tools",): _TOOLS}, _AMONG),
        Companion("*/render", "tool_choice*", {("tools",): _CHAT_TOOLS}, _AMONG, _names_tools),
        Companion("*/render", "top_logprobs", {("logprobs",): True}, "top_logprobs needs logprobs"),
        Companion("*/tokenize", "messages", {("prompt",): "a"}, _TOKENIZED, is_one_of(None)),
        Companion("*/tokenize", "prompt", {("messages",): _CONVERSATION}, _TOKENIZED, is_one_of(None)),
        Companion(
            "*/input_tokens",
            "text.format.strict",
            {("text", "format", "schema"): _STRICT_SCHEMA},
            "a strict schema keeps to OpenAI's subset",
            is_one_of(True),
        ),
        Companion("*/responses", "include*", {("top_logprobs",): ABSENT}, "top_logprobs needs an include"),
    ),
    bans=(
        Ban("*/render", "length_penalty", _NO_SEARCH, is_given, True),
        Ban("*/render", "early_stopping", _NO_SEARCH, is_given, True),
        Ban("*/render", "use_beam_search", _NO_SEARCH, is_one_of(True), True),
        Ban("*/render", "logprob_token_ids", _NO_PLACE, is_given, True),
        Ban("*/render", "typical_p", _NO_PLACE, _is_below_one, True),
        Ban("*/render", "echo", "the token API sends no prompt back", is_one_of(True), True),
        Ban("*", "guided_json", "a text is JSON, and a JSON Schema", is_one_of("1")),
        Ban("*", "structured_outputs.json", "a text is JSON, and a JSON Schema", is_one_of("1")),
        Ban("*", "response_format.schema", "a text is JSON, and a JSON Schema", is_one_of("1")),
        Ban("*", "response_format.value", "a text is JSON, and a JSON Schema", is_one_of("1")),
        Ban(
            "*",
            "*",
            "the model reads text alone",
            has_part_of_type("image_url", "video_url", "input_audio", "file", "input_image", "input_file"),
            True,
        ),
        Ban(
            "*/responses*",
            "input.*",
            "it answers a call that stands before it",
            has_part_of_type(*(f"{kind}_output" for kind in _CALLS)),
        ),
        Ban(
            "*/responses*",
            "input.*",
            "a conversation has at least one message",
            _has_no_message,
        ),
        Ban("*/responses*", "input.type", "nothing is stored", is_one_of("item_reference"), True),
        Ban(
            "*/responses*",
            "input.type",
            "only the server that made it can read it",
            is_one_of("compaction", "compaction_summary", "context_compaction"),
            True,
        ),
        Ban("*/responses*", "*allowed_callers*", "no program runs here", is_one_of("programmatic"), True),
        Ban("*/responses*", "tool_choice.type", "no tool runs here", _is_hosted, True),
        Ban("*/responses", "background", "nothing is stored", is_one_of(True), True),
        Ban("*/embeddings", "input", "the context is shorter", _has_long_text, True),
        Ban("*/responses", "tools*", "the context is shorter", is_longer_than(100), True),
        Ban("*/render", "tools", "the context is shorter", is_longer_than(100), True),
        Ban("*", "messages.content", _SAYS_SOMETHING, says_nothing),
        Ban("*", "messages.*", "it answers a call that stands before it", has_message("tool")),
        Ban("*", "max_*tokens", "the context is shorter", is_above(2**30), True),
    ),
)
