"""The rules of Open Responses."""

from typing import Final

from verbatim_kit.conform.place import ABSENT
from verbatim_kit.conform.rules import (
    Ban,
    Companion,
    Rules,
    has_part_of_type,
    is_longer_than,
    is_one_of,
)

_AMONG: Final = "tool_choice must name one of the tools"
_TOOLS: Final = [{"type": "function", "name": name, "parameters": {"type": "object"}} for name in ("a", "a1")]
_STRICT_SCHEMA: Final = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}

RULES: Final = Rules(
    companions=(
        Companion("*", "stream_options*", {("stream",): True}, "stream_options is only for streams"),
        Companion(
            "*",
            "stream",
            {("stream_options",): ABSENT},
            "stream_options is only for streams",
            is_one_of(False),
        ),
        Companion("*", "tools", {("tool_choice",): ABSENT}, _AMONG, is_one_of(None)),
        Companion("*", "tool_choice*", {("tools",): _TOOLS}, _AMONG),
        Companion(
            "*",
            "text.format.strict",
            {("text", "format", "schema"): _STRICT_SCHEMA},
            "a strict schema must keep to OpenAI's subset of JSON Schema",
            is_one_of(True),
        ),
        Companion("*", "include*", {("top_logprobs",): ABSENT}, "top_logprobs needs a value in include"),
    ),
    bans=(
        Ban("*", "*", "the model reads only text", has_part_of_type("input_image", "input_file"), True),
        Ban("*", "*", "no function returns a video here", has_part_of_type("input_video"), True),
        Ban(
            "*",
            "input.*",
            "a function's output must follow its call",
            has_part_of_type("function_call_output"),
        ),
        Ban("*", "input.type", "nothing is stored yet", is_one_of("item_reference", None), True),
        Ban("*", "input.type", "only the server that made it can read it", is_one_of("compaction"), True),
        Ban("*", "tool_choice.tools", _AMONG, is_longer_than(len(_TOOLS))),
    ),
    overload_statuses=(429,),
)
