"""The rules of OpenAI's contract."""

from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Final

from verbatim_kit.conform.document import Json
from verbatim_kit.conform.place import ABSENT, Place, at
from verbatim_kit.conform.rules import (
    Ban,
    Companion,
    Rules,
    When,
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
_TOO_LONG: Final = "it exceeds the context"
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


_COMPANIONS: Final = (
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
    Companion("*/batch", "logprob_token_ids*", {("logprobs",): True}, _NAMED),
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
)
_BANS: Final = (
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
            has_part_of_type("image_url", "video_url", "input_audio", "file", "input_image", "input_file"),
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
    Ban("*/conversations*", "items.type", "there is no such item", is_one_of("item_reference"), True),
    Ban("*/responses*", "conversation*", "no such conversation is stored", is_given, True),
    Ban(
        "*/responses*",
        "*allowed_callers*",
        "the server does not run programs",
        is_one_of("programmatic"),
        True,
    ),
    Ban("*/responses*", "tool_choice.type", "the server does not run tools", _is_hosted, True),
    Ban("*/embeddings", "input", _TOO_LONG, _has_long_text, True),
    Ban("*/decisions", "questions*", "choices must have different values", _has_equal_choices),
    Ban("*/decisions", "questions.*", _TOO_LONG, is_longer_than(100), True),
    Ban("*/responses*", "tools*", _TOO_LONG, is_longer_than(100), True),
    Ban("*", "tools*.syntax", "the grammar must be one", is_one_of("lark")),
    Ban("*", "function_call", "function_call needs functions", is_given),
    Ban("*/render", "tools", _TOO_LONG, is_longer_than(100), True),
    Ban("*", "functions", _TOO_LONG, is_longer_than(100), True),
    Ban("*", "tools*.definition", _TOO_LONG, _is_long, True),
    Ban("*", "messages.content", _SAYS_SOMETHING, all_of(_IS_EMPTY, lambda value, body: value != [])),
    Ban(
        "*",
        "messages.*",
        "a tool result must follow its tool call",
        has_value(("messages", 0, "role"), "tool"),
    ),
    Ban(
        "*",
        "messages.*",
        "a tool result must follow its tool call",
        has_value(("messages", 0, "role"), "function"),
    ),
    Ban("*", "max_*tokens", _TOO_LONG, is_above(2**30), True),
)


def _of_tokens(value: Json) -> Json:
    """Return a whole answer of the token API whose choice has these fields too."""
    choice = {"index": 0, "token_ids": [72, 105], "finish_reason": "length", **value}
    return {"choices": [choice], "prompt_logprobs": [None]}


_SCORED: Final = {
    "logprobs": {"content": [{"token_id": 72, "logprob": -1}, {"token_id": 105, "logprob": -1}]}
}
_EVENT: Final = {"choices": [{"index": 0, "token_ids": [72]}]}
_NO_PROMPT: Final[dict[Place, Json]] = {("prompt_tokens",): ABSENT, ("prompt_token_ids",): ABSENT}
_WHOLE: Final[dict[Place, Json]] = {
    ("stream",): False,
    ("generate_chunk",): ABSENT,
    ("stream_state",): ABSENT,
    **_NO_PROMPT,
}
_FORMS: Final = "a whole answer has no stream, and an event has one"
_ENDED: Final = "a whole sequence has tokens and an end"
_HELD: Final = "they are those of the last tokens"
_UNSCORED: Final = "the tokens need the log-probabilities that are asked for"
_MATCHING: Final = "each prompt has an answer"


def _is_of_several(value: Json, body: Json) -> bool:
    """Return whether the value is a list of other than one text, count or list."""
    return isinstance(value, list) and not (len(value) == 1 or any(isinstance(one, int) for one in value))


def _has_scores(value: Json, body: Json) -> bool:
    return isinstance(at(body, ("generate_chunk", "choices", 0, "logprobs")), dict)


def _holds_others(value: Json, body: Json) -> bool:
    """Return whether a state holds log-probabilities of other tokens than its last ones."""
    held = at(body, ("stream_state", "held_logprobs"))
    token_ids = at(body, ("stream_state", "output_token_ids"))
    if not isinstance(held, list) or not isinstance(token_ids, list) or not held:
        return False
    return [at(one, ("token_id",)) for one in held] != token_ids[-len(held) :]


def _are_of_others(value: Json, body: Json) -> bool:
    """Return whether counts or tokens of prompts are not those of one, in the form of the request."""
    counts, token_ids = at(body, ("prompt_tokens",)), at(body, ("prompt_token_ids",))
    if at(body, ("stream",)) is True:
        has_lists = isinstance(token_ids, list) and any(not isinstance(one, int | float) for one in token_ids)
        return isinstance(counts, list) or has_lists
    has_other_ids = isinstance(token_ids, list) and (
        len(token_ids) != 1 or isinstance(token_ids[0], int | float)
    )
    has_other_counts = isinstance(counts, list) and len(counts) != 1
    return has_other_ids or has_other_counts or isinstance(counts, int | float)


def _derender(path: str, inner: str, whole: str, tokens: Callable[[Json], Json]) -> Rules:
    """Return the rules of a derender operation.

    inner: the field of the rendered request. whole: the field of the answer. tokens: makes its value.
    """
    stream: dict[Place, Json] = {
        ("stream",): True,
        (whole,): ABSENT,
        ("generate_chunk",): _EVENT,
        **_NO_PROMPT,
    }
    scored: dict[Place, Json] = {(whole,): tokens(_SCORED), **_WHOLE}
    return Rules(
        (
            Companion(path, "stream", stream, _FORMS, is_one_of(True)),
            Companion(path, "stream", {(whole,): tokens({}), **_WHOLE}, _FORMS, is_one_of(False)),
            Companion(path, "generate_chunk*", {("stream",): True, (whole,): ABSENT}, _FORMS),
            Companion(path, "stream_state*", stream, _FORMS),
            Companion(path, f"{whole}*", _WHOLE, _FORMS),
            Companion(path, f"{inner}.*logprobs", scored, _UNSCORED),
            Companion(path, f"{inner}.best_of", scored, _UNSCORED),
        ),
        (
            Ban(path, "generate_chunk", _FORMS, is_one_of(None)),
            Ban(path, whole, _FORMS, is_one_of(None)),
            Ban(path, f"{whole}.choices.finish_reason", _ENDED, is_one_of(None)),
            Ban(path, f"{whole}.choices.token_ids", _ENDED, is_one_of(None)),
            Ban(path, f"{whole}.choices.token_ids", _ENDED, lambda value, body: value == []),
            Ban(
                path,
                f"{whole}.choices*.index",
                "the first choice has the index 0",
                lambda value, body: value != 0,
            ),
            Ban(path, f"{whole}.choices", "each choice has another index", is_longer_than(1)),
            Ban(path, "stream_state*", _HELD, _holds_others),
            Ban(path, f"{inner}.timings_per_token", "the tokens have no times", is_one_of(True), True),
        ),
    )


def _like_rendered(
    path: str,
    prefix: str,
    place_of: Callable[[Place], Place],
    request_of: Callable[[Json], Json],
    *,
    runs: bool,
) -> Rules:
    """Return the rules of `render` for an operation whose body has such a request, or is like one.

    prefix: what stands before the names of fields. runs: whether the context bounds the request.
    """
    of_render = f"{path.rpartition('/')[0]}/render"

    def of_request(when: When) -> When:
        return lambda value, body: when(value, request_of(body))

    return Rules(
        tuple(
            Companion(
                path,
                prefix + rule.field,
                {place_of(place): value for place, value in rule.sets.items()},
                rule.reason,
                of_request(rule.when),
            )
            for rule in _COMPANIONS
            if fnmatchcase(of_render, rule.path)
        ),
        tuple(
            Ban(path, prefix + rule.field, rule.reason, of_request(rule.when), rule.is_up_to_the_server)
            for rule in _BANS
            if fnmatchcase(of_render, rule.path)
            and (rule.path != "*/render" if runs else rule.reason != _TOO_LONG)
        ),
    )


def _first_conversation(body: Json) -> Json:
    return {**body, "messages": at(body, ("messages", 0))}


_OTHERS: Final = (
    _derender("/v1/chat/completions/derender", "chat_request", "generate_response", _of_tokens),
    _derender(
        "/v1/completions/derender",
        "completion_request",
        "generate_responses",
        lambda value: [_of_tokens(value)],
    ),
    _like_rendered(
        "/v1/chat/completions/derender",
        "chat_request.",
        lambda place: ("chat_request", *place),
        lambda body: at(body, ("chat_request",)),
        runs=False,
    ),
    _like_rendered(
        "/v1/completions/derender",
        "completion_request.",
        lambda place: ("completion_request", *place),
        lambda body: at(body, ("completion_request",)),
        runs=False,
    ),
    _like_rendered(
        "/v1/chat/completions/batch",
        "",
        lambda place: ("messages", 0, *place[1:]) if place[0] == "messages" else place,
        _first_conversation,
        runs=True,
    ),
)
_OWN_BANS: Final = (
    Ban("*/chat/completions/derender", "chat_request", "a model that thinks needs it", is_one_of(None), True),
    Ban("*/completions/derender", "completion_request.prompt", _MATCHING, _is_of_several),
    Ban("*/completions/derender", "generate_responses", _MATCHING, is_longer_than(1)),
    Ban("*/v1/completions/derender", "prompt_token*", _MATCHING, _are_of_others),
    Ban("*/v1/completions/derender", "generate_chunk.choices.logprobs*", _UNSCORED, _has_scores),
)
RULES: Final = Rules(
    companions=(*_COMPANIONS, *(rule for rules in _OTHERS for rule in rules.companions)),
    bans=(*_BANS, *_OWN_BANS, *(rule for rules in _OTHERS for rule in rules.bans)),
    overload_statuses=(429,),
)
