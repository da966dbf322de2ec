"""The rules of OpenAI's contract."""

from typing import Final

from verbatim_kit.conform.document import Json
from verbatim_kit.conform.place import ABSENT, at
from verbatim_kit.conform.rules import (
    Ban,
    Companion,
    Rules,
    all_of,
    has_part_of_type,
    has_value,
    is_above,
    is_given,
    is_longer_than,
    is_one_of,
    lacks,
)

_IS_EMPTY: Final = all_of(
    has_value(("messages", 0, "role"), "assistant"),
    lacks(("messages", 0), "content", "tool_calls", "refusal"),
)
_NAMED: Final = "logprob_token_ids needs logprobs"
_NO_SEARCH: Final = "the token API has no beam search"
_NO_PLACE: Final = "the token API has no such field"
_TOKENIZED: Final = "a request must have a prompt or messages"
_ONLY_CONVERSATIONS: Final = "it is only for conversations"
_SAYS_SOMETHING: Final = "an assistant message must have content, a refusal or tool calls"
_CONVERSATION: Final = [{"role": "user", "content": "a"}]
_AMONG: Final = "tool_choice must name one of the tools"
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
    "program",
    "program_output",
)

_STRICT_SCHEMA: Final = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


def _is_hosted(value: Json, body: Json) -> bool:
    """Return whether a tool's type is one that the server would run."""
    return value not in ("function", "custom", "allowed_tools")


def _has_no_message(value: Json, body: Json) -> bool:
    """Return whether the input has only tools and items of hosted tools."""
    types = [item.get("type") for item in body["input"] if isinstance(item, dict)]
    return bool(types) and all(kind == "additional_tools" or kind in _HOSTED_ITEMS for kind in types)


def _has_equal_choices(value: Json, body: Json) -> bool:
    """Return whether two choices of the first question have the same value."""
    choices = at(body, ("questions", 0, "choices"))
    values = [at(choice, ("value",)) for choice in choices] if isinstance(choices, list) else []
    return any(
        isinstance(one, str | bool) and type(one) is type(other) and one == other
        for number, one in enumerate(values)
        for other in values[:number]
    )


def _names_tools(value: Json, body: Json) -> bool:
    """Return whether `tool_choice` requires `tools`."""
    return value in ("required", "any") or isinstance(at(body, ("tool_choice",)), dict)


def _is_below_one(value: Json, body: Json) -> bool:
    return isinstance(value, float) and value < 1


def _is_long(value: Json, body: Json) -> bool:
    """Return whether the value is a text that no small context has room for."""
    return isinstance(value, str) and len(value) > 511


def _has_long_text(value: Json, body: Json) -> bool:
    """Return whether the value is a list of more than 511 token ids."""
    return is_longer_than(511)(value, body) and isinstance(value[0], int)


