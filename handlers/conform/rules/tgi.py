"""Text Generation Inference's."""

from typing import Final

from handlers.conform.document import Json
from handlers.conform.place import ABSENT
from handlers.conform.rules.rule import Ban, Companion, Rules, has_part_of_type, is_above, is_one_of

_TOOL: Final = {"type": "function", "function": {"name": "a", "parameters": {"type": "object"}}}
_OF_GENERATION: Final = (
    Ban("", "parameters.grammar.value", "a text is JSON, and a JSON Schema", is_one_of("1")),
    Ban("", "parameters.max_new_tokens", "the context is shorter", is_above(2**30), True),
    Ban("", "parameters.top_n_tokens", "--max-top-n-tokens says how many", is_above(5), True),
)


def _names_a_tool(value: Json, body: Json) -> bool:
    """For a text that is no way to choose, and no tool of the examples either."""
    return isinstance(value, str) and value not in ("auto", "none", "required", "get_weather")


RULES: Final = Rules(
    companions=(
        Companion("*", "max_completion_tokens", {("max_tokens",): ABSENT}, "both are one field"),
        Companion("*", "tools", {("tool_choice",): ABSENT}, "a call is demanded of a tool", is_one_of(None)),
        Companion("*", "tool_choice.*", {("tools",): [_TOOL]}, "tool_choice names one of the tools"),
        Companion(
            "*",
            "stream",
            {("stream_options",): ABSENT},
            "stream_options is of streams alone",
            is_one_of(False),
        ),
        Companion("*", "parameters.best_of", {("parameters", "do_sample"): True}, "best_of needs sampling"),
    ),
    bans=(
        *(
            ban._replace(path=path)
            for path in ("/", "/generate*")  # /tokenize passes over what is said of generation
            for ban in _OF_GENERATION
        ),
        Ban("*", "response_format.value", "a text is JSON, and a JSON Schema", is_one_of("1")),
        Ban("*", "max_*tokens", "the context is shorter", is_above(2**30), True),
        Ban(
            "*_stream",
            "parameters.decoder_input_details",
            "a stream tells nothing of its prompt",
            is_one_of(True),
        ),
        Ban("*", "messages.*", "the model reads text alone", has_part_of_type("image_url"), True),
        Ban("*", "tool_choice", "it names one of the tools", _names_a_tool),
    ),
)