RULES: Final = Rules(
    companions=(
        Companion(
            "*/chat/completions*",
            "max_tokens",
            {("max_completion_tokens",): ABSENT},
            "it is the old name of max_completion_tokens, and only one may be set",
        ),
        Companion(
            "*/completions",
            "stream",
            {("stream_options",): ABSENT},
            "stream_options is only for streams",
            is_one_of(False, None),
        ),
        *(
            Companion("*/[ct]*", field, {("messages", 0, "content"): "a"}, _SAYS_SOMETHING, _IS_EMPTY)
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
            "*", "tool_choice.allowed_tools.tools", {("tools",): _CHAT_TOOLS}, "they must be among the tools"
        ),
        *(
            Companion(
                "*/tokenize", field, {("messages",): _CONVERSATION, ("prompt",): ABSENT}, _ONLY_CONVERSATIONS
            )
            for field in ("add_generation_prompt", "continue_final_message", "tools*")
        ),
        Companion(
            "*",
            "continue_final_message",
            {("messages",): [{"role": "assistant", "content": "a"}]},
            "only an assistant message can be continued",
            is_one_of(True),
        ),
        Companion(
            "*",
            "response_format.schema",
            {("response_format", "json_schema"): ABSENT},
            "schema stands in place of json_schema",
        ),
        Companion(
            "*",
            "response_format.type",
            {("response_format", "json_schema"): {"name": "a"}},
            "json_schema or schema has the schema",
            is_one_of("json_schema"),
        ),
        Companion("*", "stream_options*", {("stream",): True}, "stream_options is only for streams"),
        Companion(
            "*/completions",
            "length_penalty",
            {("use_beam_search",): True},
            "it is only for beam search",
        ),
        Companion(
            "*/completions",
            "early_stopping",
            {("use_beam_search",): True},
            "it is only for beam search",
        ),
        Companion(
            "*",
            "tools",
            {("tool_choice",): ABSENT},
            "tool_choice must name one of the tools",
            is_one_of(None),
        ),
        Companion("*/responses*", "tool_choice*", {("tools",): _TOOLS}, _AMONG),
        Companion("*/render", "tool_choice*", {("tools",): _CHAT_TOOLS}, _AMONG, _names_tools),
        Companion("*/render", "top_logprobs", {("logprobs",): True}, "top_logprobs needs logprobs"),
        Companion("*/tokenize", "messages", {("prompt",): "a"}, _TOKENIZED, is_one_of(None)),
        Companion("*/tokenize", "prompt", {("messages",): _CONVERSATION}, _TOKENIZED, is_one_of(None)),
        Companion(
            "*/responses/*",
            "text.format.strict",
            {("text", "format", "schema"): _STRICT_SCHEMA},
            "a strict schema must keep to OpenAI's subset of JSON Schema",
            is_one_of(True),
        ),
        Companion(
            "*/responses*", "include*", {("top_logprobs",): ABSENT}, "top_logprobs needs a value in include"
        ),
    ),
    bans=(
        Ban("*/render", "length_penalty", _NO_SEARCH, is_given, True),
        Ban("*/render", "early_stopping", _NO_SEARCH, is_given, True),
        Ban("*/render", "use_beam_search", _NO_SEARCH, is_one_of(True), True),
        Ban("*/render", "logprob_token_ids", _NO_PLACE, is_given, True),
        Ban("*/render", "typical_p", _NO_PLACE, _is_below_one, True),
        Ban("*/render", "echo", "the token API does not echo the prompt", is_one_of(True), True),
        Ban("*", "guided_json", "the text must be a JSON Schema", is_one_of("1")),
        Ban("*", "structured_outputs.json", "the text must be a JSON Schema", is_one_of("1")),
        Ban("*", "response_format.schema", "the text must be a JSON Schema", is_one_of("1")),
        Ban("*", "response_format.value", "the text must be a JSON Schema", is_one_of("1")),
        *(
            Ban(
                "*",
                field,
                "the model reads only text",
                has_part_of_type(
                    "image_url", "video_url", "input_audio", "file", "input_image", "input_file"
                ),
                True,
            )
            for field in ("input*", "messages*", "questions*")  # a conversation's items may be of any kind
        ),
        *(
            Ban(
                operation,
                "input.*",
                "a tool result must follow its tool call",
                has_part_of_type(*(f"{kind}_output" for kind in _CALLS)),
            )
            for operation in ("*/responses*", "*/decisions")
        ),
        Ban(
            "*/responses*",
            "input.*",
            "a conversation must have at least one message",
            _has_no_message,
        ),
        Ban(
            "*/responses*",
            "input.type",
            "the server does not store responses",
            is_one_of("item_reference"),
            True,
        ),
        Ban(
            "*/responses*",
            "input.*",
            "only the server that created it can read it",
            has_part_of_type("compaction", "compaction_summary", "context_compaction"),
            True,
        ),
        Ban(
            "*/responses*",
            "input.type",
            "the server answers by the request's own options",
            is_one_of("compaction_trigger", "configuration_update"),
            True,
        ),
        Ban(
            "*/conversations*",
            "items.type",
            "there is no such item",
            is_one_of("item_reference"),
            True,
        ),
        Ban(
            "*/responses*",
            "*allowed_callers*",
            "the server does not run programs",
            is_one_of("programmatic"),
            True,
        ),
        Ban("*/responses*", "tool_choice.type", "the server does not run tools", _is_hosted, True),
        Ban("*/embeddings", "input", "it exceeds the context", _has_long_text, True),
        Ban("*/decisions", "questions*", "choices must have different values", _has_equal_choices),
        Ban("*/decisions", "questions.*", "it exceeds the context", is_longer_than(100), True),
        Ban("*/responses*", "tools*", "it exceeds the context", is_longer_than(100), True),
        Ban("*/responses/*", "tools*.syntax", "the grammar must be one", is_one_of("lark")),
        Ban("*/render", "tools", "it exceeds the context", is_longer_than(100), True),
        Ban("*", "tools*.definition", "it exceeds the context", _is_long, True),
        Ban("*", "messages.content", _SAYS_SOMETHING, _IS_EMPTY),
        Ban(
            "*",
            "messages.*",
            "a tool result must follow its tool call",
            has_value(("messages", 0, "role"), "tool"),
        ),
        Ban("*", "max_*tokens", "it exceeds the context", is_above(2**30), True),
    ),
    overload_statuses=(429,),
)
